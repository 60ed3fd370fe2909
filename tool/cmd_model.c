/* cmd_model.c -- tgsched model: the figures of a model. */
#include "commands.h"
#include "common.h"
#include "records.h"

#define AT(field) offsetof(options, field)
static const opt_row rows[] = {
    {"from", 0, OPT_TEXT, "FORMAT", "read the model as FORMAT, instead of by suffix and content",
     AT(from)},
    {"bind", 0, OPT_TEXT, "DIM=N,...", "fix symbolic dimensions, as in batch=8", AT(bind)},
    {NULL, 0, OPT_FLAG, NULL, NULL, 0},
};
static const opt_group own = {NULL, rows};

static int run(const command *self, const options *o)
{
    tgs_model *m;
    table t;
    result r;
    int code = open_model(&m, o->operand[0], o);

    (void)self;
    if (code)
        return code;
    code = model_record(&t, o->operand[0], m);
    if (!code)
        code = result_open(&r, o->output);
    if (!code)
        code = result_close(&r, record_print(&t, "model", o, r.file));
    table_free(&t);
    tgs_model_free(m);
    return code;
}

const command cmd_model = {
    "model",
    "MODEL",
    "show the layers, parameters and flops of a model",
    "Read MODEL (an ONNX file, or zoo:NAME, as in zoo:resnet50:batch=8) and show its layers, "
    "trainable parameters and the flops of a forward pass at the bound batch size; a multiply-add "
    "is 2 flops.",
    1,
    1,
    {&own, &table_options},
    run,
};
