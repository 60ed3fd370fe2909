/* modelnode.c -- what operator rules ask about a node. */
#include <stdarg.h>
#include <string.h>
#include "modelimpl.h"

const tgs_tensor *tgs_node_in(const tgs_node *n, int32_t i)
{
    return i < n->op->inputs && n->op->input[i] >= 0 ? &n->m->tensor[n->op->input[i]] : NULL;
}

const tgs_tensor *tgs_node_out(const tgs_node *n, int32_t i)
{
    return i < n->op->outputs && n->op->output[i] >= 0 ? &n->m->tensor[n->op->output[i]] : NULL;
}

double tgs_elements(const tgs_tensor *t)
{
    double n = 1;

    for (int32_t i = 0; i < t->rank; i++)
        n *= (double)t->dim[i];
    return n;
}

void tgs_shape_of(const tgs_tensor *t, tgs_shape *out)
{
    out->dtype = t->dtype;
    out->rank = t->rank;
    for (int32_t i = 0; i < t->rank; i++)
        out->dim[i] = t->dim[i];
}

static tgs_status say(const tgs_node *n, tgs_error *err, tgs_status status, const char *format,
                      va_list args)
{
    char text[sizeof err->text];

    vsnprintf(text, sizeof text, format, args);
    return tgs_fail(err, status, "node '%.200s' (%.60s): %s", n->op->name, n->op->type, text);
}

tgs_status tgs_node_fail(const tgs_node *n, tgs_error *err, const char *format, ...)
{
    va_list args;
    tgs_status status;

    va_start(args, format);
    status = say(n, err, TGS_ENOTAPPLICABLE, format, args);
    va_end(args);
    return status;
}

tgs_status tgs_node_open(const tgs_node *n, tgs_error *err, const char *format, ...)
{
    va_list args;
    tgs_status status;

    va_start(args, format);
    status = say(n, err, TGS_ENOTFOUND, format, args);
    va_end(args);
    return status;
}

bool tgs_bind_find(const char *bind, const char *symbol, int64_t *value)
{
    char text[256];

    if (!bind)
        return false;
    for (const char *s = bind; *s;) {
        size_t n = 0;
        const char *end = s;

        while (*end && *end != ',')
            end++;
        while (s + n < end && s[n] != '=')
            n++;
        if (n < (size_t)(end - s) && (size_t)(end - s) < sizeof text) {
            snprintf(text, sizeof text, "%.*s", (int)(end - s), s);
            text[n] = 0;
            if (!strcmp(text, symbol))
                return tgs_parse_count(text + n + 1, INT64_MAX / 2, value);
        }
        s = *end ? end + 1 : end;
    }
    return false;
}
