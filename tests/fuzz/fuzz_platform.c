/* fuzz_platform.c -- any bytes as a platform file, ours or of another program, as a spec and as a
 * cost file: something that holds together or a clear error, never a crash; and a platform is
 * written and read back unchanged.
 *
 * The entry point is libFuzzer's, as in fuzz_read.c. */
#include <stdlib.h>
#include <string.h>
#include "costs.h"
#include "foreign.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern const char *const fuzz_corpus[];
const char *const fuzz_corpus[] = {"tests/fuzz/machines", NULL};

static void insist(bool holds, const char *what, const tgs_error *err)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_platform: %s: %s\n", what, err->text);
    abort();
}

static void refused(const void *made, tgs_status status, const tgs_error *err)
{
    insist(!made, "failed, but there is a result", err);
    insist(*err->text && err->status == status, "failed without a word", err);
    /* TGS_ENOTAPPLICABLE: of a build that cannot read XML or YAML */
    insist(status == TGS_EPARSE || status == TGS_EINVAL || status == TGS_ENOTAPPLICABLE,
           "failed with another status", err);
}

static tgs_source source(const void *data, size_t size)
{
    tgs_source s = {.path = "fuzz"};

    s.file = size ? fmemopen((void *)data, size, "r") : fopen("/dev/null", "r");
    insist(s.file, "no memory for a stream", &(tgs_error){TGS_ENOMEM, ""});
    return s;
}

static tgs_status load(tgs_platform **out, const void *data, size_t size, tgs_error *err)
{
    tgs_source s = source(data, size);
    const tgs_status status = tgs_i_platform_load(out, &s, err);

    tgs_i_source_close(&s);
    return status;
}

/* every route is a chain of links from its one end to the other, and no bound exceeds it */
static void check(const tgs_platform_view *v)
{
    const tgs_error none = {TGS_OK, ""};

    for (int64_t pair = 0; pair < (int64_t)v->memories * v->memories; pair++) {
        int64_t at = pair / v->memories;

        for (int32_t i = v->route_at[pair]; i < v->route_at[pair + 1]; i++) {
            insist(v->link[v->route[i]].from == at, "a broken route", &none);
            at = v->link[v->route[i]].to;
        }
        insist(isinf(v->lat[pair]) || at == pair % v->memories, "a route that ends early", &none);
        insist(v->relay_lat[pair] <= v->lat[pair] * (1 + 1e-9), "a high bound", &none);
        insist(v->relay_inv[pair] <= v->inv[pair] * (1 + 1e-9), "a high bound", &none);
        insist(v->lat[pair] >= 0 && v->inv[pair] < INFINITY, "a cost that is none", &none);
    }
}

static void round_trip(const tgs_platform *p)
{
    tgs_error err = {TGS_OK, ""};
    tgs_platform *back;
    char *text;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    insist(to, "no memory for a stream", &err);
    tgs_i_platform_put(to, &p->v);
    fclose(to);
    insist(!load(&back, text, size, &err), "does not read back", &err);
    insist(back->fingerprint == p->fingerprint, "reads back otherwise", &err);
    tgs_platform_free(back);
    free(text);
}

static void made(tgs_platform *p, tgs_status status, const tgs_error *err)
{
    if (status) {
        refused(p, status, err);
        return;
    }
    check(&p->v);
    round_trip(p);
    tgs_platform_free(p);
}

/* as a machine of another program, when it looks like one */
static void foreign(const void *data, size_t size)
{
    const tgs_i_foreign *format = tgs_i_foreign_find(data, size);
    tgs_error err = {TGS_OK, ""};
    tgs_source s = source(data, size);
    tgs_platform *p = NULL;

    if (format) {
        const tgs_status status = format->load(&p, &s, &err);

        made(p, status, &err);
    }
    tgs_i_source_close(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tgs_error err = {TGS_OK, ""};
    tgs_source s = source(data, size);
    tgs_platform *p;
    tgs_costs *c;
    char spec[400];
    tgs_status status = load(&p, data, size, &err);

    made(p, status, &err);
    foreign(data, size);
    err = (tgs_error){TGS_OK, ""};
    snprintf(spec, sizeof spec, "%.*s", (int)(size < 399 ? size : 399), (const char *)data);
    status = tgs_platform_parse(&p, spec, &err);
    made(p, status, &err);
    err = (tgs_error){TGS_OK, ""};
    status = tgs_i_costs_load(&c, &s, &err);
    tgs_i_source_close(&s);
    if (status)
        refused(c, status, &err);
    else
        tgs_costs_free(c);
    return 0;
}
