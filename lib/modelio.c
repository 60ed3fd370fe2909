/* modelio.c -- models from files. */
#include <string.h>
#include "graphio.h"
#include "modelimpl.h"
#include "zoo.h"

/* "dir/resnet50.onnx" is called resnet50 */
static void name_of(const char *path, char *name, size_t size)
{
    const char *base = strrchr(path, '/');
    const char *dot;

    base = base ? base + 1 : path;
    dot = strrchr(base, '.');
    snprintf(name, size, "%.*s", (int)(dot && dot > base ? dot - base : (ptrdiff_t)strlen(base)),
             base);
}

tgs_status tgs_model_read(tgs_model **out, const char *path, const char *format, const char *bind,
                          tgs_error *err)
{
    tgs_i_reading r;
    tgs_model_builder *b = NULL;
    tgs_error local = {TGS_OK, ""};
    char name[256];
    tgs_status status;

    *out = NULL;
    if (tgs_i_zoo_spec(path))
        return tgs_i_zoo_read(out, tgs_i_zoo_spec(path), bind, err);
    status = tgs_i_reader_open(&r, path, format, err);
    if (status)
        return status;
    name_of(path, name, sizeof name);
    if (r.reader->yields != TGS_YIELD_MODEL)
        status =
            tgs_fail(err, TGS_EINVAL, "%s: %s is a graph, not a model", path, r.reader->base.name);
    if (!status)
        status = tgs_model_builder_new(&b, name, err);
    if (!status)
        status = r.reader->read_model(&r.source, bind, b, err);
    if (!status) {
        status = tgs_model_finish(out, b, &local);
        b = NULL;
        if (status)
            tgs_fail(err, status, "%s: %s", path, local.text);
    }
    tgs_model_builder_free(b);
    tgs_i_reader_close(&r);
    return status;
}
