/* onnx.cc -- an ONNX file, told to a model builder.  Everything C++ may throw stops here. */
#include <cstring>
#include <map>
#include <set>
#include <sys/stat.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/stubs/logging.h>
#include "onnx.h"

namespace
{

using tgs::check;
using tgs::Refused;

enum : int64_t { LARGEST = INT32_MAX }; /* protobuf's limit for one message */

struct Quiet { /* protobuf tells stderr what we tell the caller */
    google::protobuf::LogHandler *before = google::protobuf::SetLogHandler(nullptr);
    ~Quiet()
    {
        google::protobuf::SetLogHandler(before);
    }
};

std::string read_all(FILE *file)
{
    struct stat st;
    std::string bytes;
    char buffer[1 << 16];
    size_t n;

    if (!fstat(fileno(file), &st) && S_ISREG(st.st_mode)) {
        if (st.st_size > LARGEST)
            throw Refused(TGS_EPARSE, "larger than 2 GiB, the limit of this format");
        bytes.reserve((size_t)st.st_size);
    }
    while ((n = fread(buffer, 1, sizeof buffer, file)) > 0) {
        if (bytes.size() + n > (size_t)LARGEST)
            throw Refused(TGS_EPARSE, "larger than 2 GiB, the limit of this format");
        bytes.append(buffer, n);
    }
    if (ferror(file))
        throw Refused(TGS_EIO, "cannot be read");
    if (bytes.empty())
        throw Refused(TGS_EPARSE, "empty file");
    return bytes;
}

/* "batch=8,seq=128" */
class Bindings
{
    const char *text;
    std::set<std::string> used, open;

  public:
    explicit Bindings(const char *bind) : text(bind)
    {
    }

    bool take(const std::string &symbol, int64_t &value)
    {
        if (!symbol.empty())
            open.insert(symbol);
        if (symbol.empty() || !tgs_bind_find(text, symbol.c_str(), &value))
            return false;
        used.insert(symbol);
        return true;
    }

    /* "x.0" means one dimension of one input, whatever the file says of it */
    bool take(const std::string &input, int axis, int64_t &value)
    {
        const std::string key = input + "." + std::to_string(axis);

        if (!tgs_bind_find(text, key.c_str(), &value))
            return false;
        used.insert(key);
        return true;
    }

    void refuse_unused() const
    {
        for (const char *s = text ? text : ""; *s;) {
            const std::string item(s, strcspn(s, ","));
            const std::string key = item.substr(0, item.find('='));
            std::string there;

            if (!used.count(key)) {
                for (const auto &o : open)
                    there += (there.empty() ? "" : ", ") + o;
                throw Refused(TGS_EINVAL,
                              "--bind " + item + ": no such dimension, or no whole number"
                                  + (there.empty() ? "" : " (there are: " + there + ")"));
            }
            s += item.size();
            s += *s == ',';
        }
    }
};

class Reading
{
    const onnx::GraphProto &graph;
    tgs_model_builder *b;
    Bindings &bind;
    tgs::Places places;
    std::string path;
    struct Shape {
        tgs_dtype dtype;
        std::vector<int64_t> dims;
    };
    std::map<std::string, Shape> declared;
    std::set<std::string> missing; /* names of dimensions without a value */
    std::string open;              /* where the first of them is */

    std::string init(const std::vector<int64_t> &place, int i) const
    {
        if (path.empty() || (size_t)i >= place.size() || place[(size_t)i] < 0)
            return "";
        return "file:" + std::to_string(place[(size_t)i]) + ":" + path;
    }

    void stored(int32_t tensor, const std::string &init)
    {
        check(tgs_model_stored(b, tensor, init.empty() ? nullptr : init.c_str()));
    }

    /* the first node that reads a tensor, for messages */
    std::string reader_of(const std::string &name) const
    {
        for (const auto &node : graph.node())
            for (const auto &input : node.input())
                if (input == name)
                    return "node '" + node.name() + "' ("
                           + (node.domain().empty() ? "" : node.domain() + ".") + node.op_type()
                           + "): ";
        return "";
    }

    int64_t dimension(const onnx::ValueInfoProto &v, int axis)
    {
        const auto &d = v.type().tensor_type().shape().dim(axis);
        int64_t value;

        if (bind.take(v.name(), axis, value) || bind.take(d.dim_param(), value))
            return value;
        if (d.has_dim_value() && d.dim_value() >= 0)
            return d.dim_value();
        const std::string key =
            d.dim_param().empty() ? v.name() + "." + std::to_string(axis) : d.dim_param();

        if (missing.empty())
            open = "input '" + v.name() + "': dimension " + std::to_string(axis);
        missing.insert(key);
        return 0;
    }

    /* Samples run along the axes whose symbol speaks of a batch, else along those that have the
     * symbol of the first axis of the first input.  Files without symbols leave it to the library.
     */
    std::string samples(const std::set<std::string> &initial) const
    {
        std::string first;
        bool seen = false;

        for (const auto &v : graph.input()) {
            const auto &shape = v.type().tensor_type().shape();

            if (initial.count(v.name()))
                continue;
            for (const auto &d : shape.dim()) {
                std::string word = d.dim_param();

                for (auto &c : word)
                    c = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
                if (word.find("batch") != std::string::npos)
                    return d.dim_param();
            }
            if (!seen && shape.dim_size() > 0)
                first = shape.dim(0).dim_param();
            seen = true;
        }
        return first;
    }

    void tell_samples(const onnx::ValueInfoProto &v, const std::string &symbol)
    {
        const auto &shape = v.type().tensor_type().shape();

        for (int i = 0; i < shape.dim_size(); i++)
            if (!symbol.empty() && shape.dim(i).dim_param() == symbol) {
                check(tgs_model_samples(b, check(tgs_model_tensor(b, v.name().c_str())), i));
                return;
            }
    }

    void read_input(const onnx::ValueInfoProto &v)
    {
        const auto &type = v.type().tensor_type();
        const tgs_dtype dtype = tgs::dtype_of(type.elem_type());
        std::vector<int64_t> dims;

        if (!v.type().has_tensor_type() || dtype == TGS_BYTES)
            throw Refused(TGS_ENOTAPPLICABLE,
                          reader_of(v.name()) + "input '" + v.name() + "' has type "
                              + (v.type().has_tensor_type() ? tgs::type_name(type.elem_type())
                                                            : "sequence, map or optional"));
        if (!type.has_shape())
            throw Refused(TGS_EINVAL, "input '" + v.name() + "' has no shape");
        for (int i = 0; i < type.shape().dim_size(); i++)
            dims.push_back(dimension(v, i));
        const int32_t t = check(tgs_model_tensor(b, v.name().c_str()));

        check(tgs_model_shape(b, t, dtype, (int32_t)dims.size(), dims.data()));
        check(tgs_model_input(b, t));
    }

    void read_inputs(const std::set<std::string> &initial)
    {
        const std::string symbol = samples(initial);
        std::string list;

        for (const auto &v : graph.input())
            if (!initial.count(v.name())) { /* before IR 4 every initializer is an input too */
                read_input(v);
                tell_samples(v, symbol);
            }
        for (const auto &key : missing)
            list += (list.empty() ? "" : ",") + key + "=8";
        if (!list.empty())
            throw Refused(TGS_EINVAL, open + " is open; bind it: --bind " + list);
    }

    /* what the file says of a computed tensor, for operators whose rule nobody knows */
    void declare(const onnx::ValueInfoProto &v)
    {
        const auto &type = v.type().tensor_type();
        Shape s;

        s.dtype = tgs::dtype_of(type.elem_type());
        if (!v.type().has_tensor_type() || s.dtype == TGS_BYTES || !type.has_shape()
            || type.shape().dim_size() > TGS_MODEL_RANK)
            return;
        for (const auto &d : type.shape().dim()) {
            int64_t value = d.has_dim_value() ? d.dim_value() : -1;

            if (!d.has_dim_value() && !bind.take(d.dim_param(), value))
                return;
            if (value < 0)
                return;
            s.dims.push_back(value);
        }
        declared[v.name()] = s;
    }

    /* a Constant is a stored tensor; a single number of it is a literal */
    void read_constant(const onnx::NodeProto &node, int index)
    {
        const int32_t t =
            node.output_size() == 1 ? check(tgs_model_tensor(b, node.output(0).c_str())) : -1;

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
        } else
            throw Refused(TGS_ENOTAPPLICABLE, "node '" + node.name() + "' (Constant): " + a.name()
                                                  + " is not supported");
        made.set_name(node.output(0));
        tgs::put_tensor(b, t, made, true);
        stored(t, init(places.constant, index));
    }

    void read_node(const onnx::NodeProto &node)
    {
        const bool standard = node.domain().empty() || node.domain() == "ai.onnx";
        std::vector<int32_t> in, out;

        for (const auto &name : node.input())
            in.push_back(name.empty() ? -1 : check(tgs_model_tensor(b, name.c_str())));
        for (const auto &name : node.output()) {
            const auto d = declared.find(name);

            out.push_back(name.empty() ? -1 : check(tgs_model_tensor(b, name.c_str())));
            if (d != declared.end())
                check(tgs_model_shape(b, out.back(), d->second.dtype,
                                      (int32_t)d->second.dims.size(), d->second.dims.data()));
        }
        check(tgs_model_operator(b, node.name().c_str(),
                                 ((standard ? "" : node.domain() + ".") + node.op_type()).c_str(),
                                 tgs::attributes_of(node).c_str(), (int32_t)in.size(), in.data(),
                                 (int32_t)out.size(), out.data()));
    }

  public:
    Reading(const onnx::GraphProto &g, tgs_model_builder *builder, Bindings &bindings,
            const std::string &bytes, const char *file)
        : graph(g), b(builder), bind(bindings), places(tgs::find_places(bytes)),
          path(*file == '<' ? "" : file)
    {
    }

    void read()
    {
        std::set<std::string> initial;

        if (graph.sparse_initializer_size())
            throw Refused(TGS_ENOTAPPLICABLE, "sparse tensors are not supported");
        for (int i = 0; i < graph.initializer_size(); i++) {
            const auto &t = graph.initializer(i);
            const int32_t tensor = check(tgs_model_tensor(b, t.name().c_str()));

            initial.insert(t.name());
            if (tgs::dtype_of(t.data_type()) == TGS_BYTES)
                throw Refused(TGS_ENOTAPPLICABLE, reader_of(t.name()) + "tensor '" + t.name()
                                                      + "' has type "
                                                      + tgs::type_name(t.data_type()));
            tgs::put_tensor(b, tensor, t, t.dims_size() == 0);
            stored(tensor, init(places.initializer, i));
        }
        read_inputs(initial);
        for (const auto &v : graph.value_info())
            declare(v);
        for (const auto &v : graph.output())
            declare(v);
        for (int i = 0; i < graph.node_size(); i++)
            if (graph.node(i).op_type() == "Constant" && graph.node(i).domain().empty())
                read_constant(graph.node(i), i);
            else
                read_node(graph.node(i));
        for (const auto &v : graph.output())
            check(tgs_model_output(b, check(tgs_model_tensor(b, v.name().c_str()))));
        bind.refuse_unused();
    }
};

void read_model(FILE *file, const char *path, const char *bind, tgs_model_builder *b)
{
    const Quiet quiet;
    const std::string bytes = read_all(file);
    google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t *>(bytes.data()),
                                                  (int)bytes.size());
    onnx::ModelProto model;
    int64_t opset = 0;

    if (!model.ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage())
        throw Refused(TGS_EPARSE, "damaged, or not an ONNX model");
    if (!model.has_graph())
        throw Refused(TGS_EPARSE, "an ONNX model without a graph, or something else");
    for (const auto &o : model.opset_import())
        if (o.domain().empty() || o.domain() == "ai.onnx")
            opset = std::max<int64_t>(opset, o.version());
    if (opset > 0 && opset <= INT32_MAX)
        tgs_model_opset(b, (int32_t)opset);
    Bindings bindings(bind);

    Reading(model.graph(), b, bindings, bytes, path).read();
}

} // namespace

extern "C" tgs_status tgs_onnx_read(FILE *file, const char *path, const char *bind,
                                    tgs_model_builder *b, tgs_error *err)
{
    try {
        read_model(file, path, bind, b);
        return TGS_OK;
    } catch (const Refused &r) {
        if (!*r.what())
            return TGS_OK; /* the builder remembers why: finishing it tells */
        return tgs_fail(err, r.status, "%s: %s", path, r.what());
    } catch (const std::bad_alloc &) {
        return tgs_fail(err, TGS_ENOMEM, "%s: out of memory", path);
    } catch (const std::exception &e) {
        return tgs_fail(err, TGS_EPARSE, "%s: %s", path, e.what());
    } catch (...) {
        return tgs_fail(err, TGS_EPARSE, "%s: cannot be read", path);
    }
}
