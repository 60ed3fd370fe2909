/* emit.c -- the tasks of one operator: its rule names buffers in words, and this file finds the
 * data they mean. */
#include <string.h>
#include "modelimpl.h"

enum { TEMPORARIES = 4 };

struct tgs_emitter {
    tgs_lowering *l;
    tgs_node node;
    int32_t op;
    const bool *wanted; /* [tensors]; NULL: the forward pass */
    int32_t temporary[TEMPORARIES];
};

static tgs_status failed(const tgs_emitter *e, tgs_status s, tgs_error *err)
{
    return tgs_fail(err, s, "node '%.200s' (%.60s): %s", e->node.op->name, e->node.op->type,
                    s == TGS_ENOMEM ? "out of memory" : tgs_status_text(s));
}

bool tgs_wanted(const tgs_emitter *e, int32_t i)
{
    const tgs_op *op = e->node.op;

    return e->wanted && i < op->inputs && op->input[i] >= 0 && e->wanted[op->input[i]]
           && op->rule->differentiable >> (i < 31 ? i : 31) & 1;
}

typedef struct word { /* "[R dx12]" */
    tgs_mode mode;
    char what[3];  /* "x", "y", "t", "dx", "dy" */
    int32_t index; /* -1: "*" */
    bool optional;
} word;

/* the next word of *s; false at the end.  The texts are those of operator files. */
static bool next_word(const char **s, word *w)
{
    const char *c = *s + strspn(*s, ", ");
    size_t n;

    if (!*c)
        return false;
    w->optional = *c == '[';
    c += w->optional;
    w->mode = *c != 'R' ? TGS_W : c[1] == 'W' ? TGS_RW : TGS_R;
    c += strcspn(c, " ") + 1;
    n = strcspn(c, "*0123456789");
    snprintf(w->what, sizeof w->what, "%.*s", (int)n, c);
    c += n;
    w->index = -1;
    if (*c == '*')
        c++;
    else
        for (w->index = 0; *c >= '0' && *c <= '9'; c++)
            w->index = w->index * 10 + (*c - '0');
    *s = c + (*c == ']');
    return true;
}

/* the datum a word means, TGS_LOW_NONE when it is absent, or a status */
static int32_t find_datum(tgs_emitter *e, const word *w)
{
    const tgs_op *op = e->node.op;
    const bool output = strchr(w->what, 'y') != NULL;
    const int32_t count = output ? op->outputs : op->inputs;
    int32_t tensor, datum;

    if (!strcmp(w->what, "t"))
        return w->index < TEMPORARIES ? e->temporary[w->index] : TGS_LOW_NONE;
    tensor = w->index >= count ? -1 : output ? op->output[w->index] : op->input[w->index];
    if (tensor < 0 || e->l->m->tensor[tensor].rank < 0) /* a sequence: its items are the data */
        return TGS_LOW_NONE;
    if (*w->what != 'd')
        return tgs_low_tensor(e->l, tensor);
    if (!output)
        return tgs_wanted(e, w->index) ? tgs_i_part_new(e->l, tensor) : TGS_LOW_NONE;
    datum = tgs_low_gradient(e->l, tensor);
    return datum == TGS_LOW_NONE ? tgs_i_part_zero(e->l, tensor) : datum;
}

static tgs_status add_word(tgs_emitter *e, const word *w, tgs_error *err)
{
    const int32_t datum = find_datum(e, w);
    tgs_status status;

    if (datum == TGS_LOW_NONE && w->optional)
        return TGS_OK;
    if (datum == TGS_LOW_NONE)
        return tgs_fail(err, TGS_ENOTAPPLICABLE, "node '%.200s' (%.60s): %s%d is missing",
                        e->node.op->name, e->node.op->type, w->what, (int)w->index);
    status = tgs_low_add_access(e->l, datum, w->mode);
    return status ? failed(e, status, err) : TGS_OK;
}

static tgs_phase phase_of(const tgs_emitter *e)
{
    return e->wanted || e->node.op->rule->gradient ? TGS_PHASE_BACKWARD : TGS_PHASE_FORWARD;
}

/* reading a gradient may add the task of its sum: that comes before the task that reads it */
static tgs_status finish_gradients(tgs_emitter *e, const char *buffers)
{
    const tgs_op *op = e->node.op;
    word w;

    while (next_word(&buffers, &w))
        for (int32_t i = 0; i < op->outputs; i++)
            if (!strcmp(w.what, "dy") && (w.index < 0 || w.index == i) && op->output[i] >= 0) {
                const int32_t datum = tgs_low_gradient(e->l, op->output[i]);

                if (datum < 0 && datum != TGS_LOW_NONE)
                    return (tgs_status)datum;
            }
    return TGS_OK;
}

static tgs_status add_words(tgs_emitter *e, word w, tgs_error *err)
{
    const tgs_op *op = e->node.op;
    const int32_t count = strchr(w.what, 'y') ? op->outputs : op->inputs;
    tgs_status status = TGS_OK;

    if (w.index >= 0)
        return add_word(e, &w, err);
    w.optional = true;
    for (w.index = 0; w.index < count && !status; w.index++)
        status = add_word(e, &w, err);
    return status;
}

tgs_status tgs_emit(tgs_emitter *e, const tgs_emission *c, tgs_error *err)
{
    tgs_lowering *l = e->l;
    const tgs_low_task t = {
        .name = tgs_low_text(l, "%s%s", e->node.op->name, c->suffix ? c->suffix : ""),
        .codelet = tgs_low_text(l, "%s", c->codelet),
        .attrs = c->attrs ? tgs_low_text(l, "%s", c->attrs) : "",
        .flops = c->flops,
        .phase = phase_of(e),
        .replica = -1,
        .batch = -1,
        .op = e->op};
    const char *s = c->buffers;
    word w;
    tgs_status status = finish_gradients(e, s);

    if (!status && tgs_low_add_task(l, &t) < 0)
        status = TGS_ENOMEM;
    if (status)
        return failed(e, status, err);
    while (!status && next_word(&s, &w))
        status = add_words(e, w, err);
    return status;
}

void tgs_emit_bytes(tgs_emitter *e, double bytes)
{
    if (bytes > 0)
        e->l->task[e->l->tasks - 1].bytes = bytes;
}

tgs_status tgs_emit_temp(tgs_emitter *e, int32_t k, const char *name, const tgs_shape *s,
                         tgs_error *err)
{
    const tgs_low_datum d = {.name = tgs_low_text(e->l, "%s%s", e->node.op->name, name),
                             .dim = tgs_low_dims(e->l, s->rank, s->dim),
                             .rank = s->rank,
                             .dtype = s->dtype,
                             .class_ = e->wanted ? TGS_CLASS_GRADIENT : TGS_CLASS_ACTIVATION,
                             .scale = NAN,
                             .replica = -1,
                             .batch = -1};
    const int32_t datum = tgs_low_add_datum(e->l, &d);

    if (datum < 0)
        return failed(e, TGS_ENOMEM, err);
    e->temporary[k] = datum;
    return TGS_OK;
}

tgs_status tgs_emit_same(tgs_emitter *e, int32_t i, tgs_error *err)
{
    const int32_t tensor = e->node.op->input[i];
    tgs_emission copy = {.codelet = "identity", .buffers = NULL, .suffix = ".bwd"};
    char buffers[32], suffix[24];
    int32_t datum;

    /* the gradient of a parameter may be summed in place: it needs a datum of its own */
    if (e->l->m->tensor[tensor].role == TGS_ROLE_PARAMETER) {
        snprintf(buffers, sizeof buffers, "R dy0, W dx%d", (int)i);
        snprintf(suffix, sizeof suffix, ".bwd.%d", (int)i);
        copy.buffers = buffers;
        copy.suffix = suffix;
        return tgs_emit(e, &copy, err);
    }
    datum = tgs_low_gradient(e->l, e->node.op->output[0]);
    if (datum < 0 || tgs_low_contribute(e->l, tensor, datum))
        return failed(e, TGS_ENOMEM, err);
    return TGS_OK;
}

static bool broadcast(const tgs_model_view *m, int32_t op, int32_t i, int32_t but)
{
    const tgs_tensor *x = &m->tensor[m->op[op].input[i]], *y = &m->tensor[m->op[op].output[0]];

    return x->rank != y->rank
           || (x->rank > but
               && memcmp(x->dim, y->dim, (size_t)(x->rank - but) * sizeof *x->dim) != 0);
}

bool tgs_emit_broadcast(const tgs_emitter *e, int32_t i, int32_t but)
{
    return broadcast(e->l->m, e->op, i, but)
           || (e->l->like && broadcast(e->l->like, e->op, i, but));
}

static void start(tgs_emitter *e, tgs_lowering *l, int32_t op, const bool *wanted)
{
    *e = (tgs_emitter){.l = l, .node = {l->m, &l->m->op[op]}, .op = op, .wanted = wanted};
    for (int i = 0; i < TEMPORARIES; i++)
        e->temporary[i] = TGS_LOW_NONE;
}

tgs_status tgs_i_low_forward(tgs_lowering *l, int32_t op, tgs_error *err)
{
    tgs_emitter e;

    start(&e, l, op, NULL);
    return e.node.op->rule->forward(&e.node, &e, err);
}

tgs_status tgs_low_backward(tgs_lowering *l, int32_t op, const bool *wanted, tgs_error *err)
{
    tgs_emitter e;

    start(&e, l, op, wanted);
    if (!e.node.op->rule->backward)
        return tgs_node_fail(&e.node, err, "it has no gradient");
    return e.node.op->rule->backward(&e.node, &e, err);
}
