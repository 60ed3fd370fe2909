/* status.c -- status texts, and filling a tgs_error. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "internal.h"

unsigned tgs_api_version(void)
{
    return TGS_API_VERSION;
}

const char *tgs_status_text(tgs_status s)
{
    switch (s) {
#define X(name, value, text) \
    case TGS_##name:         \
        return text;
        TGS_STATUS_MAP(X)
#undef X
    }
    return "unknown status";
}

tgs_status tgs_fail(tgs_error *err, tgs_status s, const char *format, ...)
{
    if (err) {
        va_list args;

        va_start(args, format);
        vsnprintf(err->text, sizeof err->text, format, args);
        va_end(args);
        for (char *c = err->text; *c; c++) /* one line, and nothing that moves a cursor */
            if ((unsigned char)*c < ' ' || *c == 127)
                *c = '?';
        err->status = s;
    }
    return s;
}

tgs_status tgs_fail_system(tgs_error *err, int reason, const char *what)
{
    return tgs_fail(err, reason == ENOMEM ? TGS_ENOMEM : TGS_EIO, "%s: %s", what,
                    strerror(reason ? reason : EIO));
}

double tgs_dtype_size(tgs_dtype t)
{
    static const double size[] = {1, 4, 8, 2, 2, 1, 1, 4, 8, 1, 2, 2, 4, 8, 1, 8, 16, 8};

    return (unsigned)t < sizeof size / sizeof *size ? size[t] : 1;
}

const char *tgs_dtype_name(tgs_dtype t)
{
    static const char *const name[] = {"bytes", "f32", "f64", "f16",  "bf16", "i8",
                                       "u8",    "i32", "i64", "bool", "i16",  "u16",
                                       "u32",   "u64", "f8",  "c64",  "c128", "text"};

    return (unsigned)t < sizeof name / sizeof *name ? name[t] : "bytes";
}

const char *tgs_phase_name(tgs_phase p)
{
    static const char *const name[] = {"other", "forward", "backward", "update", "communication"};

    return (unsigned)p < sizeof name / sizeof *name ? name[p] : "other";
}

const char *tgs_class_name(tgs_class c)
{
    static const char *const name[] = {"other",      "parameter", "gradient",
                                       "activation", "state",     "input"};

    return (unsigned)c < sizeof name / sizeof *name ? name[c] : "other";
}
