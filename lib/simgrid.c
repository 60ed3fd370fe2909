/* simgrid.c -- the platform files of SimGrid (XML, versions 3 and 4) through expat.
 *
 * Hosts with their speed and cores, links, routes, clusters, and routes between zones.  What a
 * tgsched platform cannot hold is refused with its line: zones whose routing is another than Full,
 * None, Floyd or Dijkstra, clusters that are not flat, and profiles by which a machine changes over
 * time.  Properties, storage and disks are not used. */
#include <expat.h>
#include <string.h>
#include <strings.h>
#include "simgrid.h"

/* ---- routes ------------------------------------------------------------------------------------
 */

static void open_route(tgs_i_sg_parsing *p, const char **atts, bool between_zones)
{
    tgs_i_sg *x = &p->x;
    const char *symmetrical = tgs_i_sg_attribute(atts, "symmetrical");
    tgs_i_sg_route r = {.zone = p->depth ? p->open[p->depth - 1] : -1,
                        .from_zone = -1,
                        .to_zone = -1,
                        .use_at = x->use_count,
                        .line = x->s->line,
                        .symmetrical = !symmetrical || !strcasecmp(symmetrical, "yes")};

    if (r.zone < 0)
        tgs_i_sg_fail(p, "a route outside a zone");
    else if (between_zones) {
        r.from_zone = tgs_i_sg_find(p, &x->zones, "zone", atts, "src");
        if (!p->status)
            r.to_zone = tgs_i_sg_find(p, &x->zones, "zone", atts, "dst");
    }
    if (!p->status)
        r.from = tgs_i_sg_find(p, &x->hosts, "host", atts, between_zones ? "gw_src" : "src");
    if (!p->status)
        r.to = tgs_i_sg_find(p, &x->hosts, "host", atts, between_zones ? "gw_dst" : "dst");
    if (!p->status && tgs_mem_grow(&x->route, &x->route_room, x->route_count + 1, sizeof r))
        tgs_i_sg_no_memory(p);
    if (p->status)
        return;
    x->route[x->route_count++] = r;
    p->in_route = true;
}

static void add_use(tgs_i_sg_parsing *p, const char **atts)
{
    const char *direction = tgs_i_sg_attribute(atts, "direction");
    tgs_i_sg *x = &p->x;
    tgs_i_sg_use u = {.back = direction && !strcmp(direction, "DOWN")};

    if (!p->in_route) {
        tgs_i_sg_fail(p, "a <link_ctn> outside a route");
        return;
    }
    u.link = tgs_i_sg_find(p, &x->links, "link", atts, "id");
    if (!p->status && tgs_mem_grow(&x->use, &x->use_room, x->use_count + 1, sizeof u))
        tgs_i_sg_no_memory(p);
    if (p->status)
        return;
    x->use[x->use_count++] = u;
    x->route[x->route_count - 1].uses++;
}

/* ---- elements ----------------------------------------------------------------------------------
 */

static bool is_one_of(const char *name, const char *list)
{
    const size_t n = strlen(name);

    for (const char *s = list; n && (s = strstr(s, name)); s++)
        if ((s == list || s[-1] == ' ') && (!s[n] || s[n] == ' '))
            return true;
    return false;
}

static tgs_i_sg_routing routing_of(const char *text)
{
    if (!text || is_one_of(text, "Full None"))
        return TGS_I_SG_DECLARED;
    return is_one_of(text, "Floyd Dijkstra DijkstraCache") ? TGS_I_SG_SHORTEST : TGS_I_SG_OTHER;
}

static void open_element(void *user, const XML_Char *name, const char **atts)
{
    tgs_i_sg_parsing *p = user;
    const char *routing = tgs_i_sg_attribute(atts, "routing");

    if (p->status)
        return;
    p->x.s->line = (int64_t)XML_GetCurrentLineNumber(p->parser);
    if (!p->begun && strcmp(name, "platform"))
        tgs_i_sg_fail(p, "the file begins with <%.40s>, not with <platform>", name);
    p->begun = true;
    if (is_one_of(name, "zone AS"))
        tgs_i_sg_zone_open(p, tgs_i_sg_name(p, atts, "id"), routing_of(routing));
    else if (!strcmp(name, "host"))
        tgs_i_sg_host_open(p, atts);
    else if (!strcmp(name, "router"))
        tgs_i_sg_host_add(p, tgs_i_sg_name(p, atts, "id"), 0, 0);
    else if (!strcmp(name, "link"))
        tgs_i_sg_link_open(p, atts);
    else if (!strcmp(name, "cluster"))
        tgs_i_sg_cluster_open(p, atts);
    else if (is_one_of(name, "route zoneRoute ASroute"))
        open_route(p, atts, strcmp(name, "route"));
    else if (!strcmp(name, "link_ctn"))
        add_use(p, atts);
    else if (!is_one_of(name,
                        "platform config prop storage storage_type mount mstorage model_prop disk "
                        "content random"))
        tgs_i_sg_fail(p, "<%.40s> cannot be read", name);
}

static void close_element(void *user, const XML_Char *name)
{
    tgs_i_sg_parsing *p = user;

    if (is_one_of(name, "zone AS") && p->depth)
        p->depth--;
    else if (is_one_of(name, "route zoneRoute ASroute"))
        p->in_route = false;
}

/* entities of a document's own can grow without bound, and no platform needs any */
static void refuse_entity(void *user, const XML_Char *name, int parameter, const XML_Char *value,
                          int size, const XML_Char *base, const XML_Char *system,
                          const XML_Char *public_id, const XML_Char *notation)
{
    (void)parameter, (void)value, (void)size, (void)base;
    (void)system, (void)public_id, (void)notation;
    tgs_i_sg_fail(user, "the entity '%.40s' is declared, which is not allowed here", name);
}

static tgs_status parse(tgs_i_sg_parsing *p, const char *text, size_t size)
{
    const tgs_i_sg *x = &p->x;
    enum XML_Error error;

    XML_SetUserData(p->parser, p);
    XML_SetElementHandler(p->parser, open_element, close_element);
    XML_SetEntityDeclHandler(p->parser, refuse_entity);
    if (XML_Parse(p->parser, text, (int)size, 1) != XML_STATUS_ERROR || p->status)
        return p->status;
    error = XML_GetErrorCode(p->parser);
    x->s->line = (int64_t)XML_GetCurrentLineNumber(p->parser);
    return error == XML_ERROR_NO_MEMORY
               ? tgs_fail(x->err, TGS_ENOMEM, "%s: out of memory", x->s->path)
               : tgs_source_fail(x->s, x->err, "%s", XML_ErrorString(error));
}

tgs_status tgs_i_simgrid_load(tgs_platform **out, tgs_source *s, tgs_error *err)
{
    tgs_i_sg_parsing p = {.x = {.s = s, .err = err}};
    char *text = NULL;
    size_t size;
    tgs_status status = tgs_source_all(s, &text, &size, err);

    *out = NULL;
    s->line = 1;
    if (!status && (tgs_i_arena_add(&p.x.arena, "") < 0 || !(p.parser = XML_ParserCreate(NULL))))
        status = tgs_fail(err, TGS_ENOMEM, "%s: out of memory", s->path);
    if (!status)
        status = parse(&p, text, size);
    if (!status)
        status = tgs_i_sg_build(out, &p.x);
    if (p.parser)
        XML_ParserFree(p.parser);
    tgs_i_names_free(&p.x.hosts);
    tgs_i_names_free(&p.x.links);
    tgs_i_names_free(&p.x.zones);
    tgs_i_arena_free(&p.x.arena);
    tgs_mem_free(p.x.host);
    tgs_mem_free(p.x.link);
    tgs_mem_free(p.x.route);
    tgs_mem_free(p.x.use);
    tgs_mem_free(p.x.zone);
    tgs_mem_free(text);
    return status;
}
