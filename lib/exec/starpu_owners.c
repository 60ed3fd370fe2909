/* starpu_owners.c -- whose an address is: open addressing, O(1) expected; not for several threads
 * at once while it changes. */
#include "starpu_core.h"

static int64_t slot_of(const spu_owner *slot, int64_t slots, const void *address)
{
    int64_t i = (int64_t)((uint64_t)(uintptr_t)address * 0x9E3779B97F4A7C15ull >> 20) & (slots - 1);

    while (slot[i].address && slot[i].address != address)
        i = (i + 1) & (slots - 1);
    return i;
}

tgs_status tgs_i_spu_owners_reserve(spu_owners *o, int64_t more)
{
    int64_t slots = o->slots ? o->slots : 1024;
    spu_owner *slot;

    if (o->slots && (o->used + more) * 2 <= o->slots)
        return TGS_OK;
    while ((o->used + more) * 2 > slots)
        slots *= 2;
    slot = tgs_mem_alloc((size_t)slots, sizeof *slot);
    if (!slot)
        return TGS_ENOMEM;
    for (int64_t i = 0; i < o->slots; i++)
        if (o->slot[i].address)
            slot[slot_of(slot, slots, o->slot[i].address)] = o->slot[i];
    tgs_mem_free(o->slot);
    o->slot = slot;
    o->slots = slots;
    return TGS_OK;
}

void tgs_i_spu_owners_put(spu_owners *o, const void *address, int32_t datum)
{
    spu_owner *x = &o->slot[slot_of(o->slot, o->slots, address)];

    o->used += !x->address;
    x->address = address;
    x->datum = datum;
}

void tgs_i_spu_owners_remove(spu_owners *o, const void *address)
{
    int64_t i, hole;

    if (!o->slots)
        return;
    hole = slot_of(o->slot, o->slots, address);
    if (!o->slot[hole].address)
        return;
    o->used--;
    o->slot[hole].address = NULL;
    /* what was pushed past the hole is put again, so that probing never stops short */
    for (i = (hole + 1) & (o->slots - 1); o->slot[i].address; i = (i + 1) & (o->slots - 1)) {
        const spu_owner moved = o->slot[i];

        o->slot[i].address = NULL;
        o->slot[slot_of(o->slot, o->slots, moved.address)] = moved;
    }
}

int32_t tgs_i_spu_owners_get(const spu_owners *o, const void *address)
{
    const spu_owner *x;

    if (!o->slots)
        return -1;
    x = &o->slot[slot_of(o->slot, o->slots, address)];
    return x->address ? x->datum : -1;
}

void tgs_i_spu_owners_free(spu_owners *o)
{
    tgs_mem_free(o->slot);
    *o = (spu_owners){0};
}
