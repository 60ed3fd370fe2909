/* wfformat.c -- writes WfFormat 1.5, the JSON of WfCommons.
 *
 * A datum is a file; when it is written several times, or over what was there, each value is a file
 * of its own.  What has no name gets one of as many @ as no name begins with, and its number. */
#include <inttypes.h>
#include <string.h>
#include "core.h"

typedef struct writing {
    const tgs_graph_view *g;
    FILE *to;
    uint8_t *use;     /* [data] what is done with it */
    char *at;         /* @@... */
    const char *next; /* what stands between the elements of a list: "" before the first */
} writing;

enum { INITIAL = 1, WRITTEN = 2, TWICE = 4 };

static void separate(writing *w)
{
    fputs(w->next, w->to);
    w->next = ", ";
}

/* ---- names -------------------------------------------------------------------------------------
 */

static void put_anonymous(const writing *w, int32_t index)
{
    char room[96];

    snprintf(room, sizeof room, "%s%" PRId32, w->at, index);
    tgs_json_text(w->to, room);
}

static void put_task_name(const writing *w, int32_t t)
{
    if (w->g->task[t].name)
        tgs_json_text(w->to, tgs_task_name(w->g, t, TGS_ROOM));
    else
        put_anonymous(w, t);
}

static void put_datum_name(const writing *w, int32_t d)
{
    if (w->g->datum[d].name)
        tgs_json_text(w->to, tgs_datum_name(w->g, d, TGS_ROOM));
    else
        put_anonymous(w, d);
}

/* the file of the value that access i wrote, or, version -1, of the initial one */
static void put_file(const writing *w, int32_t d, int32_t version)
{
    char room[96];

    if (version < 0 || w->use[d] == WRITTEN)
        put_datum_name(w, d);
    else {
        snprintf(room, sizeof room, "%s%" PRId32 "v%" PRId32, w->at, d, version);
        tgs_json_text(w->to, room);
    }
}

static void look_at_data(writing *w)
{
    for (int32_t i = 0; i < w->g->accesses; i++) {
        const tgs_access a = w->g->access[i];
        uint8_t *use = &w->use[a.datum];

        if ((a.mode & TGS_R) && a.version < 0)
            *use |= INITIAL;
        if (a.mode & TGS_W)
            *use |= *use & WRITTEN ? TWICE : WRITTEN;
    }
}

/* ---- lists -------------------------------------------------------------------------------------
 */

/* at: of the neighbours, sorted */
static void put_relatives(writing *w, const char *key, const int32_t *at, const int32_t *other,
                          int32_t t)
{
    fprintf(w->to, ", \"%s\": [", key);
    w->next = "";
    for (int32_t e = at[t]; e < at[t + 1]; e++)
        if (e == at[t] || other[e] != other[e - 1]) {
            separate(w);
            put_task_name(w, other[e]);
        }
    putc(']', w->to);
}

static void put_files(writing *w, const char *key, tgs_mode mode, int32_t t)
{
    fprintf(w->to, ", \"%s\": [", key);
    w->next = "";
    for (int32_t i = w->g->access_at[t]; i < w->g->access_at[t + 1]; i++) {
        const tgs_access a = w->g->access[i];

        if (a.mode & mode) {
            separate(w);
            put_file(w, (int32_t)a.datum, mode == TGS_W ? i : a.version);
        }
    }
    putc(']', w->to);
}

static void put_task(writing *w, int32_t t)
{
    const tgs_graph_view *g = w->g;
    const tgs_task *x = &g->task[t];
    const char *codelet = x->codelet < 0 ? NULL : g->codelet_name[x->codelet];

    fputs(t ? ",\n        {\"name\": " : "\n        {\"name\": ", w->to);
    if (codelet)
        tgs_json_text(w->to, codelet);
    else
        put_task_name(w, t);
    fputs(", \"id\": ", w->to);
    put_task_name(w, t);
    if (codelet && x->name && !strcmp(codelet, tgs_task_name(g, t, TGS_ROOM))) {
        fputs(", \"category\": ", w->to);
        tgs_json_text(w->to, codelet);
    }
    put_relatives(w, "parents", g->pred_at, g->pred, t);
    put_relatives(w, "children", g->succ_at, g->succ, t);
    put_files(w, "inputFiles", TGS_R, t);
    put_files(w, "outputFiles", TGS_W, t);
    putc('}', w->to);
}

/* every value once: where it is written, or as the initial one */
static void put_sizes(writing *w)
{
    const tgs_graph_view *g = w->g;

    w->next = "";
    for (int32_t d = 0; d < g->data; d++)
        if (w->use[d] & INITIAL) {
            fprintf(w->to, "%s\n        {\"id\": ", w->next);
            w->next = ",";
            put_file(w, d, -1);
            fputs(", \"sizeInBytes\": ", w->to);
            tgs_i_write_real(w->to, g->datum[d].bytes);
            putc('}', w->to);
        }
    for (int32_t i = 0; i < g->accesses; i++)
        if (g->access[i].mode & TGS_W) {
            fprintf(w->to, "%s\n        {\"id\": ", w->next);
            w->next = ",";
            put_file(w, (int32_t)g->access[i].datum, i);
            fputs(", \"sizeInBytes\": ", w->to);
            tgs_i_write_real(w->to, g->datum[g->access[i].datum].bytes);
            putc('}', w->to);
        }
}

static void put_execution(writing *w)
{
    const tgs_graph_view *g = w->g;

    w->next = "";
    for (int32_t t = 0; t < g->tasks; t++) {
        const double seconds = tgs_i_write_seconds(g, t);
        const double cores = tgs_attr_real(tgs_text(g, g->task[t].attrs), "cores", 0);

        if (isnan(seconds))
            continue;
        fprintf(w->to, "%s\n        {\"id\": ", w->next);
        w->next = ",";
        put_task_name(w, t);
        fputs(", \"runtimeInSeconds\": ", w->to);
        tgs_i_write_real(w->to, seconds);
        if (cores > 0) {
            fputs(", \"coreCount\": ", w->to);
            tgs_i_write_real(w->to, cores);
        }
        putc('}', w->to);
    }
}

static tgs_status write_wfformat(const tgs_graph_view *g, const tgs_args *a, FILE *to,
                                 tgs_error *err)
{
    writing w = {.g = g, .to = to};
    tgs_status status;

    (void)a;
    w.use = tgs_mem_alloc((size_t)g->data, sizeof *w.use);
    status = w.use ? tgs_i_write_at(&w.at, g, err) : tgs_fail(err, TGS_ENOMEM, "out of memory");
    if (!status) {
        look_at_data(&w);
        fputs("{\n  \"name\": \"tgsched\",\n  \"schemaVersion\": \"1.5\",\n  \"workflow\": {\n"
              "    \"specification\": {\n      \"tasks\": [",
              to);
        for (int32_t t = 0; t < g->tasks; t++)
            put_task(&w, t);
        fputs("\n      ],\n      \"files\": [", to);
        put_sizes(&w);
        fputs("\n      ]\n    },\n    \"execution\": {\n      \"tasks\": [", to);
        put_execution(&w);
        fputs("\n      ]\n    }\n  }\n}\n", to);
    }
    tgs_mem_free(w.use);
    tgs_mem_free(w.at);
    return status;
}

const tgs_writer tgs_writer_wfformat = {
    .base = {TGS_PLUGIN_ABI, "wfformat", "WfFormat 1.5, the JSON of WfCommons", NULL, NULL},
    .suffixes = ".wf.json .json",
    .holds = TGS_HOLDS_NAMES | TGS_HOLDS_WORK | TGS_HOLDS_CODELETS | TGS_HOLDS_SHARING
             | TGS_HOLDS_OUTSIDE | TGS_HOLDS_DATA_NAMES | TGS_HOLDS_ORDERS | TGS_HOLDS_NO_DATA,
    .write = write_wfformat,
};
