/* codelets.c -- a set of kernels, sorted so that one is found without looking at all. */
#include <string.h>
#include "internal.h"

static int compare(const tgs_kernel *k, const char *codelet, const char *arch)
{
    const int order = strcmp(k->codelet, codelet);

    return order ? order : strcmp(k->arch, arch);
}

/* the first kernel that is not before (codelet, arch), or after it when past */
static int64_t bound(const tgs_codelets *c, const char *codelet, const char *arch, bool past)
{
    int64_t low = 0, high = c->kernels;

    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        const int order = compare(&c->kernel[middle], codelet, arch);

        if (order < 0 || (past && order == 0))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* the names of a kernel in one block, which kernel.codelet owns */
static tgs_status own_names(tgs_kernel *k)
{
    const char *impl = k->impl ? k->impl : "";
    const size_t codelet = strlen(k->codelet) + 1, arch = strlen(k->arch) + 1;
    const size_t last = strlen(impl) + 1;
    char *text = tgs_mem_alloc(codelet + arch + last, 1);

    if (!text)
        return TGS_ENOMEM;
    memcpy(text, k->codelet, codelet);
    memcpy(text + codelet, k->arch, arch);
    memcpy(text + codelet + arch, impl, last);
    k->codelet = text;
    k->arch = text + codelet;
    k->impl = text + codelet + arch;
    return TGS_OK;
}

tgs_status tgs_codelets_add(tgs_codelets *c, const tgs_kernel *kernel, tgs_error *err)
{
    tgs_kernel k = *kernel;
    int64_t at;

    if (!k.codelet || !*k.codelet || !k.arch || !*k.arch || !k.run)
        return tgs_fail(err, TGS_EINVAL,
                        "a kernel needs a codelet, an architecture and a function");
    if (k.release && !k.prepare)
        return tgs_fail(err, TGS_EINVAL, "kernel %s/%s releases what it does not prepare",
                        k.codelet, k.arch);
    if (tgs_mem_grow(&c->kernel, &c->room, c->kernels + 1, sizeof *c->kernel) || own_names(&k))
        return tgs_fail(err, TGS_ENOMEM, "out of memory for a kernel");
    at = bound(c, k.codelet, k.arch, true);
    memmove(c->kernel + at + 1, c->kernel + at, (size_t)(c->kernels - at) * sizeof k);
    c->kernel[at] = k;
    c->kernels++;
    return TGS_OK;
}

tgs_status tgs_codelets_new(tgs_codelets **out, tgs_error *err)
{
    tgs_codelets *c = tgs_mem_alloc(1, sizeof *c);
    tgs_status status = TGS_OK;

    *out = NULL;
    if (!c)
        return tgs_fail(err, TGS_ENOMEM, "out of memory for codelets");
    for (const tgs_i_kind *kind = tgs_i_kinds; kind->name && !status; kind++) {
        if (strncmp(kind->name, "kernel_", 7))
            continue;
        for (const tgs_plugin *const *p = kind->plugin; *p && !status; p++)
            for (const tgs_kernel *k = ((const tgs_kernels *)*p)->kernel; k->codelet && !status;
                 k++)
                status = tgs_codelets_add(c, k, err);
    }
    if (status)
        tgs_codelets_free(c);
    else
        *out = c;
    return status;
}

void tgs_codelets_free(tgs_codelets *c)
{
    if (!c)
        return;
    for (int64_t i = 0; i < c->kernels; i++)
        tgs_mem_free((char *)c->kernel[i].codelet); /* own_names made it */
    tgs_mem_free(c->kernel);
    tgs_mem_free(c);
}

static bool matches(const tgs_kernel *k, tgs_dtype dtype)
{
    return k->dtype == dtype || k->dtype == TGS_BYTES;
}

const tgs_kernel *tgs_kernel_find(const tgs_codelets *c, const char *codelet, const char *arch,
                                  tgs_dtype dtype)
{
    const tgs_kernel *best = NULL;

    for (int64_t i = bound(c, codelet, arch, false);
         i < c->kernels && !compare(&c->kernel[i], codelet, arch); i++)
        if (matches(&c->kernel[i], dtype) && (!best || c->kernel[i].rank >= best->rank))
            best = &c->kernel[i];
    return best;
}

bool tgs_i_codelet_known(const tgs_codelets *c, const char *codelet, tgs_dtype dtype)
{
    for (int64_t i = bound(c, codelet, "", false);
         i < c->kernels && !strcmp(c->kernel[i].codelet, codelet); i++)
        if (matches(&c->kernel[i], dtype))
            return true;
    return false;
}
