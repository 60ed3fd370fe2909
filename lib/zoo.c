/* zoo.c -- networks of the zoo by their spec, "resnet50:batch=8". */
#include <string.h>
#include "internal.h"
#include "numerals.h"
#include "zoo.h"

const char *tgs_i_zoo_spec(const char *path)
{
    return strncmp(path, "zoo:", 4) ? NULL : path + 4;
}

/* is it one of the blank-separated names? */
static bool lists(const char *names, const char *name, size_t size)
{
    for (const char *s = names; *s;) {
        const size_t n = strcspn(s, " ");

        if (n == size && !memcmp(s, name, n))
            return true;
        s += n + strspn(s + n, " ");
    }
    return false;
}

static const tgs_plugin *const *families(void)
{
    for (const tgs_i_kind *k = tgs_i_kinds; k->name; k++)
        if (!strcmp(k->name, "zoo"))
            return k->plugin;
    return NULL;
}

static tgs_status unknown(const char *name, size_t size, tgs_error *err)
{
    char names[400] = "";
    size_t used = 0;

    for (const tgs_plugin *const *p = families(); p && *p && used < sizeof names; p++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? " " : "",
                                 ((const tgs_zoo *)*p)->names);
    return tgs_fail(err, TGS_ENOTFOUND, "no network '%.*s' in the zoo (there are: %s)",
                    (int)(size < 60 ? size : 60), name, names);
}

tgs_status tgs_zoo_build(tgs_model_builder *b, const char *spec, const char *prefix, bool again,
                         int32_t *output, tgs_error *err)
{
    const size_t n = strcspn(spec, ":");
    const tgs_plugin *const *p = families();
    char name[64];
    tgs_zoo_call call = {b, NULL, name, prefix, again};
    tgs_args *args;
    tgs_status status;

    *output = -1;
    while (p && *p && !lists(((const tgs_zoo *)*p)->names, spec, n))
        p++;
    if (!p || !*p || n >= sizeof name)
        return unknown(spec, n, err);
    snprintf(name, sizeof name, "%.*s", (int)n, spec);
    status = tgs_i_args_new(&args, *p, spec[n] ? spec + n + 1 : NULL, err);
    if (status)
        return status;
    call.args = args;
    status = ((const tgs_zoo *)*p)->build(&call, output, err);
    tgs_i_args_free(args);
    return status;
}

tgs_status tgs_i_zoo_read(tgs_model **out, const char *spec, const char *bind, tgs_error *err)
{
    const locale_t before = tgs_i_numerals_enter(); /* attributes are text */
    tgs_model_builder *b = NULL;
    int32_t output;
    tgs_status status = TGS_OK;

    *out = NULL;
    if (bind && *bind)
        status = tgs_fail(err, TGS_EINVAL,
                          "zoo:%s: its sizes are parameters of its name, as in "
                          "zoo:mlp:batch=8; there is nothing to bind",
                          spec);
    if (!status)
        status = tgs_model_builder_new(&b, spec, err);
    if (!status)
        status = tgs_zoo_build(b, spec, "", false, &output, err);
    if (!status) {
        tgs_model_output(b, output);
        status = tgs_model_finish(out, b, err);
        b = NULL;
    }
    tgs_model_builder_free(b);
    tgs_i_numerals_leave(before);
    return status;
}
