/* puzzleplay.c -- what a genome means, and when its pieces run. */
#include "puzzle.h"

/* where most layers of [first, last] say, of the processors that can run the piece; -1 none */
static int32_t vote(const tgs_i_puzzle *x, const tgs_i_net *net, int32_t first, int32_t last,
                    const int32_t *processor)
{
    const double *time = net->time + ((int64_t)first * net->layers + last) * x->processors;
    int32_t best = -1, most = -1;

    for (int32_t p = 0; p < x->processors; p++) {
        int32_t votes = 0;

        if (!(time[p] < INFINITY))
            continue;
        for (int32_t l = first; l <= last; l++)
            votes += processor[net->gene + l] == p;
        if (votes > most) {
            most = votes;
            best = p;
        }
    }
    return best;
}

bool tgs_i_puzzle_cut(tgs_i_puzzle *x, const int32_t *cut, const int32_t *processor,
                      const int32_t *order)
{
    int32_t pieces = 0;

    for (int32_t i = 0; i < x->layers; i++) /* a piece has the rank of its first layer */
        x->rank[order[i]] = i;
    for (int32_t i = 0; i < x->nets; i++) {
        const tgs_i_net *net = &x->net[i];
        int32_t first = 0;

        x->piece_at[i] = pieces;
        for (int32_t l = 0; l < net->layers; l++) {
            tgs_i_piece *piece = &x->piece[pieces];

            if (!cut[net->gene + l] && l + 1 < net->layers)
                continue;
            *piece = (tgs_i_piece){i, first, l, vote(x, net, first, l, processor), 0, 0};
            if (piece->processor < 0)
                return false;
            piece->time =
                net->time[((int64_t)first * net->layers + l) * x->processors + piece->processor];
            piece->priority = x->rank[net->gene + first];
            first = l + 1;
            pieces++;
        }
    }
    x->piece_at[x->nets] = pieces;
    return true;
}

/* Runs requests, never idle while a piece waits; false: one ended after it was due.  The piece that
 * can begin first is begun; of those that wait for its processor, the one of the first priority,
 * ties to the earlier request. */
static bool play(tgs_i_puzzle *x, int32_t requests, double *end)
{
    bool met = true;
    int32_t left = requests;

    *end = 0;
    for (int32_t p = 0; p < x->processors; p++)
        x->free[p] = 0;
    while (left > 0) {
        double when = INFINITY;
        int32_t where = -1, chosen = -1;
        tgs_i_request *r;
        const tgs_i_piece *piece;

        for (int32_t i = 0; i < requests; i++) {
            const tgs_i_request *q = &x->request[i];
            const int32_t p = q->next < 0 ? -1 : x->piece[q->next].processor;
            const double start = p < 0 ? INFINITY : fmax(q->ready, x->free[p]);

            if (start < when) {
                when = start;
                where = p;
            }
        }
        for (int32_t i = 0; i < requests; i++) {
            const tgs_i_request *q = &x->request[i];

            if (q->next >= 0 && x->piece[q->next].processor == where && q->ready <= when
                && (chosen < 0
                    || x->piece[q->next].priority < x->piece[x->request[chosen].next].priority))
                chosen = i;
        }
        r = &x->request[chosen];
        piece = &x->piece[r->next];
        x->free[where] = r->ready = when + piece->time;
        *end = fmax(*end, r->ready);
        if (++r->next < x->piece_at[r->net + 1]) {
            if (x->piece[r->next].processor != where)
                r->ready += x->net[r->net].handover[piece->last];
            continue;
        }
        r->next = -1;
        left--;
        met &= r->ready <= r->due;
    }
    return met;
}

double tgs_i_puzzle_makespan(tgs_i_puzzle *x)
{
    double end;

    for (int32_t i = 0; i < x->nets; i++)
        x->request[i] = (tgs_i_request){0, INFINITY, i, x->piece_at[i]};
    play(x, x->nets, &end);
    return end;
}

double tgs_i_puzzle_period(const tgs_i_puzzle *x)
{
    double most = 0;

    for (int32_t p = 0; p < x->processors; p++) {
        double load = 0;

        for (int32_t k = 0; k < x->piece_at[x->nets]; k++)
            if (x->piece[k].processor == p)
                load += x->piece[k].time;
        most = fmax(most, load);
    }
    return most;
}

static bool sustains(tgs_i_puzzle *x, double multiplier)
{
    int32_t count = 0;
    double end;

    for (int32_t i = 0; i < x->nets; i++)
        for (int32_t k = 0; k < x->requests; k++) {
            const double period = x->net[i].period * multiplier;

            x->request[count++] = (tgs_i_request){period * k, period * (k + 1), i, x->piece_at[i]};
        }
    return play(x, count, &end);
}

double tgs_i_puzzle_multiplier(tgs_i_puzzle *x)
{
    double low = 0, high = 1;

    while (!sustains(x, high)) {
        low = high;
        high *= 2;
        if (!(high < 1e30))
            return INFINITY;
    }
    while (high - low > 1e-6 * high) {
        const double mid = low + (high - low) / 2;

        if (sustains(x, mid))
            high = mid;
        else
            low = mid;
    }
    return high;
}
