/* registry.c -- find a plug-in by name, and list them, from the generated tables. */
#include <string.h>
#include "internal.h"

static const tgs_plugin *const *table(const char *kind)
{
    for (const tgs_i_kind *k = tgs_i_kinds; k->name; k++)
        if (!strcmp(k->name, kind))
            return k->plugin;
    return NULL;
}

static const tgs_plugin *at(const char *kind, int32_t i)
{
    const tgs_plugin *const *t = table(kind);

    for (int32_t j = 0; t && i >= 0 && t[j]; j++)
        if (j == i)
            return t[j];
    return NULL;
}

tgs_status tgs_i_find(const tgs_plugin **out, const char *kind, const char *name, tgs_error *err)
{
    const tgs_plugin *const *t = table(kind);
    char names[400] = "";

    *out = NULL;
    for (int32_t i = 0; t && t[i]; i++)
        if (!strcmp(t[i]->name, name)) {
            *out = t[i];
            return TGS_OK;
        }
    for (int32_t i = 0; t && t[i]; i++) {
        const size_t used = strlen(names);

        snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", t[i]->name);
    }
    return tgs_fail(err, TGS_ENOTFOUND, "no %s '%s' (there are: %s)", kind, name, names);
}

tgs_status tgs_i_resolve(const tgs_plugin **out, tgs_args **args, const char *kind,
                         const char *spec, tgs_error *err)
{
    const size_t n = strcspn(spec, ":");
    char name[64];
    tgs_status status;

    *args = NULL;
    snprintf(name, sizeof name, "%.*s", (int)(n < 63 ? n : 63), spec);
    status = tgs_i_find(out, kind, name, err);
    if (!status)
        status = tgs_i_args_new(args, *out, spec[n] ? spec + n + 1 : NULL, err);
    if (status)
        *out = NULL;
    return status;
}

const char *tgs_plugin_kind(int32_t i)
{
    for (const tgs_i_kind *k = tgs_i_kinds; k->name; k++)
        if (i-- == 0)
            return k->name;
    return NULL;
}

const char *tgs_plugin_name(const char *kind, int32_t i)
{
    const tgs_plugin *p = at(kind, i);

    return p ? p->name : NULL;
}

const char *tgs_plugin_summary(const char *kind, int32_t i)
{
    const tgs_plugin *p = at(kind, i);

    return p ? p->summary : NULL;
}

const char *tgs_plugin_citation(const char *kind, int32_t i)
{
    const tgs_plugin *p = at(kind, i);

    return p && p->citation ? p->citation : "";
}

tgs_status tgs_plugin_param(const char *kind, int32_t i, int32_t j, const char **key,
                            const char **value, const char **meaning)
{
    const tgs_plugin *p = at(kind, i);

    *key = *value = *meaning = NULL;
    for (int32_t k = 0; p && p->params && p->params[k].key; k++)
        if (k == j) {
            *key = p->params[k].key;
            *value = p->params[k].value;
            *meaning = p->params[k].meaning;
            return TGS_OK;
        }
    return TGS_ENOTFOUND;
}
