/* capture_words.c -- the words of a record's lines. */
#include <stdlib.h>
#include "capture_words.h"

const char *tgs_i_rec_word(tgs_i_rec *r)
{
    const char *w = tgs_word(&r->rest);

    r->bad |= !w;
    return w ? w : "";
}

int64_t tgs_i_rec_whole(tgs_i_rec *r, int64_t least, int64_t most)
{
    const char *w = tgs_i_rec_word(r);
    char *end;
    const long long x = strtoll(w, &end, 10);

    r->bad |= !*w || *end || x < least || x > most;
    return x < least ? least : x > most ? most : x;
}

int32_t tgs_i_rec_index(tgs_i_rec *r, int32_t count)
{
    r->bad |= count == 0;
    return count == 0 ? 0 : (int32_t)tgs_i_rec_whole(r, 0, count - 1);
}

double tgs_i_rec_real(tgs_i_rec *r)
{
    double x = 0;

    r->bad |= !tgs_parse_real(tgs_i_rec_word(r), &x) || x < 0;
    return x;
}

uint32_t tgs_i_rec_footprint(tgs_i_rec *r)
{
    const char *w = tgs_i_rec_word(r);
    char *end;
    const unsigned long x = strtoul(w, &end, 16);

    r->bad |= !*w || *end || x > UINT32_MAX;
    return (uint32_t)x;
}

int32_t tgs_i_rec_text(tgs_i_rec *r)
{
    tgs_capture *c = r->c;
    char room[2048];
    int32_t offset;

    snprintf(room, sizeof room, "%s", tgs_i_rec_word(r));
    r->bad |= !tgs_name_take(room);
    if (r->bad)
        return 0;
    offset = tgs_i_names_get(&c->texts, &c->text, room);
    if (offset >= 0)
        return offset;
    offset = tgs_i_arena_add(&c->text, room);
    if (offset < 0 || (offset > 0 && tgs_i_names_put(&c->texts, &c->text, offset, offset)))
        r->short_of_memory = true;
    return offset < 0 ? 0 : offset;
}

int32_t tgs_i_rec_id(tgs_i_rec *r)
{
    const int32_t i = (int32_t)tgs_i_rec_whole(r, 0, INT32_MAX - 1);

    while (!r->bad && r->c->task_of.count <= i) {
        int32_t *more = cap_more(r->c->task_of);

        if (!more) {
            r->short_of_memory = true;
            return 0;
        }
        *more = -1;
    }
    return r->bad ? 0 : i;
}

/* ---- tags: a name that several tags have, one after another ---- */
static int32_t name_of_tag(tgs_i_rec *r, const char *name)
{
    tgs_capture *c = r->c;
    int32_t at = tgs_i_names_get(&c->tags, &c->text, name), offset, *more;

    if (at >= 0)
        return at;
    offset = tgs_i_arena_add(&c->text, name);
    more = cap_more(c->tag_of);
    at = c->tag_of.count - 1;
    if (offset < 0 || !more || tgs_i_names_put(&c->tags, &c->text, offset, at)) {
        r->short_of_memory = true;
        return -1;
    }
    *more = -1;
    return at;
}

int32_t tgs_i_rec_tag(tgs_i_rec *r, const char *name, bool anew)
{
    tgs_capture *c = r->c;
    const int32_t at = *name ? name_of_tag(r, name) : -1;

    if (at < 0)
        return 0;
    if (anew) {
        c->tag_of.at[at] = -1;
        return 0;
    }
    if (c->tag_of.at[at] < 0) {
        int32_t *more = cap_more(c->tagged);

        if (!more) {
            r->short_of_memory = true;
            return 0;
        }
        *more = -1;
        c->tag_of.at[at] = c->tagged.count - 1;
    }
    return c->tag_of.at[at];
}

cap_item *tgs_i_rec_item(tgs_i_rec *r, cap_what what)
{
    static _Thread_local cap_item nowhere; /* so that who fills it need not look */
    cap_item *i = cap_more(r->c->item);

    if (!i) {
        r->short_of_memory = true;
        return &nowhere;
    }
    i->what = what;
    return i;
}
