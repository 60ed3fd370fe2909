/* capture_read.c -- reads the record of a captured run (lib/exec/starpu_tap_record.c writes it):
 *
 *   session                         StarPU was started
 *   worker ID ARCH NTH NODE         the NTH of its architecture, and its memory
 *   data BYTES HOME                 datum 0, 1, ... in the order of first use
 *   task NAME CODELET FOOTPRINT ARCHS WORKER PRIORITY ID THREAD PARENT TAG N {DATUM MODE}...
 *   dep ID ID, tag TAG TAG          the second waits for the first
 *   untag TAG                       what is called so from here on is another tag
 *   retag TAG                       it is waited for again
 *   wait THREAD all | task ID | tag TAG
 *   host THREAD read|write|update|unregister|drop DATUM
 *   parts THREAD split|join DATUM N PIECE...
 *   copy THREAD FROM TO WAITED
 *   expect CODELET FOOTPRINT ARCH US    of StarPU's own models
 *   ran TASK WORKER START END, moved DATUM FROM TO BYTES START END    in us
 *   note TEXT
 *   end */
#include <stdlib.h>
#include <string.h>
#include "capture_words.h"
#include "words.h"

const char *const tgs_i_arch_name[TGS_I_ARCHS] = {"cpu", "opencl", "cuda"};

static uint8_t mode(tgs_i_rec *r, cap_access *a)
{
    static const struct {
        char letter;
        uint8_t how;
    } modes[] = {{'r', CAP_R}, {'w', CAP_W}, {'s', CAP_SCRATCH}, {'x', CAP_REDUX}};
    uint8_t how = 0;

    for (const char *w = tgs_i_rec_word(r); *w; w++) {
        const uint8_t before = how;

        for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
            how |= modes[i].letter == *w ? modes[i].how : 0;
        a->commutes |= *w == 'c';
        a->free |= *w == '!';
        r->bad |= how == before && *w != 'c' && *w != '!';
    }
    return how;
}

static void take_accesses(tgs_i_rec *r, cap_task *t)
{
    tgs_capture *c = r->c;
    const int64_t n = tgs_i_rec_whole(r, 0, INT32_MAX);

    t->access_at = c->access.count;
    for (int64_t i = 0; i < n && !r->bad; i++) {
        cap_access a = {.datum = tgs_i_rec_index(r, c->datum.count)}, *known = NULL, *more;

        a.how = mode(r, &a);
        for (int32_t k = t->access_at; k < c->access.count && !known; k++)
            if (c->access.at[k].datum == a.datum)
                known = &c->access.at[k];
        if (known) { /* StarPU makes them one */
            known->how |= a.how;
            continue;
        }
        more = cap_more(c->access);
        if (!more) {
            r->short_of_memory = true;
            return;
        }
        *more = a;
    }
    t->accesses = c->access.count - t->access_at;
}

static void take_task(tgs_i_rec *r)
{
    tgs_capture *c = r->c;
    const int32_t index = c->task.count;
    cap_task t = {.name = tgs_i_rec_text(r)}, *more;
    cap_item *i;
    const char *tag;
    int32_t id;

    t.codelet = tgs_i_rec_text(r);
    t.footprint = tgs_i_rec_footprint(r);
    t.archs = (int32_t)tgs_i_rec_whole(r, -1, (1 << TGS_I_ARCHS) - 1);
    t.worker = (int32_t)tgs_i_rec_whole(r, -1, INT32_MAX);
    t.priority = (int32_t)tgs_i_rec_whole(r, INT32_MIN, INT32_MAX);
    id = tgs_i_rec_id(r);
    t.thread = (int32_t)tgs_i_rec_whole(r, 0, INT32_MAX);
    t.parent = (int32_t)tgs_i_rec_whole(r, -1, index - 1);
    tag = tgs_i_rec_word(r);
    t.tag = strcmp(tag, "-") ? tgs_i_rec_tag(r, tag, false) : -1;
    take_accesses(r, &t);
    if (r->bad || r->short_of_memory)
        return;
    i = tgs_i_rec_item(r, CAP_TASK);
    i->thread = t.thread;
    i->at = index;
    more = cap_more(c->task);
    if (!more) {
        r->short_of_memory = true;
        return;
    }
    *more = t;
    c->task_of.at[id] = index;
    if (t.tag >= 0 && c->tagged.at[t.tag] < 0)
        c->tagged.at[t.tag] = index;
}

static void take_wait(tgs_i_rec *r)
{
    const int32_t thread = (int32_t)tgs_i_rec_whole(r, 0, INT32_MAX);
    const char *what = tgs_i_rec_word(r);
    int32_t at = 0;
    cap_item *i;

    if (!strcmp(what, "task"))
        at = tgs_i_rec_id(r);
    else if (!strcmp(what, "tag"))
        at = tgs_i_rec_tag(r, tgs_i_rec_word(r), false);
    else
        r->bad |= strcmp(what, "all") != 0;
    i = tgs_i_rec_item(r, !strcmp(what, "task")  ? CAP_WAIT_TASK
                          : !strcmp(what, "tag") ? CAP_WAIT_TAG
                                                 : CAP_WAIT_ALL);
    i->thread = thread;
    i->at = at;
}

static void take_host(tgs_i_rec *r)
{
    static const struct {
        const char *what;
        cap_how how;
    } all[] = {{"read", CAP_R},
               {"write", CAP_W},
               {"update", CAP_RW},
               {"unregister", CAP_RW},
               {"drop", CAP_W}};
    cap_item *i = tgs_i_rec_item(r, CAP_HOST);
    const char *what;

    i->thread = (int32_t)tgs_i_rec_whole(r, 0, INT32_MAX);
    what = tgs_i_rec_word(r);
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (!strcmp(what, all[k].what))
            i->access = all[k].how;
    r->bad |= !i->access;
    i->at = tgs_i_rec_index(r, r->c->datum.count);
}

static void take_parts(tgs_i_rec *r)
{
    const int32_t thread = (int32_t)tgs_i_rec_whole(r, 0, INT32_MAX);
    const char *what = tgs_i_rec_word(r);
    cap_item *i = tgs_i_rec_item(r, !strcmp(what, "split") ? CAP_SPLIT : CAP_JOIN);
    int64_t n;

    r->bad |= i->what == CAP_JOIN && strcmp(what, "join");
    i->thread = thread;
    i->at = tgs_i_rec_index(r, r->c->datum.count);
    i->first = r->c->piece.count;
    n = tgs_i_rec_whole(r, 0, INT32_MAX);
    for (int64_t k = 0; k < n && !r->bad; k++) {
        int32_t *more = cap_more(r->c->piece);

        if (!more) {
            r->short_of_memory = true;
            return;
        }
        *more = tgs_i_rec_index(r, r->c->datum.count);
    }
    i->count = r->c->piece.count - i->first;
}

static void take_copy(tgs_i_rec *r)
{
    cap_item *i = tgs_i_rec_item(r, CAP_COPY);

    i->thread = (int32_t)tgs_i_rec_whole(r, 0, INT32_MAX);
    i->at = tgs_i_rec_index(r, r->c->datum.count);
    i->first = tgs_i_rec_index(r, r->c->datum.count);
    i->count = (int32_t)tgs_i_rec_whole(r, 0, 1);
}

static void take_dep(tgs_i_rec *r)
{
    const int32_t before = tgs_i_rec_id(r), after = tgs_i_rec_id(r);
    cap_pair *p = cap_more(r->c->dep);

    if (p)
        *p = (cap_pair){before, after};
    r->short_of_memory |= !p;
}

static void take_tag(tgs_i_rec *r)
{
    const int32_t before = tgs_i_rec_tag(r, tgs_i_rec_word(r), false);
    const int32_t after = tgs_i_rec_tag(r, tgs_i_rec_word(r), false);
    cap_pair *p = cap_more(r->c->tag);

    if (p)
        *p = (cap_pair){before, after};
    r->short_of_memory |= !p;
}

static void take_untag(tgs_i_rec *r)
{
    tgs_i_rec_tag(r, tgs_i_rec_word(r), true);
}

static void take_retag(tgs_i_rec *r)
{
    tgs_i_rec_tag(r, tgs_i_rec_word(r), false); /* it waits for what it has waited for */
}

static void take_session(tgs_i_rec *r)
{
    if (r->c->item.count) /* the first comes after nothing */
        tgs_i_rec_item(r, CAP_SESSION);
}

static void take_worker(tgs_i_rec *r)
{
    cap_worker w = {.id = (int32_t)tgs_i_rec_whole(r, 0, INT32_MAX), .arch = -1}, *more;
    const char *arch = tgs_i_rec_word(r);

    for (int32_t a = 0; a < TGS_I_ARCHS; a++)
        if (!strcmp(arch, tgs_i_arch_name[a]))
            w.arch = a;
    r->bad |= w.arch < 0;
    w.nth = (int32_t)tgs_i_rec_whole(r, 0, INT32_MAX);
    w.node = (int32_t)tgs_i_rec_whole(r, 0, INT32_MAX);
    for (int32_t i = 0; i < r->c->worker.count; i++)
        if (r->c->worker.at[i].id == w.id) /* of an earlier session */
            return;
    more = cap_more(r->c->worker);
    if (more)
        *more = w;
    r->short_of_memory |= !more;
}

static void take_data(tgs_i_rec *r)
{
    const double bytes = tgs_i_rec_real(r);
    const int32_t home = (int32_t)tgs_i_rec_whole(r, -1, INT32_MAX);
    cap_datum *d = cap_more(r->c->datum);

    if (d)
        *d = (cap_datum){bytes, home};
    r->short_of_memory |= !d;
}

static void take_expect(tgs_i_rec *r)
{
    cap_expected e = {.codelet = tgs_i_rec_text(r)}, *more;

    e.footprint = tgs_i_rec_footprint(r);
    e.arch = (int32_t)tgs_i_rec_whole(r, 0, TGS_I_ARCHS - 1);
    e.us = tgs_i_rec_real(r);
    more = cap_more(r->c->expected);
    if (more)
        *more = e;
    r->short_of_memory |= !more;
}

static void take_ran(tgs_i_rec *r)
{
    const int32_t t = tgs_i_rec_index(r, r->c->task.count);
    const int32_t worker = (int32_t)tgs_i_rec_whole(r, 0, INT32_MAX);
    const double start = tgs_i_rec_real(r), end = tgs_i_rec_real(r);

    r->bad |= end < start;
    if (r->bad)
        return;
    r->c->task.at[t].ran_on = worker;
    r->c->task.at[t].start = start;
    r->c->task.at[t].end = end;
}

static void take_moved(tgs_i_rec *r)
{
    cap_moved m = {.datum = (int32_t)tgs_i_rec_whole(r, -1, r->c->datum.count - 1)}, *more;

    m.from = (int32_t)tgs_i_rec_whole(r, 0, INT32_MAX);
    m.to = (int32_t)tgs_i_rec_whole(r, 0, INT32_MAX);
    m.bytes = tgs_i_rec_real(r);
    m.start = tgs_i_rec_real(r);
    m.end = tgs_i_rec_real(r);
    more = cap_more(r->c->moved);
    if (more)
        *more = m;
    r->short_of_memory |= !more;
}

static void take_note(tgs_i_rec *r)
{
    const int32_t text = tgs_i_rec_text(r);
    int32_t *more = cap_more(r->c->note);

    if (more)
        *more = text;
    r->short_of_memory |= !more;
}

static tgs_status take_line(tgs_i_rec *r, const char *what, tgs_error *err)
{
    static const struct {
        const char *what;
        void (*take)(tgs_i_rec *r);
    } all[] = {{"task", take_task},       {"ran", take_ran},     {"data", take_data},
               {"moved", take_moved},     {"dep", take_dep},     {"tag", take_tag},
               {"untag", take_untag},     {"retag", take_retag}, {"wait", take_wait},
               {"host", take_host},       {"parts", take_parts}, {"copy", take_copy},
               {"session", take_session}, {"note", take_note},   {"worker", take_worker},
               {"expect", take_expect}};
    size_t i = 0;

    while (i < sizeof all / sizeof *all && strcmp(all[i].what, what) != 0)
        i++;
    if (i == sizeof all / sizeof *all)
        return tgs_source_fail(&r->source, err, "no record '%.40s'", what);
    all[i].take(r);
    if (r->short_of_memory)
        return tgs_fail(err, TGS_ENOMEM, "%s: out of memory", r->source.path);
    if (r->bad)
        return tgs_source_fail(&r->source, err, "'%.40s' is malformed", what);
    return tgs_i_record_end(&r->source, r->rest, err);
}

static tgs_status read_lines(tgs_i_rec *r, tgs_error *err)
{
    char *what;
    bool ended = false;
    int got = 0;
    tgs_status status = tgs_i_record_format(&r->source, "tgsched.record/1", err);

    while (!status && !ended && (got = tgs_i_record_next(&r->source, &what, &r->rest, err)) == 1) {
        ended = !strcmp(what, "end");
        if (!ended)
            status = take_line(r, what, err);
    }
    if (!status && got < 0)
        status = (tgs_status)got;
    return status ? status : tgs_i_record_last(&r->source, ended, err);
}

/* ---- from outside ---- */
tgs_status tgs_capture_read(tgs_capture **out, const char *path, tgs_error *err)
{
    tgs_i_rec r = {.bad = false};
    tgs_status status;

    *out = NULL;
    status = tgs_i_source_open(&r.source, path, err);
    if (status)
        return status;
    r.c = tgs_mem_alloc(1, sizeof *r.c);
    status = r.c && tgs_i_arena_add(&r.c->text, "") == 0
                 ? read_lines(&r, err)
                 : tgs_fail(err, TGS_ENOMEM, "%s: out of memory", path);
    tgs_i_source_close(&r.source);
    if (status)
        tgs_capture_free(r.c);
    else
        *out = r.c;
    return status;
}

void tgs_capture_free(tgs_capture *c)
{
    if (!c)
        return;
    tgs_i_arena_free(&c->text);
    tgs_i_names_free(&c->texts);
    tgs_i_names_free(&c->tags);
    tgs_mem_free(c->task.at);
    tgs_mem_free(c->access.at);
    tgs_mem_free(c->item.at);
    tgs_mem_free(c->piece.at);
    tgs_mem_free(c->task_of.at);
    tgs_mem_free(c->dep.at);
    tgs_mem_free(c->tag.at);
    tgs_mem_free(c->tag_of.at);
    tgs_mem_free(c->tagged.at);
    tgs_mem_free(c->datum.at);
    tgs_mem_free(c->worker.at);
    tgs_mem_free(c->expected.at);
    tgs_mem_free(c->moved.at);
    tgs_mem_free(c->note.at);
    tgs_mem_free(c);
}
