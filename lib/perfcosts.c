/* perfcosts.c -- the times of "starpu:DIR/HOST": all of StarPU's performance models of a host.
 *
 * Models of StarPU's tiled factorisations have our codelets' names and attributes, so that
 * gen:cholesky and gen:lu with tiles of a measured size find their times; every model also keeps
 * its own name, without attributes, for graphs made from such a program.  A size is all bytes of
 * the task's data.
 *
 * Devices of one type are one kind: its time is the mean over the measurements on all of them, with
 * any implementation. */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "costs.h"
#include "perffiles.h"

/* ---- the models that are codelets of ours ------------------------------------------------------
 */
typedef enum operation { POTRF, TRSM, SYRK, GEMM, GETRF, TRSM_UNIT } operation;
typedef struct kernel {
    const char *model, *codelet, *attrs;
    operation operation;
    int32_t tiles;
    tgs_dtype dtype;
} kernel;

#define FACTOR(model, letter, dtype)                                                          \
    {"starpu_" model "_lu_model_getrf", letter "getrf", "pivot=0", GETRF, 1, dtype},          \
        {"starpu_" model "_lu_model_trsm_ll",                                                 \
         letter "trsm",                                                                       \
         "alpha=1 diag=U side=L trans=N uplo=L",                                              \
         TRSM_UNIT,                                                                           \
         2,                                                                                   \
         dtype},                                                                              \
        {"starpu_" model "_lu_model_trsm_ru",                                                 \
         letter "trsm",                                                                       \
         "alpha=1 diag=N side=R trans=N uplo=U",                                              \
         TRSM,                                                                                \
         2,                                                                                   \
         dtype},                                                                              \
    {                                                                                         \
        "starpu_" model "_lu_model_gemm", letter "gemm", "alpha=-1 beta=1 transA=N transB=N", \
            GEMM, 3, dtype                                                                    \
    }

static const kernel kernels[] = {
    {"chol_model_potrf", "spotrf", "uplo=L", POTRF, 1, TGS_F32},
    {"chol_model_trsm", "strsm", "alpha=1 diag=N side=R trans=T uplo=L", TRSM, 2, TGS_F32},
    {"chol_model_syrk", "ssyrk", "alpha=-1 beta=1 trans=N uplo=L", SYRK, 2, TGS_F32},
    {"chol_model_gemm", "sgemm", "alpha=-1 beta=1 transA=N transB=T", GEMM, 3, TGS_F32},
    FACTOR("slu", "s", TGS_F32),
    FACTOR("dlu", "d", TGS_F64),
};

static double flops_of(operation o, double m)
{
    switch (o) {
    case POTRF:
        return m * (m + 1) * (2 * m + 1) / 6;
    case TRSM:
        return m * m * m;
    case SYRK:
        return m * m * (m + 1);
    case GEMM:
        return 2 * m * m * m;
    case GETRF:
        return m * (m - 1) * (4 * m + 1) / 6;
    case TRSM_UNIT:
        return m * m * (m - 1);
    }
    return NAN;
}

/* ---- one model ---------------------------------------------------------------------------------
 */
typedef struct row {
    tgs_i_starpu_entry e;
    int64_t index; /* so that sorting is the same everywhere */
} row;

typedef struct model {
    row *row;
    int64_t rows, room;
} model;

static tgs_status collect(void *user, const tgs_i_starpu_entry *e)
{
    model *m = user;

    if (tgs_mem_grow(&m->row, &m->room, m->rows + 1, sizeof *m->row))
        return TGS_ENOMEM;
    m->row[m->rows].e = *e;
    m->row[m->rows].index = m->rows;
    m->rows++;
    return TGS_OK;
}

static int by_size(const void *pa, const void *pb)
{
    const row *a = pa, *b = pb;

    if (a->e.type != b->e.type)
        return a->e.type < b->e.type ? -1 : 1;
    if (a->e.bytes != b->e.bytes)
        return a->e.bytes < b->e.bytes ? -1 : 1;
    if (a->e.flops != b->e.flops)
        return a->e.flops < b->e.flops ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

/* under its own name, and as a codelet of ours where the size is that of square tiles */
static tgs_status add_sample(tgs_costs *c, const char *name, int32_t type, tgs_sample s)
{
    static const char *const kind[] = {"cpu", "cuda", "opencl"};
    tgs_status status;

    s.kind = kind[type];
    s.codelet = name;
    s.attrs = "";
    status = tgs_costs_add(c, &s);
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels && !status; i++) {
        const kernel *k = &kernels[i];
        const double m = nearbyint(sqrt(s.bytes / (k->tiles * (double)tgs_dtype_size(k->dtype))));

        if (strcmp(k->model, name)
            || m * m * k->tiles * (double)tgs_dtype_size(k->dtype) != s.bytes)
            continue;
        s.codelet = k->codelet;
        s.attrs = k->attrs;
        s.dtype = k->dtype;
        s.flops = flops_of(k->operation, m);
        status = tgs_costs_add(c, &s);
    }
    return status;
}

/* rows of equal type and size become one sample: the mean over all measurements */
static tgs_status add_model(tgs_costs *c, const char *name, model *m)
{
    tgs_status status = TGS_OK;

    if (m->rows)
        qsort(m->row, (size_t)m->rows, sizeof *m->row, by_size);
    for (int64_t i = 0, end; i < m->rows && !status; i = end) {
        const tgs_i_starpu_entry *e = &m->row[i].e;
        double count = 0, sum = 0, spread = 0, least = INFINITY;

        for (end = i; end < m->rows && m->row[end].e.type == e->type
                      && m->row[end].e.bytes == e->bytes && m->row[end].e.flops == e->flops;
             end++) {
            const tgs_i_starpu_entry *x = &m->row[end].e;

            count += x->count;
            sum += x->count * x->mean;
            spread += x->count * x->deviation;
            least = fmin(least, x->mean);
        }
        status = add_sample(c, name, e->type,
                            (tgs_sample){.dtype = TGS_F32,
                                         .flops = e->flops > 0 ? e->flops : NAN,
                                         .bytes = e->bytes,
                                         .min = fmin(least, sum / count),
                                         .median = sum / count,
                                         .spread = spread / count,
                                         .count = count < INT32_MAX ? (int32_t)count : INT32_MAX});
    }
    return status;
}

/* ---- all models of a host ----------------------------------------------------------------------
 */
typedef struct listing {
    char **name; /* of files that end in ".HOST" */
    int64_t count, room;
} listing;

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* TGS_ENOTFOUND: there is no such folder */
static tgs_status list(listing *l, const char *folder, const char *host, tgs_error *err)
{
    DIR *d = opendir(folder);
    tgs_status status = TGS_OK;
    const size_t size = strlen(host);
    const struct dirent *f;

    if (!d)
        return errno == ENOENT ? TGS_ENOTFOUND : tgs_fail_system(err, errno, folder);
    while (!status && (f = readdir(d))) {
        const size_t n = strlen(f->d_name);

        if (n < size + 2 || strcmp(f->d_name + n - size, host) || f->d_name[n - size - 1] != '.')
            continue;
        if (tgs_mem_grow(&l->name, &l->room, l->count + 1, sizeof *l->name)
            || !(l->name[l->count] = tgs_mem_text(f->d_name)))
            status = tgs_fail(err, TGS_ENOMEM, "out of memory");
        else
            l->count++;
    }
    closedir(d);
    if (l->count)
        qsort(l->name, (size_t)l->count, sizeof *l->name, by_name);
    return status;
}

static tgs_status read_models(tgs_costs *c, const listing *l, const char *folder, const char *host,
                              tgs_error *err)
{
    tgs_status status = TGS_OK;

    for (int64_t i = 0; i < l->count && !status; i++) {
        const size_t size = strlen(folder) + strlen(l->name[i]) + 2;
        char *path = tgs_mem_alloc(size, 1);
        model m = {0};

        if (!path)
            return tgs_fail(err, TGS_ENOMEM, "out of memory");
        snprintf(path, size, "%s/%s", folder, l->name[i]);
        status = tgs_i_starpu_model(path, collect, &m, err);
        l->name[i][strlen(l->name[i]) - strlen(host) - 1] = 0;
        if (!status) {
            status = add_model(c, l->name[i], &m);
            if (status)
                tgs_fail(err, status, "%s: %s", path, tgs_status_text(status));
        }
        tgs_mem_free(m.row);
        tgs_mem_free(path);
    }
    return status;
}

tgs_status tgs_i_starpu_costs(tgs_costs **out, const char *text, tgs_error *err)
{
    static const char *const places[] = {"45", "44", "46", ""}; /* a version's folder, or none */
    const char *path = text + strlen(TGS_I_STARPU_SCHEME), *slash = strrchr(path, '/');
    const char *host = slash ? slash + 1 : path;
    const size_t size = strlen(path) + sizeof "/codelets/45";
    char *folder = tgs_mem_alloc(size, 1);
    listing l = {0};
    tgs_status status = tgs_i_costs_new(out, err);

    if (!status && !folder)
        status = tgs_fail(err, TGS_ENOMEM, "out of memory");
    for (size_t i = 0; i < sizeof places / sizeof *places && !status && !l.count; i++) {
        snprintf(folder, size, "%.*s/codelets%s%s", (int)(slash ? slash - path : 1),
                 slash ? path : ".", *places[i] ? "/" : "", places[i]);
        status = list(&l, folder, host, err);
        status = status == TGS_ENOTFOUND ? TGS_OK : status;
    }
    if (!status && !l.count)
        status = tgs_fail(err, TGS_ENOTFOUND, "%s: no performance models *.%s", folder, host);
    if (!status)
        status = read_models(*out, &l, folder, host, err);
    for (int64_t i = 0; i < l.count; i++)
        tgs_mem_free(l.name[i]);
    tgs_mem_free(l.name);
    tgs_mem_free(folder);
    if (status) {
        tgs_costs_free(*out);
        *out = NULL;
    }
    return status;
}
