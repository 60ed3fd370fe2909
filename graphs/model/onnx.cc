/* onnx.cc -- an ONNX file, told to a model builder.  Everything C++ may throw stops here. */
#include <cstring>
#include <sys/stat.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/stubs/logging.h>
#include "onnx.h"

namespace
{

using tgs::Refused;

enum : int64_t { LARGEST = INT32_MAX }; /* protobuf's limit for one message */
enum { UNROLL = 10000 };                /* operators that loops may become, unless told */
enum { OVERLOAD_OF_FUNCTION = 13 };     /* a field that is newer than the library */

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

/* "domain.name:overload" */
std::string key_of(const onnx::FunctionProto &f)
{
    const auto &unknown = f.GetReflection()->GetUnknownFields(f);
    std::string overload;

    for (int i = 0; i < unknown.field_count(); i++)
        if (unknown.field(i).number() == OVERLOAD_OF_FUNCTION
            && unknown.field(i).type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED)
            overload = unknown.field(i).length_delimited();
    return (f.domain() == "ai.onnx" ? "" : f.domain()) + "." + f.name() + ":" + overload;
}

/* Samples run along the axes whose symbol speaks of a batch, else along those that have the
 * symbol of the first axis of the first input.  Files without symbols leave it to the library. */
std::string samples(const onnx::GraphProto &graph, const std::set<std::string> &initial)
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

void tell_samples(tgs_model_builder *b, const onnx::ValueInfoProto &v, const std::string &symbol)
{
    const auto &shape = v.type().tensor_type().shape();

    for (int i = 0; i < shape.dim_size(); i++)
        if (!symbol.empty() && shape.dim(i).dim_param() == symbol) {
            tgs::check(tgs_model_samples(b, tgs::check(tgs_model_tensor(b, v.name().c_str())), i));
            return;
        }
}

} // namespace

/* ---- what goes in -------------------------------------------------------------------------- */
int64_t tgs::Reading::dimension(const std::string &name, const onnx::TypeProto::Tensor &type,
                                int axis)
{
    const auto &d = type.shape().dim(axis);
    int64_t value;

    if (file->bind.take(name, axis, value) || file->bind.take(d.dim_param(), value))
        return value;
    if (d.has_dim_value() && d.dim_value() >= 0)
        return d.dim_value();
    const std::string key =
        d.dim_param().empty() ? name + "." + std::to_string(axis) : d.dim_param();

    if (missing.empty())
        open = "input '" + name + "': dimension " + std::to_string(axis) + " is open";
    missing.insert(key);
    return 0;
}

/* a flag or a count whose value the user gives, as in --bind sample_rate=16000 */
bool tgs::Reading::is_bound_value(const std::string &name, tgs_dtype dtype,
                                  const std::vector<int64_t> &dims)
{
    int64_t value = 0, count = 1;

    for (const auto d : dims)
        count *= d == 1 ? 1 : 0;
    if (count != 1 || dtype == TGS_TEXT || dtype == TGS_F32 || dtype == TGS_F64 || dtype == TGS_F16
        || dtype == TGS_BF16 || !file->bind.any() || !file->bind.take(name, value))
        return false;
    const int32_t t = check(tgs_model_tensor(b, name.c_str()));

    check(tgs_model_stored(b, t, nullptr));
    check(tgs_model_integers(b, t, &value));
    return true;
}

/* key: what the user may call it */
void tgs::Reading::read_tensor_input(const std::string &name, const std::string &key,
                                     const onnx::TypeProto::Tensor &type)
{
    const tgs_dtype dtype = dtype_of(type.elem_type());
    std::vector<int64_t> dims;
    int64_t rank, value;

    if (dtype == TGS_BYTES)
        throw Refused(TGS_ENOTAPPLICABLE, reader_of(file->model.graph(), name) + "input '" + name
                                              + "' has type " + type_name(type.elem_type()));
    for (int i = 0; i < type.shape().dim_size(); i++)
        dims.push_back(dimension(key, type, i));
    if (!type.has_shape()) {
        if (!file->bind.take(key + ".rank", rank) || rank > TGS_MODEL_RANK)
            throw Refused(TGS_EINVAL, "input '" + key + "' has no shape; bind it: --bind " + key
                                          + ".rank=2," + key + ".0=8," + key + ".1=8");
        for (int i = 0; i < (int)rank; i++)
            if (file->bind.take(key, i, value))
                dims.push_back(value);
            else
                throw Refused(TGS_EINVAL, "input '" + key + "': dimension " + std::to_string(i)
                                              + " is open; bind it: --bind " + key + "."
                                              + std::to_string(i) + "=8");
    }
    const int32_t t = check(tgs_model_tensor(b, name.c_str()));

    check(tgs_model_shape(b, t, dtype, (int32_t)dims.size(), dims.data()));
    if (!is_bound_value(name, dtype, dims))
        check(tgs_model_input(b, t));
}

/* the tensors of a sequence, an optional value or a map */
std::vector<int32_t> tgs::Reading::read_items(const onnx::ValueInfoProto &v,
                                              const onnx::TypeProto &type)
{
    const std::string key = v.name() + ".length";
    std::vector<int32_t> items;
    int64_t length = 1;

    if (!file->bind.take(key, length) && type.has_sequence_type()) {
        if (missing.empty())
            open = "input '" + v.name() + "': its length is open";
        missing.insert(key);
    }
    if (type.has_map_type()) {
        onnx::TypeProto::Tensor column = type.map_type().value_type().tensor_type();

        column.mutable_shape()->clear_dim();
        column.mutable_shape()->add_dim()->set_dim_value(length);
        read_tensor_input(v.name(), v.name(), column);
        return {};
    }
    const onnx::TypeProto &item =
        type.has_sequence_type() ? type.sequence_type().elem_type() : type;

    if (!item.has_tensor_type())
        throw Refused(TGS_ENOTAPPLICABLE, reader_of(file->model.graph(), v.name()) + "input '"
                                              + v.name() + "' is a sequence of no tensors");
    for (int64_t i = 0; i < length && i <= TGS_MODEL_VALUES; i++) {
        const std::string name = v.name() + "[" + std::to_string(i) + "]";

        read_tensor_input(name, v.name(), item.tensor_type());
        items.push_back(check(tgs_model_tensor(b, name.c_str())));
    }
    return items;
}

void tgs::Reading::read_input(const onnx::ValueInfoProto &v)
{
    const auto &type = v.type();
    const bool optional = type.has_optional_type();
    const onnx::TypeProto &inner = optional ? type.optional_type().elem_type() : type;
    Bundle items;

    if (type.has_tensor_type()) {
        read_tensor_input(v.name(), v.name(), type.tensor_type());
        return;
    }
    if (type.has_sparse_tensor_type()) {
        onnx::TypeProto::Tensor dense;

        dense.set_elem_type(type.sparse_tensor_type().elem_type());
        *dense.mutable_shape() = type.sparse_tensor_type().shape();
        read_tensor_input(v.name(), v.name(), dense);
        return;
    }
    if (!inner.has_tensor_type() && !inner.has_sequence_type() && !inner.has_map_type())
        throw Refused(TGS_EPARSE, "input '" + v.name() + "' has no type");
    items.items = read_items(v, inner);
    items.optional = optional && !inner.has_sequence_type();
    if (!inner.has_map_type())
        bundle(check(tgs_model_tensor(b, v.name().c_str())), items);
}

void tgs::Reading::read_inputs(const std::set<std::string> &initial)
{
    const std::string symbol = samples(file->model.graph(), initial);
    std::string list;

    for (const auto &v : file->model.graph().input())
        if (!initial.count(v.name())) { /* before IR 4 every initializer is an input too */
            read_input(v);
            tell_samples(b, v, symbol);
        }
    for (const auto &key : missing)
        list += (list.empty() ? "" : ",") + key + "=8";
    if (!list.empty())
        throw Refused(TGS_EINVAL, open + "; bind it: --bind " + list);
}

/* what a sequence holds is only known in the end: an operator that is told then */
void tgs::Reading::read_outputs(const ScopePtr &scope)
{
    for (const auto &v : file->model.graph().output()) {
        const int32_t t = find(v.name(), scope);

        if (v.type().has_sequence_type() || v.type().has_optional_type()
            || bundles.find(t) != bundles.end())
            check(tgs_model_defer(b, operate("", "tgsched.Output", "", {t}, {})));
        else
            add_output(t);
    }
}

/* ---- the file ------------------------------------------------------------------------------ */
tgs::Reading::Reading(const std::shared_ptr<File> &f, tgs_model_builder *builder)
    : file(f), b(builder)
{
}

void tgs::Reading::read()
{
    const auto &graph = file->model.graph();
    const auto scope = std::make_shared<Scope>();
    std::set<std::string> initial;

    read_initializers(graph, scope, initial);
    read_inputs(initial);
    name_outputs(graph.node(), scope);
    for (const auto &v : graph.value_info())
        declare(v, scope);
    for (const auto &v : graph.output())
        declare(v, scope);
    for (const auto &node : graph.node())
        read_node(node, scope);
    read_outputs(scope);
    file->bind.refuse_unused();
}

namespace
{

tgs_status refused(const Refused &r, tgs_model_builder *b)
{
    return *r.what() ? tgs_model_failed(b, r.status, r.what()) : r.status;
}

tgs_status expand(void *user, tgs_model_builder *b, int32_t op, bool *instead)
{
    try {
        *instead = static_cast<tgs::Reading *>(user)->expand(op);
        return TGS_OK;
    } catch (const Refused &r) {
        return refused(r, b);
    } catch (const std::bad_alloc &) {
        return tgs_model_failed(b, TGS_ENOMEM, "out of memory");
    } catch (const std::exception &e) {
        return tgs_model_failed(b, TGS_EPARSE, e.what());
    }
}

void close(void *user)
{
    delete static_cast<tgs::Reading *>(user);
}

} // namespace

/* the builder owns it from here on */
tgs::Reading *tgs::Reading::start(const std::shared_ptr<File> &f, tgs_model_builder *b)
{
    auto reading = std::unique_ptr<Reading>(new Reading(f, b));
    const tgs_expander e = {::expand, ::close, reading.get()};

    check(tgs_model_expander(b, &e));
    return reading.release();
}

namespace
{

void read_model(FILE *from, const char *path, const char *bind, tgs_model_builder *b)
{
    const Quiet quiet;
    const auto file = std::make_shared<tgs::File>(bind);
    int64_t opset = 0;

    file->path = *path == '<' ? "" : path;
    {
        const std::string bytes = read_all(from);
        google::protobuf::io::CodedInputStream stream(
            reinterpret_cast<const uint8_t *>(bytes.data()), (int)bytes.size());

        if (!file->model.ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage())
            throw Refused(TGS_EPARSE, "damaged, or not an ONNX model");
        if (!file->model.has_graph())
            throw Refused(TGS_EPARSE, "an ONNX model without a graph, or something else");
        file->places = tgs::find_places(bytes, file->model.graph());
    }
    for (const auto &o : file->model.opset_import())
        if (o.domain().empty() || o.domain() == "ai.onnx")
            opset = std::max<int64_t>(opset, o.version());
    if (opset > 0 && opset <= INT32_MAX)
        tgs_model_opset(b, (int32_t)opset);
    for (const auto &f : file->model.functions())
        file->functions[key_of(f)] = &f;
    if (!file->bind.take("tgsched.unroll", file->unroll))
        file->unroll = UNROLL;
    tgs::Reading::start(file, b)->read();
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
