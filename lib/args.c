/* args.c -- the values of a spec "name:key=value:key=value", checked against the descriptor. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "internal.h"

struct tgs_args {
    const tgs_param *param; /* the descriptor's, or NULL */
    const char **value;     /* [params]: given text, or NULL for the default */
    char *text;             /* owned; values point into it */
};

static int32_t count(const tgs_param *p)
{
    int32_t n = 0;

    while (p && p[n].key)
        n++;
    return n;
}

static int32_t find(const tgs_param *p, const char *key)
{
    for (int32_t i = 0; p && p[i].key; i++)
        if (!strcmp(p[i].key, key))
            return i;
    return -1;
}

static tgs_status unknown_key(const tgs_plugin *p, const char *key, tgs_error *err)
{
    char keys[256] = "";

    for (int32_t i = 0; p->params && p->params[i].key; i++) {
        const size_t used = strlen(keys);

        snprintf(keys + used, sizeof keys - used, "%s%s", used ? ", " : "", p->params[i].key);
    }
    return tgs_fail(err, TGS_EINVAL, "%s: no parameter '%s' (%s%s)", p->name, key,
                    *keys ? "there are: " : "it has none", keys);
}

static tgs_status check_value(const tgs_plugin *p, const tgs_param *q, const char *value,
                              tgs_error *err)
{
    double x;

    if (q->type == TGS_PARAM_TEXT)
        return TGS_OK;
    if (!tgs_parse_real(value, &x) || (q->type == TGS_PARAM_INT && x != nearbyint(x)))
        return tgs_fail(err, TGS_EINVAL, "%s: %s=%s is not %s number", p->name, q->key, value,
                        q->type == TGS_PARAM_INT ? "a whole" : "a");
    if (!(x >= q->min && x <= q->max))
        return tgs_fail(err, TGS_EINVAL, "%s: %s=%s is outside %g .. %g", p->name, q->key, value,
                        q->min, q->max);
    return TGS_OK;
}

tgs_status tgs_i_args_new(tgs_args **out, const tgs_plugin *p, const char *text, tgs_error *err)
{
    tgs_args *a = tgs_mem_alloc(1, sizeof *a);
    tgs_status status = TGS_OK;

    *out = NULL;
    if (a) {
        a->param = p->params;
        a->value = tgs_mem_alloc((size_t)count(p->params), sizeof *a->value);
        a->text = tgs_mem_text(text ? text : "");
    }
    if (!a || !a->value || !a->text) {
        tgs_i_args_free(a);
        return tgs_fail(err, TGS_ENOMEM, "%s: out of memory", p->name);
    }
    for (char *s = a->text; *s && !status;) {
        char *end = s + strcspn(s, ":"), *equals;
        int32_t i;

        if (*end)
            *end++ = 0;
        equals = strchr(s, '=');
        if (equals)
            *equals = 0;
        i = find(p->params, s);
        if (!equals || !*s)
            status = tgs_fail(err, TGS_EINVAL, "%s: '%s' is not key=value", p->name, s);
        else if (i < 0)
            status = unknown_key(p, s, err);
        else
            status = check_value(p, &p->params[i], a->value[i] = equals + 1, err);
        s = end;
    }
    if (status) {
        tgs_i_args_free(a);
        return status;
    }
    *out = a;
    return TGS_OK;
}

void tgs_i_args_free(tgs_args *a)
{
    if (!a)
        return;
    tgs_mem_free(a->value);
    tgs_mem_free(a->text);
    tgs_mem_free(a);
}

const char *tgs_arg_text(const tgs_args *a, const char *key)
{
    const int32_t i = find(a->param, key);

    assert(i >= 0); /* a plug-in asks only for what it declares */
    return i < 0 ? "" : a->value[i] ? a->value[i] : a->param[i].value;
}

double tgs_arg_real(const tgs_args *a, const char *key)
{
    double x = NAN;

    tgs_parse_real(tgs_arg_text(a, key), &x);
    return x;
}

int64_t tgs_arg_int(const tgs_args *a, const char *key)
{
    return (int64_t)tgs_arg_real(a, key);
}

bool tgs_arg_given(const tgs_args *a, const char *key)
{
    const int32_t i = find(a->param, key);

    return i >= 0 && a->value[i];
}
