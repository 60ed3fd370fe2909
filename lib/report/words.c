/* words.c -- how the reports write numbers, names and colours. */
#include <string.h>
#include "core.h"

double tgs_i_axis_step(double length, int32_t n)
{
    double step = 1;

    if (!(length > 0) || n < 1)
        return 1;
    while (step * n < length)
        step *= 10;
    while (step * n >= length * 10)
        step /= 10;
    if (step / 5 * n >= length)
        return step / 5;
    return step / 2 * n >= length ? step / 2 : step;
}

const char *tgs_i_axis_unit(double length, double *per_second)
{
    static const char *const unit[] = {"s", "ms", "us", "ns"};
    int i = 0;

    *per_second = 1;
    for (; i < 3 && length * *per_second < 1; i++)
        *per_second *= 1000;
    return unit[i];
}

static void scaled(char *text, double value, double step, const char *const *unit, int units,
                   int first)
{
    int i = first;

    for (; i + 1 < units && fabs(value) >= step * 0.99995; i++)
        value /= step;
    for (; i > 0 && fabs(value) < 0.99995; i--)
        value *= step;
    snprintf(text, 32, fabs(value) >= 9999.5 ? "%.0f %s" : "%.4g %s", value, unit[i]);
}

const char *tgs_i_seconds(char *text, double seconds)
{
    static const char *const unit[] = {"ns", "us", "ms", "s"};

    if (seconds == 0 || isnan(seconds))
        strcpy(text, isnan(seconds) ? "" : "0 s");
    else
        scaled(text, seconds, 1000, unit, 4, 3);
    return text;
}

const char *tgs_i_bytes(char *text, double bytes)
{
    static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};

    if (isnan(bytes))
        *text = 0;
    else if (bytes < 1)
        snprintf(text, 32, "%.4g B", bytes);
    else
        scaled(text, bytes, 1024, unit, 6, 0);
    return text;
}

const char *tgs_i_why(int32_t why)
{
    static const char *const name[] = {"demand", "prefetch", "relay", "write-back", "reload"};

    return why >= 0 && why < 5 ? name[why] : "other";
}

const char *tgs_i_phase(int32_t phase)
{
    static const char *const name[] = {"other", "forward", "backward", "update", "communication"};

    return phase >= 0 && phase < 5 ? name[phase] : "other";
}

const char *tgs_i_report_task(const tgs_trace_view *t, int32_t task, char *room)
{
    if (t->task_name && t->task_name[task] && *t->task_name[task])
        return t->task_name[task];
    snprintf(room, 16, "@%d", task);
    return room;
}

const char *tgs_i_report_datum(const tgs_trace_view *t, int32_t datum, char *room)
{
    if (t->datum_name && t->datum_name[datum] && *t->datum_name[datum])
        return t->datum_name[datum];
    snprintf(room, 16, "@%d", datum);
    return room;
}

static bool several_phases(const tgs_trace_view *t)
{
    for (int32_t i = 1; i < t->tasks; i++)
        if (t->task_phase[i] != t->task_phase[0])
            return true;
    return false;
}

tgs_status tgs_i_palette_of(tgs_i_palette *out, const tgs_trace_view *t, tgs_error *err)
{
    *out = (tgs_i_palette){
        .by_phase = several_phases(t),
        .codelet = tgs_mem_alloc((size_t)t->tasks, sizeof(int32_t)),
        .name = tgs_mem_alloc((size_t)t->tasks, sizeof(char *)),
    };
    if (!out->codelet || !out->name) {
        tgs_i_palette_free(out);
        return tgs_fail(err, TGS_ENOMEM, "out of memory");
    }
    for (int32_t i = 0; i < t->tasks; i++) {
        const char *codelet = t->task_codelet[i];
        int32_t at = 0;

        while (at < out->names && out->name[at] != codelet && strcmp(out->name[at], codelet))
            at++;
        if (at == out->names)
            out->name[out->names++] = codelet;
        out->codelet[i] = at;
    }
    return TGS_OK;
}

void tgs_i_palette_free(tgs_i_palette *p)
{
    tgs_mem_free(p->codelet);
    tgs_mem_free(p->name);
    memset(p, 0, sizeof *p);
}

/* Fills that people with any colour vision tell apart, light enough for dark text. */
const char *tgs_i_fill(const tgs_i_palette *p, const tgs_trace_view *t, int32_t task)
{
    static const char *const phase[] = {"#cfd6dd", "#77aadd", "#ee8866", "#44bb99", "#ffaabb"};
    static const char *const codelet[] = {"#77aadd", "#ee8866", "#eedd88", "#44bb99",
                                          "#ffaabb", "#99ddff", "#bbcc33", "#cfd6dd"};

    if (p->by_phase)
        return phase[t->task_phase[task] >= 0 && t->task_phase[task] < 5 ? t->task_phase[task] : 0];
    return codelet[p->codelet[task] % 8];
}

/* ---- text from files */
static bool is_odd(const unsigned char *s, int size)
{
    return !size || *s < ' ' || *s == 0x7F || (*s == 0xC2 && s[1] < 0xA0) /* controls */
           || (*s == 0xEF && s[1] == 0xBF && s[2] >= 0xBE);               /* no characters */
}

static const char *instead(unsigned char c, tgs_i_escape escape)
{
    if (escape == TGS_I_XML)
        return c == '<'   ? "&lt;"
               : c == '>' ? "&gt;"
               : c == '&' ? "&amp;"
               : c == '"' ? "&quot;"
                          : NULL;
    if (escape == TGS_I_DOT)
        return c == '"' ? "\\\"" : c == '\\' ? "\\\\" : NULL;
    return escape == TGS_I_PAJE && c == '"' ? "'" : NULL;
}

int tgs_i_put_text(FILE *to, const char *text, int most, tgs_i_escape escape)
{
    const unsigned char *s = (const unsigned char *)text;
    int n = 0;

    for (; *s && n < most; n++) {
        const int size = tgs_i_character(s);
        const char *other = is_odd(s, size) ? "?" : instead(*s, escape);

        if (other)
            fputs(other, to);
        else
            fwrite(s, 1, (size_t)size, to);
        s += size ? size : 1;
    }
    return n;
}
