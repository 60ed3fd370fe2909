/* simgrid.h -- a SimGrid platform as its file has it: read by simgrid.c, its ways found by
 * simgridroutes.c, made a platform by simgridbuild.c. */
#ifndef TGS_SIMGRID_H
#define TGS_SIMGRID_H
#include "foreign.h"
#include "hash.h"

typedef struct tgs_i_sg_host {
    int32_t name; /* offset into the arena */
    int32_t zone;
    double flops;
    int64_t cores;  /* 0: a router */
    int32_t memory; /* of the platform, once there is one */
} tgs_i_sg_host;

typedef enum tgs_i_sg_policy { TGS_I_SG_SHARED, TGS_I_SG_DUPLEX, TGS_I_SG_FAT } tgs_i_sg_policy;
typedef struct tgs_i_sg_link {
    int32_t name;
    tgs_i_sg_policy policy;
    double latency, bandwidth;
    int64_t users;  /* ordered pairs of hosts whose route holds it; of a duplex link, one way */
    int32_t bus[2]; /* of the platform, forth and (of a duplex link) back; -1 none yet */
} tgs_i_sg_link;

typedef struct tgs_i_sg_use { /* of a link by a route */
    int32_t link;
    bool back; /* against its direction */
} tgs_i_sg_use;

typedef struct tgs_i_sg_route {
    int32_t from, to;           /* hosts; of a route between zones, the gateways */
    int32_t from_zone, to_zone; /* -1: it is between hosts */
    int32_t zone;               /* that it is declared in */
    int64_t use_at, uses, line;
    bool symmetrical;
} tgs_i_sg_route;

typedef enum tgs_i_sg_routing {
    TGS_I_SG_DECLARED, /* Full, None */
    TGS_I_SG_SHORTEST, /* Floyd, Dijkstra */
    TGS_I_SG_CLUSTER,
    TGS_I_SG_OTHER /* cannot be read */
} tgs_i_sg_routing;
typedef struct tgs_i_sg_zone { /* or a cluster */
    int32_t name, parent;      /* -1: no zone holds it */
    int32_t link, backbone;    /* of a cluster: the links that stand for each host's, and for all's;
                                  -1: no cluster, no backbone */
    tgs_i_sg_routing routing;
} tgs_i_sg_zone;

typedef struct tgs_i_sg {
    tgs_source *s;
    tgs_error *err;
    tgs_i_arena arena;
    tgs_i_names hosts, links, zones; /* name -> index */
    tgs_i_sg_host *host;
    tgs_i_sg_link *link;
    tgs_i_sg_route *route;
    tgs_i_sg_use *use;
    tgs_i_sg_zone *zone;
    int64_t host_count, host_room, link_count, link_room, route_count, route_room, use_count,
        use_room, zone_count, zone_room;
} tgs_i_sg;

/* ---- simgridroutes.c */
typedef struct tgs_i_sg_hop {
    int32_t link;
    bool back; /* against its direction */
    bool own;  /* of one host of a cluster: nobody else uses it */
} tgs_i_sg_hop;
typedef struct tgs_i_sg_hops {
    tgs_i_sg_hop *hop;
    int64_t count, room;
    bool none; /* there is no way */
} tgs_i_sg_hops;
typedef struct tgs_i_sg_ways tgs_i_sg_ways;
tgs_status tgs_i_sg_ways_new(tgs_i_sg_ways **out, tgs_i_sg *x);
void tgs_i_sg_ways_free(tgs_i_sg_ways *w);
/* appends the links from one host to another */
tgs_status tgs_i_sg_way(const tgs_i_sg_ways *w, int32_t from, int32_t to, tgs_i_sg_hops *h);

tgs_status tgs_i_sg_build(tgs_platform **out, tgs_i_sg *x);

/* ---- while the file is read (expat's types are its own) */
enum { TGS_I_SG_DEPTH = 64 };
typedef struct tgs_i_sg_parsing {
    tgs_i_sg x;
    struct XML_ParserStruct *parser;
    tgs_status status;                   /* the first failure; nothing is done after it */
    int32_t open[TGS_I_SG_DEPTH], depth; /* zones */
    bool in_route, begun;
} tgs_i_sg_parsing;

/* simgridparts.c: a failure stops the parser */
void tgs_i_sg_fail(tgs_i_sg_parsing *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void tgs_i_sg_no_memory(tgs_i_sg_parsing *p);
const char *tgs_i_sg_attribute(const char **atts, const char *key);
/* an arena offset of the name under key, which must be there; 0 after a failure */
int32_t tgs_i_sg_name(tgs_i_sg_parsing *p, const char **atts, const char *key);
/* the index that names gives the name under key; -1 after a failure */
int32_t tgs_i_sg_find(tgs_i_sg_parsing *p, const tgs_i_names *names, const char *what,
                      const char **atts, const char *key);
void tgs_i_sg_host_add(tgs_i_sg_parsing *p, int32_t name, double flops, int64_t cores);
void tgs_i_sg_host_open(tgs_i_sg_parsing *p, const char **atts);
void tgs_i_sg_link_open(tgs_i_sg_parsing *p, const char **atts);
void tgs_i_sg_zone_open(tgs_i_sg_parsing *p, int32_t name, tgs_i_sg_routing routing);
void tgs_i_sg_cluster_open(tgs_i_sg_parsing *p, const char **atts);
#endif
