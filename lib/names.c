/* names.c -- what tasks and data are called.  Copies of one step share the text of a name; what
 * says which copy it is, the mark, is a text that many names share, too, and comes after it. */
#include <string.h>
#include "hash.h"
#include "internal.h"

enum { SHELF = 256 };

/* a task, or a datum, of a graph */
typedef struct named {
    const tgs_graph_view *g;
    bool datum;
} named;

static int32_t text_of(const named *n, int32_t i)
{
    return n->datum ? n->g->datum[i].name : n->g->task[i].name;
}

static int32_t mark_of(const named *n, int32_t i)
{
    if (!n->datum)
        return n->g->task[i].mark;
    return n->g->datum[i].extra < 0 ? 0 : n->g->extra[n->g->datum[i].extra].mark;
}

static const char *compose(const named *n, int32_t i, char *room)
{
    const char *text = tgs_text(n->g, text_of(n, i));
    const int32_t mark = mark_of(n, i);
    size_t size, more;

    if (!mark)
        return text;
    size = strnlen(text, TGS_NAME_ROOM - 1); /* by hand, since a step may have a million tasks */
    more = strnlen(tgs_text(n->g, mark), TGS_NAME_ROOM - 1 - size);
    memcpy(room, text, size);
    memcpy(room + size, tgs_text(n->g, mark), more);
    room[size + more] = 0;
    return room;
}

const char *tgs_task_name(const tgs_graph_view *g, int32_t task, char room[TGS_NAME_ROOM])
{
    return compose(&(named){g, false}, task, room);
}

const char *tgs_datum_name(const tgs_graph_view *g, int32_t datum, char room[TGS_NAME_ROOM])
{
    return compose(&(named){g, true}, datum, room);
}

/* pointers to the names of [first, first + count), and behind them the texts of those that are
 * composed, in one piece; NULL: out of memory */
static const char **lasting(const named *n, int32_t first, int32_t count)
{
    size_t size = (size_t)count * sizeof(const char *);
    const char **text;
    char *at;

    for (int32_t i = first; i < first + count; i++)
        if (mark_of(n, i))
            size +=
                strlen(tgs_text(n->g, text_of(n, i))) + strlen(tgs_text(n->g, mark_of(n, i))) + 1;
    text = tgs_mem_alloc(size, 1);
    at = text ? (char *)(text + count) : NULL;
    for (int32_t i = first; text && i < first + count; i++) {
        text[i - first] = mark_of(n, i) ? at : tgs_text(n->g, text_of(n, i));
        if (mark_of(n, i)) {
            at = stpcpy(at, tgs_text(n->g, text_of(n, i)));
            at = stpcpy(at, tgs_text(n->g, mark_of(n, i))) + 1;
        }
    }
    return text;
}

const char **tgs_task_names(const tgs_graph_view *g)
{
    return lasting(&(named){g, false}, 0, g->tasks);
}

/* ---- names that a graph keeps for who asks by the public functions -----------------------------
 */
/* Composed when one of a shelf is first asked for; threads that ask at once compose it twice, and
 * one of them throws its own away. */
struct tgs_i_shelves {
    int32_t count;
    _Atomic(const char **) shelf[];
};

struct tgs_i_shelves *tgs_i_shelves_new(int32_t names)
{
    const size_t shelves = ((size_t)names + SHELF - 1) / SHELF;
    struct tgs_i_shelves *s =
        tgs_mem_alloc(1, sizeof *s + shelves * sizeof(_Atomic(const char **)));

    if (s)
        s->count = (int32_t)shelves;
    for (size_t i = 0; s && i < shelves; i++)
        atomic_init(&s->shelf[i], NULL);
    return s;
}

void tgs_i_shelves_free(struct tgs_i_shelves *s)
{
    for (int32_t i = 0; s && i < s->count; i++)
        tgs_mem_free(atomic_load(&s->shelf[i]));
    tgs_mem_free(s);
}

static const char *kept(struct tgs_i_shelves *s, const named *n, int32_t i, int32_t count)
{
    const int32_t first = i - i % SHELF;
    const char **there = NULL, **made;

    if (!mark_of(n, i))
        return tgs_text(n->g, text_of(n, i));
    if ((there = atomic_load(&s->shelf[i / SHELF])))
        return there[i - first];
    made = lasting(n, first, count - first < SHELF ? count - first : SHELF);
    if (!made)
        return "";
    if (atomic_compare_exchange_strong(&s->shelf[i / SHELF], &there, made))
        return made[i - first];
    tgs_mem_free(made);
    return there[i - first];
}

const char *tgs_graph_task_name(const tgs_graph *g, int32_t task)
{
    return task < 0 || task >= g->v.tasks
               ? ""
               : kept(g->task_name, &(named){&g->v, false}, task, g->v.tasks);
}

const char *tgs_graph_datum_name(const tgs_graph *g, int32_t datum)
{
    return datum < 0 || datum >= g->v.data
               ? ""
               : kept(g->datum_name, &(named){&g->v, true}, datum, g->v.data);
}

/* ---- by name -----------------------------------------------------------------------------------
 */
static int32_t find(const named *n, int32_t count, const char *name)
{
    for (int32_t i = 0; *name && i < count; i++) {
        const char *text = tgs_text(n->g, text_of(n, i));
        const size_t size = mark_of(n, i) ? strlen(text) : 0;

        if (!strncmp(name, text, size)
            && !strcmp(name + size, size ? tgs_text(n->g, mark_of(n, i)) : text))
            return i;
    }
    return TGS_ENOTFOUND;
}

int32_t tgs_graph_find_task(const tgs_graph *g, const char *name)
{
    return find(&(named){&g->v, false}, g->v.tasks, name);
}

int32_t tgs_graph_find_datum(const tgs_graph *g, const char *name)
{
    return find(&(named){&g->v, true}, g->v.data, name);
}

static tgs_status index_names(const named *n, int32_t count, tgs_i_arena *a, tgs_i_names *names)
{
    char room[TGS_NAME_ROOM];

    for (int32_t i = 0; i < count; i++) {
        const int32_t offset = text_of(n, i) ? tgs_i_arena_add(a, compose(n, i, room)) : 0;

        if (offset < 0 || (offset && tgs_i_names_put(names, a, offset, i)))
            return TGS_ENOMEM;
    }
    return TGS_OK;
}

tgs_status tgs_i_index_tasks(const tgs_graph_view *g, tgs_i_arena *a, tgs_i_names *names)
{
    return index_names(&(named){g, false}, g->tasks, a, names);
}

tgs_status tgs_i_index_data(const tgs_graph_view *g, tgs_i_arena *a, tgs_i_names *names)
{
    return index_names(&(named){g, true}, g->data, a, names);
}
