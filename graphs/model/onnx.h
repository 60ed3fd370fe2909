/* onnx.h -- between the files of the module tgsched-onnx. */
#ifndef TGS_MODEL_ONNX_H
#define TGS_MODEL_ONNX_H
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>
#include <onnx/onnx_pb.h>
#include "tgsched/model.h"

namespace tgs
{

/* what cannot be read, in one line; the module's border turns it into a status */
struct Refused : std::runtime_error {
    tgs_status status;
    Refused(tgs_status s, const std::string &text) : std::runtime_error(text), status(s)
    {
    }
};

/* wire.cc: where in the file the bytes of a tensor are, if they are in one piece */
using Places = std::map<const onnx::TensorProto *, int64_t>;
Places find_places(const std::string &bytes, const onnx::GraphProto &graph);

/* values.cc */
tgs_dtype dtype_of(int onnx_type);    /* TGS_BYTES when there is none */
std::string type_name(int onnx_type); /* in words, for messages */
void put_tensor(tgs_model_builder *b, int32_t tensor, const onnx::TensorProto &t, bool literal);
std::string attributes_of(const onnx::NodeProto &node);

/* bindings.cc: "batch=8,seq=128", and what there was to bind */
class Bindings
{
    std::map<std::string, std::string> items;
    std::set<std::string> used, open;

  public:
    explicit Bindings(const char *bind);
    bool take(const std::string &symbol, int64_t &value);
    /* "x.0" means one dimension of one tensor, whatever the file says of it */
    bool take(const std::string &tensor, int axis, int64_t &value);
    bool any() const
    {
        return !items.empty();
    }
    void refuse_unused() const;
};

/* names of a graph: what they mean here, else in the graph around it */
struct Scope {
    std::map<std::string, int32_t> names; /* tensors; -1: absent */
    std::shared_ptr<const Scope> outer;
    std::string prefix; /* of tensors and operators made here */
    int depth = 0;      /* of functions within functions */
};
using ScopePtr = std::shared_ptr<Scope>;

/* a file: what all builders of its parts share */
struct File {
    onnx::ModelProto model;
    std::string path; /* "" when values cannot be read again later */
    Places places;
    std::map<std::string, const onnx::FunctionProto *> functions; /* "domain.name:overload" */
    /* nodes of functions, their attributes in place */
    std::vector<std::unique_ptr<onnx::NodeProto>> copies;
    Bindings bind;
    int64_t unroll; /* operators that loops may still become */
    int64_t inlined = 0;

    explicit File(const char *text) : bind(text)
    {
    }
};

/* a deferred operator: a node in its scope, and how far its loop has come */
struct Work {
    const onnx::NodeProto *node = nullptr;
    ScopePtr scope;
    std::vector<int32_t> input, output; /* as the node has them */
    std::string name;                   /* of the first operator it was */
    int64_t turn = 0;
    std::shared_ptr<std::vector<std::vector<int32_t>>> scans; /* what each turn has put out */
};

struct Bundle { /* a sequence, or an optional value */
    std::vector<int32_t> items;
    bool optional = false; /* of one tensor, if it is there */
};

/* what one model builder is told */
class Reading
{
  public:
    static Reading *start(const std::shared_ptr<File> &f, tgs_model_builder *builder);
    void read(); /* the whole file */
    /* the expander */
    bool expand(int32_t op);

  private:
    Reading(const std::shared_ptr<File> &f, tgs_model_builder *builder);
    std::shared_ptr<File> file;
    tgs_model_builder *b;
    std::map<int32_t, Work> deferred;
    std::map<int32_t, Bundle> bundles;

    /* onnx.cc: inputs of the file */
    std::set<std::string> missing; /* names of dimensions without a value */
    std::string open;              /* where the first of them is */
    int64_t dimension(const std::string &name, const onnx::TypeProto::Tensor &type, int axis);
    void read_tensor_input(const std::string &name, const std::string &key,
                           const onnx::TypeProto::Tensor &type);
    void read_input(const onnx::ValueInfoProto &v);
    void read_inputs(const std::set<std::string> &initial);
    void read_outputs(const ScopePtr &scope);
    bool is_bound_value(const std::string &name, tgs_dtype dtype, const std::vector<int64_t> &dims);
    std::vector<int32_t> read_items(const onnx::ValueInfoProto &v, const onnx::TypeProto &type);

    /* graph.cc */
    int32_t make(const std::string &name, const Scope &scope);
    int32_t find(const std::string &name, const ScopePtr &scope);
    std::string reader_of(const onnx::GraphProto &graph, const std::string &name) const;
    void stored(int32_t tensor, const onnx::TensorProto &t);
    void read_initializers(const onnx::GraphProto &graph, const ScopePtr &scope,
                           std::set<std::string> &initial);
    void declare(const onnx::ValueInfoProto &v, const ScopePtr &scope);
    void declare_bound(const std::string &name, int32_t tensor);
    void read_constant(const onnx::NodeProto &node, const ScopePtr &scope);
    void read_node(const onnx::NodeProto &node, const ScopePtr &scope);
    void read_function(const onnx::FunctionProto &f, const onnx::NodeProto &node,
                       const ScopePtr &scope);
    void name_outputs(const google::protobuf::RepeatedPtrField<onnx::NodeProto> &nodes,
                      const ScopePtr &scope);
    /* a graph within an operator: output[i] (-1: nobody wants it) is to be its output i */
    void read_graph(const onnx::GraphProto &graph, const ScopePtr &scope,
                    const std::vector<int32_t> &output);
    void defer(int32_t op, const onnx::NodeProto &node, const ScopePtr &scope,
               const std::vector<int32_t> &in, const std::vector<int32_t> &out);
    int32_t integers(const std::string &name, const std::vector<int64_t> &value, bool scalar,
                     tgs_dtype dtype = TGS_I64);
    int32_t operate(const std::string &name, const char *type, const std::string &attrs,
                    const std::vector<int32_t> &in, const std::vector<int32_t> &out);
    int32_t fresh(const std::string &name);
    const tgs_tensor &tensor(int32_t t)
    {
        return tgs_model_so_far(b)->tensor[t];
    }

    /* control.cc */
    struct Argument { /* of a body that is measured */
        std::string name;
        int32_t tensor;  /* -1: one number of this type */
        int32_t without; /* so many first axes are left out */
        int64_t axis;    /* and this one; -1 none */
        tgs_dtype dtype;
    };
    struct Body { /* of control flow, measured as a model of its own */
        double flops = 0, bytes = 0;
        std::vector<tgs_shape> output;
    };
    int32_t give(Reading &part, std::map<int32_t, int32_t> &given, const Argument &a);
    Body measure(const Work &w, const onnx::GraphProto &graph, int32_t op,
                 const std::vector<Argument> &input);
    void keep_stored(const tgs_model_view &part, const std::map<int32_t, int32_t> &given,
                     const std::string &prefix, int32_t op);
    void one_task(int32_t op, const Work &w, double flops, double bytes,
                  const std::vector<tgs_shape> &output);
    ScopePtr inner(const Work &w, const std::string &part) const;
    void stack(const std::string &name, const std::vector<int32_t> &items, int64_t axis,
               bool new_axis, int32_t out);
    bool expand_if(int32_t op, const Work &w);
    bool expand_loop(int32_t op, const Work &w);
    void one_loop(int32_t op, const Work &w, const onnx::GraphProto &body, int64_t times,
                  const std::string &why);
    void turn_loop(int32_t op, const Work &w, const onnx::GraphProto &body);
    void end_loop(const Work &w, const onnx::GraphProto &body);
    bool expand_scan(int32_t op, const Work &w);

    /* sequence.cc */
    bool expand_sequence(int32_t op, const std::string &type);
    bool expand_map(int32_t op, const Work &w);
    void bundle(int32_t t, const Bundle &what);
    bool split(int32_t op);
    bool spread(int32_t op);
    void add_output(int32_t t);
    void give_integers(int32_t t, int64_t value, tgs_dtype dtype);
    std::set<int32_t> outputs;
    bool pick(int32_t op);
};

/* which operators become others; of the standard domain */
bool is_control(const std::string &type);
bool is_sequence(const std::string &type);
/* operators of a graph, those of graphs within it counted once */
int64_t count_nodes(const onnx::GraphProto &graph);
/* every name that a graph and those within it read and do not define */
std::set<std::string> captured_of(const onnx::GraphProto &graph);
std::string function_key(const onnx::NodeProto &node);
[[noreturn]] void broken(const Work &w, const std::string &why);
/* an axis in front, or where the operator says */
void widen(tgs_shape &s, int64_t axis, int64_t size);
const onnx::GraphProto *graph_of(const onnx::NodeProto &node, const char *attribute);

/* the status of a builder's call, thrown when it failed (the builder knows the text) */
inline int32_t check(int32_t result)
{
    if (result < 0)
        throw Refused((tgs_status)result, "");
    return result;
}

} // namespace tgs
#endif
