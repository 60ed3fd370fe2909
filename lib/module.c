/* module.c -- modules of the library (tgsched-NAME.so), opened when first asked for, so that the
 * library itself links neither StarPU nor anything else that is heavy or not always there.
 *
 * A module and the library read each other's structs, so they must come from one build: each
 * carries a stamp made of the headers they share (build-aux/mkstamp.sh), and a module of another
 * stamp, or of none, is not called. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "internal.h"

/* Where a module is: in $TGSCHED_MODULE_DIR when that is set; beside the library, as in a build
 * that is not installed; or where it was installed. */
static bool find_module(char *path, size_t size, const char *module)
{
    const char *dir = getenv("TGSCHED_MODULE_DIR");
    const char *slash;
    Dl_info self;
    int n;

    if (dir && *dir)
        return snprintf(path, size, "%s/tgsched-%s.so", dir, module) < (int)size;
    if (dladdr((void *)&tgs_api_version, &self) && (slash = strrchr(self.dli_fname, '/'))) {
        n = snprintf(path, size, "%.*s/tgsched-%s.so", (int)(slash - self.dli_fname),
                     self.dli_fname, module);
        if (n < (int)size && !access(path, R_OK))
            return true;
    }
    return snprintf(path, size, "%s/tgsched-%s.so", TGS_MODULE_DIR, module) < (int)size;
}

static tgs_status check_stamp(void *handle, const char *path, tgs_error *err)
{
    const char *stamp = dlsym(handle, "tgs_i_module_stamp");

    if (stamp && !strcmp(stamp, tgs_i_stamp))
        return TGS_OK;
    return tgs_fail(err, TGS_EIO,
                    "module %s is of another build (%.40s) than libtgsched (%s): build and install "
                    "both together",
                    path, stamp ? stamp : "which has no stamp", tgs_i_stamp);
}

tgs_status tgs_module_symbol(const char *module, const char *symbol, void **out, tgs_error *err)
{
    tgs_status status;
    char path[4096];
    void *handle;

    *out = NULL;
    if (!find_module(path, sizeof path, module))
        return tgs_fail(err, TGS_EINVAL, "module path too long: %s", module);
    /* never closed: libraries with threads and exit handlers do not survive it; dlopen counts */
    handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return tgs_fail(err, TGS_EBACKEND, "module %s is not available: %s", module, dlerror());
    status = check_stamp(handle, path, err);
    if (status)
        return status;
    *out = dlsym(handle, symbol);
    if (!*out)
        return tgs_fail(err, TGS_EBACKEND, "module %s has no %s", path, symbol);
    return TGS_OK;
}

tgs_status tgs_preload_path(char **out, tgs_error *err)
{
    char path[4096];

    *out = NULL;
    if (!find_module(path, sizeof path, "preload"))
        return tgs_fail(err, TGS_EINVAL, "module path too long");
    if (access(path, R_OK))
        return tgs_fail(err, TGS_EBACKEND,
                        "%s is not there: tgsched was built without StarPU, or the folder in "
                        "$TGSCHED_MODULE_DIR is another one",
                        path);
    *out = tgs_mem_text(path);
    return *out ? TGS_OK : tgs_fail(err, TGS_ENOMEM, "out of memory");
}
