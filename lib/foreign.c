/* foreign.c -- machines in files of other programs. */
#include <inttypes.h>
#include <string.h>
#include "foreign.h"

static bool holds(const char *head, size_t size, const char *word)
{
    return memmem(head, size, word, strlen(word)) != NULL;
}

static bool is_xml(const char *head, size_t size)
{
    while (size && strchr(" \t\r\n", *head) && *head) {
        head++;
        size--;
    }
    return size && *head == '<';
}

static bool is_hwloc(const char *head, size_t size)
{
    return is_xml(head, size) && holds(head, size, "<topology");
}

static bool is_simgrid(const char *head, size_t size)
{
    return is_xml(head, size) && holds(head, size, "<platform");
}

static bool is_dslab(const char *head, size_t size)
{
    return (size > 10 && !memcmp(head, "resources:", 10)) || holds(head, size, "\nresources:");
}

static bool is_rates(const char *head, size_t size)
{
    return size > 2 && !memcmp(head, "P,", 2) && holds(head, size, "\nP");
}

static const tgs_i_foreign formats[] = {
    {"hwloc", is_hwloc, tgs_i_hwloc_load},
    {"simgrid", is_simgrid, tgs_i_simgrid_load},
    {"dslab", is_dslab, tgs_i_dslab_load},
    {"rates", is_rates, tgs_i_rates_load},
};

const tgs_i_foreign *tgs_i_foreign_find(const char *head, size_t size)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].sniff(head, size))
            return &formats[i];
    return NULL;
}

tgs_status tgs_i_foreign_kind(tgs_i_assembly *a, tgs_error *err)
{
    const tgs_kind kind = {.name = "cpu",
                           .arch = "cpu",
                           .flops = TGS_I_FOREIGN_FLOPS,
                           .bandwidth = NAN,
                           .power_idle = NAN,
                           .power_busy = NAN};

    return tgs_i_assembly_kind(a, &kind, NULL, err);
}

tgs_status tgs_i_foreign_host(tgs_i_assembly *a, const char *name, double flops, int64_t cores,
                              double capacity, int32_t node, tgs_error *err)
{
    const tgs_memory memory = {.name = name, .trust = "", .capacity = capacity, .node = node};
    tgs_proc proc = {.kind = 0, .speed = flops / TGS_I_FOREIGN_FLOPS};
    tgs_status status = tgs_i_assembly_memory(a, &memory, &proc.memory, err);
    char text[300];

    for (int64_t i = 0; i < cores && !status; i++) {
        proc.name = text;
        if (cores == 1)
            proc.name = name;
        else
            snprintf(text, sizeof text, "%.250s.%" PRId64, name, i);
        status = tgs_i_assembly_proc(a, &proc, NULL, err);
    }
    return status;
}
