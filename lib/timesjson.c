/* timesjson.c -- measured times as JSON.
 *
 *   [{"node": "conv1", "kind": "gpu", "forward_s": 1e-3, "backward_s": 2e-3, "bytes": 1e6}, ...]
 *   {"times": [...]}
 *   {"conv1": {"forward_s": 1e-3, ...}, ...}
 *   {"traceEvents": [...]}, of torch.profiler: the ranges of record_function are the names, and
 *   NAME.backward the backward pass; a range seen several times counts its mean.  The ranges on the
 *   device are the times of the kind cuda, those of the program the times of cpu. */
#include <jansson.h>
#include <string.h>
#include "times.h"

static tgs_status no_memory(const tgs_source *s, tgs_error *err)
{
    return tgs_fail(err, TGS_ENOMEM, "%s: out of memory", s->path);
}

/* a key with any of its units, in seconds */
static tgs_status take(tgs_source *s, const json_t *of, const char *const key[4], double *out,
                       tgs_error *err)
{
    static const double unit[] = {1, 1e-3, 1e-6};

    for (int i = 0; i < 3 && key[i]; i++) {
        const json_t *x = json_object_get(of, key[i]);

        if (!x)
            continue;
        *out = json_number_value(x) * unit[i];
        if (!json_is_number(x) || *out < 0 || !isfinite(*out))
            return tgs_source_fail(s, err, "%s is not a finite number >= 0", key[i]);
    }
    return TGS_OK;
}

static tgs_status add(tgs_times *t, tgs_source *s, const char *name, const json_t *of,
                      tgs_error *err)
{
    static const char *const forward[] = {"forward_s", "forward_ms", "forward_us", NULL};
    static const char *const backward[] = {"backward_s", "backward_ms", "backward_us", NULL};
    static const char *const bytes[] = {"bytes", NULL, NULL, NULL};
    tgs_i_timed *e;
    tgs_status status;

    if (!name || !*name)
        return tgs_source_fail(s, err, "an entry without `node`");
    e = tgs_i_times_entry(t, name, json_string_value(json_object_get(of, "kind")));
    if (!e)
        return no_memory(s, err);
    if (e->forwards++)
        return tgs_source_fail(s, err, "node '%.100s' is there twice", name);
    status = take(s, of, forward, &e->forward, err);
    if (!status)
        status = take(s, of, backward, &e->backward, err);
    return status ? status : take(s, of, bytes, &e->bytes, err);
}

static void count(double *sum, int32_t *times, double x)
{
    *sum = *times ? *sum + x : x;
    ++*times;
}

static tgs_status add_range(tgs_times *t, tgs_source *s, const json_t *event, tgs_error *err)
{
    static const char tail[] = ".backward";
    const char *cat = json_string_value(json_object_get(event, "cat"));
    const char *name = json_string_value(json_object_get(event, "name"));
    const json_t *duration = json_object_get(event, "dur");
    const bool device = cat && !strcmp(cat, "gpu_user_annotation");
    char base[400];
    size_t n;
    bool backward;
    tgs_i_timed *e;

    if (!name || !cat || (!device && strcmp(cat, "user_annotation")) || !json_is_number(duration)
        || !strncmp(name, "ProfilerStep", 12))
        return TGS_OK;
    if (json_number_value(duration) < 0)
        return tgs_source_fail(s, err, "range '%.100s' has a negative duration", name);
    n = strlen(name);
    backward = n > sizeof tail - 1 && !strcmp(name + n - (sizeof tail - 1), tail);
    snprintf(base, sizeof base, "%.*s", (int)(backward ? n - (sizeof tail - 1) : n), name);
    e = tgs_i_times_entry(t, base, device ? "cuda" : "cpu");
    if (!e)
        return no_memory(s, err);
    if (backward)
        count(&e->backward, &e->backwards, json_number_value(duration) * 1e-6);
    else
        count(&e->forward, &e->forwards, json_number_value(duration) * 1e-6);
    return TGS_OK;
}

static tgs_status add_trace(tgs_times *t, tgs_source *s, const json_t *events, tgs_error *err)
{
    tgs_status status = TGS_OK;

    for (size_t i = 0; i < json_array_size(events) && !status; i++)
        status = add_range(t, s, json_array_get(events, i), err);
    if (!status && !t->entries)
        status = tgs_source_fail(s, err,
                                 "a trace without ranges of record_function, whose names "
                                 "would be those of operators");
    for (int64_t i = 0; i < t->entries; i++) {
        t->entry[i].forward /= t->entry[i].forwards ? t->entry[i].forwards : 1;
        t->entry[i].backward /= t->entry[i].backwards ? t->entry[i].backwards : 1;
    }
    return status;
}

static tgs_status convert(tgs_times *t, tgs_source *s, json_t *root, tgs_error *err)
{
    const json_t *list = json_is_array(root) ? root : json_object_get(root, "times");
    const json_t *events = json_object_get(root, "traceEvents");
    const char *key;
    json_t *value;
    tgs_status status = TGS_OK;

    if (json_is_array(events))
        return add_trace(t, s, events, err);
    for (size_t i = 0; i < json_array_size(list) && !status; i++) {
        const json_t *x = json_array_get(list, i);

        status = add(t, s, json_string_value(json_object_get(x, "node")), x, err);
    }
    if (list)
        return status;
    json_object_foreach(root, key, value)
    {
        if (!status && !json_is_object(value))
            status = tgs_source_fail(s, err, "'%.60s' is no object of times", key);
        if (!status)
            status = add(t, s, key, value, err);
    }
    return status;
}

tgs_status tgs_i_times_json(tgs_times *t, tgs_source *s, tgs_error *err)
{
    json_error_t error;
    json_t *root = json_loadf(s->file, 0, &error);
    tgs_status status;

    if (!root && (!*error.text || json_error_code(&error) == json_error_out_of_memory))
        return no_memory(s, err);
    if (!root) {
        s->line = error.line > 0 ? error.line : 1;
        return tgs_source_fail(s, err, "%s", error.text);
    }
    status = convert(t, s, root, err);
    json_decref(root);
    return status;
}
