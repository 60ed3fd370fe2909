/* control.cc -- If, Loop and Scan.  A branch that is known is taken, a loop whose turns are known
 * is unrolled; what is not known before a step runs is one task, measured on its graph as a model
 * of its own: as often as it runs, or the larger branch. */
#include <climits>
#include <cmath>
#include "onnx.h"

using onnx::GraphProto;

namespace
{

const int64_t ENDLESS = INT64_MAX;

double elements(const tgs_shape &s)
{
    double n = 1;

    for (int32_t i = 0; i < s.rank; i++)
        n *= (double)s.dim[i];
    return n;
}

struct Own { /* a builder, until it is finished */
    tgs_model_builder *b = nullptr;
    tgs_model *m = nullptr;
    Own() = default;
    Own(const Own &) = delete;
    Own &operator=(const Own &) = delete;
    ~Own()
    {
        tgs_model_builder_free(b);
        tgs_model_free(m);
    }
};

} // namespace

void tgs::broken(const tgs::Work &w, const std::string &why)
{
    throw tgs::Refused(TGS_EPARSE, "node '" + w.name + "' (" + w.node->op_type() + "): " + why);
}

void tgs::widen(tgs_shape &s, int64_t axis, int64_t size)
{
    if (s.rank >= TGS_MODEL_RANK || axis < 0 || axis > s.rank)
        axis = 0;
    if (s.rank < TGS_MODEL_RANK) {
        for (int32_t i = s.rank; i > axis; i--)
            s.dim[i] = s.dim[i - 1];
        s.rank++;
    }
    s.dim[axis] = size;
}

const GraphProto *tgs::graph_of(const onnx::NodeProto &node, const char *attribute)
{
    for (const auto &a : node.attribute())
        if (a.name() == attribute && a.has_g())
            return &a.g();
    return nullptr;
}

tgs::ScopePtr tgs::Reading::inner(const Work &w, const std::string &part) const
{
    const auto scope = std::make_shared<Scope>();

    scope->outer = w.scope;
    scope->prefix = w.name + "/" + part + "/";
    scope->depth = w.scope->depth;
    return scope;
}

/* items side by side along an axis, which may be a new one */
void tgs::Reading::stack(const std::string &name, const std::vector<int32_t> &items, int64_t axis,
                         bool new_axis, int32_t out)
{
    std::vector<int32_t> in;

    for (const auto t : items) {
        if (!new_axis) {
            in.push_back(t);
            continue;
        }
        in.push_back(fresh(name + "/row"));
        operate(name + "/row", "Unsqueeze", "axes=" + std::to_string(axis), {t}, {in.back()});
    }
    operate(name, "Concat", "axis=" + std::to_string(axis), in, {out});
}

/* ---- a body as a model of its own ---------------------------------------------------------- */
/* the tensor there that stands for one here */
int32_t tgs::Reading::give(Reading &part, std::map<int32_t, int32_t> &given, const Argument &a)
{
    std::vector<int64_t> dims;

    if (a.tensor < 0) {
        const int32_t t = part.fresh("outer/" + a.name);

        check(tgs_model_shape(part.b, t, a.dtype, 0, nullptr));
        check(tgs_model_input(part.b, t));
        return t;
    }
    const auto known = given.find(a.tensor);
    const auto items = bundles.find(a.tensor);
    const tgs_tensor &x = tensor(a.tensor);
    const bool whole = !a.without && a.axis < 0;

    if (known != given.end() && whole)
        return known->second;
    const int32_t t = part.fresh(std::string("outer/") + x.name);

    if (items != bundles.end()) {
        Bundle there;

        there.optional = items->second.optional;
        for (const auto item : items->second.items)
            there.items.push_back(give(part, given, {"", item, 0, -1, TGS_F32}));
        part.bundle(t, there);
        return t;
    }
    for (int32_t i = a.without; i < x.rank; i++)
        if (i - a.without != a.axis)
            dims.push_back(x.dim[i]);
    check(tgs_model_shape(part.b, t, x.dtype, (int32_t)dims.size(), dims.data()));
    if (whole && x.value)
        check(tgs_model_integers(part.b, t, x.value));
    if (whole && x.real)
        check(tgs_model_reals(part.b, t, x.real, x.literal));
    if (whole && (x.value || x.role == TGS_ROLE_BUFFER || x.role == TGS_ROLE_CONSTANT))
        check(tgs_model_stored(part.b, t, x.init));
    else
        check(tgs_model_input(part.b, t));
    if (whole)
        given[a.tensor] = t;
    return t;
}

/* what is stored in a body is data of its task */
void tgs::Reading::keep_stored(const tgs_model_view &part, const std::map<int32_t, int32_t> &given,
                               const std::string &prefix, int32_t op)
{
    std::set<int32_t> theirs;

    for (const auto &g : given)
        theirs.insert(g.second);
    for (int32_t i = 0; i < part.tensors; i++) {
        const tgs_tensor &x = part.tensor[i];

        if (x.producer >= 0 || theirs.count(i) || x.rank < 0
            || (x.role != TGS_ROLE_PARAMETER && x.role != TGS_ROLE_BUFFER))
            continue;
        const int32_t t = fresh(prefix + x.name);

        check(tgs_model_shape(b, t, x.dtype, x.rank, x.dim));
        check(tgs_model_stored(b, t, x.init));
        if (x.real)
            check(tgs_model_reals(b, t, x.real, x.literal));
        check(tgs_model_attach(b, op, t));
    }
}

tgs::Reading::Body tgs::Reading::measure(const Work &w, const GraphProto &graph, int32_t op,
                                         const std::vector<Argument> &input)
{
    const std::string prefix = w.name + "/" + (graph.name().empty() ? "body" : graph.name()) + "/";
    const auto scope = std::make_shared<Scope>();
    std::map<int32_t, int32_t> given;
    std::vector<int32_t> out;
    tgs_error err = {TGS_OK, ""};
    tgs_model_stats stats;
    Body body;
    Own own;

    if (!graph.output_size())
        return body;
    if (tgs_model_builder_new(&own.b, w.name.c_str(), &err))
        throw Refused(TGS_ENOMEM, "out of memory");
    Reading &part = *start(file, own.b);

    tgs_model_opset(own.b, tgs_model_so_far(b)->opset);
    scope->depth = w.scope->depth;
    for (const auto &name : captured_of(graph)) {
        const int32_t t = find(name, w.scope);

        if (t >= 0)
            scope->names[name] = give(part, given, {"", t, 0, -1, TGS_F32});
    }
    for (const auto &a : input)
        scope->names[a.name] = give(part, given, a);
    part.read_graph(graph, scope, {});
    for (const auto &v : graph.output()) {
        out.push_back(part.find(v.name(), scope));
        if (v.type().has_sequence_type() || v.type().has_optional_type()) {
            check(tgs_model_defer(own.b, part.operate("", "tgsched.Output", "", {out.back()}, {})));
            out.back() = -1;
        } else
            part.add_output(out.back());
    }
    const tgs_status status = tgs_model_finish(&own.m, own.b, &err);

    own.b = nullptr;
    if (status || tgs_model_measure(own.m, &stats, &err))
        throw Refused(err.status,
                      "within node '" + w.name + "' (" + w.node->op_type() + "): " + err.text);
    const tgs_model_view &m = *tgs_model_look(own.m);

    body.flops = stats.flops_forward;
    body.bytes = stats.bytes_forward;
    for (const auto t : out) {
        tgs_shape s = {TGS_BYTES, 1, {0}};

        if (t >= 0)
            tgs_shape_of(&m.tensor[t], &s);
        else
            for (int32_t i = 0; i < m.outputs; i++)
                s.dim[0] += (int64_t)(tgs_elements(&m.tensor[m.output[i]])
                                      * tgs_dtype_size(m.tensor[m.output[i]].dtype));
        body.output.push_back(s);
    }
    keep_stored(m, given, prefix, op);
    if (m.note)
        check(tgs_model_remark(b, "within '%.100s': %s", w.name.c_str(), m.note));
    return body;
}

void tgs::Reading::one_task(int32_t op, const Work &w, double flops, double bytes,
                            const std::vector<tgs_shape> &output)
{
    char text[80];

    if (output.size() < w.output.size())
        broken(w, "it has " + std::to_string(w.output.size()) + " outputs, its graph "
                      + std::to_string(output.size()));
    for (size_t i = 0; i < w.output.size(); i++)
        if (w.output[i] >= 0)
            check(tgs_model_shape(b, w.output[i], output[i].dtype, output[i].rank, output[i].dim));
    snprintf(text, sizeof text, "body_flops=%.17g body_bytes=%.17g", flops, bytes);
    check(tgs_model_attrs(b, op, text));
}

/* ---- If ------------------------------------------------------------------------------------ */
bool tgs::Reading::expand_if(int32_t op, const Work &w)
{
    const GraphProto *yes = graph_of(*w.node, "then_branch"),
                     *no = graph_of(*w.node, "else_branch");

    if (!yes || !no || w.input.empty() || w.input[0] < 0)
        broken(w, "a branch or its condition is missing");
    const tgs_tensor condition = tensor(w.input[0]);

    if (condition.value && tgs_elements(&condition) == 1) {
        read_graph(*condition.value ? *yes : *no, inner(w, *condition.value ? "then" : "else"),
                   w.output);
        return true;
    }
    const Body a = measure(w, *yes, op, {}), c = measure(w, *no, op, {});
    std::vector<tgs_shape> output = a.output;

    if (a.output.size() != c.output.size())
        broken(w, "its branches have different outputs");
    for (size_t i = 0; i < output.size(); i++)
        if (elements(c.output[i]) > elements(output[i]))
            output[i] = c.output[i];
    one_task(op, w, std::fmax(a.flops, c.flops), std::fmax(a.bytes, c.bytes), output);
    check(tgs_model_remark(b,
                           "which branch If '%.200s' takes is not known before it runs: one task "
                           "with the flops of the larger one (%s)",
                           w.name.c_str(), a.flops >= c.flops ? "then" : "else"));
    return false;
}

/* ---- Loop ---------------------------------------------------------------------------------- */
void tgs::Reading::one_loop(int32_t op, const Work &w, const GraphProto &body, int64_t times,
                            const std::string &why)
{
    const size_t carried = w.input.size() - 2;
    std::vector<Argument> in = {{body.input(0).name(), -1, 0, -1, TGS_I64},
                                {body.input(1).name(), -1, 0, -1, TGS_BOOL}};

    for (size_t i = 0; i < carried; i++)
        in.push_back({body.input((int)i + 2).name(), w.input[i + 2], 0, -1, TGS_F32});
    const Body one = measure(w, body, op, in);
    std::vector<tgs_shape> output(one.output.begin() + 1, one.output.end());

    for (size_t i = carried; i < output.size(); i++)
        widen(output[i], 0, w.turn + times);
    one_task(op, w, (double)times * one.flops, (double)times * one.bytes, output);
    check(tgs_model_remark(b, "Loop '%.200s' is one task of %lld times its body: %s",
                           w.name.c_str(), (long long)times, why.c_str()));
}

void tgs::Reading::turn_loop(int32_t op, const Work &w, const GraphProto &body)
{
    const size_t carried = w.input.size() - 2;
    const ScopePtr scope = inner(w, std::to_string(w.turn));
    const tgs_op now = tgs_model_so_far(b)->op[op];
    std::vector<int32_t> captured(now.input + w.input.size(), now.input + now.inputs), out;
    Work next = w;

    scope->names[body.input(0).name()] = integers(scope->prefix + "turn", {w.turn}, true);
    scope->names[body.input(1).name()] = integers(scope->prefix + "goes_on", {1}, true, TGS_BOOL);
    for (size_t i = 0; i < carried; i++)
        scope->names[body.input((int)i + 2).name()] = w.input[i + 2];
    read_graph(body, scope, {});
    for (const auto &v : body.output())
        out.push_back(find(v.name(), scope));
    next.turn++;
    next.input.resize(1);
    next.input.insert(next.input.end(), out.begin(), out.begin() + 1 + (ptrdiff_t)carried);
    next.scans->emplace_back(out.begin() + 1 + (ptrdiff_t)carried, out.end());
    std::vector<int32_t> in = next.input;

    in.insert(in.end(), captured.begin(), captured.end());
    for (const auto t : next.scans->back())
        in.push_back(t);
    const int32_t again =
        operate(w.name + "/" + std::to_string(next.turn), "Loop", "", in, w.output);

    deferred[again] = next;
    check(tgs_model_defer(b, again));
}

void tgs::Reading::end_loop(const Work &w, const GraphProto &body)
{
    const size_t carried = w.input.size() - 2;

    for (size_t i = 0; i < w.output.size(); i++) {
        const std::string name = w.name + "/out" + std::to_string(i);
        std::vector<int32_t> rows;

        if (w.output[i] < 0)
            continue;
        if (i < carried) {
            operate(name, "Identity", "", {w.input[i + 2]}, {w.output[i]});
            continue;
        }
        for (const auto &turn : *w.scans)
            rows.push_back(turn[i - carried]);
        if (!rows.empty()) {
            stack(name, rows, 0, true, w.output[i]);
            continue;
        }
        const auto &type = body.output((int)i + 1).type().tensor_type();
        const tgs_dtype dtype = dtype_of(type.elem_type());
        std::vector<int64_t> none(1 + (size_t)type.shape().dim_size(), 0);

        check(tgs_model_shape(b, w.output[i], dtype == TGS_BYTES ? TGS_F32 : dtype,
                              (int32_t)none.size(), none.data()));
        check(tgs_model_stored(b, w.output[i], nullptr));
    }
}

bool tgs::Reading::expand_loop(int32_t op, const Work &w)
{
    const GraphProto *body = graph_of(*w.node, "body");

    if (!body || w.input.size() < 2 || (size_t)body->input_size() != w.input.size()
        || (size_t)body->output_size() + 1 < w.input.size()
        || (size_t)body->output_size() < w.output.size() + 1)
        broken(w, "its body does not fit it");
    const int64_t nodes = std::max<int64_t>(1, count_nodes(*body));
    const tgs_tensor *limit = w.input[0] < 0 ? nullptr : &tensor(w.input[0]);
    const tgs_tensor *condition = w.input[1] < 0 ? nullptr : &tensor(w.input[1]);
    const bool known = !limit || limit->value;
    bool told = false, goes_on = !condition || (condition->value && *condition->value);
    const bool ends = condition && condition->value && !*condition->value;
    int64_t turns = !limit ? ENDLESS : limit->value ? limit->value[0] : ENDLESS, bound;

    if (file->bind.take(w.name + ".trips", bound)) {
        told = true;
        turns = std::min(turns, bound);
        goes_on = !ends;
    }
    if (ends || w.turn >= turns) {
        end_loop(w, *body);
        return true;
    }
    if (!goes_on || (!known && !told))
        one_loop(op, w, *body, turns == ENDLESS ? 1 : turns - w.turn,
                 turns == ENDLESS
                     ? "how often it runs is not known (--bind '" + w.name + ".trips=N' says it)"
                     : "when it ends is not known before it runs");
    else if (nodes > file->unroll || (turns != ENDLESS && turns - w.turn > file->unroll / nodes))
        one_loop(op, w, *body, turns == ENDLESS ? 1 : turns - w.turn,
                 "unrolled it would be too many (--bind tgsched.unroll=N allows more)");
    else {
        file->unroll -= nodes;
        turn_loop(op, w, *body);
        return true;
    }
    return false;
}
