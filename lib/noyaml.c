/* noyaml.c -- instead of dslab.c in a build without libyaml. */
#include "foreign.h"

tgs_status tgs_i_dslab_load(tgs_platform **out, tgs_source *s, tgs_error *err)
{
    *out = NULL;
    return tgs_fail(err, TGS_ENOTAPPLICABLE, "%s: this build cannot read YAML (--without-yaml)",
                    s->path);
}
