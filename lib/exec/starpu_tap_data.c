/* starpu_tap_data.c -- data, as the application handles them: registration, filters, and access
 * from outside of tasks.
 *
 * A piece of a partitioned handle is a datum of its own.  Where a filter is applied or undone by a
 * call that waits, the record says so, and the dependencies follow; what is partitioned by
 * submission is done in tasks, which StarPU submits as the application would. */
#include "starpu_tap.h"

TAP_REAL(starpu_data_register)
TAP_REAL(starpu_data_unregister)
TAP_REAL(starpu_data_unregister_no_coherency)
TAP_REAL(starpu_data_unregister_submit)
TAP_REAL(starpu_data_acquire_on_node)
TAP_REAL(starpu_data_partition)
TAP_REAL(starpu_data_unpartition)
TAP_REAL(starpu_data_partition_plan)
TAP_REAL(starpu_data_partition_clean)
TAP_REAL(starpu_data_cpy)

void starpu_data_register(starpu_data_handle_t *h, int home, void *interface,
                          struct starpu_data_interface_ops *ops)
{
    if (tap_on() && tgs_i_tap.recording)
        tgs_i_tap_watch_copies(ops);
    real_starpu_data_register()(h, home, interface, ops);
    if (tap_on()) {
        pthread_mutex_lock(&tgs_i_tap.lock);
        tgs_i_tap_new_datum(*h);
        pthread_mutex_unlock(&tgs_i_tap.lock);
    }
}

/* "host THREAD WHAT DATUM [MODE]" */
static void put_host(const char *what, starpu_data_handle_t h)
{
    const int32_t datum = tgs_i_tap_datum(h); /* its line comes before */

    tgs_i_tap_put("host %d %s %d\n", tgs_i_tap_thread(), what, datum);
}

/* the handle will be gone */
static void ends(starpu_data_handle_t h, const char *what)
{
    if (tgs_i_tap_enter()) {
        if (what && tgs_i_tap_knows(h))
            put_host(what, h);
        tgs_i_tap_leave();
    }
    if (tap_on()) {
        pthread_mutex_lock(&tgs_i_tap.lock);
        tgs_i_tap_forget_datum(h);
        pthread_mutex_unlock(&tgs_i_tap.lock);
    }
}

void starpu_data_unregister(starpu_data_handle_t h)
{
    ends(h, "unregister");
    real_starpu_data_unregister()(h);
    tgs_i_tap_me.depth--;
}

void starpu_data_unregister_no_coherency(starpu_data_handle_t h)
{
    ends(h, "drop");
    real_starpu_data_unregister_no_coherency()(h);
    tgs_i_tap_me.depth--;
}

void starpu_data_unregister_submit(starpu_data_handle_t h)
{
    ends(h, NULL);
    real_starpu_data_unregister_submit()(h);
    tgs_i_tap_me.depth--;
}

/* ---- access from outside of tasks ---- */
int starpu_data_acquire_on_node(starpu_data_handle_t h, int node, enum starpu_data_access_mode mode)
{
    int status;

    if (tgs_i_tap_enter()) {
        put_host(mode & STARPU_W ? "write" : "read", h);
        tgs_i_tap_leave();
    }
    status = real_starpu_data_acquire_on_node()(h, node, mode);
    tgs_i_tap_me.depth--;
    return status;
}

int starpu_data_acquire(starpu_data_handle_t h, enum starpu_data_access_mode mode)
{
    return starpu_data_acquire_on_node(h, STARPU_MAIN_RAM, mode);
}

int starpu_data_cpy(starpu_data_handle_t to, starpu_data_handle_t from, int asynchronous,
                    void (*callback)(void *), void *arg)
{
    int status;

    if (tgs_i_tap_enter()) {
        const int32_t a = tgs_i_tap_datum(from), b = tgs_i_tap_datum(to);

        tgs_i_tap_put("copy %d %d %d %d\n", tgs_i_tap_thread(), a, b, !asynchronous);
        tgs_i_tap_leave();
    }
    status = real_starpu_data_cpy()(to, from, asynchronous, callback, arg);
    tgs_i_tap_me.depth--;
    return status;
}

/* ---- filters ---- */
/* "parts THREAD split|join WHOLE COUNT PIECE..." */
static void put_parts(const char *what, starpu_data_handle_t whole, int32_t n,
                      starpu_data_handle_t *piece)
{
    const int32_t datum = tgs_i_tap_datum(whole);

    for (int32_t i = 0; i < n; i++)
        tgs_i_tap_datum(piece ? piece[i] : starpu_data_get_child(whole, (unsigned)i));
    tgs_i_tap_put("parts %d %s %d %d", tgs_i_tap_thread(), what, datum, n);
    for (int32_t i = 0; i < n; i++)
        tgs_i_tap_put(
            " %d", tgs_i_tap_datum(piece ? piece[i] : starpu_data_get_child(whole, (unsigned)i)));
    tgs_i_tap_put("\n");
}

/* pieces lie where others lay before */
static void new_pieces(starpu_data_handle_t whole, int32_t n, starpu_data_handle_t *piece)
{
    for (int32_t i = 0; i < n; i++)
        tgs_i_tap_new_datum(piece ? piece[i] : starpu_data_get_child(whole, (unsigned)i));
}

void starpu_data_partition(starpu_data_handle_t whole, struct starpu_data_filter *f)
{
    tgs_i_tap_me.depth++;
    real_starpu_data_partition()(whole, f);
    tgs_i_tap_me.depth--;
    if (tap_on()) {
        pthread_mutex_lock(&tgs_i_tap.lock);
        new_pieces(whole, starpu_data_get_nb_children(whole), NULL);
        pthread_mutex_unlock(&tgs_i_tap.lock);
    }
    if (tgs_i_tap_enter()) {
        put_parts("split", whole, starpu_data_get_nb_children(whole), NULL);
        tgs_i_tap_leave();
    }
    tgs_i_tap_me.depth--;
}

/* pieces of pieces are joined with them */
static void join(starpu_data_handle_t whole)
{
    const int n = starpu_data_get_nb_children(whole);

    for (int i = 0; i < n; i++) {
        starpu_data_handle_t piece = starpu_data_get_child(whole, (unsigned)i);

        if (starpu_data_get_nb_children(piece) > 0)
            join(piece);
    }
    if (tgs_i_tap.recording)
        put_parts("join", whole, n, NULL);
    for (int i = 0; i < n; i++)
        tgs_i_tap_forget_datum(starpu_data_get_child(whole, (unsigned)i));
}

void starpu_data_unpartition(starpu_data_handle_t whole, unsigned node)
{
    if (tap_on() && !tgs_i_tap_me.depth) {
        pthread_mutex_lock(&tgs_i_tap.lock);
        join(whole);
        pthread_mutex_unlock(&tgs_i_tap.lock);
    }
    tgs_i_tap_me.depth++;
    real_starpu_data_unpartition()(whole, node);
    tgs_i_tap_me.depth--;
}

void starpu_data_partition_plan(starpu_data_handle_t whole, struct starpu_data_filter *f,
                                starpu_data_handle_t *piece)
{
    real_starpu_data_partition_plan()(whole, f, piece);
    if (tap_on()) {
        pthread_mutex_lock(&tgs_i_tap.lock);
        new_pieces(whole, (int32_t)f->nchildren, piece);
        pthread_mutex_unlock(&tgs_i_tap.lock);
    }
}

void starpu_data_partition_clean(starpu_data_handle_t whole, unsigned n,
                                 starpu_data_handle_t *piece)
{
    if (tap_on()) {
        pthread_mutex_lock(&tgs_i_tap.lock);
        for (unsigned i = 0; i < n; i++)
            tgs_i_tap_forget_datum(piece[i]);
        pthread_mutex_unlock(&tgs_i_tap.lock);
    }
    tgs_i_tap_me.depth++;
    real_starpu_data_partition_clean()(whole, n, piece);
    tgs_i_tap_me.depth--;
}
