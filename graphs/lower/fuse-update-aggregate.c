/* fuse-update-aggregate.c -- the gradients of a weight over the micro-batches, a product each and
 * their sum, become one product with the rows of all (FastHebb's fusion, T1): B + 1 launches or
 * more become one, and every activation lives until it runs.
 *
 * Only what is a sum of products of the same kind, and read by nobody else, is fused; the numbers
 * are the same to rounding.  O(accesses). */
#include <string.h>
#include "tgsched/model.h"

typedef struct fusion {
    tgs_lowering *l;
    int64_t tasks;
    int32_t *writer_at, *writer; /* tasks that write each datum, in their order */
    int32_t *reads;              /* [data] by tasks that are there */
    int32_t *leaf;               /* products found */
    int32_t leaves;
    int32_t *joint; /* sums found */
    int32_t joints;
} fusion;

static const tgs_low_access *access_of(const fusion *f, int32_t task, int32_t i)
{
    return &f->l->access[f->l->task[task].at + i];
}

static tgs_status find_writers(fusion *f)
{
    const tgs_lowering *l = f->l;

    f->writer_at = tgs_mem_alloc((size_t)l->data + 2, sizeof *f->writer_at);
    f->writer = tgs_mem_alloc((size_t)l->accesses, sizeof *f->writer);
    f->reads = tgs_mem_alloc((size_t)l->data, sizeof *f->reads);
    f->leaf = tgs_mem_alloc((size_t)l->tasks, sizeof *f->leaf);
    f->joint = tgs_mem_alloc((size_t)l->tasks, sizeof *f->joint);
    if (!f->writer_at || !f->writer || !f->reads || !f->leaf || !f->joint)
        return TGS_ENOMEM;
    for (int32_t pass = 0; pass < 2; pass++) {
        for (int32_t t = 0; t < l->tasks; t++)
            for (int32_t i = 0; i < l->task[t].accesses && !l->task[t].dropped; i++) {
                const tgs_low_access *a = access_of(f, t, i);

                if (a->mode != TGS_R && pass)
                    f->writer[f->writer_at[a->datum + 1]++] = t;
                else if (a->mode != TGS_R)
                    f->writer_at[a->datum + 2]++;
                if (a->mode == TGS_R && !pass)
                    f->reads[a->datum]++;
            }
        for (int64_t d = 0; d < l->data && !pass; d++)
            f->writer_at[d + 2] += f->writer_at[d + 1];
    }
    return TGS_OK;
}

static bool is_sum(const tgs_low_task *t)
{
    return (!strcmp(t->codelet, "sum") || !strcmp(t->codelet, "accumulate")) && !*t->attrs;
}

static bool is_product(const tgs_low_task *t)
{
    return !strcmp(t->codelet, "gemm") && t->accesses == 3 && t->op >= 0;
}

/* the products that datum d is the sum of; false: it is something else */
static bool expand(fusion *f, int32_t d)
{
    const tgs_lowering *l = f->l;

    if (f->writer_at[d] == f->writer_at[d + 1])
        return false;
    for (int32_t k = f->writer_at[d]; k < f->writer_at[d + 1]; k++) {
        const int32_t t = f->writer[k];

        if (is_product(&l->task[t]) && k == f->writer_at[d]) {
            if (f->leaves
                && (strcmp(l->task[t].attrs, l->task[f->leaf[0]].attrs)
                    || l->task[t].replica != l->task[f->leaf[0]].replica))
                return false;
            f->leaf[f->leaves++] = t;
            continue;
        }
        if (!is_sum(&l->task[t]) || l->task[t].phase == TGS_PHASE_COMMUNICATION)
            return false;
        f->joint[f->joints++] = t;
        for (int32_t i = 0; i < l->task[t].accesses; i++) {
            const tgs_low_access *a = access_of(f, t, i);

            if (a->mode == TGS_R && (f->reads[a->datum] != 1 || !expand(f, a->datum)))
                return false;
        }
    }
    return true;
}

/* attributes without those of a bias, which there is none of */
static const char *product_attrs(fusion *f, const char *attrs)
{
    return tgs_low_text(f->l, "alpha=%.17g transA=%d transB=%d", tgs_attr_real(attrs, "alpha", 1),
                        (int)(tgs_attr_int(attrs, "transA", 0) != 0),
                        (int)(tgs_attr_int(attrs, "transB", 0) != 0));
}

static tgs_status fuse(fusion *f, int32_t d)
{
    tgs_lowering *l = f->l;
    tgs_low_task t = l->task[f->leaf[0]];
    tgs_status status = TGS_OK;

    t.codelet = "gemm_sum";
    t.name = tgs_low_text(l, "%s.fused", t.name);
    t.attrs = product_attrs(f, t.attrs);
    t.batch = -1;
    t.flops = 0;
    for (int32_t i = 0; i < f->leaves; i++)
        t.flops += l->task[f->leaf[i]].flops;
    if (tgs_low_add_task(l, &t) < 0)
        return TGS_ENOMEM;
    for (int32_t i = 0; i < f->leaves && !status; i++)
        for (int32_t k = 0; k < 2 && !status; k++)
            status = tgs_low_add_access(l, access_of(f, f->leaf[i], k)->datum, TGS_R);
    if (!status)
        status = tgs_low_add_access(l, d, TGS_W);
    for (int32_t i = 0; i < f->leaves; i++)
        l->task[f->leaf[i]].dropped = l->task[f->leaf[i]].absorbed = true;
    for (int32_t i = 0; i < f->joints; i++)
        l->task[f->joint[i]].dropped = true;
    return status;
}

/* gradients that an update or a reduction over replicas reads */
static tgs_status fuse_all(fusion *f)
{
    tgs_status status = TGS_OK;

    for (int64_t d = 0, n = f->l->data; d < n && !status; d++) {
        f->leaves = f->joints = 0;
        if (f->l->datum[d].reduced && expand(f, (int32_t)d) && f->leaves > 1)
            status = fuse(f, (int32_t)d);
    }
    return status;
}

static tgs_status apply(tgs_lowering *l, const tgs_args *a, tgs_error *err)
{
    fusion f = {.l = l, .tasks = l->tasks};
    tgs_status status = find_writers(&f);

    (void)a;
    if (!status)
        status = fuse_all(&f);
    tgs_mem_free(f.writer_at);
    tgs_mem_free(f.writer);
    tgs_mem_free(f.reads);
    tgs_mem_free(f.leaf);
    tgs_mem_free(f.joint);
    return status ? tgs_fail(err, status, "out of memory") : TGS_OK;
}

const tgs_transform tgs_transform_fuse_update_aggregate = {
    .base = {TGS_PLUGIN_ABI, "fuse-update-aggregate",
             "the gradient of a weight over all micro-batches as one product",
             "Lagani et al., FastHebb, arXiv:2207.03172, 2022", NULL},
    .stage = 44,
    .needs = "train",
    .apply = apply,
};
