/* dslab.c -- the machines of DSLab, YAML, through libyaml.
 *
 *   resources: [{name: node1, speed: 10, cores: 4, memory: 8000}]
 *   network: {model: ConstantBandwidth, bandwidth: 1000, latency: 100}
 *
 * Units are DSLab's: speed 1e9 flop/s of a core, memory 1e6 bytes, bandwidth 1e6 bytes per second,
 * latency 1e-6 seconds.  Every pair of nodes is linked: ConstantBandwidth and TopologyAware with
 * full_mesh by links of their own, SharedBandwidth by one bus. */
#include <string.h>
#include <yaml.h>
#include "foreign.h"

#define MEGA  1e6
#define MICRO 1e-6

typedef struct reading {
    tgs_source *s;
    tgs_error *err;
    tgs_i_assembly *a;
    yaml_document_t *yaml;
} reading;

static tgs_status bad(const reading *r, const yaml_node_t *at, const char *what)
{
    r->s->line = at ? (int64_t)at->start_mark.line + 1 : 1;
    return tgs_source_fail(r->s, r->err, "%s", what);
}

static const char *text_of(const yaml_node_t *node)
{
    return node && node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : "";
}

static yaml_node_t *member(const reading *r, const yaml_node_t *node, const char *key)
{
    if (!node || node->type != YAML_MAPPING_NODE)
        return NULL;
    for (yaml_node_pair_t *p = node->data.mapping.pairs.start; p < node->data.mapping.pairs.top;
         p++)
        if (!strcmp(text_of(yaml_document_get_node(r->yaml, p->key)), key))
            return yaml_document_get_node(r->yaml, p->value);
    return NULL;
}

/* a number >= 0; def when it is absent, unless that is NaN */
static tgs_status amount(const reading *r, const yaml_node_t *node, const char *key, double def,
                         double *out)
{
    const yaml_node_t *x = member(r, node, key);
    char what[100];

    *out = def;
    if ((!x && !isnan(def)) || (x && tgs_parse_real(text_of(x), out) && *out >= 0))
        return TGS_OK;
    snprintf(what, sizeof what, "%s is %s", key, x ? "not a finite number >= 0" : "missing");
    return bad(r, x ? x : node, what);
}

static tgs_status add_node(const reading *r, const yaml_node_t *node, int32_t index)
{
    const char *name = text_of(member(r, node, "name"));
    double speed, cores, memory;
    tgs_status status = amount(r, node, "speed", NAN, &speed);

    if (!status)
        status = amount(r, node, "cores", 1, &cores);
    if (!status)
        status = amount(r, node, "memory", INFINITY, &memory);
    if (status)
        return status;
    if (!*name || !(speed > 0) || cores < 1 || cores > TGS_I_PROCS_MAX || cores != floor(cores))
        return bad(r, node, "a resource needs a name, a speed above 0 and a whole number of cores");
    r->s->line = (int64_t)node->start_mark.line + 1;
    return tgs_i_foreign_host(r->a, name, speed * TGS_I_FOREIGN_FLOPS, (int64_t)cores,
                              memory * MEGA, index, r->err);
}

static tgs_status add_network(const reading *r, const yaml_node_t *network, int32_t nodes)
{
    const char *model = text_of(member(r, network, "model"));
    const bool mesh = !strcmp(model, "TopologyAware"), shared = !strcmp(model, "SharedBandwidth");
    const char *topology = text_of(member(r, network, "topology"));
    tgs_link link = {.bus = -1, .energy = NAN};
    tgs_status status;

    if ((!mesh && !shared && strcmp(model, "ConstantBandwidth"))
        || (mesh && strcmp(topology, "full_mesh")))
        return bad(r, network,
                   "the network is none of ConstantBandwidth, SharedBandwidth and TopologyAware "
                   "with full_mesh");
    status = amount(r, network, mesh ? "link_bandwidth" : "bandwidth", NAN, &link.bandwidth);
    if (!status)
        status = amount(r, network, mesh ? "link_latency" : "latency", NAN, &link.latency);
    link.bandwidth *= MEGA;
    link.latency *= MICRO;
    if (!status && shared) {
        const tgs_bus bus = {.name = "network", .bandwidth = link.bandwidth};

        status = tgs_i_assembly_bus(r->a, &bus, &link.bus, r->err);
    }
    for (link.from = 0; link.from < nodes; link.from++)
        for (link.to = 0; link.to < nodes && !status; link.to++)
            if (link.from != link.to)
                status = tgs_i_assembly_link(r->a, &link, r->err);
    return status;
}

static tgs_status convert(const reading *r)
{
    const yaml_node_t *root = yaml_document_get_root_node(r->yaml);
    const yaml_node_t *list = member(r, root, "resources"), *network = member(r, root, "network");
    int32_t nodes = 0;
    tgs_status status = tgs_i_foreign_kind(r->a, r->err);

    if (!status && (!list || list->type != YAML_SEQUENCE_NODE))
        status = bad(r, root, "there is no list of resources");
    if (!status && !network)
        status = bad(r, root, "there is no network");
    if (status)
        return status;
    for (yaml_node_item_t *i = list->data.sequence.items.start;
         i < list->data.sequence.items.top && !status; i++)
        status = add_node(r, yaml_document_get_node(r->yaml, *i), nodes++);
    return status ? status : add_network(r, network, nodes);
}

static tgs_status parse(reading *r, yaml_parser_t *parser)
{
    yaml_document_t yaml;
    tgs_status status;

    if (!yaml_parser_load(parser, &yaml)) {
        /* without memory for the document no error is set */
        if (parser->error == YAML_MEMORY_ERROR || parser->error == YAML_NO_ERROR)
            return tgs_fail(r->err, TGS_ENOMEM, "%s: out of memory", r->s->path);
        r->s->line = (int64_t)parser->problem_mark.line + 1;
        return tgs_source_fail(r->s, r->err, "%s", parser->problem ? parser->problem : "no YAML");
    }
    r->yaml = &yaml;
    status = convert(r);
    yaml_document_delete(&yaml);
    return status;
}

tgs_status tgs_i_dslab_load(tgs_platform **out, tgs_source *s, tgs_error *err)
{
    reading r = {.s = s, .err = err};
    yaml_parser_t parser;
    char *text = NULL;
    size_t size;
    tgs_status status = tgs_source_all(s, &text, &size, err);

    *out = NULL;
    if (!status)
        status = tgs_i_assembly_new(&r.a, s, err);
    if (!status && !yaml_parser_initialize(&parser))
        status = tgs_fail(err, TGS_ENOMEM, "%s: out of memory", s->path);
    else if (!status) {
        yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
        status = parse(&r, &parser);
        yaml_parser_delete(&parser);
    }
    tgs_mem_free(text);
    if (!status)
        return tgs_i_assembly_finish(out, r.a, err);
    tgs_i_assembly_free(r.a);
    return status;
}
