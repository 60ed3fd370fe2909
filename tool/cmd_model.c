/* cmd_model.c -- tgsched model: the figures of a model. */
#include "commands.h"
#include "common.h"
#include "records.h"
#include "sums.h"

#define AT(field) offsetof(options, field)
static const opt_row rows[] = {
    {"from", 0, OPT_TEXT, "FORMAT", "read the model as FORMAT, instead of by suffix and content",
     AT(from)},
    {"bind", 0, OPT_TEXT, "DIM=N,...", "fix symbolic dimensions, as in batch=8", AT(bind)},
    {NULL, 0, OPT_FLAG, NULL, NULL, 0},
};
static const opt_group own = {NULL, rows};

enum { TABLES = 3 };

/* of its forward pass */
static int sum_up(table t[TABLES], const tgs_model *m)
{
    static const tgs_sum_by by[TABLES] = {TGS_SUM_CODELET, TGS_SUM_CLASS, TGS_SUM_LAYER};
    tgs_error err = {TGS_OK, ""};
    tgs_graph *g;
    const tgs_status status = tgs_model_lower(&g, m, NULL, &err);
    int code = status ? fail(status, &err) : EXIT_OK;

    for (int i = 0; i < TABLES && !code; i++)
        code = sum_table(&t[i], g, by[i]);
    tgs_graph_free(g);
    return code;
}

static int run(const command *self, const options *o)
{
    tgs_model *m;
    table t, sums[TABLES] = {{0}};
    result r;
    int code = open_model(&m, o->operand[0], o);

    (void)self;
    if (code)
        return code;
    code = model_record(&t, o->operand[0], m);
    if (!code)
        code = sum_up(sums, m);
    if (!code)
        code = result_open(&r, o->output);
    if (!code)
        code = result_close(&r, print_sums(&t, sums, TABLES, "model", o, r.file));
    for (int i = 0; i < TABLES; i++)
        table_free(&sums[i]);
    table_free(&t);
    tgs_model_free(m);
    return code;
}

const command cmd_model = {
    "model",
    "MODEL",
    "show the layers, parameters and flops of a model",
    "Read MODEL (an ONNX file, or zoo:NAME, as in zoo:resnet50:batch=8) and show its layers, "
    "trainable parameters and the flops of a forward pass at the bound batch size (a multiply-add "
    "is "
    "2 flops), by operator, layer and class of data.",
    1,
    1,
    {&own, &table_options},
    run,
};
