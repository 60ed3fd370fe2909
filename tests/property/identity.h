/* identity.h -- for tests that what is written reads back equal: names of any bytes, the extremes
 * of every number, machines that have them.  Include cmocka.h first. */
#ifndef TESTS_IDENTITY_H
#define TESTS_IDENTITY_H
#include "fixture.h"
#include "platform.h"

enum { ROUNDS = 200, MOST = 6 };

static tgs_rng rng;

static inline int32_t below(int32_t n)
{
    return (int32_t)tgs_rng_int(&rng, 0, n - 1);
}

static inline bool chance(double p)
{
    return tgs_rng_real(&rng) < p;
}

/* of every size that is allowed, 0 too */
static inline double natural(void)
{
    static const double extreme[] = {0, 1e30, 1e-30, 0x1p-1074, 0.1, 1 / 3.0, 0x1.fffffffffffffp52};

    return chance(0.3) ? extreme[below(sizeof extreme / sizeof *extreme)]
                       : ldexp(1 + tgs_rng_real(&rng), below(190) - 95);
}

static inline double positive(void)
{
    const double x = natural();

    return x < 1e-30 ? 1e-30 : x;
}

static inline double unknown_or(double x)
{
    return chance(0.3) ? NAN : x;
}

/* a new text of any bytes but NUL, some of which the formats use themselves; no other text is equal
 */
static const char *text(void)
{
    static const char marks[] = "@%=#\"\\ \t\n\r,.";
    static char room[32][40];
    static int32_t number;
    char *to = room[++number % 32];
    int32_t used = 0;

    for (int32_t n = below(12); n > 0; n--)
        to[used++] = chance(0.3) ? marks[below(sizeof marks - 1)] : (char)(1 + below(255));
    sprintf(to + used, "%d", number);
    return to;
}

static inline char *file_text(const char *path)
{
    FILE *f = fopen(path, "r");
    char *all = NULL;
    size_t room = 0;

    assert_non_null(f);
    if (getdelim(&all, &room, 0, f) < 0)
        fail_msg("%s is empty", path);
    fclose(f);
    return all;
}

/* to the last bit; fixture.h has one that is not as strict */
static inline void same_real(double x, double y)
{
    if (!(x == y || (isnan(x) && isnan(y))))
        fail_msg("%.17g came back as %.17g", x, y);
}

static inline void assert_same_files(const char *path, const char *other)
{
    char *a = file_text(path), *b = file_text(other);

    assert_string_equal(a, b);
    free(a);
    free(b);
}

typedef struct two_files {
    char *first, *again;
} two_files;

static inline two_files files_open(void)
{
    return (two_files){fixture_file(""), fixture_file("")};
}

/* what was written twice, with what was read in between */
static inline void files_close(two_files *f)
{
    assert_same_files(f->first, f->again);
    unlink(f->first);
    unlink(f->again);
    free(f->first);
    free(f->again);
}

static inline void add_links(tgs_i_assembly *a, int32_t memories, int32_t buses, const double *bus)
{
    for (int32_t from = 0; from < memories; from++)
        for (int32_t to = 0; to < memories; to++) {
            tgs_link l = {from, to, -1, natural(), positive(), unknown_or(natural())};

            if (from == to || (to != (from + 1) % memories && chance(0.5)))
                continue;
            if (buses && chance(0.5)) {
                l.bus = below(buses);
                l.bandwidth = bus[l.bus] * (chance(0.5) ? 1 : 0.75);
                l.bandwidth = l.bandwidth < 1e-30 ? 1e-30 : l.bandwidth;
            }
            assert_int_equal(tgs_i_assembly_link(a, &l, NULL), TGS_OK);
        }
}

static inline tgs_platform *random_platform(bool limited)
{
    const int32_t kinds = 1 + below(MOST), memories = 1 + below(MOST), buses = below(3);
    double bus[3];
    tgs_i_assembly *a;
    tgs_platform *p;

    assert_int_equal(tgs_i_assembly_new(&a, NULL, NULL), TGS_OK);
    for (int32_t i = 0; i < kinds; i++) {
        const tgs_kind k = {text(),
                            text(),
                            unknown_or(positive()),
                            unknown_or(positive()),
                            natural(),
                            unknown_or(natural()),
                            unknown_or(natural()),
                            natural()};

        assert_int_equal(tgs_i_assembly_kind(a, &k, NULL, NULL), TGS_OK);
    }
    for (int32_t i = 0; i < memories; i++) {
        const tgs_memory m = {text(), chance(0.5) ? "" : text(),
                              chance(0.4) || !limited ? INFINITY : positive(),
                              below(TGS_I_NODES_MAX)};

        assert_int_equal(tgs_i_assembly_memory(a, &m, NULL, NULL), TGS_OK);
    }
    for (int32_t i = 0; i < buses; i++) {
        const tgs_bus b = {text(), bus[i] = positive()};

        assert_int_equal(tgs_i_assembly_bus(a, &b, NULL, NULL), TGS_OK);
    }
    for (int32_t i = 0; i < memories + below(MOST); i++) {
        const tgs_proc q = {text(), below(kinds), i < memories ? i : below(memories), positive()};

        assert_int_equal(tgs_i_assembly_proc(a, &q, NULL, NULL), TGS_OK);
    }
    add_links(a, memories, buses, bus);
    assert_int_equal(tgs_i_assembly_finish(&p, a, NULL), TGS_OK);
    return p;
}
#endif
