/* limit.c -- --limit-memory MEMORY=BYTES[,...]: memories that are to hold less than they could. */
#include <stdlib.h>
#include <string.h>
#include "common.h"

/* "512MiB", "2GB", "1e6": bytes, or a negative number */
static double bytes_of(const char *text)
{
    static const struct {
        const char *name;
        double factor;
    } unit[] = {{"", 1},     {"B", 1},      {"kB", 1e3},        {"KB", 1e3},          {"MB", 1e6},
                {"GB", 1e9}, {"KiB", 1024}, {"MiB", 1048576.0}, {"GiB", 1073741824.0}};
    char *end;
    const double x = strtod(text, &end);

    for (size_t i = 0; i < sizeof unit / sizeof *unit && end != text; i++)
        if (!strcmp(end, unit[i].name))
            return x * unit[i].factor;
    return -1;
}

static int limit(tgs_platform **p, const char *item, const command *c)
{
    char name[128];
    const char *equals = strchr(item, '=');
    const double bytes = equals ? bytes_of(equals + 1) : -1;
    tgs_error err = {TGS_OK, ""};
    tgs_platform *limited;
    tgs_status status;

    if (!equals || equals == item || (size_t)(equals - item) >= sizeof name || !(bytes > 0))
        return misuse(c, "--limit-memory takes MEMORY=BYTES, such as gpu0=512MiB, not '%s'", item);
    snprintf(name, sizeof name, "%.*s", (int)(equals - item), item);
    status = tgs_platform_limit(&limited, *p, name, bytes, &err);
    if (status)
        return fail_spec(status, &err);
    tgs_platform_free(*p);
    *p = limited;
    return EXIT_OK;
}

int limit_memories(tgs_platform **p, const char *list, const command *c)
{
    char *copy = strdup(list), *rest = copy, *item;
    int code = copy ? EXIT_OK : fail(TGS_ENOMEM, NULL);

    while (!code && (item = strsep(&rest, ",")))
        code = limit(p, item, c);
    free(copy);
    return code;
}
