/* dnn-partitioning.c -- reads the operator and layer graphs of msr-fiddle/dnn-partitioning, JSON.
 *
 * Every node has a latency on a CPU and, where it is supported there, on an accelerator ("FPGA" in
 * these files), in milliseconds; nodes of one colorClass stay together.  The cost of a node's edges
 * is the time to move its output between an accelerator and the CPUs' memory, paid once per place:
 * one datum, whose bytes are that time on links of `bandwidth`.  A node's size is the memory it
 * holds on an accelerator; it is kept as the bytes the task touches.  The machine that the file is
 * for (devices and their memory) is told as a platform that the user may take. */
#include <inttypes.h>
#include <jansson.h>
#include <string.h>
#include "core.h"

#define MILLI 1e-3

typedef struct reading {
    tgs_source *s;
    tgs_builder *b;
    tgs_error *err;
    const char *text;
    const char *cpu, *accelerator; /* kinds */
    double bandwidth;
    int32_t *datum; /* [task] its output, -1 none yet */
    double *cost;   /* [task] of its edges */
} reading;

/* ---- members ----------------------------------------------------------------------------------
 */

static tgs_status bad(const reading *r, const char *array, size_t index, const char *what)
{
    char path[60];

    snprintf(path, sizeof path, "%s[%zu]", array, index);
    r->s->line = tgs_i_json_line(r->text, path);
    return tgs_source_fail(r->s, r->err, "%s: %s", path, what);
}

static bool take_amount(const json_t *object, const char *key, double scale, double *out)
{
    const json_t *x = json_object_get(object, key);

    *out = json_is_number(x) ? json_number_value(x) * scale : -1;
    return *out >= 0 && !isinf(*out);
}

/* true, false, 1, 0; absent is false */
static bool take_flag(const json_t *object, const char *key)
{
    const json_t *x = json_object_get(object, key);

    return json_is_true(x) || (json_is_number(x) && json_number_value(x) != 0);
}

static bool take_id(const json_t *object, const char *key, char *name, size_t size)
{
    const json_t *x = json_object_get(object, key);

    snprintf(name, size, "%" JSON_INTEGER_FORMAT, json_integer_value(x));
    return json_is_integer(x);
}

/* ---- nodes and edges --------------------------------------------------------------------------
 */

static tgs_status add_node(const reading *r, size_t index, const json_t *node, int64_t line)
{
    const json_t *color = json_object_get(node, "colorClass");
    double cpu, accelerator = 0, size = 0;
    char id[32], group[32];
    int32_t task;
    bool supported = take_flag(node, "supportedOnFpga");

    if (!json_is_object(node))
        return bad(r, "nodes", index, "this is not an object");
    if (!take_id(node, "id", id, sizeof id))
        return bad(r, "nodes", index, "id is not a whole number");
    if (tgs_builder_find_task(r->b, id) >= 0)
        return bad(r, "nodes", index, "another node has this id");
    if (!take_amount(node, "cpuLatency", MILLI, &cpu))
        return bad(r, "nodes", index, "cpuLatency is not a finite number >= 0");
    if (supported && !take_amount(node, "fpgaLatency", MILLI, &accelerator))
        return bad(r, "nodes", index, "fpgaLatency is not a finite number >= 0");
    if (json_object_get(node, "size") && !take_amount(node, "size", 1, &size))
        return bad(r, "nodes", index, "size is not a finite number >= 0");
    task = tgs_builder_task(r->b, id, NULL, NAN);
    tgs_builder_line(r->b, task, line);
    tgs_builder_task_cost(r->b, task, NAN, size);
    tgs_builder_task_time(r->b, task, r->cpu, cpu);
    if (supported)
        tgs_builder_task_time(r->b, task, r->accelerator, accelerator);
    else
        tgs_builder_task_constrain(r->b, task, "kinds", r->cpu);
    tgs_builder_task_phase(
        r->b, task, take_flag(node, "isBackwardNode") ? TGS_PHASE_BACKWARD : TGS_PHASE_FORWARD);
    if (color && !json_is_null(color)) {
        if (!take_id(node, "colorClass", group, sizeof group) || *group == '-'
            || json_integer_value(color) > INT32_MAX)
            return bad(r, "nodes", index, "colorClass is not a whole number >= 0");
        tgs_builder_task_constrain(r->b, task, "group", group);
    }
    return tgs_source_built(r->s, r->b, r->err);
}

static tgs_status add_edge(const reading *r, size_t index, const json_t *edge)
{
    char from[32], to[32];
    int32_t u, v;
    double cost;

    if (!json_is_object(edge))
        return bad(r, "edges", index, "this is not an object");
    if (!take_id(edge, "sourceId", from, sizeof from) || !take_id(edge, "destId", to, sizeof to))
        return bad(r, "edges", index, "sourceId and destId are not whole numbers");
    u = tgs_builder_find_task(r->b, from);
    v = tgs_builder_find_task(r->b, to);
    if (u < 0 || v < 0)
        return bad(r, "edges", index, "there is no node of this id");
    if (u == v)
        return bad(r, "edges", index, "a node would depend on itself");
    if (!take_amount(edge, "cost", MILLI, &cost))
        return bad(r, "edges", index, "cost is not a finite number >= 0");
    if (r->datum[u] < 0) {
        r->datum[u] = tgs_builder_datum(r->b, NULL, cost * r->bandwidth);
        r->cost[u] = cost;
        tgs_builder_access(r->b, u, r->datum[u], TGS_W);
    }
    if (cost == r->cost[u])
        tgs_builder_access(r->b, v, r->datum[u], TGS_R);
    else /* the published files have one cost per node */
        tgs_builder_edge(r->b, u, v, cost * r->bandwidth);
    return tgs_source_built(r->s, r->b, r->err);
}

/* the machine that the file is for */
static void note_machine(const reading *r, const json_t *root)
{
    double cpus, accelerators, memory;

    if (take_amount(root, "maxCPUs", 1, &cpus) && take_amount(root, "maxFPGAs", 1, &accelerators)
        && take_amount(root, "maxSizePerFPGA", 1, &memory) && cpus >= 1 && accelerators >= 1)
        tgs_builder_note(r->b, "its machine is -m '%s:%.0f %s:%.0f@%.10g/own link:%.10g,0'", r->cpu,
                         cpus, r->accelerator, accelerators, memory / 1073741824, r->bandwidth);
}

static tgs_status convert(reading *r, const json_t *root)
{
    const json_t *nodes = json_object_get(root, "nodes"), *edges = json_object_get(root, "edges");
    const size_t n = json_array_size(nodes);
    tgs_i_json_walk walk;
    tgs_status status = TGS_OK;

    if (!json_is_array(nodes) || !json_is_array(edges))
        return tgs_source_fail(r->s, r->err, "no arrays `nodes` and `edges` in it");
    if (n > TGS_I_READ_MOST || json_array_size(edges) > TGS_I_READ_MOST)
        return tgs_source_fail(r->s, r->err, "more than %d nodes or edges", TGS_I_READ_MOST);
    r->datum = tgs_mem_alloc(n, sizeof *r->datum);
    r->cost = tgs_mem_alloc(n, sizeof *r->cost);
    if (!r->datum || !r->cost)
        return tgs_i_read_no_memory(r->s, r->err);
    tgs_builder_kind(r->b, r->cpu);
    tgs_builder_kind(r->b, r->accelerator);
    for (size_t i = 0; i < n; i++)
        r->datum[i] = -1;
    note_machine(r, root);
    tgs_i_json_walk_open(&walk, r->text, "nodes");
    for (size_t i = 0; i < n && !status; i++)
        status = add_node(r, i, json_array_get(nodes, i), tgs_i_json_walk_next(&walk));
    for (size_t i = 0; i < json_array_size(edges) && !status; i++)
        status = add_edge(r, i, json_array_get(edges, i));
    return status;
}

static tgs_status read_dnn_partitioning(tgs_source *s, const tgs_args *a, tgs_builder *b,
                                        tgs_error *err)
{
    reading r = {.s = s,
                 .b = b,
                 .err = err,
                 .cpu = tgs_arg_text(a, "cpu"),
                 .accelerator = tgs_arg_text(a, "accelerator"),
                 .bandwidth = tgs_arg_real(a, "bandwidth")};
    json_t *root = NULL;
    char *text = NULL;
    tgs_status status = tgs_i_read_json(&root, &text, s, err);

    r.text = text;
    if (!status)
        status = convert(&r, root);
    json_decref(root);
    tgs_mem_free(r.datum);
    tgs_mem_free(r.cost);
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
    return holds(head, size, "\"cpuLatency\"") || holds(head, size, "\"maxSizePerFPGA\"") ? 2 : 0;
}

static const tgs_param params[] = {
    {"cpu", "cpu", TGS_PARAM_TEXT, 0, 0, "the kind that cpuLatency is for"},
    {"accelerator", "fpga", TGS_PARAM_TEXT, 0, 0, "the kind that fpgaLatency is for"},
    {"bandwidth", "1", TGS_PARAM_REAL, 1e-15, 1e18,
     "byte/s of the links on which a transfer takes its cost"},
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_reader tgs_reader_dnn_partitioning = {
    .base = {TGS_PLUGIN_ABI, "dnn-partitioning",
             "operator and layer graphs of msr-fiddle/dnn-partitioning, JSON",
             "Tarnawski, Phanishayee, Devanur, Mahajan, Nina Paravecino (2020), Efficient "
             "algorithms for device placement of DNN graph operators, NeurIPS",
             params},
    .yields = TGS_YIELD_GRAPH,
    .suffixes = ".json",
    .sniff = sniff,
    .read = read_dnn_partitioning,
};
