/* module.c -- modules of the library (tgsched-NAME.so), opened when first asked for, so that the
 * library itself links neither StarPU nor anything else that is heavy or not always there. */
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

tgs_status tgs_module_symbol(const char *module, const char *symbol, void **out, tgs_error *err)
{
    char path[4096];
    void *handle;

    *out = NULL;
    if (!find_module(path, sizeof path, module))
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
