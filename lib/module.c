/* module.c -- modules of the library (tgsched-NAME.so), opened when first asked for, so that the
 * library itself links neither StarPU nor anything else that is heavy or not always there. */
#include <dlfcn.h>
#include <stdlib.h>
#include "internal.h"

tgs_status tgs_module_symbol(const char *module, const char *symbol, void **out, tgs_error *err)
{
    const char *dir = getenv("TGSCHED_MODULE_DIR"); /* an uninstalled build */
    char path[4096];
    void *handle;

    *out = NULL;
    if (snprintf(path, sizeof path, "%s/tgsched-%s.so", dir && *dir ? dir : TGS_MODULE_DIR, module)
        >= (int)sizeof path)
        return tgs_fail(err, TGS_EINVAL, "module path too long: %s", module);
    /* never closed: libraries with threads and exit handlers do not survive it; dlopen counts */
    handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return tgs_fail(err, TGS_EBACKEND, "module %s is not available: %s", module, dlerror());
    *out = dlsym(handle, symbol);
    if (!*out)
        return tgs_fail(err, TGS_EBACKEND, "module %s has no %s", path, symbol);
    return TGS_OK;
}
