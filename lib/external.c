/* external.c -- heuristics from outside the tree: shared objects and commands. */
#include <dlfcn.h>
#include <string.h>
#include "external.h"

struct tgs_i_external {
    void *object; /* of a shared object */
    tgs_args *args;
    /* of a command: a heuristic whose parameters hold, as their defaults, what the spec said */
    tgs_heuristic heuristic;
    tgs_param param[3];
    char *command, timeout[32];
};

#define EXEC          "exec:"
#define TIMEOUT       "timeout="
#define DAY           86400.0
#define TIMEOUT_VALUE "60"

bool tgs_i_external_is(const char *spec)
{
    return !strncmp(spec, EXEC, strlen(EXEC)) || memchr(spec, '/', strcspn(spec, ":"));
}

/* ---- commands ------------------------------------------------------------------------------- */
static tgs_status run_command(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    const char *command = tgs_arg_text(c->args, "command");
    FILE *input = tmpfile();
    char name[64], *output = NULL;
    size_t size = 0;
    tgs_status status;

    if (!input)
        return tgs_fail(err, TGS_EIO, "exec: no temporary file for the input of '%.80s'", command);
    snprintf(name, sizeof name, EXEC "%.40s", command);
    status = tgs_i_command_describe(c->v, input, err);
    if (!status && (fflush(input) || ferror(input)))
        status = tgs_fail(err, TGS_EIO, "exec: the input of '%.80s' cannot be written", command);
    if (!status)
        status = tgs_i_command_run(c, command, tgs_arg_real(c->args, "timeout"), input, &output,
                                   &size, err);
    if (!status)
        status = tgs_i_command_parse(c->v, name, output, size, plan, err);
    tgs_mem_free(output);
    fclose(input);
    return status;
}

/* "exec:timeout=SECONDS:COMMAND" or "exec:COMMAND"; the command may hold anything */
static tgs_status open_command(tgs_i_external *x, const char *spec, tgs_error *err)
{
    const char *command = spec + strlen(EXEC);

    snprintf(x->timeout, sizeof x->timeout, TIMEOUT_VALUE);
    if (!strncmp(command, TIMEOUT, strlen(TIMEOUT))) {
        const char *value = command + strlen(TIMEOUT);
        const int length = (int)strcspn(value, ":");
        double seconds;

        snprintf(x->timeout, sizeof x->timeout, "%.*s", length, value);
        if (!tgs_parse_real(x->timeout, &seconds) || seconds <= 0 || seconds > DAY)
            return tgs_fail(err, TGS_EINVAL, "exec: timeout=%.*s is not in (0, %g] seconds",
                            length < 80 ? length : 80, value, DAY);
        command = value + length + (value[length] == ':');
    }
    if (!command[strspn(command, " \t")])
        return tgs_fail(err, TGS_EINVAL, "exec: no command after '%.80s'", spec);
    x->command = tgs_mem_text(command);
    if (!x->command)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    x->param[0] = (tgs_param){"command", x->command, TGS_PARAM_TEXT, 0, 0, "run by sh -c"};
    x->param[1] = (tgs_param){"timeout", x->timeout, TGS_PARAM_REAL, 0, DAY, "seconds"};
    x->heuristic = (tgs_heuristic){.base = {TGS_PLUGIN_ABI, "exec", "a command", NULL, x->param},
                                   .run = run_command};
    return tgs_i_args_new(&x->args, &x->heuristic.base, NULL, err);
}

/* ---- shared objects -------------------------------------------------------------------------- */
/* "tgs_heuristic_NAME" for DIR/NAME.so, '-' written '_' */
static void symbol_of(const char *path, char *symbol, size_t size)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

    snprintf(symbol, size, "tgs_heuristic_%.*s", (int)strcspn(name, "."), name);
    for (char *s = symbol; *s; s++)
        *s = *s == '-' ? '_' : *s;
}

static tgs_status check_object(const char *path, const char *symbol, const tgs_heuristic *h,
                               tgs_error *err)
{
    if (!h)
        return tgs_fail(err, TGS_ENOTFOUND, "%s: it has no symbol %s", path, symbol);
    if (h->base.abi != TGS_PLUGIN_ABI)
        return tgs_fail(err, TGS_EINVAL, "%s: built for plug-in ABI %d, this library has %d", path,
                        (int)h->base.abi, TGS_PLUGIN_ABI);
    if (!h->base.name || !h->run)
        return tgs_fail(err, TGS_EINVAL, "%s: %s has no %s", path, symbol,
                        h->base.name ? "run" : "name");
    return TGS_OK;
}

static tgs_status open_object(tgs_i_external *x, const tgs_heuristic **h, const char *spec,
                              tgs_error *err)
{
    const size_t length = strcspn(spec, ":");
    char path[4096], symbol[256];
    tgs_status status;

    if (length >= sizeof path)
        return tgs_fail(err, TGS_EINVAL, "the path of the heuristic is too long");
    memcpy(path, spec, length);
    path[length] = 0;
    x->object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!x->object)
        return tgs_fail(err, TGS_ENOTFOUND, "%.400s", dlerror());
    symbol_of(path, symbol, sizeof symbol);
    *h = dlsym(x->object, symbol);
    status = check_object(path, symbol, *h, err);
    if (!status)
        status =
            tgs_i_args_new(&x->args, &(*h)->base, spec[length] ? spec + length + 1 : NULL, err);
    return status;
}

tgs_status tgs_i_external_open(tgs_i_external **out, const tgs_heuristic **h, const tgs_args **args,
                               const char *spec, tgs_error *err)
{
    tgs_i_external *x = tgs_mem_alloc(1, sizeof *x);
    const tgs_heuristic *found;
    tgs_status status;

    *out = NULL;
    *h = NULL;
    *args = NULL;
    if (!x)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    found = &x->heuristic;
    if (!strncmp(spec, EXEC, strlen(EXEC)))
        status = open_command(x, spec, err);
    else
        status = open_object(x, &found, spec, err);
    if (status) {
        tgs_i_external_close(x);
        return status;
    }
    *out = x;
    *h = found;
    *args = x->args;
    return TGS_OK;
}

void tgs_i_external_close(tgs_i_external *x)
{
    if (!x)
        return;
    tgs_i_args_free(x->args);
    tgs_mem_free(x->command);
    if (x->object)
        dlclose(x->object);
    tgs_mem_free(x);
}
