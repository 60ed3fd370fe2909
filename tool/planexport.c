/* planexport.c -- what of a strategy PyTorch, DeepSpeed and Megatron-LM can be told, as JSON (which
 * is a Python dict too), and what they cannot. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "plans.h"

typedef struct fields { /* of the directives; words point into text */
    char *text;
    long stages, micro_batches, replicas, tensor, zero;
    double batch;    /* samples of a micro-batch */
    double all, one; /* of the step, of a replica, when they are given in unequal pieces; else 0 */
    const char *order, *cuts, *places;
    const char *other[32]; /* directives that none of the three has */
    int others;
    bool recompute, offload, unequal;
} fields;

/* the value of key= among words, or NULL; cut in place by the caller's copy */
static const char *value_of(char **word, int words, const char *key)
{
    const size_t n = strlen(key);

    for (int i = 1; i < words; i++)
        if (!strncmp(word[i], key, n) && word[i][n] == '=')
            return word[i] + n + 1;
    return NULL;
}

/* of a comma list of counts, or NULL */
static double sum_of(const char *list)
{
    double sum = 0;

    for (const char *s = list; s && *s; s += strcspn(s, ","), s += *s == ',')
        sum += strtod(s, NULL);
    return sum;
}

static void take(fields *f, char *line)
{
    char *word[32], *rest = line;
    int words = 0;

    for (char *w; words < 32 && (w = strsep(&rest, " "));)
        if (*w)
            word[words++] = w;
    if (!words)
        return;
    if (!strcmp(word[0], "pipeline") && words > 2) {
        f->stages = strtol(word[1], NULL, 10);
        f->order = word[2];
        f->cuts = value_of(word, words, "cuts");
    } else if (!strcmp(word[0], "micro-batches") && words > 1) {
        f->micro_batches = strtol(word[1], NULL, 10);
        f->one = sum_of(value_of(word, words, "sizes"));
    } else if (!strcmp(word[0], "replicas") && words > 1) {
        f->replicas = strtol(word[1], NULL, 10);
        f->all = sum_of(value_of(word, words, "shares"));
    } else if (!strcmp(word[0], "batch") && words > 1)
        f->batch = strtod(word[1], NULL);
    else if (!strcmp(word[0], "tensor") && words > 2 && !strcmp(word[1], "1d"))
        f->tensor = strtol(word[2], NULL, 10);
    else if (!strcmp(word[0], "shard") && words > 1 && strspn(word[1], "123") == strlen(word[1]))
        f->zero = strtol(word[1], NULL, 10);
    else if (!strcmp(word[0], "place") && words > 1)
        f->places = word[1];
    else if (!strcmp(word[0], "recompute"))
        f->recompute = true;
    else if (!strcmp(word[0], "offload"))
        f->offload = true;
    else if (f->others < 32)
        f->other[f->others++] = word[0];
}

static bool parse(fields *f, const planned *x, const tgs_proposal *p)
{
    char *rest, *line;
    tgs_model_stats s;

    *f = (fields){.stages = 1, .micro_batches = 1, .replicas = 1, .tensor = 1};
    if (x->in.models && !tgs_model_measure(x->in.model[0], &s, NULL))
        f->batch = s.batch;
    rest = f->text = strdup(tgs_proposal_strategy(p));
    while (f->text && (line = strsep(&rest, "\n")))
        take(f, line);
    f->unequal = f->all > 0 || f->one > 0;
    if (f->unequal) /* the nearest that is equal */
        f->batch =
            ceil((f->all > 0 ? f->all / (double)f->replicas : f->one) / (double)f->micro_batches);
    return f->text != NULL;
}

/* a comma list of encoded names as a JSON array */
static void put_list(FILE *to, const char *list)
{
    putc('[', to);
    for (const char *s = list ? list : ""; *s;) {
        char name[512];
        size_t used = 0;

        for (; *s && *s != ','; s++) {
            unsigned code;

            if (used + 1 < sizeof name && *s == '%' && sscanf(s + 1, "%2x", &code) == 1) {
                name[used++] = (char)code;
                s += 2;
            } else if (used + 1 < sizeof name)
                name[used++] = *s;
        }
        name[used] = 0;
        tgs_json_text(to, name);
        if (*s && *++s)
            fputs(", ", to);
    }
    putc(']', to);
}

static void put_lost(FILE *to, const fields *f, const char *where)
{
    const bool unlike = f->places && strcmp(where, "torch") != 0;
    bool any = false;

    fputs(", \"not_expressed\": [", to);
#define SAY(condition, text)                            \
    if (condition) {                                    \
        fprintf(to, "%s\"%s\"", any ? ", " : "", text); \
        any = true;                                     \
    }
    SAY(f->unequal, "unequal shares or pieces")
    SAY(unlike, "which device runs which stage: ranks are given by the launcher")
    SAY(f->cuts && !strcmp(where, "megatron"), "where the model is cut: layers are dealt evenly")
    SAY(f->tensor > 1 && strcmp(where, "megatron") != 0, "tensor parallelism")
    SAY(f->zero && !strcmp(where, "megatron"), "ZeRO stages beyond the distributed optimizer")
    SAY(f->offload && strcmp(where, "deepspeed") != 0, "offload")
    SAY(f->order && !strcmp(f->order, "message"), "message-driven order: 1f1b in its place")
    SAY(f->order && !strcmp(f->order, "gpipe") && strcmp(where, "torch") != 0,
        "order gpipe: 1f1b in its place")
#undef SAY
    for (int i = 0; i < f->others; i++) {
        if (any)
            fputs(", ", to);
        tgs_json_text(to, f->other[i]);
        any = true;
    }
    putc(']', to);
}

static void torch(FILE *to, const fields *f)
{
    fprintf(to, "\"n_microbatches\": %ld, \"micro_batch_size\": %.0f", f->micro_batches, f->batch);
    if (f->stages > 1) {
        fprintf(to, ", \"schedule\": \"%s\", \"num_stages\": %ld, \"split_after\": ",
                f->order && !strcmp(f->order, "gpipe") ? "ScheduleGPipe" : "Schedule1F1B",
                f->stages);
        put_list(to, f->cuts);
    }
    if (f->places) {
        fputs(", \"devices\": ", to);
        put_list(to, f->places);
    }
    fprintf(to, ", \"data_parallel_size\": %ld", f->replicas);
    if (f->zero)
        fprintf(to, ", \"fsdp_sharding_strategy\": \"%s\"",
                f->zero == 3 ? "FULL_SHARD" : "SHARD_GRAD_OP");
    if (f->recompute)
        fputs(", \"activation_checkpointing\": true", to);
}

static void deepspeed(FILE *to, const fields *f)
{
    fprintf(to,
            "\"train_batch_size\": %.0f, \"train_micro_batch_size_per_gpu\": %.0f, "
            "\"gradient_accumulation_steps\": %ld",
            f->batch * (double)f->micro_batches * (double)f->replicas, f->batch, f->micro_batches);
    if (f->stages > 1) {
        fprintf(to, ", \"pipeline\": {\"stages\": %ld, \"split_after\": ", f->stages);
        put_list(to, f->cuts);
        putc('}', to);
    }
    if (f->zero || f->offload) {
        fprintf(to, ", \"zero_optimization\": {\"stage\": %ld", f->zero ? f->zero : 1);
        if (f->offload)
            fputs(", \"offload_optimizer\": {\"device\": \"cpu\"}", to);
        putc('}', to);
    }
    if (f->recompute)
        fputs(", \"activation_checkpointing\": {\"partition_activations\": false}", to);
}

static void megatron(FILE *to, const fields *f)
{
    fprintf(to,
            "\"micro-batch-size\": %.0f, \"global-batch-size\": %.0f, "
            "\"pipeline-model-parallel-size\": %ld, \"tensor-model-parallel-size\": %ld",
            f->batch, f->batch * (double)f->micro_batches * (double)f->replicas, f->stages,
            f->tensor);
    if (f->zero)
        fputs(", \"use-distributed-optimizer\": true", to);
    if (f->recompute)
        fputs(", \"recompute-granularity\": \"full\"", to);
}

static const struct {
    const char *name;
    void (*write)(FILE *to, const fields *f);
} programs[] = {{"torch", torch}, {"deepspeed", deepspeed}, {"megatron", megatron}};
enum { PROGRAMS = sizeof programs / sizeof *programs };

bool plans_exports(const char *to)
{
    for (int i = 0; i < PROGRAMS; i++)
        if (!strcmp(to, programs[i].name))
            return true;
    return false;
}

int plans_export(const planned *x, const tgs_proposal *p, const char *to, FILE *file)
{
    fields f;

    if (!parse(&f, x, p))
        return fail(TGS_ENOMEM, NULL);
    fprintf(file, "{\"format\": \"tgsched.%s/1\", ", to);
    for (int i = 0; i < PROGRAMS; i++)
        if (!strcmp(to, programs[i].name))
            programs[i].write(file, &f);
    put_lost(file, &f, to);
    fputs("}\n", file);
    free(f.text);
    return EXIT_OK;
}
