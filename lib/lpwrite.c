/* lpwrite.c -- a linear program as text, in the part of the CPLEX LP format that every solver
 * reads: a row with two bounds becomes two rows, one without any is left out. */
#include <stdlib.h>
#include <string.h>
#include "internal.h"
#include "lp.h"

enum { TERMS_A_LINE = 6, NAME_ROOM = 256 };

static const char *name_of(const tgs_lp *lp, char letter, int32_t index, int32_t given,
                           char text[static NAME_ROOM])
{
    if (given)
        return lp->text + given;
    snprintf(text, NAME_ROOM, "%c%d", letter, index);
    return text;
}

static void put_column(const tgs_lp *lp, int32_t j, FILE *to)
{
    char text[NAME_ROOM];

    fputs(name_of(lp, 'x', j, lp->column_name[j], text), to);
}

static void put_term(const tgs_lp *lp, int32_t term, double coefficient, int32_t j, FILE *to)
{
    fprintf(to, "%s%c %.17g ", term && term % TERMS_A_LINE == 0 ? "\n  " : " ",
            coefficient < 0 ? '-' : '+', fabs(coefficient));
    put_column(lp, j, to);
}

/* every column that has a cost, or is in no row: so that it is in the file at all */
static void put_cost(const tgs_lp *lp, const bool *used, FILE *to)
{
    int32_t terms = 0;

    fputs("Minimize\n cost:", to);
    for (int32_t j = 0; j < lp->columns; j++)
        if (lp->cost[j] != 0 || !used[j])
            put_term(lp, terms++, lp->cost[j], j, to);
    if (!terms && lp->columns)
        put_term(lp, 0, 0, 0, to);
    fputc('\n', to);
}

static void put_row(const tgs_lp *lp, int32_t r, const char *suffix, const char *relation,
                    double side, FILE *to)
{
    const int32_t from = lp->row_at[r], end = lp->row_at[r + 1];
    char text[NAME_ROOM];

    fprintf(to, " %s%s:", name_of(lp, 'r', r, lp->row_name[r], text), suffix);
    for (int32_t i = from; i < end; i++)
        put_term(lp, i - from, lp->coefficient[i], lp->column[i], to);
    if (from == end)
        put_term(lp, 0, 0, 0, to);
    fprintf(to, " %s %.17g\n", relation, side);
}

static void put_rows(const tgs_lp *lp, FILE *to)
{
    fputs("Subject To\n", to);
    for (int32_t r = 0; r < lp->rows; r++) {
        const double low = lp->row_low[r], high = lp->row_high[r];

        if (low == high) {
            put_row(lp, r, "", "=", low, to);
            continue;
        }
        if (low > -INFINITY)
            put_row(lp, r, high < INFINITY ? ".low" : "", ">=", low, to);
        if (high < INFINITY)
            put_row(lp, r, low > -INFINITY ? ".high" : "", "<=", high, to);
    }
}

/* the format's own bounds are 0 and infinity */
static void put_bounds(const tgs_lp *lp, FILE *to)
{
    fputs("Bounds\n", to);
    for (int32_t j = 0; j < lp->columns; j++) {
        const double low = lp->low[j], high = lp->high[j];

        if (low == 0 && high == INFINITY && !lp->integer[j])
            continue;
        fputc(' ', to);
        if (low == -INFINITY && high == INFINITY) {
            put_column(lp, j, to);
            fputs(" free\n", to);
            continue;
        }
        if (low == -INFINITY)
            fputs("-inf <= ", to);
        else
            fprintf(to, "%.17g <= ", low);
        put_column(lp, j, to);
        if (high < INFINITY)
            fprintf(to, " <= %.17g", high);
        fputc('\n', to);
    }
}

static void put_integers(const tgs_lp *lp, FILE *to)
{
    bool any = false;

    for (int32_t j = 0; j < lp->columns; j++) {
        if (!lp->integer[j])
            continue;
        fputs(any ? " " : "Generals\n ", to);
        put_column(lp, j, to);
        fputc('\n', to);
        any = true;
    }
}

static int compare_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* names of columns (or rows) are told apart by what reads the file */
static tgs_status check_names(const tgs_lp *lp, char letter, int32_t count, const int32_t *given,
                              tgs_error *err)
{
    char(*made)[16] = tgs_mem_alloc((size_t)count, sizeof *made);
    const char **name = tgs_mem_alloc((size_t)count, sizeof *name);
    tgs_status status = made && name ? TGS_OK : tgs_fail(err, TGS_ENOMEM, "out of memory");

    for (int32_t i = 0; i < count && !status; i++) {
        snprintf(made[i], sizeof *made, "%c%d", letter, i);
        name[i] = given[i] ? lp->text + given[i] : made[i];
    }
    if (!status)
        qsort(name, (size_t)count, sizeof *name, compare_text);
    for (int32_t i = 1; i < count && !status; i++)
        if (!strcmp(name[i - 1], name[i]))
            status =
                tgs_fail(err, TGS_EINVAL, "linear program: the name %s is there twice", name[i]);
    tgs_mem_free(made);
    tgs_mem_free(name);
    return status;
}

tgs_status tgs_lp_write(const tgs_lp *lp, FILE *to, tgs_error *err)
{
    tgs_status status = TGS_OK;
    bool *used;

    if (lp->status)
        return tgs_lp_status(lp, err);
    used = tgs_mem_alloc((size_t)lp->columns, sizeof *used);
    if (!used)
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    status = check_names(lp, 'x', lp->columns, lp->column_name, err);
    if (!status)
        status = check_names(lp, 'r', lp->rows, lp->row_name, err);
    if (!status) {
        for (int32_t i = 0; i < lp->row_at[lp->rows]; i++)
            used[lp->column[i]] = true;
        if (lp->remark)
            fprintf(to, "\\ %s\n", lp->text + lp->remark);
        put_cost(lp, used, to);
        put_rows(lp, to);
        put_bounds(lp, to);
        put_integers(lp, to);
        fputs("End\n", to);
        if (ferror(to))
            status = tgs_fail(err, TGS_EIO, "write failed");
    }
    tgs_mem_free(used);
    return status;
}
