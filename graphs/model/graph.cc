/* graph.cc -- the nodes of a graph, told to a model builder: at the top of a file, within an
 * operator, or in a function, whose calls are replaced by its nodes. */
#include <climits>
#include <cstring>
#include <unistd.h>
#include "onnx.h"

namespace
{

/* every name that a graph and those within it read and do not define */
void captured(const onnx::GraphProto &graph, std::set<std::string> known,
              std::set<std::string> &names)
{
    for (const auto &v : graph.input())
        known.insert(v.name());
    for (const auto &t : graph.initializer())
        known.insert(t.name());
    for (const auto &node : graph.node())
        for (const auto &name : node.output())
            known.insert(name);
    for (const auto &node : graph.node()) {
        for (const auto &name : node.input())
            if (!name.empty() && !known.count(name))
                names.insert(name);
        for (const auto &a : node.attribute()) {
            if (a.has_g())
                captured(a.g(), known, names);
            for (const auto &g : a.graphs())
                captured(g, known, names);
        }
    }
    for (const auto &v : graph.output())
        if (!v.name().empty() && !known.count(v.name()))
            names.insert(v.name());
}

} // namespace

std::set<std::string> tgs::captured_of(const onnx::GraphProto &graph)
{
    std::set<std::string> names;

    captured(graph, {}, names);
    return names;
}

int64_t tgs::count_nodes(const onnx::GraphProto &graph)
{
    int64_t count = 0;

    for (const auto &node : graph.node()) {
        count++;
        for (const auto &a : node.attribute())
            if (a.has_g())
                count += count_nodes(a.g());
    }
    return count;
}

/* ---- tensors ------------------------------------------------------------------------------- */
/* a new tensor of this name, or of one like it */
int32_t tgs::Reading::fresh(const std::string &name)
{
    std::string unique = name;

    for (int i = 1;; i++) {
        const int32_t before = tgs_model_so_far(b)->tensors;
        const int32_t t = check(tgs_model_tensor(b, unique.c_str()));

        if (t == before)
            return t;
        unique = name + "~" + std::to_string(i);
    }
}

int32_t tgs::Reading::make(const std::string &name, const Scope &scope)
{
    return scope.prefix.empty() ? check(tgs_model_tensor(b, name.c_str()))
                                : fresh(scope.prefix + name);
}

int32_t tgs::Reading::find(const std::string &name, const ScopePtr &scope)
{
    if (name.empty())
        return -1;
    for (const Scope *s = scope.get(); s; s = s->outer.get()) {
        const auto known = s->names.find(name);

        if (known != s->names.end())
            return known->second;
    }
    return scope->names[name] = make(name, *scope); /* nothing defines it: finishing tells */
}

/* a constant that the reader makes */
int32_t tgs::Reading::integers(const std::string &name, const std::vector<int64_t> &value,
                               bool scalar, tgs_dtype dtype)
{
    const int64_t count = (int64_t)value.size();
    const int32_t t = fresh(name);

    check(tgs_model_shape(b, t, dtype, scalar ? 0 : 1, &count));
    check(tgs_model_stored(b, t, nullptr));
    check(tgs_model_integers(b, t, value.data()));
    return t;
}

int32_t tgs::Reading::operate(const std::string &name, const char *type, const std::string &attrs,
                              const std::vector<int32_t> &in, const std::vector<int32_t> &out)
{
    return check(tgs_model_operator(b, name.c_str(), type, attrs.c_str(), (int32_t)in.size(),
                                    in.data(), (int32_t)out.size(), out.data()));
}

std::string tgs::Reading::reader_of(const onnx::GraphProto &graph, const std::string &name) const
{
    for (const auto &node : graph.node())
        for (const auto &input : node.input())
            if (input == name)
                return "node '" + node.name() + "' ("
                       + (node.domain().empty() ? "" : node.domain() + ".") + node.op_type()
                       + "): ";
    return "";
}

/* values in another file stay there; that file need not be at hand */
static std::string outside(const onnx::TensorProto &t, const std::string &path)
{
    std::string location, offset = "0";
    int64_t at;

    for (const auto &entry : t.external_data())
        if (entry.key() == "location")
            location = entry.value();
        else if (entry.key() == "offset")
            offset = entry.value();
    if (location.empty() || location[0] == '/' || location.find("..") != std::string::npos
        || !tgs_parse_count(offset.c_str(), INT64_MAX, &at))
        throw tgs::Refused(TGS_EPARSE, "tensor '" + t.name()
                                           + "' is in another file, and its place is not told");
    const size_t slash = path.rfind('/');
    const std::string whole =
        slash == std::string::npos ? location : path.substr(0, slash + 1) + location;

    if (path.empty() || access(whole.c_str(), R_OK))
        return "";
    return "file:" + std::to_string(at) + ":" + whole;
}

void tgs::Reading::stored(int32_t tensor, const onnx::TensorProto &t)
{
    const auto place = file->places.find(&t);
    std::string init;

    if (t.data_location() == onnx::TensorProto::EXTERNAL) {
        init = outside(t, file->path);
        if (init.empty())
            check(tgs_model_remark(b, "files with values of stored tensors are not there: they "
                                      "start as tensors without values do"));
    } else if (!file->path.empty() && place != file->places.end())
        init = "file:" + std::to_string(place->second) + ":" + file->path;
    check(tgs_model_stored(b, tensor, init.empty() ? nullptr : init.c_str()));
}

void tgs::Reading::read_initializers(const onnx::GraphProto &graph, const ScopePtr &scope,
                                     std::set<std::string> &initial)
{
    for (const auto &t : graph.initializer()) {
        const int32_t x = make(t.name(), *scope);

        scope->names[t.name()] = x;
        initial.insert(t.name());
        if (dtype_of(t.data_type()) == TGS_BYTES)
            throw Refused(TGS_ENOTAPPLICABLE, reader_of(graph, t.name()) + "tensor '" + t.name()
                                                  + "' has type " + type_name(t.data_type()));
        put_tensor(b, x, t, t.dims_size() == 0);
        stored(x, t);
    }
    for (const auto &s : graph.sparse_initializer()) {
        const std::string name = s.values().name();
        const std::vector<int64_t> dims(s.dims().begin(), s.dims().end());
        const tgs_dtype dtype = dtype_of(s.values().data_type());

        if (name.empty() || dtype == TGS_BYTES)
            throw Refused(TGS_EPARSE, "a sparse tensor without a name or a type");
        const int32_t x = make(name, *scope);

        scope->names[name] = x;
        initial.insert(name);
        check(tgs_model_shape(b, x, dtype, (int32_t)dims.size(), dims.data()));
        check(tgs_model_stored(b, x, nullptr));
        check(tgs_model_remark(b, "sparse tensors are taken as dense ones without values"));
    }
}

/* what the user says of a computed tensor: "y.0=5" */
void tgs::Reading::declare_bound(const std::string &name, int32_t tensor)
{
    std::vector<int64_t> dims;
    int64_t value;

    for (int i = 0; i < TGS_MODEL_RANK && file->bind.any(); i++)
        if (file->bind.take(name, i, value)) {
            dims.resize((size_t)i, -1);
            dims.push_back(value);
        }
    if (!dims.empty() && this->tensor(tensor).rank < 0)
        check(tgs_model_hint(b, tensor, TGS_F32, (int32_t)dims.size(), dims.data()));
}

/* what the file says of a computed tensor, for operators whose rule nobody knows */
void tgs::Reading::declare(const onnx::ValueInfoProto &v, const ScopePtr &scope)
{
    const auto &type = v.type().tensor_type();
    const auto known = scope->names.find(v.name());
    const tgs_dtype dtype = dtype_of(type.elem_type());
    std::vector<int64_t> dims;
    bool whole = true;

    if (known == scope->names.end() || known->second < 0 || !v.type().has_tensor_type()
        || dtype == TGS_BYTES || type.shape().dim_size() > TGS_MODEL_RANK
        || tensor(known->second).rank >= 0)
        return;
    for (int i = 0; i < type.shape().dim_size(); i++) {
        const auto &d = type.shape().dim(i);
        int64_t value = d.has_dim_value() && d.dim_value() >= 0 ? d.dim_value() : -1;

        if (!file->bind.take(v.name(), i, value) && !d.has_dim_value())
            file->bind.take(d.dim_param(), value);
        whole &= value >= 0;
        dims.push_back(value);
    }
    if (type.has_shape() && whole)
        check(tgs_model_shape(b, known->second, dtype, (int32_t)dims.size(), dims.data()));
    else
        check(tgs_model_hint(b, known->second, dtype, type.has_shape() ? (int32_t)dims.size() : -1,
                             dims.data()));
}

/* ---- nodes --------------------------------------------------------------------------------- */
/* a Constant is a stored tensor; a single number of it is a literal */
void tgs::Reading::read_constant(const onnx::NodeProto &node, const ScopePtr &scope)
{
    const int32_t t = node.output_size() == 1 ? find(node.output(0), scope) : -1;

    if (t < 0 || node.attribute_size() != 1)
        throw Refused(TGS_EPARSE, "node '" + node.name() + "' (Constant): not one value");
    const auto &a = node.attribute(0);
    onnx::TensorProto made;

    if (a.name() == "value" && a.has_t())
        made = a.t();
    else if (a.name() == "value_float" || a.name() == "value_floats") {
        made.set_data_type(onnx::TensorProto::FLOAT);
        if (a.name() == "value_float")
            made.add_float_data(a.f());
        else {
            made.add_dims(a.floats_size());
            *made.mutable_float_data() = a.floats();
        }
    } else if (a.name() == "value_int" || a.name() == "value_ints") {
        made.set_data_type(onnx::TensorProto::INT64);
        if (a.name() == "value_int")
            made.add_int64_data(a.i());
        else {
            made.add_dims(a.ints_size());
            *made.mutable_int64_data() = a.ints();
        }
    } else if (a.name() == "value_string" || a.name() == "value_strings") {
        made.set_data_type(onnx::TensorProto::STRING);
        if (a.name() == "value_string")
            made.add_string_data(a.s());
        else {
            made.add_dims(a.strings_size());
            *made.mutable_string_data() = a.strings();
        }
    } else if (a.name() == "sparse_value" && dtype_of(a.sparse_tensor().values().data_type())) {
        const auto &dims = a.sparse_tensor().dims();

        check(tgs_model_shape(b, t, dtype_of(a.sparse_tensor().values().data_type()), dims.size(),
                              std::vector<int64_t>(dims.begin(), dims.end()).data()));
        check(tgs_model_stored(b, t, nullptr));
        check(tgs_model_remark(b, "sparse tensors are taken as dense ones without values"));
        return;
    } else
        throw Refused(TGS_EPARSE,
                      "node '" + node.name() + "' (Constant): " + a.name() + " is no value");
    made.set_name(node.output(0));
    put_tensor(b, t, made, true);
    stored(t, a.has_t() ? a.t() : made);
}

bool tgs::is_control(const std::string &type)
{
    return type == "If" || type == "Loop" || type == "Scan" || type == "SequenceMap";
}

/* the node comes back when its inputs are known; what its graphs read of what is around them is
 * input too */
void tgs::Reading::defer(int32_t op, const onnx::NodeProto &node, const ScopePtr &scope,
                         const std::vector<int32_t> &in, const std::vector<int32_t> &out)
{
    std::set<int32_t> there(in.begin(), in.end());
    Work w;
    int64_t bound;

    for (const auto &a : node.attribute())
        if (a.has_g())
            for (const auto &name : captured_of(a.g())) {
                const int32_t t = find(name, scope);

                if (t >= 0 && there.insert(t).second)
                    check(tgs_model_attach(b, op, t));
            }
    w.node = &node;
    w.scope = scope;
    w.input = in;
    w.output = out;
    w.name = tgs_model_so_far(b)->op[op].name;
    w.scans = std::make_shared<std::vector<std::vector<int32_t>>>();
    if (node.op_type() == "Loop")
        file->bind.take(w.name + ".trips", bound);
    deferred[op] = w;
    check(tgs_model_defer(b, op));
}

void tgs::Reading::read_node(const onnx::NodeProto &node, const ScopePtr &scope)
{
    const bool standard = node.domain().empty() || node.domain() == "ai.onnx";
    const auto function = file->functions.find(function_key(node));
    std::vector<int32_t> in, out;

    if (function != file->functions.end()) {
        read_function(*function->second, node, scope);
        return;
    }
    if (standard && node.op_type() == "Constant") {
        read_constant(node, scope);
        return;
    }
    for (const auto &name : node.input())
        in.push_back(find(name, scope));
    for (const auto &name : node.output()) {
        out.push_back(find(name, scope));
        if (out.back() >= 0)
            declare_bound(name, out.back());
    }
    const int32_t op = operate(node.name().empty() ? "" : scope->prefix + node.name(),
                               ((standard ? "" : node.domain() + ".") + node.op_type()).c_str(),
                               attributes_of(node), in, out);

    if (standard && is_control(node.op_type()))
        defer(op, node, scope, in, out);
    else if (standard && is_sequence(node.op_type()))
        check(tgs_model_defer(b, op));
}

void tgs::Reading::name_outputs(const google::protobuf::RepeatedPtrField<onnx::NodeProto> &nodes,
                                const ScopePtr &scope)
{
    for (const auto &node : nodes)
        for (const auto &name : node.output())
            if (!name.empty() && !scope->names.count(name))
                scope->names[name] = make(name, *scope);
}

void tgs::Reading::read_graph(const onnx::GraphProto &graph, const ScopePtr &scope,
                              const std::vector<int32_t> &output)
{
    std::set<std::string> initial, made;
    std::vector<std::pair<std::string, int32_t>> copied;

    for (const auto &node : graph.node())
        for (const auto &name : node.output())
            made.insert(name);
    read_initializers(graph, scope, initial);
    for (int i = 0; i < graph.output_size() && (size_t)i < output.size(); i++) {
        const std::string &name = graph.output(i).name();

        if (output[(size_t)i] < 0)
            continue;
        if (made.count(name) && !scope->names.count(name))
            scope->names[name] = output[(size_t)i];
        else
            copied.emplace_back(name, output[(size_t)i]);
    }
    name_outputs(graph.node(), scope);
    for (const auto &v : graph.value_info())
        declare(v, scope);
    for (const auto &v : graph.output())
        declare(v, scope);
    for (const auto &node : graph.node())
        read_node(node, scope);
    for (const auto &c : copied)
        operate(tensor(c.second).name, "Identity", "", {find(c.first, scope)}, {c.second});
}
