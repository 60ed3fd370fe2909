/* astra.c -- layer tables of Astra-sim:
 *
 *   DATA                 the training loop, which is a plan and is skipped
 *   54                   layers
 *   conv1 -1 FORWARD TYPE BYTES INPUT_GRADIENT TYPE BYTES WEIGHT_GRADIENT TYPE BYTES DELAY [...]
 *
 * Times are cycles, of a nanosecond as Astra-sim takes them.  The layers are a chain.  The bytes of
 * a collective of weight gradients are the parameters, those of a collective of the forward pass
 * the activation; a layer without one has none in the file, and counts none here. */
#include <string.h>
#include "core.h"
#include "profile.h"

static const char *const loops[] = {"DATA", "MODEL", "HYBRID_", "MICRO", "DLRM", "TRANSFORMER"};

static int sniff(const char *head, size_t size)
{
    const char *end = memchr(head, '\n', size);

    for (size_t i = 0; end && i < sizeof loops / sizeof *loops; i++) {
        const size_t n = strlen(loops[i]);

        if ((size_t)(end - head) >= n && !memcmp(head, loops[i], n)) {
            const char *c = end + 1;

            return c < head + size && *c >= '1' && *c <= '9' ? 2 : 0;
        }
    }
    return 0;
}

typedef struct collective {
    double cycles, bytes;
    bool is; /* not NONE */
} collective;

static tgs_status read_part(tgs_source *s, char **cursor, collective *c, tgs_error *err)
{
    const char *time = tgs_i_read_word(cursor), *type = tgs_i_read_word(cursor);
    const char *bytes = tgs_i_read_word(cursor);

    if (!bytes)
        return tgs_source_fail(s, err, "a layer has 12 fields: it ends too soon");
    if (!tgs_parse_real(time, &c->cycles) || c->cycles < 0 || isinf(c->cycles))
        return tgs_source_fail(s, err, "time %.60s is not a number of cycles", time);
    if (!tgs_parse_real(bytes, &c->bytes) || c->bytes < 0 || isinf(c->bytes))
        return tgs_source_fail(s, err, "size %.60s is not a number of bytes", bytes);
    c->is = strcmp(type, "NONE") != 0;
    return TGS_OK;
}

static tgs_status read_layer(tgs_source *s, tgs_i_profile *p, tgs_error *err)
{
    char *cursor = s->text, name[256];
    const char *first = tgs_i_read_word(&cursor), *reserved = tgs_i_read_word(&cursor);
    collective part[3];
    tgs_i_layer l = {.name = name};
    tgs_status status = TGS_OK;
    int32_t layer;

    if (!reserved)
        return tgs_source_fail(s, err, "a layer has 12 fields: it ends too soon");
    for (int i = 0; i < 3 && !status; i++)
        status = read_part(s, &cursor, &part[i], err);
    if (!status && !tgs_i_read_word(&cursor))
        status = tgs_source_fail(s, err, "a layer has 12 fields: its delay is missing");
    if (status)
        return status;
    /* names may repeat: the position makes them different */
    snprintf(name, sizeof name, "%.200s#%d", first, (int)p->layers);
    l.forward = part[0].cycles * 1e-9;
    l.backward = (part[1].cycles + part[2].cycles) * 1e-9;
    l.activation = part[0].is ? part[0].bytes : 0;
    l.parameter = part[2].is ? part[2].bytes : 0;
    layer = tgs_i_profile_layer(p, &l);
    if (layer < 0 || (layer > 0 && tgs_i_profile_edge(p, layer - 1, layer, NAN)))
        return tgs_i_read_no_memory(s, err);
    return TGS_OK;
}

static tgs_status read_table(tgs_source *s, tgs_i_profile *p, tgs_error *err)
{
    int64_t count = 0;
    char *cursor, *word;
    int more = tgs_source_next(s, err);

    if (more > 0)
        more = tgs_source_next(s, err);
    if (more <= 0)
        return more < 0 ? (tgs_status)more : tgs_source_fail(s, err, "it ends before its layers");
    cursor = s->text;
    word = tgs_i_read_word(&cursor);
    if (!word || !tgs_parse_count(word, TGS_I_READ_MOST, &count) || count < 1)
        return tgs_source_fail(s, err, "'%.60s' is not a number of layers", word ? word : "");
    while (p->layers < count) {
        tgs_status status = TGS_OK;

        more = tgs_source_next(s, err);
        if (more <= 0)
            return more < 0 ? (tgs_status)more
                            : tgs_source_fail(s, err, "%lld layers of %lld", (long long)p->layers,
                                              (long long)count);
        if (s->text[strspn(s->text, " \t")])
            status = read_layer(s, p, err);
        if (status)
            return status;
    }
    return TGS_OK;
}

static tgs_status read_model(tgs_source *s, const char *bind, tgs_model_builder *b, tgs_error *err)
{
    tgs_i_profile p;
    tgs_status status;

    if (bind && *bind)
        return tgs_fail(err, TGS_EINVAL, "%s: a profile has nothing to bind", s->path);
    tgs_i_profile_open(&p, b);
    status = read_table(s, &p, err);
    if (!status)
        tgs_i_profile_finish(&p); /* finishing the model tells what is wrong */
    tgs_i_profile_close(&p);
    return status;
}

const tgs_reader tgs_reader_astra = {
    .base = {TGS_PLUGIN_ABI, "astra", "layer tables of Astra-sim",
             "Rashidi et al., ASTRA-SIM, ISPASS 2020", NULL},
    .yields = TGS_YIELD_MODEL,
    .suffixes = "",
    .sniff = sniff,
    .read_model = read_model,
};
