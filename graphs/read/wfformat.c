/* wfformat.c -- reads WfFormat 1.3 to 1.6, the JSON of WfCommons, WfInstances and their tools.
 *
 * Up to 1.4 a task of workflow.tasks holds everything: runtime (runtimeInSeconds since 1.4), files
 * with a link and a size (sizeInBytes).  Since 1.5 workflow.specification says what the tasks are
 * and workflow.execution how long each took.  Tasks are named by id, or by name where there is
 * none; parents and children may use either.  Seconds and bytes.
 *
 * A task that ran on several cores is one task of the time it took there, for a processor that
 * stands for so many cores: it keeps them as the attribute `cores`, and the user is told. */
#include <inttypes.h>
#include <jansson.h>
#include <string.h>
#include "core.h"

typedef struct reading {
    tgs_source *s;
    tgs_builder *b;
    tgs_error *err;
    const char *text;
    const char *array; /* the path of the tasks */
    tgs_i_workflow *flow;
    json_t *named;       /* name -> index, of tasks that are not named by it; -1: of several */
    const json_t *sizes; /* files of the specification, by id; NULL: none */
    int64_t wide;        /* tasks of more than one core */
} reading;

/* path is below the task: ".parents[3]" */
static tgs_status bad(const reading *r, size_t task, const char *path, const char *what)
{
    char where[200];

    snprintf(where, sizeof where, "%s[%zu]%s", r->array, task, path);
    r->s->line = tgs_i_json_line(r->text, where);
    return tgs_source_fail(r->s, r->err, "%s: %s", where, what);
}

/* the first of the two keys that is there */
static const json_t *either(const json_t *object, const char *a, const char *b)
{
    const json_t *x = json_object_get(object, a);

    return x ? x : json_object_get(object, b);
}

/* absent or null is NaN; false: not a finite number >= 0 */
static bool amount(const json_t *x, double *out)
{
    *out = NAN;
    if (!x || json_is_null(x))
        return true;
    *out = json_number_value(x);
    return json_is_number(x) && *out >= 0 && !isinf(*out);
}

/* ---- tasks -------------------------------------------------------------------------------------
 */

static const char *task_name(const json_t *task)
{
    const char *id = json_string_value(json_object_get(task, "id"));

    return id && *id ? id : json_string_value(json_object_get(task, "name"));
}

/* several tasks may have one name as long as they have ids */
static tgs_status remember_name(const reading *r, const json_t *task, int32_t index)
{
    const char *name = json_string_value(json_object_get(task, "name"));

    if (!name || !strcmp(name, task_name(task)))
        return TGS_OK;
    if (json_object_get(r->named, name))
        index = -1;
    if (json_object_set_new(r->named, name, json_integer(index)))
        return tgs_i_read_no_memory(r->s, r->err);
    return TGS_OK;
}

static tgs_status add_task(reading *r, size_t index, const json_t *task, int64_t line)
{
    const char *name = json_is_object(task) ? task_name(task) : NULL;
    const char *type = json_string_value(json_object_get(task, "category"));
    double runtime, cores;
    int32_t t;

    r->s->line = line;
    if (!name || !*name)
        return bad(r, index, "", "a task has neither an id nor a name");
    if (!amount(either(task, "runtimeInSeconds", "runtime"), &runtime))
        return bad(r, index, "", "its runtime is not a finite number >= 0");
    if (!amount(either(task, "coreCount", "cores"), &cores))
        return bad(r, index, "", "its cores are not a finite number >= 0");
    if (!type)
        type = json_string_value(json_object_get(task, "name"));
    if (type && !strcmp(type, name) && !json_object_get(task, "category"))
        type = NULL;
    t = tgs_builder_task(r->b, name, type, runtime);
    tgs_builder_line(r->b, t, line);
    if (cores > 1) {
        char attrs[40];

        snprintf(attrs, sizeof attrs, "cores=%.15g", cores);
        tgs_builder_task_attrs(r->b, t, attrs);
        r->wide++;
    }
    return tgs_source_built(r->s, r->b, r->err);
}

/* ---- what tasks depend on ----------------------------------------------------------------------
 */

static int32_t find_task(const reading *r, const char *name)
{
    const int32_t t = tgs_builder_find_task(r->b, name);
    const json_t *index = t < 0 ? json_object_get(r->named, name) : NULL;

    return t >= 0 ? t : index ? (int32_t)json_integer_value(index) : -1;
}

/* key: "parents" or "children" */
static tgs_status add_relatives(const reading *r, size_t index, const json_t *task, const char *key)
{
    const json_t *list = json_object_get(task, key);
    char path[60], what[200];
    tgs_status status = TGS_OK;

    if (list && !json_is_null(list) && !json_is_array(list)) {
        snprintf(path, sizeof path, ".%s", key);
        return bad(r, index, path, "this is not a list");
    }
    for (size_t i = 0; i < json_array_size(list) && !status; i++) {
        const char *name = json_string_value(json_array_get(list, i));
        const int32_t other = name ? find_task(r, name) : -1;

        snprintf(path, sizeof path, ".%s[%zu]", key, i);
        snprintf(what, sizeof what, "there is no%s task '%.100s'",
                 name && json_object_get(r->named, name) ? " single" : "", name ? name : "");
        if (other < 0)
            return bad(r, index, path, name ? what : "this is not a text");
        if (other == (int32_t)index)
            return bad(r, index, path, "a task would depend on itself");
        status = tgs_i_workflow_after(r->flow, *key == 'p' ? other : (int32_t)index,
                                      *key == 'p' ? (int32_t)index : other);
    }
    return status;
}

/* key: "inputFiles" or "outputFiles", lists of ids */
static tgs_status add_ids(const reading *r, size_t index, const json_t *task, const char *key)
{
    const json_t *list = json_object_get(task, key);
    const tgs_mode mode = *key == 'i' ? TGS_R : TGS_W;
    char path[60];
    tgs_status status = TGS_OK;

    for (size_t i = 0; i < json_array_size(list) && !status; i++) {
        const char *id = json_string_value(json_array_get(list, i));
        const json_t *size = id ? json_object_get(r->sizes, id) : NULL;

        snprintf(path, sizeof path, ".%s[%zu]", key, i);
        if (!id || !*id)
            return bad(r, index, path, "this is not the id of a file");
        if (!size)
            return bad(r, index, path, "there is no such file in workflow.specification.files");
        status = tgs_i_workflow_use(r->flow, (int32_t)index, id, mode, json_number_value(size));
    }
    return status;
}

/* the list of 1.3 and 1.4: objects with link, name, size */
static tgs_status add_files(const reading *r, size_t index, const json_t *task)
{
    const json_t *list = json_object_get(task, "files");
    char path[60];
    tgs_status status = TGS_OK;

    for (size_t i = 0; i < json_array_size(list) && !status; i++) {
        const json_t *file = json_array_get(list, i);
        const char *name = json_string_value(either(file, "name", "id"));
        const char *link = json_string_value(json_object_get(file, "link"));
        double bytes;

        snprintf(path, sizeof path, ".files[%zu]", i);
        if (!name || !*name)
            return bad(r, index, path, "the file has no name");
        if (!link || (strcmp(link, "input") && strcmp(link, "output")))
            return bad(r, index, path, "its link is neither input nor output");
        if (!amount(either(file, "sizeInBytes", "size"), &bytes))
            return bad(r, index, path, "its size is not a finite number >= 0");
        status =
            tgs_i_workflow_use(r->flow, (int32_t)index, name, *link == 'i' ? TGS_R : TGS_W, bytes);
    }
    return status;
}

static tgs_status connect(const reading *r, size_t index, const json_t *task)
{
    tgs_status status = add_relatives(r, index, task, "parents");

    if (!status)
        status = add_relatives(r, index, task, "children");
    if (!status)
        status = add_files(r, index, task);
    if (!status)
        status = add_ids(r, index, task, "inputFiles");
    return status ? status : add_ids(r, index, task, "outputFiles");
}

static tgs_status add_tasks(reading *r, const json_t *tasks)
{
    const size_t n = json_array_size(tasks);
    tgs_i_json_walk walk;
    tgs_status status = TGS_OK;

    if (!json_is_array(tasks)) {
        r->s->line = tgs_i_json_line(r->text, r->array);
        return tgs_source_fail(r->s, r->err, "there is no list %s", r->array);
    }
    if (n > TGS_I_READ_MOST)
        return tgs_source_fail(r->s, r->err, "more than %d tasks", TGS_I_READ_MOST);
    tgs_i_json_walk_open(&walk, r->text, r->array);
    for (size_t i = 0; i < n && !status; i++) {
        const json_t *task = json_array_get(tasks, i);

        status = add_task(r, i, task, tgs_i_json_walk_next(&walk));
        if (!status)
            status = remember_name(r, task, (int32_t)i);
    }
    for (size_t i = 0; i < n && !status; i++)
        status = connect(r, i, json_array_get(tasks, i));
    return status;
}

/* ---- 1.5: specification and execution ----------------------------------------------------------
 */

/* id -> size of each file */
static tgs_status collect_sizes(reading *r, const json_t *files, json_t *sizes)
{
    r->array = "workflow.specification.files";
    for (size_t i = 0; i < json_array_size(files); i++) {
        const json_t *file = json_array_get(files, i);
        const char *id = json_string_value(json_object_get(file, "id"));
        double bytes;

        if (!id || !*id)
            return bad(r, i, "", "a file has no id");
        if (!amount(json_object_get(file, "sizeInBytes"), &bytes) || isnan(bytes))
            return bad(r, i, "", "sizeInBytes is not a finite number >= 0");
        if (json_object_get(sizes, id))
            return bad(r, i, ".id", "two files have this id");
        if (json_object_set_new(sizes, id, json_real(bytes)))
            return tgs_i_read_no_memory(r->s, r->err);
    }
    return TGS_OK;
}

/* what the execution says of a task goes to that of the specification */
static tgs_status merge_execution(reading *r, const json_t *tasks, const json_t *ran)
{
    static const char *const key[] = {"runtimeInSeconds", "coreCount"};
    json_t *by_id = json_object();
    tgs_status status = by_id ? TGS_OK : tgs_i_read_no_memory(r->s, r->err);

    for (size_t i = 0; i < json_array_size(tasks) && !status; i++) {
        json_t *task = json_array_get(tasks, i);
        const char *id = json_string_value(json_object_get(task, "id"));

        if (id && json_object_set(by_id, id, task))
            status = tgs_i_read_no_memory(r->s, r->err);
    }
    r->array = "workflow.execution.tasks";
    for (size_t i = 0; i < json_array_size(ran) && !status; i++) {
        const json_t *task = json_array_get(ran, i);
        const char *id = json_string_value(json_object_get(task, "id"));
        json_t *of = id ? json_object_get(by_id, id) : NULL;

        if (!of)
            status = bad(r, i, ".id", "there is no such task in workflow.specification.tasks");
        for (int32_t k = 0; k < 2 && !status; k++) {
            json_t *x = json_object_get(task, key[k]);

            if (x && json_object_set(of, key[k], x))
                status = tgs_i_read_no_memory(r->s, r->err);
        }
    }
    json_decref(by_id);
    return status;
}

static tgs_status convert(reading *r, const json_t *root)
{
    static const char *const known[] = {"1.3", "1.4", "1.5", "1.6"};
    const char *version = json_string_value(json_object_get(root, "schemaVersion"));
    const json_t *workflow = json_object_get(root, "workflow");
    const json_t *specification = json_object_get(workflow, "specification");
    json_t *sizes;
    tgs_status status;
    size_t i = 0;

    while (i < 4 && (!version || strcmp(version, known[i])))
        i++;
    if (i == 4) {
        r->s->line = tgs_i_json_line(r->text, "schemaVersion");
        return tgs_source_fail(r->s, r->err,
                               "schemaVersion '%.20s': versions 1.3 to 1.6 can be read",
                               version ? version : "");
    }
    r->array = "workflow.tasks";
    if (!specification)
        return add_tasks(r, json_object_get(workflow, "tasks"));
    sizes = json_object();
    r->sizes = sizes;
    status = sizes ? collect_sizes(r, json_object_get(specification, "files"), sizes)
                   : tgs_i_read_no_memory(r->s, r->err);
    if (!status)
        status = merge_execution(r, json_object_get(specification, "tasks"),
                                 json_object_get(json_object_get(workflow, "execution"), "tasks"));
    r->array = "workflow.specification.tasks";
    if (!status)
        status = add_tasks(r, json_object_get(specification, "tasks"));
    json_decref(sizes);
    return status;
}

static tgs_status read_wfformat(tgs_source *s, const tgs_args *a, tgs_builder *b, tgs_error *err)
{
    reading r = {.s = s, .b = b, .err = err};
    tgs_i_workflow_files files;
    json_t *root = NULL;
    char *text = NULL;
    tgs_status status = tgs_i_workflow_mode(a, &files, err);

    if (!status)
        status = tgs_i_read_json(&root, &text, s, err);
    r.text = text;
    if (!status)
        status = tgs_i_workflow_new(&r.flow, s, b, err);
    if (!status && !(r.named = json_object()))
        status = tgs_i_read_no_memory(s, err);
    if (!status)
        status = convert(&r, root);
    if (!status)
        status = tgs_i_workflow_finish(r.flow, files);
    if (r.wide)
        tgs_builder_note(b,
                         "%" PRId64 " tasks ran on several cores: each is one task of its time "
                         "there, on one processor",
                         r.wide);
    tgs_i_workflow_free(r.flow);
    json_decref(r.named);
    json_decref(root);
    tgs_mem_free(text);
    return status;
}

static bool holds(const char *head, size_t size, const char *word)
{
    return memmem(head, size, word, strlen(word)) != NULL;
}

static int sniff(const char *head, size_t size)
{
    const char *s = tgs_i_read_skip(head, size, false);

    if (s == head + size || *s != '{')
        return 0;
    return holds(head, size, "\"schemaVersion\"") && holds(head, size, "\"workflow\"") ? 2
           : holds(head, size, "\"workflow\"")                                         ? 1
                                                                                       : 0;
}

static const tgs_param params[] = {
    TGS_I_WORKFLOW_PARAMS,
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_reader tgs_reader_wfformat = {
    .base = {TGS_PLUGIN_ABI, "wfformat",
             "workflows of WfCommons and WfInstances, WfFormat 1.3 to 1.6, JSON",
             "Coleman, Casanova, Pottier, Kaushik, Deelman, Ferreira da Silva (2022), WfCommons: a "
             "framework for enabling scientific workflow research and development, FGCS 128",
             params},
    .yields = TGS_YIELD_GRAPH,
    .suffixes = ".json",
    .sniff = sniff,
    .read = read_wfformat,
};
