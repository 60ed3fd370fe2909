/* scan.cc -- Scan and SequenceMap: a body for each row, or for each element. */
#include "onnx.h"

using onnx::GraphProto;

namespace
{

std::vector<int64_t> ints_of(const onnx::NodeProto &node, const char *name)
{
    for (const auto &a : node.attribute())
        if (a.name() == name)
            return std::vector<int64_t>(a.ints().begin(), a.ints().end());
    return {};
}

int64_t int_of(const onnx::NodeProto &node, const char *name)
{
    for (const auto &a : node.attribute())
        if (a.name() == name)
            return a.i();
    return 0;
}

} // namespace

/* ---- Scan ---------------------------------------------------------------------------------- */
bool tgs::Reading::expand_scan(int32_t op, const Work &w)
{
    const GraphProto *body = graph_of(*w.node, "body");
    const bool batched = tgs_model_so_far(b)->opset < 9; /* its first version */
    const int64_t scans = int_of(*w.node, "num_scan_inputs");
    const size_t skip = batched ? 1 : 0;

    if (!body || scans < 1 || w.input.size() < skip + (size_t)scans
        || (size_t)body->input_size() + skip != w.input.size())
        broken(w, "its body does not fit it");
    const size_t states = w.input.size() - skip - (size_t)scans;

    if ((size_t)body->output_size() < states || (size_t)body->output_size() < w.output.size())
        broken(w, "its body does not fit it");
    std::vector<int64_t> axis = ints_of(*w.node, "scan_input_axes"),
                         back = ints_of(*w.node, batched ? "directions" : "scan_input_directions"),
                         to = ints_of(*w.node, "scan_output_axes"),
                         turned = ints_of(*w.node, "scan_output_directions");
    const size_t rows = (size_t)body->output_size() - states;
    int64_t length = -1, times = 1;

    axis.resize((size_t)scans, 0);
    back.resize((size_t)scans, 0);
    to.resize(rows, 0);
    turned.resize(rows, 0);
    for (size_t i = 0; i < (size_t)scans; i++) {
        const int32_t t = w.input[skip + states + i];
        const tgs_tensor *x = t < 0 ? nullptr : &tensor(t);
        const int64_t at = !x ? -1 : batched ? 1 : axis[i] < 0 ? axis[i] + x->rank : axis[i];

        if (!x || at < 0 || at >= x->rank || (length >= 0 && x->dim[at] != length))
            broken(w, "its inputs do not have one length");
        axis[i] = at;
        length = x->dim[at];
        times = batched ? x->dim[0] : 1;
    }
    for (size_t i = 0; i < states; i++)
        if (w.input[skip + i] < 0)
            broken(w, "an input is missing");
    const int64_t nodes = count_nodes(*body) + scans;

    if (batched || length > file->unroll / nodes || !length) {
        std::vector<Argument> in;

        for (size_t i = 0; i < states + (size_t)scans; i++)
            in.push_back({body->input((int)i).name(), w.input[skip + i], batched ? 1 : 0,
                          i < states ? -1
                          : batched  ? 0
                                     : axis[i - states],
                          TGS_F32});
        Body one = measure(w, *body, op, in);

        for (size_t i = 0; i < one.output.size(); i++) {
            if (i >= states)
                widen(one.output[i], batched ? 0 : to[i - states], length);
            if (batched)
                widen(one.output[i], 0, times);
        }
        times *= length;
        one_task(op, w, (double)times * one.flops, (double)times * one.bytes, one.output);
        check(tgs_model_remark(b, "Scan '%.200s' is one task of %lld times its body%s",
                               w.name.c_str(), (long long)times,
                               batched || !length
                                   ? ""
                                   : ": unrolled it would be too many (--bind tgsched.unroll=N "
                                     "allows more)"));
        return false;
    }
    std::vector<int32_t> state(w.input.begin(), w.input.begin() + (ptrdiff_t)states);
    std::vector<std::vector<int32_t>> row(rows);

    file->unroll -= length * nodes;
    for (int64_t turn = 0; turn < length; turn++) {
        const ScopePtr scope = inner(w, std::to_string(turn));

        for (size_t i = 0; i < states; i++)
            scope->names[body->input((int)i).name()] = state[i];
        for (size_t i = 0; i < (size_t)scans; i++) {
            const std::string name = scope->prefix + "row" + std::to_string(i);
            const int32_t piece = fresh(name);

            operate(name, "Gather", "axis=" + std::to_string(axis[i]),
                    {w.input[states + i],
                     integers(name + "/index", {back[i] ? length - 1 - turn : turn}, true)},
                    {piece});
            scope->names[body->input((int)(states + i)).name()] = piece;
        }
        read_graph(*body, scope, {});
        for (size_t i = 0; i < states; i++)
            state[i] = find(body->output((int)i).name(), scope);
        for (size_t i = 0; i < rows; i++)
            row[i].insert(turned[i] ? row[i].begin() : row[i].end(),
                          find(body->output((int)(states + i)).name(), scope));
    }
    for (size_t i = 0; i < w.output.size(); i++) {
        const std::string name = w.name + "/out" + std::to_string(i);

        if (w.output[i] < 0)
            continue;
        if (i < states)
            operate(name, "Identity", "", {state[i]}, {w.output[i]});
        else
            stack(name, row[i - states], to[i - states], true, w.output[i]);
    }
    return true;
}

/* ---- SequenceMap, and all of them ---------------------------------------------------------- */
bool tgs::Reading::expand_map(int32_t op, const Work &w)
{
    const GraphProto *body = graph_of(*w.node, "body");
    const auto first = w.input.empty() ? bundles.end() : bundles.find(w.input[0]);

    (void)op;
    if (!body || (size_t)body->input_size() != w.input.size()
        || (size_t)body->output_size() < w.output.size())
        broken(w, "its body does not fit it");
    if (first == bundles.end())
        return false;
    const size_t length = first->second.items.size();
    const int64_t nodes = std::max<int64_t>(1, count_nodes(*body));
    std::vector<Bundle> made(w.output.size());

    if ((int64_t)length > file->unroll / nodes)
        throw Refused(TGS_ENOTAPPLICABLE,
                      "node '" + w.name
                          + "' (SequenceMap): unrolled it would be too many (--bind "
                            "tgsched.unroll=N allows more)");
    file->unroll -= (int64_t)length * nodes;
    for (size_t turn = 0; turn < length; turn++) {
        const ScopePtr scope = inner(w, std::to_string(turn));

        for (size_t i = 0; i < w.input.size(); i++) {
            const auto items = bundles.find(w.input[i]);

            if (items != bundles.end() && items->second.items.size() <= turn)
                broken(w, "its sequences do not have one length");
            scope->names[body->input((int)i).name()] =
                items == bundles.end() ? w.input[i] : items->second.items[turn];
        }
        read_graph(*body, scope, {});
        for (size_t i = 0; i < made.size(); i++)
            made[i].items.push_back(find(body->output((int)i).name(), scope));
    }
    for (size_t i = 0; i < made.size(); i++)
        bundle(w.output[i], made[i]);
    return true;
}

bool tgs::Reading::expand(int32_t op)
{
    const auto known = deferred.find(op);
    const std::string type = tgs_model_so_far(b)->op[op].type;

    if (known == deferred.end())
        return expand_sequence(op, type);
    const Work w = known->second;

    deferred.erase(known);
    return type == "If"     ? expand_if(op, w)
           : type == "Loop" ? expand_loop(op, w)
           : type == "Scan" ? expand_scan(op, w)
                            : expand_map(op, w);
}
