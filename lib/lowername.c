/* lowername.c -- names of a lowering: texts that copies share, and marks that tell them apart, such
 * as @r0.s1.m2 for replica 0, shard 1, micro-batch 2.  O(names), with a bit for each pair of a text
 * and a mark. */
#include <string.h>
#include "lowername.h"

enum { LONGEST = 1000, BITS_EACH = 64 }; /* of a text; of the table of pairs, for each name */

static tgs_status no_memory(tgs_i_naming *n)
{
    return tgs_i_builder_fail(n->b, TGS_ENOMEM, "out of memory");
}

tgs_status tgs_i_memos_open(tgs_i_memos *m, int64_t things)
{
    m->bits = 3;
    while (m->bits < 14 && (int64_t)1 << m->bits < things)
        m->bits++;
    m->place = tgs_mem_alloc((size_t)1 << m->bits, sizeof *m->place);
    return m->place ? TGS_OK : TGS_ENOMEM;
}

tgs_status tgs_i_naming_open(tgs_i_naming *n, tgs_builder *b, int64_t things)
{
    memset(n, 0, sizeof *n);
    n->b = b;
    for (int32_t i = 0; i < TGS_I_MARKED; i++)
        n->marked[i].replica = INT32_MIN;
    if (tgs_i_memos_open(&n->memo, things)
        || tgs_mem_grow(&n->mark.at, &n->mark.room, 1, sizeof *n->mark.at))
        return no_memory(n);
    n->mark.at[n->mark.count++] = 0; /* number 0: no mark */
    return TGS_OK;
}

static void texts_free(tgs_i_texts *x)
{
    tgs_i_names_free(&x->names);
    tgs_mem_free(x->at);
}

void tgs_i_naming_free(tgs_i_naming *n)
{
    if (!n)
        return;
    texts_free(&n->text);
    texts_free(&n->mark);
    tgs_i_names_free(&n->all);
    tgs_mem_free(n->memo.place);
    tgs_mem_free(n->seen);
    tgs_mem_free(n);
}

static int32_t number_of(tgs_i_naming *n, tgs_i_texts *x, const char *text)
{
    const int32_t known = tgs_i_names_get(&x->names, &n->b->arena, text);
    const int32_t at = known < 0 ? tgs_i_builder_keep(n->b, text) : 0;

    if (known >= 0)
        return known;
    if (at < 0)
        return n->b->first.status;
    if ((at && tgs_i_names_put(&x->names, &n->b->arena, at, (int32_t)x->count))
        || tgs_mem_grow(&x->at, &x->room, x->count + 1, sizeof *x->at))
        return no_memory(n);
    x->at[x->count] = at;
    return (int32_t)x->count++;
}

static int32_t text_of(tgs_i_naming *n, const char *name)
{
    tgs_i_memo *memo = tgs_i_memo_at(&n->memo, name);
    char text[LONGEST + 1];
    size_t size;

    if (memo->key == name)
        return memo->value;
    size = strnlen(name, LONGEST);
    memcpy(text, name, size);
    text[size] = 0;
    n->odd |= strpbrk(text, "@~") != NULL || !*text;
    *memo = (tgs_i_memo){name, 0, number_of(n, &n->text, text)};
    if (memo->value < 0)
        memo->key = NULL;
    return memo->value;
}

/* ".m12" behind what there is; a number that is not negative, by hand, since a step may have a
 * million tasks */
static size_t put_mark(char *text, size_t used, char what, int32_t number)
{
    char digits[12];
    int count = 0;

    text[used] = used ? '.' : '@';
    text[used + 1] = what;
    used += 2;
    do
        digits[count++] = (char)('0' + number % 10);
    while (number /= 10);
    while (count)
        text[used++] = digits[--count];
    text[used] = 0;
    return used;
}

static int32_t mark_of(tgs_i_naming *n, const tgs_i_call *c)
{
    const uint32_t place =
        ((uint32_t)c->replica * 31 + (uint32_t)c->shard) * 61 + (uint32_t)c->batch;
    struct tgs_i_mark *m = &n->marked[place % TGS_I_MARKED];
    char text[64] = "";
    size_t used = 0;

    if (m->replica == c->replica && m->shard == c->shard && m->batch == c->batch)
        return m->number;
    if (c->replica >= 0)
        used = put_mark(text, used, 'r', c->replica);
    if (c->shard > 0)
        used = put_mark(text, used, 's', c->shard);
    if (c->batch >= 0)
        used = put_mark(text, used, 'm', c->batch);
    *m = (struct tgs_i_mark){c->replica, c->shard, c->batch,
                             used ? number_of(n, &n->mark, text) : 0};
    if (m->number < 0) /* a failure; it is asked for no more */
        m->replica = INT32_MIN;
    return m->number;
}

int32_t tgs_i_naming_tell(tgs_i_naming *n, const tgs_i_call *c)
{
    const int32_t text = text_of(n, c->name);

    n->told++;
    return text < 0 || mark_of(n, c) < 0 ? (int32_t)n->b->first.status : text;
}

/* ---- each its own name -------------------------------------------------------------------------
 */
/* a table of pairs, when all names have been told and equal names have equal parts */
static tgs_status open_pairs(tgs_i_naming *n)
{
    const double pairs = (double)n->text.count * (double)n->mark.count;
    const double most = 4096 + (double)BITS_EACH * (double)n->told;

    n->told = -1;
    if (n->odd || pairs > most)
        return TGS_OK;
    n->seen = tgs_mem_alloc((size_t)(pairs / 64) + 1, sizeof *n->seen);
    return n->seen ? TGS_OK : no_memory(n);
}

/* false: the pair has been given before */
static bool take_pair(tgs_i_naming *n, int32_t text, int32_t mark)
{
    const uint64_t pair = (uint64_t)mark * (uint64_t)n->text.count + (uint64_t)text;
    const uint64_t bit = (uint64_t)1 << pair % 64;

    if (n->seen[pair / 64] & bit)
        return false;
    n->seen[pair / 64] |= bit;
    return true;
}

static bool taken(const tgs_i_naming *n, const char *name)
{
    return n->seen ? false : tgs_i_names_get(&n->all, &n->b->arena, name) >= 0;
}

/* spelt out, with what makes it its own; without a table, remembered.  With one, no text has a ~,
 * and no two an index. */
static int32_t spell(tgs_i_naming *n, int32_t text, int32_t mark, int32_t index, bool again)
{
    const char *names = n->b->arena.text;
    char name[TGS_NAME_ROOM];
    int32_t offset;
    size_t used;

    snprintf(name, sizeof name, "%s%s", names + n->text.at[text], names + n->mark.at[mark]);
    used = strlen(name);
    for (again |= taken(n, name); again; again = taken(n, name))
        snprintf(name + used, sizeof name - used, "~%d", (int)index++);
    offset = tgs_i_builder_keep(n->b, name);
    if (offset > 0 && !n->seen && tgs_i_names_put(&n->all, &n->b->arena, offset, 0)) {
        no_memory(n);
        return -1;
    }
    return offset;
}

tgs_status tgs_i_naming_give(tgs_i_naming *n, int32_t t, const tgs_i_call *c, int32_t index,
                             int32_t *name, int32_t *mark)
{
    const int32_t m = mark_of(n, c);

    if (m < 0 || (n->told >= 0 && open_pairs(n)))
        return n->b->first.status;
    if (n->seen && take_pair(n, t, m)) {
        *name = n->text.at[t];
        *mark = n->mark.at[m];
        return TGS_OK;
    }
    *mark = 0;
    *name = spell(n, t, m, index, n->seen != NULL);
    return n->b->first.status;
}
