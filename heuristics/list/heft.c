/* heft.c -- HEFT, heterogeneous earliest finish time.
 *
 * H. Topcuoglu, S. Hariri, M.-Y. Wu, "Performance-effective and low-complexity task scheduling for
 * heterogeneous computing", IEEE TPDS 13(3), 2002.
 *
 * Tasks by non-increasing upward rank, each on the processor of its earliest finish time, into the
 * earliest gap that fits.  O(e (p + memories) + n p log n).
 *
 * Beyond the paper: other means of the times of a task (weights), appending (slot), and messages
 * booked on links where the link model lets them wait for each other (links), as in O. Sinnen, L.
 * A. Sousa, "Communication contention in task scheduling", IEEE TPDS 16(6), 2005; then O(e memories
 * log e) more. */
#include "core.h"

static tgs_status run(const tgs_ctx *c, tgs_plan *plan, tgs_error *err)
{
    int32_t mean = 0, append = 0, links = 0;
    tgs_status status = tgs_i_choice(c, "weights", TGS_I_MEANS, &mean, err);

    if (!status)
        status = tgs_i_choice(c, "slot", "insert|append", &append, err);
    if (!status)
        status = tgs_i_choice(c, "links", "auto|book|free", &links, err);
    if (!status) {
        const tgs_i_rule rule = {.key = TGS_I_EFT,
                                 .insert = !append,
                                 .links = links ? links == 1 : tgs_i_links_contend(c->v)};

        status = tgs_i_list_by_rank_up(c, plan, &rule, (tgs_i_mean)mean, err);
    }
    return status;
}

static const tgs_param params[] = {
    {"weights", "mean", TGS_PARAM_TEXT, 0, 0, "time of a task in its rank: " TGS_I_MEANS},
    {"slot", "insert", TGS_PARAM_TEXT, 0, 0, "insert (into gaps) or append"},
    {"links", "auto", TGS_PARAM_TEXT, 0, 0,
     "messages wait for each other: book, free (never), or auto: as the link model says"},
    {NULL, NULL, TGS_PARAM_TEXT, 0, 0, NULL},
};

const tgs_heuristic tgs_heuristic_heft = {
    .base = {TGS_PLUGIN_ABI, "heft", "upward rank, earliest finish time, insertion",
             "Topcuoglu, Hariri, Wu, IEEE TPDS 13(3), 2002", params},
    .run = run,
};
