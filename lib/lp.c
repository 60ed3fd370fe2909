/* lp.c -- linear programs being written: columns, rows, their names.  Rows are kept in one block;
 * what a call refuses is remembered, and told by the solve. */
#include <string.h>
#include <strings.h>
#include "internal.h"
#include "lp.h"

enum { LONGEST_NAME = 200 };

tgs_status tgs_lp_new(tgs_lp **out, tgs_error *err)
{
    tgs_lp *lp = tgs_mem_alloc(1, sizeof *lp);

    *out = NULL;
    if (lp) {
        lp->row_at = tgs_mem_alloc(1, sizeof *lp->row_at);
        lp->text = tgs_mem_alloc(1, 1); /* offset 0: no name */
        lp->text_size = 1;
        lp->text_room = 1;
    }
    if (!lp || !lp->row_at || !lp->text) {
        tgs_lp_free(lp);
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    }
    *out = lp;
    return TGS_OK;
}

void tgs_lp_free(tgs_lp *lp)
{
    if (!lp)
        return;
    tgs_mem_free(lp->cost);
    tgs_mem_free(lp->low);
    tgs_mem_free(lp->high);
    tgs_mem_free(lp->integer);
    tgs_mem_free(lp->row_low);
    tgs_mem_free(lp->row_high);
    tgs_mem_free(lp->row_at);
    tgs_mem_free(lp->column);
    tgs_mem_free(lp->coefficient);
    tgs_mem_free(lp->mark);
    tgs_mem_free(lp->reduced);
    tgs_mem_free(lp->column_name);
    tgs_mem_free(lp->row_name);
    tgs_mem_free(lp->text);
    tgs_mem_free(lp->value);
    tgs_mem_free(lp->dual);
    tgs_mem_free(lp->basis);
    tgs_mem_free(lp);
}

static int32_t fail(tgs_lp *lp, tgs_status status, const char *what)
{
    if (!lp->status) {
        lp->status = status;
        lp->what = what;
    }
    return -1;
}

/* one of a pair of bounds is a number the solver takes, or infinite on its side */
static bool bounds_are_good(double low, double high)
{
    return low <= TGS_LP_LARGEST && high >= -TGS_LP_LARGEST
           && (low == -INFINITY || low >= -TGS_LP_LARGEST)
           && (high == INFINITY || high <= TGS_LP_LARGEST);
}

static bool number_is_good(double x)
{
    return fabs(x) <= TGS_LP_LARGEST;
}

/* a name that every reader of the format takes: a letter or '_', then also digits, '.' and '[' ']';
 * not what could be read as an exponent or a keyword */
static bool name_is_good(const char *name)
{
    static const char *const keyword[] = {
        "st",       "free",     "inf",     "infinity", "end",      "bounds",   "bound",
        "general",  "generals", "integer", "integers", "int",      "gen",      "binary",
        "binaries", "bin",      "max",     "min",      "maximize", "minimize", "maximise",
        "minimise", "maximum",  "minimum", "subject",  "such",     "s.t.",     "st.",
        "sos",      "sos1",     "sos2",    "semi",     "semis",    "sec"};
    const size_t size = strlen(name);

    if (!size || size > LONGEST_NAME || strspn(name, "0123456789.[]")
        || ((*name == 'e' || *name == 'E') && strchr("0123456789.", name[1])))
        return false;
    for (size_t i = 0; i < sizeof keyword / sizeof *keyword; i++)
        if (!strcasecmp(name, keyword[i]))
            return false;
    return strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.[]")
           == size;
}

static bool keep_text(tgs_lp *lp, const char *name, int32_t *offset)
{
    const size_t size = strlen(name) + 1;

    if (lp->text_size > INT32_MAX - (int32_t)size
        || tgs_mem_grow(&lp->text, &lp->text_room, lp->text_size + (int64_t)size, 1)) {
        fail(lp, TGS_ENOMEM, "out of memory");
        return false;
    }
    *offset = lp->text_size;
    memcpy(lp->text + lp->text_size, name, size);
    lp->text_size += (int32_t)size;
    return true;
}

/* keeps a name; *offset is 0 when there is none */
static bool keep(tgs_lp *lp, const char *name, int32_t *offset)
{
    *offset = 0;
    if (!name)
        return true;
    if (!name_is_good(name)) {
        fail(lp, TGS_EINVAL, "a name that the LP format cannot hold");
        return false;
    }
    return keep_text(lp, name, offset);
}

void tgs_lp_remark(tgs_lp *lp, const char *text)
{
    if (!lp->status && strchr(text, '\n'))
        fail(lp, TGS_EINVAL, "a remark of more than one line");
    if (!lp->status)
        keep_text(lp, text, &lp->remark);
}

int32_t tgs_lp_column(tgs_lp *lp, const char *name, double low, double high, double cost,
                      bool integer)
{
    const int32_t j = lp->columns;
    int64_t *const room = lp->column_room;
    int32_t text;

    if (lp->status)
        return -1;
    if (!bounds_are_good(low, high) || !number_is_good(cost))
        return fail(lp, TGS_EINVAL, "a column with a bound or cost that is no usable number");
    if (j == INT32_MAX - 1)
        return fail(lp, TGS_EINVAL, "too many columns");
    if (!keep(lp, name, &text))
        return -1;
    if (tgs_mem_grow(&lp->low, &room[0], j + 1, sizeof *lp->low)
        || tgs_mem_grow(&lp->high, &room[1], j + 1, sizeof *lp->high)
        || tgs_mem_grow(&lp->cost, &room[2], j + 1, sizeof *lp->cost)
        || tgs_mem_grow(&lp->integer, &room[3], j + 1, sizeof *lp->integer)
        || tgs_mem_grow(&lp->mark, &room[4], j + 1, sizeof *lp->mark)
        || tgs_mem_grow(&lp->reduced, &room[6], j + 1, sizeof *lp->reduced)
        || tgs_mem_grow(&lp->column_name, &room[5], j + 1, sizeof *lp->column_name))
        return fail(lp, TGS_ENOMEM, "out of memory");
    lp->low[j] = low;
    lp->high[j] = high;
    lp->cost[j] = cost;
    lp->integer[j] = integer;
    lp->mark[j] = 0;
    lp->column_name[j] = text;
    lp->columns++;
    return j;
}

/* the entries of a new row, from the end of the block on; equal columns are added up.  Returns
 * where they end, or -1. */
static int32_t put_entries(tgs_lp *lp, int32_t count, const int32_t *column,
                           const double *coefficient)
{
    const int32_t from = lp->row_at[lp->rows];
    int32_t to = from;
    bool good = true;

    for (int32_t i = 0; i < count && good; i++) {
        const int32_t j = column[i];

        good = j >= 0 && j < lp->columns && number_is_good(coefficient[i]);
        if (!good)
            break;
        if (!lp->mark[j]) {
            lp->mark[j] = ++to;
            lp->column[to - 1] = j;
            lp->coefficient[to - 1] = 0;
        }
        lp->coefficient[lp->mark[j] - 1] += coefficient[i];
    }
    for (int32_t i = from; i < to; i++)
        lp->mark[lp->column[i]] = 0;
    return good ? to : fail(lp, TGS_EINVAL, "a row with a column or coefficient that is none");
}

int32_t tgs_lp_row(tgs_lp *lp, const char *name, double low, double high, int32_t count,
                   const int32_t *column, const double *coefficient)
{
    const int32_t r = lp->rows;
    int32_t text, end;

    if (lp->status)
        return -1;
    if (!bounds_are_good(low, high))
        return fail(lp, TGS_EINVAL, "a row with a bound that is no usable number");
    if (count < 0 || count > INT32_MAX - 1 - lp->row_at[r] || r == INT32_MAX - 1)
        return fail(lp, TGS_EINVAL, "too many rows or coefficients");
    if (!keep(lp, name, &text))
        return -1;
    if (tgs_mem_grow(&lp->row_low, &lp->row_room[0], r + 1, sizeof *lp->row_low)
        || tgs_mem_grow(&lp->row_high, &lp->row_room[1], r + 1, sizeof *lp->row_high)
        || tgs_mem_grow(&lp->row_name, &lp->row_room[2], r + 1, sizeof *lp->row_name)
        || tgs_mem_grow(&lp->row_at, &lp->row_at_room, r + 2, sizeof *lp->row_at)
        || tgs_mem_grow(&lp->column, &lp->entry_room[0], (int64_t)lp->row_at[r] + count,
                        sizeof *lp->column)
        || tgs_mem_grow(&lp->coefficient, &lp->entry_room[1], (int64_t)lp->row_at[r] + count,
                        sizeof *lp->coefficient))
        return fail(lp, TGS_ENOMEM, "out of memory");
    end = put_entries(lp, count, column, coefficient);
    if (end < 0)
        return -1;
    lp->row_low[r] = low;
    lp->row_high[r] = high;
    lp->row_name[r] = text;
    lp->row_at[r + 1] = end;
    lp->rows++;
    return r;
}

tgs_status tgs_lp_status(const tgs_lp *lp, tgs_error *err)
{
    if (!lp->status)
        return TGS_OK;
    return tgs_fail(err, lp->status, "%s%s",
                    lp->status == TGS_ENOMEM ? "" : "linear program: ", lp->what);
}

int32_t tgs_lp_columns(const tgs_lp *lp)
{
    return lp->columns;
}

int32_t tgs_lp_rows(const tgs_lp *lp)
{
    return lp->rows;
}

void tgs_lp_column_bounds(tgs_lp *lp, int32_t column, double low, double high)
{
    if (column < 0 || column >= lp->columns || !bounds_are_good(low, high)) {
        fail(lp, TGS_EINVAL, "new bounds of a column that are no usable numbers, or no column");
        return;
    }
    lp->low[column] = low;
    lp->high[column] = high;
}

void tgs_lp_row_bounds(tgs_lp *lp, int32_t row, double low, double high)
{
    if (row < 0 || row >= lp->rows || !bounds_are_good(low, high)) {
        fail(lp, TGS_EINVAL, "new bounds of a row that are no usable numbers, or no row");
        return;
    }
    lp->row_low[row] = low;
    lp->row_high[row] = high;
}

double tgs_lp_value(const tgs_lp *lp, int32_t column)
{
    return column >= 0 && column < lp->answered ? lp->value[column] : NAN;
}

double tgs_lp_dual(const tgs_lp *lp, int32_t row)
{
    return row >= 0 && row < lp->priced ? lp->dual[row] : NAN;
}
