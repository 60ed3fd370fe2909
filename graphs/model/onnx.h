/* onnx.h -- between the files of the module tgsched-onnx. */
#ifndef TGS_MODEL_ONNX_H
#define TGS_MODEL_ONNX_H
#include <cstdint>
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

/* wire.cc: where in the file the bytes of a tensor are; -1 when they are not in one piece */
struct Places {
    std::vector<int64_t> initializer; /* by index in the graph */
    std::vector<int64_t> constant;    /* by index of the node: its tensor attribute */
};
Places find_places(const std::string &bytes);

/* values.cc */
tgs_dtype dtype_of(int onnx_type);    /* TGS_BYTES when there is none */
std::string type_name(int onnx_type); /* in words, for messages */
void put_tensor(tgs_model_builder *b, int32_t tensor, const onnx::TensorProto &t, bool literal);
std::string attributes_of(const onnx::NodeProto &node);

/* the status of a builder's call, thrown when it failed (the builder knows the text) */
inline int32_t check(int32_t result)
{
    if (result < 0)
        throw Refused((tgs_status)result, "");
    return result;
}

} // namespace tgs
#endif
