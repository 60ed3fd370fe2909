/* fits.c -- beside the message that a step of a model does not fit in memory: the nearest change of
 * its strategy with which it does. */
#include <stdlib.h>
#include <string.h>
#include "common.h"

/* the directives of a strategy file, without the line that says what it is */
static bool copy_strategy(const char *path, FILE *to)
{
    static const char format[] = "tgsched.strategy/1";
    FILE *from = fopen(path, "r");
    bool good = from != NULL;
    char line[4096];

    while (good && fgets(line, sizeof line, from))
        fputs(strncmp(line, format, strlen(format)) ? line : "", to);
    if (from) {
        good = !ferror(from);
        good &= fclose(from) == 0;
    }
    return good && !ferror(to);
}

static char *training_of(const options *o)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    bool good = to != NULL;

    if (to) {
        good = o->strategy ? copy_strategy(o->strategy, to) : !describe_strategy(o, to);
        good &= fclose(to) == 0;
    }
    if (good)
        return text;
    free(text);
    return NULL;
}

void say_what_fits(const input *in, const options *o)
{
    tgs_model *model = NULL;
    tgs_plan_input what = {
        .models = 1, .platform = in->platform, .costs = in->costs, .training = "", .seed = o->seed};
    char *strategy = o->train || o->strategy ? training_of(o) : NULL;
    tgs_error err = {TGS_OK, ""};

    if (strategy && in->platform && !tgs_model_read(&model, in->title, o->from, o->bind, NULL)) {
        what.model = (const tgs_model *const *)&model;
        if (tgs_strategy_fits(&what, strategy, &err) == TGS_EINFEASIBLE)
            warn("%s", err.text);
    }
    tgs_model_free(model);
    free(strategy);
}
