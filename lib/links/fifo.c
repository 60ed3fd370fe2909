/* fifo.c -- a link, and the bus it is on, carries one message at a time, in the order in which they
 * are asked for. */
#include "core.h"

typedef struct message {
    double seconds, began;
    int32_t next; /* behind it in the queue; -1 none */
} message;

typedef struct lane {   /* a bus, or a link that is on none */
    int32_t head, tail; /* transfers; the head is under way; -1 empty */
} lane;

typedef struct fifo {
    const tgs_platform_view *p;
    lane *lane; /* [links + buses] */
    message *message;
    int64_t room;
    tgs_heap busy; /* lanes by when their head completes */
} fifo;

static void fifo_close(void *state)
{
    fifo *s = state;

    if (s) {
        tgs_mem_free(s->lane);
        tgs_mem_free(s->message);
        tgs_mem_free(s->busy.item);
    }
    tgs_mem_free(s);
}

static tgs_status fifo_open(void **state, const tgs_platform_view *p, tgs_error *err)
{
    const int32_t lanes = p->links + p->buses;
    fifo *s = *state = tgs_mem_alloc(1, sizeof *s);

    if (s) {
        s->p = p;
        s->lane = tgs_mem_alloc((size_t)lanes, sizeof *s->lane);
        s->busy.item = tgs_mem_alloc((size_t)lanes, sizeof *s->busy.item);
    }
    if (!s || !s->lane || !s->busy.item) {
        fifo_close(s);
        *state = NULL;
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    }
    for (int32_t i = 0; i < lanes; i++)
        s->lane[i] = (lane){-1, -1};
    return TGS_OK;
}

static void begin(fifo *s, int32_t lane, double now)
{
    message *m = &s->message[s->lane[lane].head];

    m->began = now;
    tgs_heap_push(&s->busy, now + m->seconds, lane);
}

static tgs_status fifo_start(void *state, int32_t transfer, int32_t link, double bytes, double now)
{
    fifo *s = state;
    const int32_t bus = s->p->link[link].bus, number = bus < 0 ? link : s->p->links + bus;
    lane *l = &s->lane[number];

    if (tgs_mem_grow(&s->message, &s->room, (int64_t)transfer + 1, sizeof *s->message))
        return TGS_ENOMEM;
    s->message[transfer] = (message){link_seconds(s->p, link, bytes), now, -1};
    if (l->head >= 0) {
        s->message[l->tail].next = transfer;
        l->tail = transfer;
    } else {
        l->head = l->tail = transfer;
        begin(s, number, now);
    }
    return TGS_OK;
}

static double fifo_next(void *state)
{
    const fifo *s = state;

    return s->busy.size ? s->busy.item[0].key : INFINITY;
}

static int32_t fifo_finish(void *state, double now, double *began)
{
    fifo *s = state;
    const int32_t number = tgs_heap_pop(&s->busy).id;
    lane *l = &s->lane[number];
    const int32_t transfer = l->head;

    *began = s->message[transfer].began;
    l->head = s->message[transfer].next;
    if (l->head >= 0)
        begin(s, number, now);
    else
        l->tail = -1;
    return transfer;
}

const tgs_link_model tgs_link_model_fifo = {
    .base = {TGS_PLUGIN_ABI, "fifo", "a link and its bus carry one message at a time", NULL, NULL},
    .open = fifo_open,
    .start = fifo_start,
    .next = fifo_next,
    .finish = fifo_finish,
    .close = fifo_close,
};
