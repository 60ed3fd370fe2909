/* simgridparts.c -- what a SimGrid platform is made of: hosts, links, zones and clusters, from the
 * attributes of their elements.  Units are those of SimGrid; a number without one is in flop/s,
 * byte/s or seconds. */
#include <expat.h>
#include <stdarg.h>
#include <string.h>
#include "simgrid.h"

void tgs_i_sg_fail(tgs_i_sg_parsing *p, const char *format, ...)
{
    char text[300];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    p->status = tgs_source_fail(p->x.s, p->x.err, "%s", text);
    XML_StopParser(p->parser, XML_FALSE);
}

void tgs_i_sg_no_memory(tgs_i_sg_parsing *p)
{
    p->status = tgs_fail(p->x.err, TGS_ENOMEM, "%s: out of memory", p->x.s->path);
    XML_StopParser(p->parser, XML_FALSE);
}

/* ---- attributes --------------------------------------------------------------------------------
 */

const char *tgs_i_sg_attribute(const char **atts, const char *key)
{
    for (; *atts; atts += 2)
        if (!strcmp(*atts, key))
            return atts[1];
    return NULL;
}

typedef struct unit {
    const char *name;
    double factor;
} unit;
static const unit of_speed[] = {{"", 1},      {"f", 1},     {"kf", 1e3},  {"Mf", 1e6}, {"Gf", 1e9},
                                {"Tf", 1e12}, {"Pf", 1e15}, {"Ef", 1e18}, {NULL, 0}};
static const unit of_rate[] = {
    {"", 1},           {"Bps", 1},        {"kBps", 1e3},     {"MBps", 1e6},
    {"GBps", 1e9},     {"TBps", 1e12},    {"KiBps", 0x1p10}, {"kiBps", 0x1p10},
    {"MiBps", 0x1p20}, {"GiBps", 0x1p30}, {"TiBps", 0x1p40}, {"bps", 0.125},
    {"kbps", 0.125e3}, {"Mbps", 0.125e6}, {"Gbps", 0.125e9}, {"Tbps", 0.125e12},
    {NULL, 0}};
static const unit of_time[] = {{"", 1},       {"s", 1},  {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9},
                               {"ps", 1e-12}, {"m", 60}, {"h", 3600},  {NULL, 0}};

/* the number and unit under key, > 0 unless may_be_zero; def when absent, unless that is NaN */
static double amount(tgs_i_sg_parsing *p, const char **atts, const char *key, const unit *units,
                     bool may_be_zero, double def)
{
    const char *text = tgs_i_sg_attribute(atts, key), *s = text;
    char number[64];
    double x = NAN;

    if (!text && !isnan(def))
        return def;
    while (s
           && (strchr("0123456789.+-", *s)
               || ((*s == 'e' || *s == 'E') && strchr("0123456789+-", s[1]) && s[1]))
           && *s)
        s++;
    if (s && (size_t)(s - text) < sizeof number) {
        snprintf(number, sizeof number, "%.*s", (int)(s - text), text);
        if (!tgs_parse_real(number, &x))
            x = NAN;
    }
    while (s && units->name && strcmp(units->name, s))
        units++;
    x *= s && units->name ? units->factor : NAN;
    if (!(may_be_zero ? x >= 0 : x > 0) || isinf(x))
        tgs_i_sg_fail(
            p, text && *text ? "%s=\"%.60s\" is not a number with a unit" : "%s is missing%s", key,
            text ? text : "");
    return x;
}

/* a copy of a name that must be given; 0 after a failure */
int32_t tgs_i_sg_name(tgs_i_sg_parsing *p, const char **atts, const char *key)
{
    const char *text = tgs_i_sg_attribute(atts, key);
    int32_t at;

    if (!text || !*text) {
        tgs_i_sg_fail(p, "%s is missing", key);
        return 0;
    }
    at = tgs_i_arena_add(&p->x.arena, text);
    if (at < 0)
        tgs_i_sg_no_memory(p);
    return at < 0 ? 0 : at;
}

/* makes name, which must be new, that of index */
static void remember(tgs_i_sg_parsing *p, tgs_i_names *names, const char *what, int32_t name,
                     int64_t index)
{
    if (p->status)
        return;
    if (tgs_i_names_get(names, &p->x.arena, p->x.arena.text + name) >= 0)
        tgs_i_sg_fail(p, "two %s are called '%.80s'", what, p->x.arena.text + name);
    else if (tgs_i_names_put(names, &p->x.arena, name, (int32_t)index))
        tgs_i_sg_no_memory(p);
}

int32_t tgs_i_sg_find(tgs_i_sg_parsing *p, const tgs_i_names *names, const char *what,
                      const char **atts, const char *key)
{
    const char *text = tgs_i_sg_attribute(atts, key);
    const int32_t i = text ? tgs_i_names_get(names, &p->x.arena, text) : -1;

    if (i < 0)
        tgs_i_sg_fail(p, "%s=\"%.80s\": there is no %s of this name above", key, text ? text : "",
                      what);
    return i;
}

/* what would make a machine change over time */
static void refuse_profiles(tgs_i_sg_parsing *p, const char **atts)
{
    static const char *const key[] = {"speed_file", "state_file", "availability_file",
                                      "bandwidth_file", "latency_file"};

    for (size_t i = 0; i < sizeof key / sizeof *key; i++)
        if (tgs_i_sg_attribute(atts, key[i]))
            tgs_i_sg_fail(p, "%s: a machine that changes over time cannot be read", key[i]);
}

/* ---- hosts, links, zones -----------------------------------------------------------------------
 */

void tgs_i_sg_host_add(tgs_i_sg_parsing *p, int32_t name, double flops, int64_t cores)
{
    tgs_i_sg *x = &p->x;
    const int32_t zone = p->depth ? p->open[p->depth - 1] : -1;

    if (!p->status && x->host_count == 2 * TGS_I_MEMORIES_MAX)
        tgs_i_sg_fail(p, "more than %d hosts and routers", 2 * TGS_I_MEMORIES_MAX);
    remember(p, &x->hosts, "hosts", name, x->host_count);
    if (p->status)
        return;
    if (tgs_mem_grow(&x->host, &x->host_room, x->host_count + 1, sizeof *x->host)) {
        tgs_i_sg_no_memory(p);
        return;
    }
    x->host[x->host_count++] = (tgs_i_sg_host){name, zone, flops, cores, -1};
}

void tgs_i_sg_host_open(tgs_i_sg_parsing *p, const char **atts)
{
    const char *key = tgs_i_sg_attribute(atts, "power") ? "power" : "speed",
               *cores = tgs_i_sg_attribute(atts, "core");
    const int32_t name = tgs_i_sg_name(p, atts, "id");
    char first[64];
    const char *speed = tgs_i_sg_attribute(atts, key), *pair[] = {key, first, NULL};
    int64_t n = 1;

    refuse_profiles(p, atts);
    if (cores && (!tgs_parse_count(cores, TGS_I_PROCS_MAX, &n) || !n))
        tgs_i_sg_fail(p, "core=\"%.40s\" is not a whole number above 0", cores);
    /* of several speeds the first is the one it starts with */
    snprintf(first, sizeof first, "%.*s", speed ? (int)strcspn(speed, ",") : 0, speed ? speed : "");
    tgs_i_sg_host_add(p, name, amount(p, pair, key, of_speed, false, NAN), n);
}

/* the index of a link that stands for its name, or -1 */
static int32_t add_link(tgs_i_sg_parsing *p, int32_t name, tgs_i_sg_policy policy, double bandwidth,
                        double latency)
{
    tgs_i_sg *x = &p->x;

    if (!p->status && tgs_mem_grow(&x->link, &x->link_room, x->link_count + 1, sizeof *x->link))
        tgs_i_sg_no_memory(p);
    if (p->status)
        return -1;
    x->link[x->link_count] = (tgs_i_sg_link){name, policy, latency, bandwidth, 0, {-1, -1}};
    return (int32_t)x->link_count++;
}

static tgs_i_sg_policy policy_of(tgs_i_sg_parsing *p, const char **atts, const char *key,
                                 tgs_i_sg_policy def)
{
    const char *text = tgs_i_sg_attribute(atts, key);

    if (!text)
        return def;
    if (!strcmp(text, "SHARED"))
        return TGS_I_SG_SHARED;
    if (!strcmp(text, "SPLITDUPLEX") || !strcmp(text, "FULLDUPLEX"))
        return TGS_I_SG_DUPLEX;
    if (strcmp(text, "FATPIPE"))
        tgs_i_sg_fail(p, "%s=\"%.40s\" is not known", key, text);
    return TGS_I_SG_FAT;
}

void tgs_i_sg_link_open(tgs_i_sg_parsing *p, const char **atts)
{
    const int32_t name = tgs_i_sg_name(p, atts, "id");
    const tgs_i_sg_policy policy = policy_of(p, atts, "sharing_policy", TGS_I_SG_SHARED);
    const double bandwidth = amount(p, atts, "bandwidth", of_rate, false, NAN);
    const double latency = amount(p, atts, "latency", of_time, true, 0);

    refuse_profiles(p, atts);
    remember(p, &p->x.links, "links", name, p->x.link_count);
    add_link(p, name, policy, bandwidth, latency);
}

void tgs_i_sg_zone_open(tgs_i_sg_parsing *p, int32_t name, tgs_i_sg_routing routing)
{
    tgs_i_sg *x = &p->x;

    if (!p->status && p->depth == TGS_I_SG_DEPTH)
        tgs_i_sg_fail(p, "zones within more than %d zones", TGS_I_SG_DEPTH);
    remember(p, &x->zones, "zones", name, x->zone_count);
    if (!p->status && tgs_mem_grow(&x->zone, &x->zone_room, x->zone_count + 1, sizeof *x->zone))
        tgs_i_sg_no_memory(p);
    if (p->status)
        return;
    x->zone[x->zone_count] =
        (tgs_i_sg_zone){name, p->depth ? p->open[p->depth - 1] : -1, -1, -1, routing};
    p->open[p->depth++] = (int32_t)x->zone_count++;
}

/* ---- clusters ----------------------------------------------------------------------------------
 */

static void add_node(tgs_i_sg_parsing *p, const char **atts, const char *middle, double flops,
                     int64_t cores)
{
    const char *prefix = tgs_i_sg_attribute(atts, "prefix"),
               *suffix = tgs_i_sg_attribute(atts, "suffix");
    char name[400];
    int32_t at;

    snprintf(name, sizeof name, "%.120s%.120s%.120s", prefix ? prefix : "", middle,
             suffix ? suffix : "");
    at = tgs_i_arena_add(&p->x.arena, name);
    if (at < 0)
        tgs_i_sg_no_memory(p);
    else
        tgs_i_sg_host_add(p, at, flops, cores);
}

/* "0-9,12": a node for each number */
static void add_nodes(tgs_i_sg_parsing *p, const char **atts, double flops, int64_t cores)
{
    const char *s = tgs_i_sg_attribute(atts, "radical");

    while (s && *s && !p->status) {
        char part[64], number[24], *dash;
        int64_t first = 0, last = 0;
        const size_t n = strcspn(s, ",");

        snprintf(part, sizeof part, "%.*s", (int)n, s);
        dash = strchr(part, '-');
        if (dash)
            *dash = 0;
        if (!tgs_parse_count(part, INT32_MAX, &first)
            || !tgs_parse_count(dash ? dash + 1 : part, INT32_MAX, &last) || last < first) {
            tgs_i_sg_fail(p, "radical: '%.60s' is neither a number nor a range", part);
            return;
        }
        for (int64_t i = first; i <= last && !p->status; i++) {
            snprintf(number, sizeof number, "%lld", (long long)i);
            add_node(p, atts, number, flops, cores);
        }
        s += n + (s[n] == ',');
    }
    if (!s)
        tgs_i_sg_fail(p, "radical is missing");
}

void tgs_i_sg_cluster_open(tgs_i_sg_parsing *p, const char **atts)
{
    const char *topology = tgs_i_sg_attribute(atts, "topology"),
               *cores = tgs_i_sg_attribute(atts, "core");
    const char *router = tgs_i_sg_attribute(atts, "router_id"),
               *id = tgs_i_sg_attribute(atts, "id");
    const char *key = tgs_i_sg_attribute(atts, "power") ? "power" : "speed";
    const int32_t name = tgs_i_sg_name(p, atts, "id"), zone = (int32_t)p->x.zone_count;
    const double flops = amount(p, atts, key, of_speed, false, NAN);
    const double bandwidth = amount(p, atts, "bw", of_rate, false, NAN);
    const double latency = amount(p, atts, "lat", of_time, true, 0);
    char text[300];
    int64_t n = 1;

    if (topology && strcmp(topology, "FLAT"))
        tgs_i_sg_fail(p, "topology=\"%.40s\": only flat clusters can be read", topology);
    if (cores && (!tgs_parse_count(cores, TGS_I_PROCS_MAX, &n) || !n))
        tgs_i_sg_fail(p, "core=\"%.40s\" is not a whole number above 0", cores);
    refuse_profiles(p, atts);
    tgs_i_sg_zone_open(p, name, TGS_I_SG_CLUSTER);
    if (p->status)
        return;
    p->x.zone[zone].link = add_link(p, name, policy_of(p, atts, "sharing_policy", TGS_I_SG_DUPLEX),
                                    bandwidth, latency);
    if (tgs_i_sg_attribute(atts, "bb_bw"))
        p->x.zone[zone].backbone =
            add_link(p, name, policy_of(p, atts, "bb_sharing_policy", TGS_I_SG_SHARED),
                     amount(p, atts, "bb_bw", of_rate, false, NAN),
                     amount(p, atts, "bb_lat", of_time, true, 0));
    add_nodes(p, atts, flops, n);
    if (router && !p->status) {
        const int32_t at = tgs_i_arena_add(&p->x.arena, router);

        if (at < 0)
            tgs_i_sg_no_memory(p);
        else
            tgs_i_sg_host_add(p, at, 0, 0);
    } else if (!p->status) {
        snprintf(text, sizeof text, "%.200s_router", id);
        add_node(p, atts, text, 0, 0);
    }
    p->depth--;
}
