/* explainwhy.c -- what held an execution up, and the sums along the critical chain.
 *
 * Of several causes at one time the processor comes first, then what is read or followed (the
 * first in order of the accesses), then the release: so a chain stays on a processor while it can.
 * A task that started later than all of them waited for room in its memory, or by choice. */
#include "explain.h"

static const char *const names[] = {"nothing", "processor", "data",  "order",
                                    "release", "memory",    "choice"};

const char *tgs_cause_name(tgs_cause c)
{
    return (size_t)c < sizeof names / sizeof *names ? names[c] : "";
}

double tgs_i_explain_release(const tgs_explain *x, int32_t task)
{
    const tgs_graph_view *g = x->flow->v->g;
    const int32_t c = g->task[task].constraint;

    return c < 0 ? 0 : g->constraint[c].release;
}

/* ---- room ----------------------------------------------------------------------------------- */
/* bytes of new versions that an execution makes */
static double bytes_made(const tgs_graph_view *g, int32_t task)
{
    double bytes = 0;

    for (int32_t i = g->access_at[task]; i < g->access_at[task + 1]; i++)
        if (g->access[i].mode == TGS_W)
            bytes += g->datum[g->access[i].datum].bytes;
    return bytes;
}

/* the first record of occupancy after a moment */
static int64_t record_after(const tgs_explain *x, double time)
{
    int64_t low = 0, high = x->useds;

    while (low < high) {
        const int64_t middle = low + (high - low) / 2;

        if (x->used[middle].time <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* was its memory ever too full for what it makes, from a moment until it started? */
static bool lacked_room(const tgs_explain *x, int32_t place, double from)
{
    const tgs_place *p = &x->s->place[place];
    const int32_t memory = tgs_i_flow_memory(x->flow, place);
    const double room = x->flow->v->p->memory[memory].capacity - bytes_made(x->flow->v->g, p->task);
    const int64_t after = record_after(x, from);
    int64_t i = after - 1;

    if (isinf(room))
        return false;
    while (i >= 0 && x->used[i].memory != memory)
        i--;
    if (i >= 0 && x->used[i].bytes > room)
        return true;
    for (i = after; i < x->useds && x->used[i].time < p->start; i++)
        if (x->used[i].memory == memory && x->used[i].bytes > room)
            return true;
    return false;
}

/* ---- causes --------------------------------------------------------------------------------- */
/* the memories between which a need was sent, and how long its transfers took */
static void describe_sending(const tgs_explain *x, const tgs_i_need *n, tgs_reason *out)
{
    const tgs_i_flow *f = x->flow;
    int32_t a = n->arrival;

    while (a >= 0 && f->arrival[a].hop >= 0) {
        const int32_t hop = f->arrival[a].hop;

        out->to = out->to < 0 ? f->hop[hop].to : out->to;
        out->from = f->hop[hop].from;
        out->sending += x->t.hop_end[hop] - x->t.hop_start[hop];
        a = f->hop[hop].source;
    }
}

void tgs_i_explain_why(const tgs_explain *x, int32_t place, tgs_reason *out, int32_t *by)
{
    const tgs_place *p = &x->s->place[place];
    const int32_t before = x->before[place];
    const double slack = tgs_i_explain_slack(p->start);
    double earliest;
    bool needy, processor;
    tgs_i_need n;

    needy = tgs_i_explain_last(x, p->task, tgs_i_flow_memory(x->flow, place), &n);
    *out = (tgs_reason){.task = p->task,
                        .processor = p->proc,
                        .start = p->start,
                        .end = p->end,
                        .by = -1,
                        .datum = -1,
                        .from = -1,
                        .to = -1,
                        .needs = needy ? n.there : 0,
                        .free = before < 0 ? 0 : x->t.end[before],
                        .release = tgs_i_explain_release(x, p->task)};
    out->idle = p->start - out->free;
    earliest = fmax(out->needs, fmax(out->free, out->release));
    out->waiting = p->start - earliest > slack ? p->start - earliest : 0;
    processor = before >= 0 && out->free >= earliest - tgs_i_explain_slack(earliest);
    *by = -1;
    if (earliest <= 0 && !processor)
        out->cause = TGS_CAUSE_NOTHING;
    else if (processor) {
        out->cause = TGS_CAUSE_PROCESSOR;
        *by = before;
    } else if (needy && n.there >= earliest - tgs_i_explain_slack(earliest)) {
        out->cause = n.version < 0 ? TGS_CAUSE_ORDER : TGS_CAUSE_DATA;
        *by = n.place;
        if (n.version >= 0) {
            out->datum = tgs_i_flow_datum(x->flow, n.version);
            describe_sending(x, &n, out);
        }
    } else
        out->cause = TGS_CAUSE_RELEASE;
    if (out->waiting > 0)
        out->cause = lacked_room(x, place, earliest) ? TGS_CAUSE_MEMORY : TGS_CAUSE_CHOICE;
    out->by = *by < 0 ? -1 : x->s->place[*by].task;
}

void tgs_explain_reason(const tgs_explain *x, int32_t task, tgs_reason *out)
{
    int32_t by;

    tgs_i_explain_why(x, task, out, &by);
}

/* ---- the chain ------------------------------------------------------------------------------ */
int32_t tgs_explain_chain(const tgs_explain *x, tgs_chain_sums *sums)
{
    tgs_chain_sums s = {0};

    for (int32_t i = 0; i < x->chain_count; i++) {
        tgs_reason r;
        int32_t by;
        double gap, since;

        tgs_i_explain_why(x, x->chain[i], &r, &by);
        since = by < 0 ? 0 : x->t.end[by];
        gap = r.start - since - r.waiting;
        s.compute += r.end - r.start;
        s.communication += fmin(r.sending, fmax(gap, 0));
        if (r.datum >= 0)
            s.waiting += fmax(gap - r.sending, 0);
        else
            s.idle += fmax(gap, 0); /* until a release */
        s.idle += r.waiting;
    }
    if (sums)
        *sums = s;
    return x->chain_count;
}

void tgs_explain_link(const tgs_explain *x, int32_t i, tgs_reason *out)
{
    int32_t by;

    tgs_i_explain_why(x, x->chain[i], out, &by);
}
