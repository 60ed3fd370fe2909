/* report.c -- a trace as a report of a named format, whole or not at all. */
#include "internal.h"

tgs_status tgs_report(const tgs_trace *t, const tgs_trace *other, const char *format,
                      const char *path, tgs_error *err)
{
    const tgs_plugin *p;
    tgs_status status = tgs_i_find(&p, "report", format, err);
    tgs_i_output o;

    if (status)
        return status;
    status = tgs_i_output_open(&o, path, err);
    if (status)
        return status;
    status = ((const tgs_report_plugin *)p)->write(&t->v, other ? &other->v : NULL, o.file, err);
    return tgs_i_output_close(&o, status, err);
}
