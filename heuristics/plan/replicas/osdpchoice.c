/* osdpchoice.c -- costs of what each operator of a replicated model shares out, and the best
 * choices.
 *
 * Of an operator with P bytes of parameters, S of optimizer state and A saved by a forward pass, on
 * N devices, with k micro-batches a step:
 *
 *   shared out                  bytes on a device        transfers of a step
 *   0 nothing                   2 P + S + A              all-reduce
 *   1 state                     2 P + S / N + A          reduce-scatter, all-gather
 *   2 gradients too             P + (P + S) / N + A      k reduce-scatters, all-gather
 *   3 parameters too            (2 P + S) / N + A        k times two all-gathers, reduce-scatter
 *
 * and room for twice the largest P while parts are gathered, if any are (2, 3).  Times add up, as
 * there; of unlike devices the slowest time, the slowest link and the smallest memory count. */
#include <string.h>
#include "../knapsack.h"
#include "osdp.h"

enum { CHOICES = TGS_I_OSDP_CHOICES, CELLS = 32, MOST_CELLS = 1 << 16 };

/* ---- costs -------------------------------------------------------------------------------------
 */
static double slowest(const tgs_i_osdp *p, const double *of, int32_t layer)
{
    double most = 0;

    for (int32_t k = 0; k < p->n; k++) {
        const tgs_proc *q = &p->c->p->proc[p->d.proc[k]];

        most = fmax(most, of[(int64_t)layer * p->l->kinds + q->kind] / q->speed);
    }
    return most;
}

static double moved(const tgs_i_osdp *p, tgs_i_operation what, double bytes)
{
    return bytes > 0 ? tgs_i_collective(what, TGS_I_RING, p->n, bytes, p->alpha, p->beta) : 0;
}

static void price(tgs_i_osdp *p, int32_t i)
{
    const tgs_layer *l = &p->l->layer[i];
    const double n = p->n, k = (double)p->count, bytes = l->parameters;
    const double gather = moved(p, TGS_I_ALL_GATHER, bytes);
    const double scatter = moved(p, TGS_I_REDUCE_SCATTER, bytes);
    const double pass = k * (slowest(p, p->l->forward, i) + slowest(p, p->l->backward, i));
    const double update = slowest(p, p->l->update, i);
    double *time = &p->time[i * CHOICES], *held = &p->bytes[i * CHOICES];

    time[0] = pass + update + moved(p, TGS_I_ALL_REDUCE, bytes);
    time[1] = pass + update / n + scatter + gather;
    time[2] = pass + update / n + k * scatter + gather;
    time[3] = pass + update / n + k * (2 * gather + scatter);
    held[0] = 2 * bytes + l->state + l->saved;
    held[1] = 2 * bytes + l->state / n + l->saved;
    held[2] = bytes + (bytes + l->state) / n + l->saved;
    held[3] = (2 * bytes + l->state) / n + l->saved;
    for (int32_t c = 1; c < CHOICES && (!(bytes > 0) || p->n < 2); c++)
        time[c] = INFINITY; /* there is nothing to share out, or nobody to share with */
}

void tgs_i_osdp_links(tgs_i_osdp *p)
{
    for (int32_t a = 0; a < p->n; a++)
        for (int32_t b = 0; b < p->n; b++)
            if (a != b) {
                p->alpha = fmax(p->alpha, p->d.lat[a * p->d.n + b]);
                p->beta = fmax(p->beta, p->d.inv[a * p->d.n + b]);
            }
    p->room = INFINITY;
    for (int32_t a = 0; a < p->n; a++)
        p->room = fmin(p->room, p->d.capacity[a]);
}

void tgs_i_osdp_price(tgs_i_osdp *p)
{
    for (int32_t i = 0; i < p->l->n; i++) {
        p->at[i + 1] = p->at[i] + CHOICES;
        price(p, i);
        /* each piece of what is shared out goes to every replica: too many tasks for many */
        for (int32_t c = 1; c < CHOICES && p->n > PLAN_FEW; c++)
            p->time[i * CHOICES + c] = INFINITY;
    }
}

/* ---- choices -----------------------------------------------------------------------------------
 */
static double largest(const tgs_i_osdp *p)
{
    double most = 0;

    for (int32_t i = 0; i < p->l->n; i++)
        most = fmax(most, p->l->layer[i].parameters);
    return most;
}

/* the lightest of an operator's choices up to `last` */
static int32_t lightest(const tgs_i_osdp *p, int32_t i, int32_t last)
{
    int32_t least = 0; /* which there always is */

    for (int32_t c = 1; c <= last; c++)
        if (p->time[i * CHOICES + c] < INFINITY
            && p->bytes[i * CHOICES + c] < p->bytes[i * CHOICES + least])
            least = c;
    return least;
}

void tgs_i_osdp_lightest(tgs_i_osdp *p, bool gather)
{
    for (int32_t i = 0; i < p->l->n; i++)
        p->choice[i] = lightest(p, i, gather ? CHOICES - 1 : 1);
}

/* rounded up; most: more than there are */
static int64_t in_cells(double bytes, double unit, int64_t most)
{
    return bytes > 0 ? (int64_t)fmin(ceil(bytes / unit), (double)most) : 0;
}

/* The choices up to `last` for so much room: what is heavier than the lightest is counted in cells.
 * *value INFINITY: even the lightest do not fit. */
static tgs_status choose(tgs_i_osdp *p, double room, int32_t last, int32_t *choice, double *value)
{
    const int64_t cells = p->l->n > MOST_CELLS / CELLS ? MOST_CELLS : (int64_t)CELLS * p->l->n;
    tgs_i_choices x = {p->l->n, p->at, p->price, p->weight};
    double left = room, all = 0, unit;

    for (int32_t i = 0; i < p->l->n; i++) {
        const double least = p->bytes[i * CHOICES + lightest(p, i, last)];

        left -= least;
        for (int32_t c = 0; c < CHOICES; c++) {
            const int32_t k = i * CHOICES + c;

            p->price[k] = c <= last ? p->time[k] : INFINITY;
            all += p->price[k] < INFINITY ? p->bytes[k] - least : 0;
        }
    }
    *value = INFINITY;
    if (left < 0 || !p->l->n)
        return TGS_OK;
    unit = fmin(left, all) > 0 ? fmin(left, all) / (double)cells : 1;
    for (int32_t i = 0; i < p->l->n; i++) {
        const double least = p->bytes[i * CHOICES + lightest(p, i, last)];

        for (int32_t c = 0; c < CHOICES; c++)
            p->weight[i * CHOICES + c] =
                in_cells(p->bytes[i * CHOICES + c] - least, unit, 4 * cells);
    }
    if (!(left > 0))
        return tgs_i_knapsack(&x, 0, choice, value);
    return tgs_i_knapsack(&x, cells + (all <= left ? p->l->n * CHOICES : 0), choice, value);
}

/* with nothing to gather there is room for more: both ways, the better one */
tgs_status tgs_i_osdp_choose(tgs_i_osdp *p, double room, double *value)
{
    int32_t *other = tgs_mem_alloc((size_t)p->l->n, sizeof *other);
    double second;
    tgs_status status = other ? TGS_OK : TGS_ENOMEM;

    if (!status)
        status = choose(p, room, 1, p->choice, value);
    if (!status)
        status = choose(p, room - 2 * largest(p), CHOICES - 1, other, &second);
    if (!status && second < *value) {
        memcpy(p->choice, other, (size_t)p->l->n * sizeof *other);
        *value = second;
    }
    tgs_mem_free(other);
    return status;
}
