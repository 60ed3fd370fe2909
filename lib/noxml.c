/* noxml.c -- instead of simgrid.c and hwlocxml.c in a build without expat. */
#include "foreign.h"

static tgs_status refuse(tgs_platform **out, const tgs_source *s, tgs_error *err)
{
    *out = NULL;
    return tgs_fail(err, TGS_ENOTAPPLICABLE, "%s: this build cannot read XML (--without-expat)",
                    s->path);
}

tgs_status tgs_i_simgrid_load(tgs_platform **out, tgs_source *s, tgs_error *err)
{
    return refuse(out, s, err);
}

tgs_status tgs_i_hwloc_load(tgs_platform **out, tgs_source *s, tgs_error *err)
{
    return refuse(out, s, err);
}
