/* onnx.c -- the reader of ONNX models.  The work is done by the module tgsched-onnx, so that only
 * who reads such a file loads protobuf. */
#include "tgsched/model.h"

/* a ModelProto begins with field 1, the IR version, and names its producer or graph soon after */
static int sniff(const char *head, size_t size)
{
    static const char next[] = {0x12, 0x1a, 0x22, 0x28, 0x32, 0x3a, 0x42};

    if (size < 3 || head[0] != 0x08 || head[1] < 1 || head[1] > 32)
        return 0;
    for (size_t i = 0; i < sizeof next; i++)
        if (head[2] == next[i])
            return 2;
    return 0;
}

static tgs_status read_model(tgs_source *s, const char *bind, tgs_model_builder *b, tgs_error *err)
{
    typedef tgs_status reading(FILE * file, const char *path, const char *bind,
                               tgs_model_builder *b, tgs_error *err);
    union { /* a symbol is a function here */
        void *symbol;
        reading *read;
    } module;
    const tgs_status status = tgs_module_symbol("onnx", "tgs_onnx_read", &module.symbol, err);

    return status ? status : module.read(s->file, s->path, bind, b, err);
}

const tgs_reader tgs_reader_onnx = {
    .base = {TGS_PLUGIN_ABI, "onnx", "ONNX models", NULL, NULL},
    .yields = TGS_YIELD_MODEL,
    .suffixes = ".onnx",
    .sniff = sniff,
    .read_model = read_model,
};
