/* nets.h -- models for unit tests, written in a few words; include cmocka.h first. */
#ifndef TESTS_UNIT_NETS_H
#define TESTS_UNIT_NETS_H
#include <string.h>
#include "modelimpl.h"

typedef struct net {
    tgs_model_builder *b;
} net;

static inline net net_new(void)
{
    net n;

    assert_int_equal(tgs_model_builder_new(&n.b, "net", NULL), TGS_OK);
    return n;
}

/* dims end with -1 */
static inline int32_t net_tensor(net *n, const char *name, tgs_dtype dtype, const int64_t *dims)
{
    const int32_t t = tgs_model_tensor(n->b, name);
    int32_t rank = 0;

    while (dims[rank] >= 0)
        rank++;
    tgs_model_shape(n->b, t, dtype, rank, dims);
    return t;
}

#define DIMS(...) ((const int64_t[]){__VA_ARGS__, -1})
#define SCALAR    ((const int64_t[]){-1})

static inline void net_input(net *n, const char *name, const int64_t *dims)
{
    tgs_model_input(n->b, net_tensor(n, name, TGS_F32, dims));
}

static inline void net_stored(net *n, const char *name, const int64_t *dims)
{
    tgs_model_stored(n->b, net_tensor(n, name, TGS_F32, dims), NULL);
}

/* a stored vector of integers */
static inline void net_integers(net *n, const char *name, int64_t count, const int64_t *value)
{
    const int32_t t = net_tensor(n, name, TGS_I64, DIMS(count));

    tgs_model_stored(n->b, t, NULL);
    tgs_model_integers(n->b, t, value);
}

static inline int32_t net_list(net *n, const char *names, int32_t *tensor)
{
    char text[200], *cursor = text;
    int32_t count = 0;

    assert_true(strlen(names) < sizeof text);
    strcpy(text, names);
    for (char *word; (word = tgs_word(&cursor)); count++)
        tensor[count] = strcmp(word, "-") ? tgs_model_tensor(n->b, word) : -1;
    return count;
}

/* tensors are blank-separated names; "-" is absent; the operator is named after its first output */
static inline void net_op(net *n, const char *type, const char *inputs, const char *outputs,
                          const char *attrs)
{
    int32_t in[16], out[16];
    const int32_t inputs_count = net_list(n, inputs, in), count = net_list(n, outputs, out);

    tgs_model_operator(n->b, NULL, type, attrs, inputs_count, in, count, out);
}

static inline tgs_model *net_model(net *n, const char *outputs)
{
    int32_t out[16];
    const int32_t count = net_list(n, outputs, out);
    tgs_model *m;
    tgs_error err = {TGS_OK, ""};

    for (int32_t i = 0; i < count; i++)
        tgs_model_output(n->b, out[i]);
    if (tgs_model_finish(&m, n->b, &err))
        fail_msg("%s", err.text);
    return m;
}

/* the message with which finishing fails */
static inline void net_refused(net *n, const char *output, tgs_status expected, const char *what)
{
    tgs_model *m = NULL;
    tgs_error err = {TGS_OK, ""};
    tgs_status status;

    tgs_model_output(n->b, tgs_model_tensor(n->b, output));
    status = tgs_model_finish(&m, n->b, &err);
    if (status != expected || m || !strstr(err.text, what))
        fail_msg("%d, '%s', not '%s'", (int)status, err.text, what);
}

static inline const tgs_tensor *tensor_of(const tgs_model *m, const char *name)
{
    for (int32_t i = 0; i < m->v.tensors; i++)
        if (!strcmp(m->v.tensor[i].name, name))
            return &m->v.tensor[i];
    fail_msg("no tensor %s", name);
    return NULL;
}

static inline void assert_dims(const tgs_model *m, const char *name, const int64_t *dims)
{
    const tgs_tensor *t = tensor_of(m, name);
    int32_t rank = 0;

    while (dims[rank] >= 0)
        rank++;
    assert_int_equal(t->rank, rank);
    for (int32_t i = 0; i < rank; i++)
        if (t->dim[i] != dims[i])
            fail_msg("%s: dimension %d is %lld", name, (int)i, (long long)t->dim[i]);
}

static inline tgs_graph *lowered(const tgs_model *m, const char *strategy)
{
    tgs_strategy *s = NULL;
    tgs_graph *g;
    tgs_error err = {TGS_OK, ""};

    if (strategy && tgs_strategy_parse(&s, strategy, &err))
        fail_msg("%s", err.text);
    if (tgs_model_lower(&g, m, s, &err))
        fail_msg("%s", err.text);
    tgs_strategy_free(s);
    return g;
}
#endif
