/* sequence.cc -- sequences and optional values are known before any step runs: which tensors they
 * hold.  Their operators therefore become nothing, or copies and pieces of tensors. */
#include "onnx.h"

using tgs::Bundle;

bool tgs::is_sequence(const std::string &type)
{
    static const std::set<std::string> types = {
        "SequenceEmpty", "SequenceConstruct",  "SequenceInsert",    "SequenceErase",
        "SequenceAt",    "SequenceLength",     "SplitToSequence",   "ConcatFromSequence",
        "Optional",      "OptionalHasElement", "OptionalGetElement"};

    return types.count(type) != 0;
}

void tgs::Reading::bundle(int32_t t, const Bundle &what)
{
    if (t < 0)
        return;
    bundles[t] = what;
    check(tgs_model_bundle(b, t));
}

/* a sequence's element: copied when its place is known, else whichever it is */
bool tgs::Reading::pick(int32_t op)
{
    const tgs_model_view *m = tgs_model_so_far(b);
    const tgs_op o = m->op[op];
    const auto &items = bundles[o.input[0]].items;
    const tgs_tensor *at = o.inputs > 1 && o.input[1] >= 0 ? &m->tensor[o.input[1]] : nullptr;
    const std::string name = o.name;
    std::vector<int32_t> in(items);

    if (items.empty() || o.outputs < 1 || o.output[0] < 0)
        throw Refused(TGS_EPARSE, "node '" + name + "' (SequenceAt): the sequence is empty");
    if (at && at->value && tgs_elements(at) == 1) {
        const int64_t n = (int64_t)items.size();
        const int64_t i = at->value[0] < 0 ? at->value[0] + n : at->value[0];

        if (i < 0 || i >= n)
            throw Refused(TGS_EPARSE, "node '" + name + "' (SequenceAt): there is no element "
                                          + std::to_string(at->value[0]));
        operate(name, "Identity", "", {items[(size_t)i]}, {o.output[0]});
        return true;
    }
    if (o.inputs > 1)
        in.push_back(o.input[1]);
    const tgs_tensor first = m->tensor[items[0]];

    check(tgs_model_shape(b, o.output[0], first.dtype, first.rank, first.dim));
    operate(name, "SequenceAt", "", in, {o.output[0]});
    return true;
}

/* pieces of one tensor along an axis */
bool tgs::Reading::split(int32_t op)
{
    const tgs_model_view *m = tgs_model_so_far(b);
    const tgs_op o = m->op[op];
    const std::string name = o.name;
    const tgs_tensor x = m->tensor[o.input[0]];
    const tgs_tensor *sizes = o.inputs > 1 && o.input[1] >= 0 ? &m->tensor[o.input[1]] : nullptr;
    const bool keep = sizes || tgs_attr_int(o.attrs, "keepdims", 1) != 0;
    int64_t axis = tgs_attr_int(o.attrs, "axis", 0);
    std::vector<int64_t> size;
    Bundle made;

    axis += axis < 0 ? x.rank : 0;
    if (axis < 0 || axis >= x.rank || (sizes && !sizes->value))
        return false;
    if (sizes && sizes->rank == 1)
        size.assign(sizes->value, sizes->value + (size_t)tgs_elements(sizes));
    else {
        const int64_t piece = sizes ? sizes->value[0] : 1;

        if (piece < 1 || x.dim[axis] / piece > TGS_MODEL_VALUES)
            return false;
        for (int64_t from = 0; from < x.dim[axis]; from += piece)
            size.push_back(std::min<int64_t>(piece, x.dim[axis] - from));
    }
    int64_t from = 0;

    for (size_t i = 0; i < size.size(); from += size[i++]) {
        const std::string part = name + "/" + std::to_string(i);
        int32_t t = fresh(part);

        operate(part, "Slice",
                "starts=" + std::to_string(from) + " ends=" + std::to_string(from + size[i])
                    + " axes=" + std::to_string(axis),
                {o.input[0]}, {t});
        if (!keep) {
            const int32_t flat = fresh(part + "/flat");

            operate(part + "/flat", "Squeeze", "axes=" + std::to_string(axis), {t}, {flat});
            t = flat;
        }
        made.items.push_back(t);
    }
    bundle(o.output[0], made);
    return true;
}

bool tgs::Reading::expand_sequence(int32_t op, const std::string &type)
{
    const tgs_model_view *m = tgs_model_so_far(b);
    const tgs_op o = m->op[op];
    const std::string name = o.name;
    const int32_t first = o.inputs > 0 ? o.input[0] : -1, out = o.outputs > 0 ? o.output[0] : -1;
    const auto known = bundles.find(first);
    const bool is_bundle = known != bundles.end();
    Bundle made = is_bundle ? known->second : Bundle();
    const tgs_tensor *at = nullptr;

    if (type == "tgsched.Output") {
        if (is_bundle)
            for (const auto t : std::set<int32_t>(made.items.begin(), made.items.end()))
                add_output(t);
        else
            add_output(first);
        return true;
    }
    if (type == "SequenceEmpty" || type == "SequenceConstruct") {
        made = Bundle();
        for (int32_t i = 0; i < o.inputs; i++)
            made.items.push_back(o.input[i]);
        bundle(out, made);
        return true;
    }
    if (type == "Optional" || type == "OptionalHasElement") {
        if (type == "OptionalHasElement") {
            give_integers(out, first >= 0 && (!is_bundle || !made.optional || !made.items.empty()),
                          TGS_BOOL);
            return true;
        }
        if (!is_bundle) {
            made.optional = true;
            if (first >= 0)
                made.items.push_back(first);
        }
        bundle(out, made);
        return true;
    }
    if (type == "SplitToSequence" && !is_bundle && first >= 0 && out >= 0)
        return split(op);
    if (!is_bundle)
        return false;
    if (type == "OptionalGetElement" || type == "Identity") {
        if (type == "Identity" || !made.optional)
            bundle(out, made);
        else if (made.items.empty())
            throw Refused(TGS_EPARSE, "node '" + name + "' (" + type + "): it is empty");
        else
            operate(name, "Identity", "", {made.items[0]}, {out});
        return true;
    }
    if (type == "SequenceLength") {
        give_integers(out, (int64_t)made.items.size(), TGS_I64);
        return true;
    }
    if (type == "SequenceAt")
        return pick(op);
    if (type == "ConcatFromSequence" && !made.items.empty()) {
        stack(name, made.items, tgs_attr_int(o.attrs, "axis", 0),
              tgs_attr_int(o.attrs, "new_axis", 0) != 0, out);
        return true;
    }
    if (type == "SequenceInsert" || type == "SequenceErase") {
        const int32_t place = type == "SequenceErase" ? 1 : 2;
        const int64_t n = (int64_t)made.items.size() + (place - 1);
        int64_t i = n - 1;

        at = o.inputs > place && o.input[place] >= 0 ? &m->tensor[o.input[place]] : nullptr;
        if (at && at->value && tgs_elements(at) == 1)
            i = at->value[0] < 0 ? at->value[0] + n - (place - 1) : at->value[0];
        if (i < 0 || i >= n || (place == 2 && o.inputs < 2))
            throw Refused(TGS_EPARSE, "node '" + name + "' (" + type + "): there is no such place");
        if (place == 2)
            made.items.insert(made.items.begin() + i, o.input[1]);
        else
            made.items.erase(made.items.begin() + i);
        bundle(out, made);
        return true;
    }
    return spread(op);
}

/* anything else gets the tensors themselves */
bool tgs::Reading::spread(int32_t op)
{
    const tgs_model_view *m = tgs_model_so_far(b);
    const tgs_op o = m->op[op];
    const std::string name = o.name, type = o.type, attrs = o.attrs;
    std::vector<int32_t> in;

    for (int32_t i = 0; i < o.inputs; i++) {
        const auto known = bundles.find(o.input[i]);

        if (known == bundles.end())
            in.push_back(o.input[i]);
        else
            in.insert(in.end(), known->second.items.begin(), known->second.items.end());
    }
    operate(name, type.c_str(), attrs, in, std::vector<int32_t>(o.output, o.output + o.outputs));
    return true;
}

void tgs::Reading::add_output(int32_t t)
{
    if (t < 0 || !outputs.insert(t).second)
        return;
    check(tgs_model_output(b, t));
}

/* a constant instead of an operator's output */
void tgs::Reading::give_integers(int32_t t, int64_t value, tgs_dtype dtype)
{
    if (t < 0)
        return;
    check(tgs_model_shape(b, t, dtype, 0, nullptr));
    check(tgs_model_stored(b, t, nullptr));
    check(tgs_model_integers(b, t, &value));
}
