/* workflow.c -- the shapes of scientific workflows, with `n` for what makes them wide.
 *
 * montage      4n + 3 tasks, 9n - 5 edges (n > 1): n images projected, neighbours and next but one
 *              compared, one model for all backgrounds, and a mosaic
 * epigenomics  lanes (4n + 2) + 3 tasks: each lane split into n chains of 4, merged, then all lanes
 * cybershake   lanes (2n + 1) + 2 tasks: each lane n syntheses with their peaks; two archives
 * inspiral     lanes (4n + 2) tasks: each lane n banks and matches, a coincidence test, and again
 * sipht        lanes (n + 12) tasks, lanes (n + 16) edges: each lane the searches for small RNAs in
 *              a genome, with n patterns beside them
 */
#include <string.h>
#include "core.h"

typedef struct shape {
    tgs_i_gen g;
    int64_t n, lanes;
    int64_t number; /* of tasks */
} shape;

static int32_t add(shape *s, const char *name)
{
    char prefix[40];

    snprintf(prefix, sizeof prefix, "%s_", name);
    return tgs_i_gen_task(&s->g, prefix, s->number++, s->g.work);
}

static void join(shape *s, int32_t from, int32_t to)
{
    tgs_i_gen_edge(&s->g, from, to);
}

static void montage(shape *s)
{
    const int32_t n = (int32_t)s->n;
    int32_t concat, model, table, last;

    for (int32_t i = 0; i < n; i++)
        add(s, "mProject");
    const int32_t fits = n > 1 ? 2 * n - 3 : 0;
    for (int32_t i = 0; i < fits; i++) {
        const int32_t fit = add(s, "mDiffFit"), first = i / 2;

        join(s, first, fit); /* (0,1) (0,2) (1,2) (1,3) ... */
        join(s, first + 1 + i % 2, fit);
    }
    concat = add(s, "mConcatFit");
    for (int32_t i = 0; i < fits; i++)
        join(s, n + i, concat);
    model = add(s, "mBgModel");
    join(s, concat, model);
    for (int32_t i = 0; i < n; i++) {
        const int32_t background = add(s, "mBackground");

        join(s, i, background);
        join(s, model, background);
    }
    table = add(s, "mImgtbl");
    for (int32_t i = 0; i < n; i++)
        join(s, model + 1 + i, table);
    last = table;
    for (int32_t i = 0; i < 3; i++, last++)
        join(s, last, add(s, i == 0 ? "mAdd" : i == 1 ? "mShrink" : "mJPEG"));
}

static void epigenomics(shape *s)
{
    static const char *const step[] = {"filterContams", "sol2sanger", "fastq2bfq", "map"};
    const int32_t lane = 4 * (int32_t)s->n + 2; /* tasks of a lane: a split, chains, a merge */
    int32_t last;

    for (int64_t l = 0; l < s->lanes; l++) {
        const int32_t split = add(s, "fastqSplit");
        int32_t merge;

        for (int64_t i = 0; i < s->n; i++)
            for (int32_t k = 0; k < 4; k++) {
                const int32_t task = add(s, step[k]);

                join(s, k ? task - 1 : split, task);
            }
        merge = add(s, "mapMerge");
        for (int32_t i = 1; i <= s->n; i++)
            join(s, split + 4 * i, merge);
    }
    last = add(s, "mapMergeAll");
    for (int32_t l = 1; l <= s->lanes; l++)
        join(s, l * lane - 1, last);
    for (int32_t i = 0; i < 2; i++, last++)
        join(s, last, add(s, i ? "pileup" : "maqIndex"));
}

static void cybershake(shape *s)
{
    const int32_t lane = 2 * (int32_t)s->n + 1, ends = lane * (int32_t)s->lanes;

    for (int64_t l = 0; l < s->lanes; l++) {
        const int32_t extract = add(s, "ExtractSGT");

        for (int64_t i = 0; i < s->n; i++) {
            const int32_t synthesis = add(s, "SeismogramSynthesis");

            join(s, extract, synthesis);
            join(s, synthesis, add(s, "PeakValCalc"));
        }
    }
    add(s, "ZipSeis");
    add(s, "ZipPSA");
    for (int32_t i = 0; i < ends; i++)
        if (i % lane)
            join(s, i, ends + (i % lane % 2 ? 0 : 1));
}

static void inspiral(shape *s)
{
    const int32_t n = (int32_t)s->n;

    for (int64_t l = 0; l < s->lanes; l++)
        for (int32_t round = 0; round < 2; round++) {
            int32_t test, before = -1;

            for (int32_t i = 0; i < n; i++) {
                const int32_t bank = add(s, round ? "TrigBank" : "TmpltBank");

                if (i == 0 && round)
                    before = bank - 1; /* the test of the first round */
                if (round)
                    join(s, before, bank);
                join(s, bank, add(s, "Inspiral"));
            }
            test = add(s, "Thinca");
            for (int32_t i = 0; i < n; i++)
                join(s, test - 1 - 2 * i, test);
        }
}

static void sipht(shape *s)
{
    static const char *const search[] = {"Findterm", "RNAMotif", "Transterm", "Blast"};
    static const char *const compare[] = {"Blast_candidate", "Blast_QRNA", "Blast_paralogues",
                                          "FFN_Parse", "Blast_synteny"};
    enum { SEARCHES = 4, COMPARES = 5 };
    const int32_t n = (int32_t)s->n;

    for (int64_t l = 0; l < s->lanes; l++) {
        int32_t patterns, found, note;

        for (int32_t i = 0; i < n; i++)
            add(s, "Patser");
        patterns = add(s, "Patser_concate");
        for (int32_t i = 1; i <= n; i++)
            join(s, patterns - i, patterns);
        for (int32_t i = 0; i < SEARCHES; i++)
            add(s, search[i]);
        found = add(s, "SRNA");
        for (int32_t i = 1; i <= SEARCHES; i++)
            join(s, found - i, found);
        for (int32_t i = 0; i < COMPARES; i++)
            join(s, found, add(s, compare[i]));
        join(s, found + COMPARES - 1, found + COMPARES); /* the parsed genes are what is compared */
        note = add(s, "SRNA_annotate");
        join(s, patterns, note);
        join(s, found, note);
        for (int32_t i = 1; i <= COMPARES; i++)
            if (i != COMPARES - 1) /* nobody but the synteny needs those genes */
                join(s, found + i, note);
    }
}

static const struct kind {
    const char *name;
    void (*make)(shape *s);
    double tasks; /* for each n and lane, at most */
} kinds[] = {
    {"montage", montage, 7},       {"epigenomics", epigenomics, 9},
    {"cybershake", cybershake, 5}, {"inspiral", inspiral, 6},
    {"sipht", sipht, 13},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static tgs_status make(const tgs_args *a, tgs_rng *r, tgs_builder *b, tgs_error *err)
{
    const char *name = tgs_arg_text(a, "shape");
    shape s = {.n = tgs_arg_int(a, "n"), .lanes = tgs_arg_int(a, "lanes")};
    tgs_status status = tgs_i_gen_open(&s.g, a, r, b, err);
    size_t i = 0;

    while (i < KINDS && strcmp(kinds[i].name, name))
        i++;
    if (!status && i == KINDS)
        status = tgs_fail(err, TGS_EINVAL,
                          "workflow: shape=%s: there are montage, epigenomics, cybershake, "
                          "inspiral and sipht",
                          name);
    if (!status)
        status =
            tgs_i_gen_limit(&s.g, "workflow", kinds[i].tasks * (double)s.n * (double)s.lanes, 0);
    if (!status) {
        kinds[i].make(&s);
        status = tgs_i_gen_status(&s.g);
    }
    tgs_i_gen_close(&s.g);
    return status;
}

static const tgs_param params[] = {
    {"shape", "montage", TGS_PARAM_TEXT, 0, 0,
     "montage, epigenomics, cybershake, inspiral or sipht"},
    {"n", "10", TGS_PARAM_INT, 1, 10000000, "how wide: images, chains, syntheses, banks, patterns"},
    {"lanes", "1", TGS_PARAM_INT, 1, 10000000, "of all but montage"},
    TGS_I_GEN_COSTS,
    {NULL, NULL, TGS_PARAM_INT, 0, 0, NULL},
};

const tgs_generator tgs_generator_workflow = {
    .base =
        {TGS_PLUGIN_ABI, "workflow", "the shapes of scientific workflows",
         "Bharathi, Chervenak, Deelman et al. (2008), Characterization of scientific workflows, "
         "WORKS",
         params},
    .make = make,
};
