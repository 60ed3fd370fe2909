/* dslab.c -- reads the YAML graphs of DSLab through libyaml.
 *
 *   inputs: [{name: X, size: 500}]
 *   tasks:  [{name: A, flops: 100, memory: 1000, min_cores: 1, max_cores: 2, inputs: [X],
 *             outputs: [{name: Y, size: 150}]}]
 *
 * Units are DSLab's: flops 1e9 operations, sizes and memory 1e6 bytes.  A task depends on those
 * that make its inputs.  A task runs on one processor; when it needs several cores (min_cores) they
 * are kept as its attribute, and the user is told, as of tasks that could use more (max_cores). */
#include <inttypes.h>
#include <string.h>
#include <yaml.h>
#include "core.h"

#define GIGA 1e9
#define MEGA 1e6

typedef struct reading {
    tgs_source *s;
    tgs_builder *b;
    tgs_error *err;
    yaml_document_t *yaml;
    tgs_i_workflow *flow;
    int64_t wide, moldable;
    int64_t left; /* uses of files that a text of this size can list: aliases could list more */
} reading;

static tgs_status bad(const reading *r, const yaml_node_t *at, const char *what)
{
    r->s->line = at ? (int64_t)at->start_mark.line + 1 : 1;
    return tgs_source_fail(r->s, r->err, "%s", what);
}

static const char *text_of(const yaml_node_t *node)
{
    return node && node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : NULL;
}

/* the value of a key; NULL: absent, or node is no mapping */
static yaml_node_t *member(const reading *r, const yaml_node_t *node, const char *key)
{
    if (!node || node->type != YAML_MAPPING_NODE)
        return NULL;
    for (yaml_node_pair_t *p = node->data.mapping.pairs.start; p < node->data.mapping.pairs.top;
         p++) {
        const char *text = text_of(yaml_document_get_node(r->yaml, p->key));

        if (text && !strcmp(text, key))
            return yaml_document_get_node(r->yaml, p->value);
    }
    return NULL;
}

/* element i of a list; NULL past its end, or when node is none */
static yaml_node_t *element(const reading *r, const yaml_node_t *node, int64_t i)
{
    if (!node || node->type != YAML_SEQUENCE_NODE
        || i >= node->data.sequence.items.top - node->data.sequence.items.start)
        return NULL;
    return yaml_document_get_node(r->yaml, node->data.sequence.items.start[i]);
}

/* a number >= 0 under key; def when it is absent */
static tgs_status amount(const reading *r, const yaml_node_t *node, const char *key, double def,
                         double *out)
{
    const yaml_node_t *x = member(r, node, key);
    char what[80];

    *out = def;
    if (!x || (text_of(x) && tgs_parse_real(text_of(x), out) && *out >= 0))
        return TGS_OK;
    snprintf(what, sizeof what, "%s is not a finite number >= 0", key);
    return bad(r, x, what);
}

/* ---- tasks -------------------------------------------------------------------------------------
 */

static tgs_status add_task(reading *r, const yaml_node_t *node)
{
    const yaml_node_t *name = member(r, node, "name");
    double flops, memory, least, most;
    char attrs[40];
    int32_t task;
    tgs_status status = amount(r, node, "flops", NAN, &flops);

    if (!text_of(name) || !*text_of(name))
        return bad(r, node, "a task has no name");
    if (!status)
        status = amount(r, node, "memory", NAN, &memory);
    if (!status)
        status = amount(r, node, "min_cores", 1, &least);
    if (!status)
        status = amount(r, node, "max_cores", least, &most);
    if (status)
        return status;
    if (isnan(flops))
        return bad(r, node, "a task has no flops");
    r->s->line = (int64_t)node->start_mark.line + 1;
    task = tgs_builder_task(r->b, text_of(name), NULL, NAN);
    tgs_builder_line(r->b, task, r->s->line);
    tgs_builder_task_cost(r->b, task, flops * GIGA, NAN);
    if (least > 1) {
        snprintf(attrs, sizeof attrs, "cores=%.15g", least);
        tgs_builder_task_attrs(r->b, task, attrs);
    }
    r->wide += least > 1;
    r->moldable += most > least;
    return tgs_source_built(r->s, r->b, r->err);
}

static tgs_status count_use(reading *r, const yaml_node_t *at)
{
    return r->left-- > 0 ? TGS_OK
                         : bad(r, at, "aliases list more files than the text has room for");
}

static tgs_status add_outputs(reading *r, int32_t task, const yaml_node_t *list)
{
    const yaml_node_t *x;
    tgs_status status = TGS_OK;

    for (int64_t i = 0; (x = element(r, list, i)) && !status; i++) {
        const char *name = text_of(member(r, x, "name"));
        double size;

        if (!name || !*name)
            return bad(r, x, "an output has no name");
        if (tgs_builder_find_datum(r->b, name) >= 0)
            return bad(r, x, "there is another output or input of this name");
        status = amount(r, x, "size", 0, &size);
        if (!status)
            status = count_use(r, x);
        if (!status)
            status = tgs_i_workflow_use(r->flow, task, name, TGS_W, size * MEGA);
    }
    return status;
}

static tgs_status add_inputs(reading *r, int32_t task, const yaml_node_t *list)
{
    const yaml_node_t *x;
    tgs_status status = TGS_OK;

    for (int64_t i = 0; (x = element(r, list, i)) && !status; i++) {
        const char *name = text_of(x);

        if (!name || tgs_builder_find_datum(r->b, name) < 0)
            return bad(r, x, "there is no output or input of this name");
        r->s->line = (int64_t)x->start_mark.line + 1;
        status = count_use(r, x);
        if (!status)
            status = tgs_i_workflow_use(r->flow, task, name, TGS_R, NAN);
    }
    return status;
}

/* what is there from the start: known by its name before any task reads it */
static tgs_status add_sources(const reading *r, const yaml_node_t *list)
{
    const yaml_node_t *x;
    tgs_status status = TGS_OK;

    for (int64_t i = 0; (x = element(r, list, i)) && !status; i++) {
        const char *name = text_of(member(r, x, "name"));
        double size;

        if (!name || !*name)
            return bad(r, x, "an input has no name");
        if (tgs_builder_find_datum(r->b, name) >= 0)
            return bad(r, x, "there is another input of this name");
        status = amount(r, x, "size", 0, &size);
        if (!status)
            status = tgs_i_workflow_source(r->flow, name, size * MEGA);
    }
    return status;
}

static tgs_status convert(reading *r)
{
    const yaml_node_t *root = yaml_document_get_root_node(r->yaml);
    const yaml_node_t *tasks = member(r, root, "tasks"), *x;
    tgs_status status;

    if (!tasks || tasks->type != YAML_SEQUENCE_NODE)
        return bad(r, root, "there is no list of tasks");
    status = add_sources(r, member(r, root, "inputs"));
    for (int64_t i = 0; (x = element(r, tasks, i)) && !status; i++)
        status = add_task(r, x);
    for (int64_t i = 0; (x = element(r, tasks, i)) && !status; i++)
        status = add_outputs(r, (int32_t)i, member(r, x, "outputs"));
    for (int64_t i = 0; (x = element(r, tasks, i)) && !status; i++)
        status = add_inputs(r, (int32_t)i, member(r, x, "inputs"));
    if (!status)
        status = tgs_i_workflow_finish(r->flow, TGS_I_FILES_ONLY);
    if (r->wide || r->moldable)
        tgs_builder_note(r->b,
                         "%" PRId64 " tasks need several cores and %" PRId64
                         " could use more: each runs on one processor",
                         r->wide, r->moldable);
    return status;
}

/* ---- the file ----------------------------------------------------------------------------------
 */

static tgs_status parse(reading *r, yaml_parser_t *parser)
{
    yaml_document_t yaml;
    tgs_status status;

    if (!yaml_parser_load(parser, &yaml)) {
        /* without memory for the document no error is set */
        if (parser->error == YAML_MEMORY_ERROR || parser->error == YAML_NO_ERROR)
            return tgs_i_read_no_memory(r->s, r->err);
        r->s->line = (int64_t)parser->problem_mark.line + 1;
        return tgs_source_fail(r->s, r->err, "%s", parser->problem ? parser->problem : "no YAML");
    }
    r->yaml = &yaml;
    status = convert(r);
    yaml_document_delete(&yaml);
    return status;
}

static tgs_status read_dslab(tgs_source *s, const tgs_args *a, tgs_builder *b, tgs_error *err)
{
    reading r = {.s = s, .b = b, .err = err};
    yaml_parser_t parser;
    char *text = NULL;
    size_t size;
    tgs_status status = tgs_source_all(s, &text, &size, err);

    (void)a;
    if (!status)
        status = tgs_i_workflow_new(&r.flow, s, b, err);
    if (!status && !yaml_parser_initialize(&parser))
        status = tgs_i_read_no_memory(s, err);
    else if (!status) {
        r.left = (int64_t)size;
        yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
        status = parse(&r, &parser);
        yaml_parser_delete(&parser);
    }
    tgs_i_workflow_free(r.flow);
    tgs_mem_free(text);
    return status;
}

static int sniff(const char *head, size_t size)
{
    const char *s = tgs_i_read_skip(head, size, false);
    const size_t left = size - (size_t)(s - head);

    if (left > 6 && !memcmp(s, "tasks:", 6))
        return 2;
    return memmem(head, size, "\ntasks:", 7) ? 2 : left > 7 && !memcmp(s, "inputs:", 7) ? 1 : 0;
}

const tgs_reader tgs_reader_dslab = {
    .base = {TGS_PLUGIN_ABI, "dslab", "graphs of DSLab, YAML",
             "Sukhoroslov, Gorokhovskii (2023), "
             "Benchmarking DAG scheduling algorithms on scientific workflow instances, RuSCDays",
             NULL},
    .yields = TGS_YIELD_GRAPH,
    .suffixes = ".yaml .yml",
    .sniff = sniff,
    .read = read_dslab,
};
