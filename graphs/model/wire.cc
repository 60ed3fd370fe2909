/* wire.cc -- where in an ONNX file the bytes of its tensors are, so that initial values can be read
 * from the file when a step runs.  protobuf does not say, so the few levels down to a tensor are
 * walked here; what is not in one little-endian piece is left out. */
#include "onnx.h"

namespace
{

struct Piece { /* of a message: a field */
    uint32_t field;
    int wire; /* 0 varint, 1 eight bytes, 2 a length and bytes, 5 four bytes */
    const unsigned char *at;
    size_t size;
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
    ATTRIBUTE_T = 5
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

int64_t constant_place(const unsigned char *file, const Piece &node)
{
    Reader r{node.at, node.at + node.size};
    Piece f, g;
    int64_t place = -1;
    int tensors = 0;

    while (r.next(f))
        if (f.field == NODE_ATTRIBUTE && f.wire == 2) {
            Reader attribute{f.at, f.at + f.size};

            while (attribute.next(g))
                if (g.field == ATTRIBUTE_T && g.wire == 2) {
                    place = tensor_place(file, g);
                    tensors++;
                }
        }
    return tensors == 1 ? place : -1;
}

} // namespace

tgs::Places tgs::find_places(const std::string &bytes)
{
    const auto *file = reinterpret_cast<const unsigned char *>(bytes.data());
    Reader model{file, file + bytes.size()};
    Piece f, g;
    Places places;
    int graphs = 0;

    while (model.next(f)) {
        if (f.field != MODEL_GRAPH || f.wire != 2)
            continue;
        if (graphs++)
            return {}; /* protobuf merges them: indices would no longer agree */
        Reader graph{f.at, f.at + f.size};

        while (graph.next(g))
            if (g.field == GRAPH_INITIALIZER && g.wire == 2)
                places.initializer.push_back(tensor_place(file, g));
            else if (g.field == GRAPH_NODE && g.wire == 2)
                places.constant.push_back(constant_place(file, g));
    }
    return places;
}
