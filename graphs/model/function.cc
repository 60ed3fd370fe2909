/* function.cc -- functions of a file: their calls are replaced by their nodes. */
#include "onnx.h"

namespace
{

enum { DEEPEST = 64, INLINED = 1 << 20 };
enum { OVERLOAD_OF_NODE = 8 }; /* a field that is newer than the library */

/* attributes that refer to those of the function's call get their values, or go */
void fill_attributes(onnx::NodeProto &node,
                     const std::map<std::string, const onnx::AttributeProto *> &given);

void fill_attributes(onnx::GraphProto &graph,
                     const std::map<std::string, const onnx::AttributeProto *> &given)
{
    for (auto &node : *graph.mutable_node())
        fill_attributes(node, given);
}

void fill_attributes(onnx::NodeProto &node,
                     const std::map<std::string, const onnx::AttributeProto *> &given)
{
    onnx::NodeProto filled = node;

    filled.clear_attribute();
    for (const auto &a : node.attribute()) {
        const auto g = given.find(a.ref_attr_name());

        if (a.ref_attr_name().empty()) {
            onnx::AttributeProto &copy = *filled.add_attribute() = a;

            if (copy.has_g())
                fill_attributes(*copy.mutable_g(), given);
            for (auto &graph : *copy.mutable_graphs())
                fill_attributes(graph, given);
        } else if (g != given.end()) {
            onnx::AttributeProto &copy = *filled.add_attribute() = *g->second;

            copy.set_name(a.name());
        }
    }
    node.Swap(&filled);
}

std::string overload_of(const onnx::NodeProto &node)
{
    const auto *reflection = node.GetReflection();
    const auto &unknown = reflection->GetUnknownFields(node);

    for (int i = 0; i < unknown.field_count(); i++)
        if (unknown.field(i).number() == OVERLOAD_OF_NODE
            && unknown.field(i).type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED)
            return unknown.field(i).length_delimited();
    return "";
}

} // namespace

std::string tgs::function_key(const onnx::NodeProto &node)
{
    const std::string domain = node.domain() == "ai.onnx" ? "" : node.domain();

    return domain + "." + node.op_type() + ":" + overload_of(node);
}

void tgs::Reading::read_function(const onnx::FunctionProto &f, const onnx::NodeProto &node,
                                 const ScopePtr &scope)
{
    const auto inside = std::make_shared<Scope>();
    std::map<std::string, const onnx::AttributeProto *> given;
    std::set<std::string> made;

    if (scope->depth >= DEEPEST || (file->inlined += f.node_size()) > INLINED)
        throw Refused(TGS_EPARSE, "node '" + node.name() + "' (" + node.op_type()
                                      + "): its functions call one another without an end");
    inside->depth = scope->depth + 1;
    inside->prefix = scope->prefix
                     + (!node.name().empty()     ? node.name()
                        : node.output_size() > 0 ? node.output(0)
                                                 : node.op_type())
                     + "/";
    for (const auto &a : node.attribute())
        given[a.name()] = &a;
    for (int i = 0; i < f.input_size(); i++)
        inside->names[f.input(i)] = i < node.input_size() ? find(node.input(i), scope) : -1;
    for (const auto &n : f.node())
        for (const auto &name : n.output())
            made.insert(name);
    std::vector<std::pair<std::string, int32_t>> copied;

    for (int i = 0; i < f.output_size() && i < node.output_size(); i++) {
        const int32_t out = find(node.output(i), scope);

        if (out < 0)
            continue;
        if (made.count(f.output(i)) && !inside->names.count(f.output(i)))
            inside->names[f.output(i)] = out;
        else
            copied.emplace_back(f.output(i), out);
    }
    onnx::GraphProto body;

    *body.mutable_node() = f.node();
    fill_attributes(body, given);
    google::protobuf::RepeatedPtrField<onnx::NodeProto> &nodes = *body.mutable_node();

    name_outputs(nodes, inside);
    for (const auto &n : nodes) {
        file->copies.emplace_back(new onnx::NodeProto(n)); /* control flow comes back */
        read_node(*file->copies.back(), inside);
    }
    for (const auto &c : copied)
        operate("", "Identity", "", {find(c.first, inside)}, {c.second});
}
