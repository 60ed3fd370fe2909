/* milpround.h -- from a solution of MILP(T) to a schedule: jobs whole by a matching, buckets to
 * machines, starts by interval.  Include after milp.h. */
#ifndef TGS_TEST_MILPROUND_H
#define TGS_TEST_MILPROUND_H

/* Bins of the matching: a big type with as many places as its slots, or one unit of what is in
 * an interval, cut from the jobs there by size, largest first.  Each job is in one. */
typedef struct bin {
    int32_t class, type, interval; /* type -1: small */
    int32_t places;
    bool takes[JOBS];
    int32_t jobs, job[JOBS];
} bin;

enum { MILP_BINS = 200 };

static inline bool milp_augment(bin *b, int32_t bins, int32_t j, bool *tried, int32_t *bin_of)
{
    for (int32_t i = 0; i < bins; i++) {
        if (!b[i].takes[j] || tried[i])
            continue;
        tried[i] = true;
        for (int32_t k = 0; k < b[i].places; k++)
            if (k == b[i].jobs || milp_augment(b, bins, b[i].job[k], tried, bin_of)) {
                b[i].jobs += k == b[i].jobs;
                b[i].job[k] = j;
                bin_of[j] = i;
                return true;
            }
    }
    return false;
}

/* fractions of small jobs in one interval to bins of one */
static inline void milp_cut(const milp *m, int32_t g, int32_t t, bin *b, int32_t *bins)
{
    const tgs_i_fj_form *f = m->f;
    double full = 1; /* how much of the last bin is taken */
    bool done[JOBS] = {false};

    for (;;) {
        int32_t largest = -1;
        double rest;

        for (int32_t j = 0; j < f->n; j++)
            if (!done[j] && m->x_small[j][g][t] >= 0
                && tgs_lp_value(m->lp, m->x_small[j][g][t]) > 1e-7
                && (largest < 0 || f->p[j * f->classes + g] > f->p[largest * f->classes + g]))
                largest = j;
        if (largest < 0)
            return;
        done[largest] = true;
        for (rest = tgs_lp_value(m->lp, m->x_small[largest][g][t]); rest > 1e-7;) {
            const double part = fmin(rest, 1 - full);

            if (full > 1 - 1e-7) {
                assert_true(*bins < MILP_BINS);
                b[(*bins)++] = (bin){g, -1, t, 1, {false}, 0, {0}};
                full = 0;
                continue;
            }
            b[*bins - 1].takes[largest] = true;
            full += part;
            rest -= part;
        }
    }
}

static inline int32_t milp_slots(const milp *m, int32_t g, int32_t th)
{
    double slots = 0;

    for (int32_t c = 0; c < m->configs[g]; c++)
        slots += m->config[g][c].count[th] * tgs_lp_value(m->lp, m->z[g][c]);
    return (int32_t)floor(slots + 0.5);
}

/* the bin of each job */
static inline int32_t milp_match(const milp *m, bin *b, int32_t *bin_of)
{
    const tgs_i_fj_form *f = m->f;
    int32_t bins = 0;

    for (int32_t g = 0; g < f->classes; g++) {
        for (int32_t th = 0; th < f->n; th++) {
            const int32_t slots = milp_slots(m, g, th);

            if (!slots)
                continue;
            b[bins] = (bin){g, th, 0, slots < JOBS ? slots : JOBS, {false}, 0, {0}};
            for (int32_t j = 0; j < f->n; j++)
                b[bins].takes[j] = m->allowed[j][g] && m->big[j][g] && m->type_of[j][g] == th
                                   && tgs_lp_value(m->lp, m->x_big[j][g]) > 1e-7;
            bins++;
        }
        for (int32_t t = 0; t < m->intervals; t++)
            milp_cut(m, g, t, b, &bins);
    }
    for (int32_t j = 0; j < f->n; j++) {
        bool tried[MILP_BINS] = {false};

        assert_true(milp_augment(b, bins, j, tried, bin_of));
    }
    return bins;
}

typedef struct milp_machine {
    const placing *config;
    double small[MILP_INTERVALS]; /* time of the small jobs of each interval */
    int32_t big[JOBS], in[JOBS];  /* job in each placed slot, -1 none; interval of a small one */
} milp_machine;

/* a bucket: machines in turn until the free cells are full; what is left to the last that has any
 */
static inline void milp_fill(const milp *m, milp_machine *machine, int32_t j, int32_t g, int32_t t)
{
    const double p = m->f->p[j * m->f->classes + g];
    int32_t last = -1;

    for (int32_t i = m->f->at[g]; i < m->f->at[g + 1]; i++) {
        const double room = m->cell * machine[i].config->free[t];

        if (!machine[i].config->free[t])
            continue;
        last = i;
        if (machine[i].small[t] < room * (1 - 1e-6))
            break;
    }
    assert_true(last >= 0);
    machine[last].small[t] += p;
    machine[last].in[j] = t;
}

/* a bucket without its largest job takes no more than all free cells */
static inline void milp_check_buckets(const milp *m, const bin *b, const int32_t *bin_of)
{
    const tgs_i_fj_form *f = m->f;

    for (int32_t g = 0; g < f->classes; g++)
        for (int32_t t = 0; t < m->intervals; t++) {
            double load = 0, largest = 0, room = 0;

            for (int32_t j = 0; j < f->n; j++) {
                const bin *x = &b[bin_of[j]];
                const double p = f->p[j * f->classes + g];

                if (x->class != g || x->type >= 0 || x->interval != t)
                    continue;
                load += p;
                largest = fmax(largest, p);
            }
            for (int32_t c = 0; c < m->configs[g]; c++)
                room += m->cell * m->config[g][c].free[t] * tgs_lp_value(m->lp, m->z[g][c]);
            assert_true(load - largest <= room + 1e-5 * m->T);
        }
}

/* places the jobs; the answer is a schedule */
static inline void milp_schedule(const milp *m, tgs_i_fj_answer *a)
{
    const tgs_i_fj_form *f = m->f;
    milp_machine machine[16];
    bin b[MILP_BINS];
    int32_t bin_of[JOBS];

    assert_true(f->at[f->classes] <= 16);
    milp_match(m, b, bin_of);
    milp_check_buckets(m, b, bin_of);
    memset(machine, 0, sizeof machine);
    for (int32_t g = 0; g < f->classes; g++)
        for (int32_t c = 0, i = f->at[g]; c < m->configs[g]; c++)
            for (double left = tgs_lp_value(m->lp, m->z[g][c]); left > 0.5; left--, i++) {
                assert_true(i < f->at[g + 1]);
                machine[i].config = &m->config[g][c];
                memset(machine[i].big, -1, sizeof machine[i].big);
                memset(machine[i].in, -1, sizeof machine[i].in);
            }
    for (int32_t j = 0; j < f->n; j++) {
        const bin *x = &b[bin_of[j]];
        bool placed = x->type < 0;

        if (placed)
            milp_fill(m, machine, j, x->class, x->interval);
        for (int32_t i = f->at[x->class]; i < f->at[x->class + 1] && !placed; i++)
            for (int32_t s = 0; s < machine[i].config->placed && !placed; s++)
                if (machine[i].config->type[s] == x->type && machine[i].big[s] < 0) {
                    machine[i].big[s] = j;
                    placed = true;
                }
        assert_true(placed);
    }
    a->L = 0;
    for (int32_t g = 0; g < f->classes; g++)
        for (int32_t i = f->at[g]; i < f->at[g + 1]; i++) {
            double end = 0;

            for (int32_t t = 0; t < m->intervals; t++)
                for (int32_t k = 0; k < f->n + machine[i].config->placed; k++) {
                    const int32_t s = k - f->n; /* small ones first, then big ones in order */
                    const int32_t j = k < f->n ? (machine[i].in[k] == t ? k : -1)
                                      : machine[i].config->cell[s] / m->per_interval == t
                                          ? machine[i].big[s]
                                          : -1;

                    if (j < 0)
                        continue;
                    a->machine[j] = i;
                    a->start[j] = fmax(end, (t + 1) * m->interval);
                    end = a->start[j] + f->p[j * f->classes + g];
                    a->L = fmax(a->L, end + f->q[j * f->classes + g]);
                }
        }
}
#endif
