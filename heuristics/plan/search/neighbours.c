/* neighbours.c -- strategies that differ from one in one field: how the step is cut into
 * micro-batches, the order of a pipeline, its cap and its cuts, shares of replicas, the stage of
 * sharding, how gradients are summed, recomputation, and where things are.
 *
 * In that order, each at most once.  Not all of them can be lowered: who evaluates one finds out.
 */
#include <stdlib.h>
#include <string.h>
#include "neighbours.h"

enum { WORD = 160 };

/* ---- texts ------------------------------------------------------------------------------------
 */
tgs_i_span tgs_i_span_line(const char *text, const char *keyword)
{
    const size_t n = strlen(keyword);

    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n')
        if (!strncmp(line, keyword, n) && strchr(" \n", line[n]))
            return (tgs_i_span){line, strcspn(line, "\n")};
    return (tgs_i_span){NULL, 0};
}

/* the i-th word of a directive, its keyword the 0th */
tgs_i_span tgs_i_span_word(tgs_i_span line, int32_t i)
{
    const char *end = line.at + line.size, *at = line.at;

    for (; at && i >= 0; i--) {
        const size_t n = strcspn(at, " \n");

        if (!i)
            return (tgs_i_span){at, n};
        at += n;
        at = at < end ? at + 1 : NULL;
    }
    return (tgs_i_span){NULL, 0};
}

/* the value of key= */
static tgs_i_span value(tgs_i_span line, const char *key)
{
    const size_t n = strlen(key);
    tgs_i_span w;

    for (int32_t i = 1; line.at && (w = tgs_i_span_word(line, i)).at; i++)
        if (w.size > n && !strncmp(w.at, key, n) && w.at[n] == '=')
            return (tgs_i_span){w.at + n + 1, w.size - n - 1};
    return (tgs_i_span){NULL, 0};
}

/* its first word, a number; less where there is none */
static int64_t number(const char *text, const char *keyword, int64_t less)
{
    const tgs_i_span line = tgs_i_span_line(text, keyword);
    const int64_t found = line.at ? strtoll(line.at + strlen(keyword), NULL, 10) : 0;

    return found > 0 ? found : less;
}

/* the text with what is at that place replaced; NULL: no memory */
char *tgs_i_span_replaced(const char *text, tgs_i_span old, const char *with, size_t size)
{
    const size_t before = (size_t)(old.at - text);
    char *out = tgs_mem_alloc(strlen(text) - old.size + size + 1, 1);

    if (!out)
        return NULL;
    memcpy(out, text, before);
    memcpy(out + before, with, size);
    strcpy(out + before + size, old.at + old.size);
    return out;
}

/* the text with this directive instead of that of the keyword; "": without it */
static char *with(const char *text, const char *keyword, const char *line)
{
    tgs_i_span old = tgs_i_span_line(text, keyword);
    char insert[WORD];

    if (!old.at)
        old = (tgs_i_span){text + strlen(text), 0};
    else
        old.size += old.at[old.size] == '\n';
    snprintf(insert, sizeof insert, "%s%s%s",
             *line && old.at > text && old.at[-1] != '\n' ? "\n" : "", line, *line ? "\n" : "");
    return tgs_i_span_replaced(text, old, insert, strlen(insert));
}

/* the list takes it */
tgs_status tgs_i_listing_take(tgs_i_listing *x, char *text)
{
    tgs_i_neighbours *out = x->out;

    if (!text)
        return TGS_ENOMEM;
    if (tgs_mem_grow(&out->text, &out->room, out->count + 1, sizeof *out->text)) {
        tgs_mem_free(text);
        return TGS_ENOMEM;
    }
    out->text[out->count++] = text;
    return TGS_OK;
}

tgs_status tgs_i_listing_replace(tgs_i_listing *x, tgs_i_span old, const char *with)
{
    return tgs_i_listing_take(x, tgs_i_span_replaced(x->text, old, with, strlen(with)));
}

/* ---- micro-batches ----------------------------------------------------------------------------
 */
static tgs_status set_pieces(tgs_i_listing *x, int64_t count, int64_t size)
{
    char line[WORD], *counted;
    tgs_status status;

    snprintf(line, sizeof line, "micro-batches %lld", (long long)count);
    counted = with(x->text, "micro-batches", line);
    if (!counted || !size)
        return tgs_i_listing_take(x, counted);
    snprintf(line, sizeof line, "batch %lld", (long long)size);
    status = tgs_i_listing_take(x, with(counted, "batch", size == x->c->bound ? "" : line));
    tgs_mem_free(counted);
    return status;
}

/* as many as divide the samples next, upwards and downwards */
static tgs_status list_pieces(tgs_i_listing *x)
{
    const tgs_i_span line = tgs_i_span_line(x->text, "micro-batches");
    const int64_t count = number(x->text, "micro-batches", 1);
    const int64_t all = count * number(x->text, "batch", x->c->bound);
    int64_t more = count + 1, fewer = count - 1;
    tgs_status status = TGS_OK;

    if (value(line, "sizes").at || value(line, "size").at)
        return TGS_OK;
    if (value(tgs_i_span_line(x->text, "replicas"), "shares").at) { /* which are cut into so many */
        status = set_pieces(x, 2 * count, 0);
        return status || count < 2 ? status : set_pieces(x, count / 2, 0);
    }
    while (more < all && all % more)
        more++;
    while (fewer > 1 && all % fewer)
        fewer--;
    if (more <= all)
        status = set_pieces(x, more, all / more);
    return status || fewer < 1 ? status : set_pieces(x, fewer, all / fewer);
}

/* ---- pipelines --------------------------------------------------------------------------------
 */
static tgs_status list_orders(tgs_i_listing *x, tgs_i_span line)
{
    static const char *const order[] = {"1f1b", "gpipe", "message"};
    const tgs_i_span now = tgs_i_span_word(line, 2), cap = value(line, "cap");
    const int64_t limit = cap.at ? strtoll(cap.at, NULL, 10) : 0;
    char text[32];
    tgs_status status = TGS_OK;

    if (!now.at)
        return TGS_OK;
    for (size_t i = 0; i < sizeof order / sizeof *order && !status; i++)
        if (strlen(order[i]) != now.size || strncmp(order[i], now.at, now.size) != 0)
            status = tgs_i_listing_replace(x, now, order[i]);
    for (int64_t to = limit - 1; cap.at && to <= limit + 1 && !status; to += 2) {
        snprintf(text, sizeof text, "%lld", (long long)to);
        if (to > 0)
            status = tgs_i_listing_replace(x, cap, text);
    }
    return status;
}

/* the layer of a name as lists have it; -1: none */
static int32_t find_layer(const tgs_layers *l, tgs_i_span name, tgs_status *status)
{
    int32_t found = -1;

    for (int32_t i = 0; i < l->n && found < 0 && !*status; i++) {
        tgs_i_text coded = {0};

        *status = tgs_i_list_name(&coded, l->layer[i].name);
        if (!*status && (size_t)coded.used == name.size && !strncmp(coded.text, name.at, name.size))
            found = i;
        tgs_mem_free(coded.text);
    }
    return found;
}

/* each cut a layer earlier and later */
static tgs_status list_cuts(tgs_i_listing *x, tgs_i_span line)
{
    const tgs_i_span cuts = value(line, "cuts");
    const tgs_layers *l;
    tgs_status status = TGS_OK;

    if (!cuts.at || tgs_planner_layers(x->c, 0, number(x->text, "batch", x->c->bound), &l, NULL))
        return TGS_OK;
    for (tgs_i_span name = {cuts.at, 0}; name.at < cuts.at + cuts.size && !status;
         name.at += name.size + 1) {
        int32_t at;

        name.size = strcspn(name.at, ", \n");
        at = find_layer(l, name, &status);
        for (int32_t to = at - 1; at >= 0 && to <= at + 1 && !status; to += 2)
            if (to >= 0 && to < l->n) {
                tgs_i_text coded = {0};

                status = tgs_i_list_name(&coded, l->layer[to].name);
                if (!status)
                    status = tgs_i_listing_replace(x, name, coded.text);
                tgs_mem_free(coded.text);
            }
    }
    return status;
}

/* ---- replicas ---------------------------------------------------------------------------------
 */
static tgs_status list_reductions(tgs_i_listing *x, tgs_i_span line)
{
    static const char *const how[] = {"tree", "ring"};
    const tgs_i_span now = value(line, "reduce");
    char insert[WORD];
    tgs_status status = TGS_OK;

    if (!line.at || value(line, "alpha").at || value(line, "beta").at || value(line, "groups").at)
        return TGS_OK;
    for (size_t i = 0; i < sizeof how / sizeof *how && !status; i++) {
        const bool same =
            now.at ? now.size == strlen(how[i]) && !strncmp(now.at, how[i], now.size) : !i;

        if (same)
            continue;
        snprintf(insert, sizeof insert, " reduce=%s", how[i]);
        status = now.at ? tgs_i_listing_replace(x, now, how[i])
                        : tgs_i_listing_replace(x, (tgs_i_span){line.at + line.size, 0}, insert);
    }
    return status;
}

/* the shares with `samples` more of one that has from, and less of one that has to; NULL: no memory
 */
static char *shifted(tgs_i_span list, int64_t from, int64_t to, int64_t samples)
{
    const size_t room = 2 * list.size + 64;
    char *out = tgs_mem_alloc(room, 1);
    bool given = false, taken = false;
    size_t used = 0;

    for (const char *s = list.at; out && s < list.at + list.size; s += strcspn(s, ", \n") + 1) {
        int64_t share = strtoll(s, NULL, 10);

        if (!taken && share == from) {
            share -= samples;
            taken = true;
        } else if (!given && share == to) {
            share += samples;
            given = true;
        }
        used +=
            (size_t)snprintf(out + used, room - used, "%s%lld", used ? "," : "", (long long)share);
    }
    return out;
}

static int32_t list_values(tgs_i_span list, int64_t *different, int32_t most)
{
    int32_t n = 0;

    for (const char *s = list.at; s < list.at + list.size; s += strcspn(s, ", \n") + 1) {
        const int64_t share = strtoll(s, NULL, 10);
        bool there = false;

        for (int32_t i = 0; i < n; i++)
            there |= different[i] == share;
        if (!there && n < most)
            different[n++] = share;
    }
    return n;
}

/* samples of one replica given to one of another share */
static tgs_status list_shares(tgs_i_listing *x, tgs_i_span line)
{
    const tgs_i_span list = value(line, "shares");
    int64_t share[8];
    const int32_t n = list.at ? list_values(list, share, 8) : 0;
    tgs_status status = TGS_OK;

    for (int32_t a = 0; a < n; a++)
        for (int32_t b = 0; b < n && !status; b++) {
            const int64_t samples = share[a] >= 8 ? share[a] / 8 : 1;
            char *lists;

            if (a == b || share[a] < 2)
                continue;
            lists = shifted(list, share[a], share[b], samples);
            status = lists ? tgs_i_listing_replace(x, list, lists) : TGS_ENOMEM;
            tgs_mem_free(lists);
        }
    return status;
}

static tgs_status list_shards(tgs_i_listing *x)
{
    const tgs_i_span line = tgs_i_span_line(x->text, "shard"), stage = tgs_i_span_word(line, 1);
    char text[WORD];
    tgs_status status = TGS_OK;

    if (number(x->text, "replicas", 1) < 2)
        return TGS_OK;
    if (line.at && !(stage.at && stage.size == 1 && *stage.at >= '1' && *stage.at <= '3'))
        return TGS_OK; /* of some operators */
    if (!line.at) {
        snprintf(text, sizeof text, "shard 1");
        return tgs_i_listing_take(x, with(x->text, "shard", text));
    }
    for (int to = *stage.at - '0' - 1; to <= *stage.at - '0' + 1 && !status; to += 2) {
        snprintf(text, sizeof text, "%d", to);
        if (!to)
            status = tgs_i_listing_take(x, with(x->text, "shard", ""));
        else if (to <= 3)
            status = tgs_i_listing_replace(x, stage, text);
    }
    return status;
}

/* ---- all of them ------------------------------------------------------------------------------
 */
tgs_status tgs_i_neighbours_list(const tgs_planner_ctx *c, const char *text, tgs_i_neighbours *out,
                                 tgs_error *err)
{
    tgs_i_listing x = {c, text, out};
    const tgs_i_span pipeline = tgs_i_span_line(text, "pipeline"),
                     replicas = tgs_i_span_line(text, "replicas");
    const bool again = tgs_i_span_line(text, "recompute").at != NULL;
    tgs_status status;

    *out = (tgs_i_neighbours){NULL, 0, 0};
    status = list_pieces(&x);
    if (!status)
        status = list_orders(&x, pipeline);
    if (!status)
        status = list_cuts(&x, pipeline);
    if (!status)
        status = list_shares(&x, replicas);
    if (!status)
        status = list_shards(&x);
    if (!status)
        status = list_reductions(&x, replicas);
    if (!status)
        status = tgs_i_listing_take(&x, with(text, "recompute", again ? "" : "recompute"));
    if (!status)
        status = tgs_i_listing_places(&x);
    if (!status)
        return TGS_OK;
    tgs_i_neighbours_free(out);
    return tgs_fail(err, status, "out of memory");
}

void tgs_i_neighbours_free(tgs_i_neighbours *x)
{
    for (int64_t i = 0; i < x->count; i++)
        tgs_mem_free(x->text[i]);
    tgs_mem_free(x->text);
    *x = (tgs_i_neighbours){NULL, 0, 0};
}
