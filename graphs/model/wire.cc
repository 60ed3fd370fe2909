/* wire.cc -- where in an ONNX file the bytes of its tensors are, so that initial values can be read
 * from the file when a step runs.  protobuf does not say, so the few levels down to a tensor are
 * walked here; what is not in one little-endian piece is left out. */
#include "onnx.h"

namespace
{

struct Piece { /* of a message: a field */
    uint32_t field = 0;
    int wire = 0; /* 0 varint, 1 eight bytes, 2 a length and bytes, 5 four bytes */
    const unsigned char *at = nullptr;
    size_t size = 0;
};

struct Reader {
    const unsigned char *p, *end;

    bool varint(uint64_t &x)
    {
        x = 0;
        for (int shift = 0; shift < 64 && p < end; shift += 7) {
            const unsigned char c = *p++;

            x |= (uint64_t)(c & 0x7f) << shift;
            if (!(c & 0x80))
                return true;
        }
        return false;
    }

    /* false at the end, or where the message is not understood */
    bool next(Piece &f)
    {
        uint64_t key, size = 0;

        if (p >= end || !varint(key))
            return false;
        f.field = (uint32_t)(key >> 3);
        f.wire = (int)(key & 7);
        f.at = p;
        if (f.wire == 0)
            return varint(size);
        if (f.wire == 1)
            size = 8;
        else if (f.wire == 5)
            size = 4;
        else if (f.wire != 2 || !varint(size))
            return false;
        if (size > (uint64_t)(end - p))
            return false;
        f.at = p;
        f.size = (size_t)size;
        p += size;
        return true;
    }
};

enum {
    MODEL_GRAPH = 7,
    GRAPH_NODE = 1,
    GRAPH_INITIALIZER = 5,
    NODE_ATTRIBUTE = 5,
    ATTRIBUTE_T = 5,
    ATTRIBUTE_G = 6
};
enum { TENSOR_FLOATS = 4, TENSOR_RAW = 9, TENSOR_DOUBLES = 10 };

int64_t tensor_place(const unsigned char *file, const Piece &tensor)
{
    Reader r{tensor.at, tensor.at + tensor.size};
    Piece f;
    int64_t place = -1;
    int pieces = 0;

    while (r.next(f))
        if (f.wire == 2
            && (f.field == TENSOR_RAW || f.field == TENSOR_FLOATS || f.field == TENSOR_DOUBLES)) {
            place = f.at - file;
            pieces++;
        }
    return pieces == 1 ? place : -1;
}

void walk(const unsigned char *file, const Piece &piece, const onnx::GraphProto &graph,
          tgs::Places &places);

/* protobuf merges what an attribute says twice: places would no longer agree */
void walk(const unsigned char *file, const Piece &piece, const onnx::AttributeProto &a,
          tgs::Places &places)
{
    Reader r{piece.at, piece.at + piece.size};
    Piece f, tensor, inner;
    int tensors = 0, graphs = 0;

    while (r.next(f))
        if (f.field == ATTRIBUTE_T && f.wire == 2) {
            tensor = f;
            tensors++;
        } else if (f.field == ATTRIBUTE_G && f.wire == 2) {
            inner = f;
            graphs++;
        }
    if (tensors == 1 && tensor_place(file, tensor) >= 0)
        places[&a.t()] = tensor_place(file, tensor);
    if (graphs == 1)
        walk(file, inner, a.g(), places);
}

void walk(const unsigned char *file, const Piece &piece, const onnx::NodeProto &node,
          tgs::Places &places)
{
    Reader r{piece.at, piece.at + piece.size};
    Piece f;
    int i = 0;

    while (r.next(f))
        if (f.field == NODE_ATTRIBUTE && f.wire == 2 && i < node.attribute_size())
            walk(file, f, node.attribute(i++), places);
}

void walk(const unsigned char *file, const Piece &piece, const onnx::GraphProto &graph,
          tgs::Places &places)
{
    Reader r{piece.at, piece.at + piece.size};
    Piece f;
    int node = 0, initializer = 0;

    while (r.next(f))
        if (f.field == GRAPH_INITIALIZER && f.wire == 2 && initializer < graph.initializer_size()) {
            const int64_t place = tensor_place(file, f);

            if (place >= 0)
                places[&graph.initializer(initializer)] = place;
            initializer++;
        } else if (f.field == GRAPH_NODE && f.wire == 2 && node < graph.node_size())
            walk(file, f, graph.node(node++), places);
}

} // namespace

tgs::Places tgs::find_places(const std::string &bytes, const onnx::GraphProto &graph)
{
    const auto *file = reinterpret_cast<const unsigned char *>(bytes.data());
    Reader model{file, file + bytes.size()};
    Piece f, found;
    Places places;
    int graphs = 0;

    while (model.next(f))
        if (f.field == MODEL_GRAPH && f.wire == 2) {
            found = f;
            graphs++;
        }
    if (graphs == 1) /* of several protobuf makes one: indices would no longer agree */
        walk(file, found, graph, places);
    return places;
}
