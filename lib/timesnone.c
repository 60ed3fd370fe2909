/* timesnone.c -- measured times as JSON, where jansson was not there at build time. */
#include "times.h"

tgs_status tgs_i_times_json(tgs_times *t, tgs_source *s, tgs_error *err)
{
    (void)t;
    return tgs_fail(err, TGS_ENOTAPPLICABLE, "%s: JSON needs jansson, and this build has none",
                    s->path);
}
