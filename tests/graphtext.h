/* graphtext.h -- graphs from and to text in memory, for tests. */
#ifndef TGS_TESTS_GRAPHTEXT_H
#define TGS_TESTS_GRAPHTEXT_H
#include <stdlib.h>
#include <string.h>
#include "builder.h"

/* reads with the reader that format (a spec) names; errors call the text "text" */
static inline tgs_status graph_from_text(tgs_graph **out, const char *format, const char *text,
                                         size_t size, tgs_error *err)
{
    tgs_source s = {.path = "text"};
    const tgs_plugin *p;
    tgs_args *args = NULL;
    tgs_builder *b = NULL;
    tgs_status status = tgs_i_resolve(&p, &args, "reader", format, err);

    *out = NULL;
    if (!status)
        status = tgs_builder_new(&b, err);
    if (!status) {
        s.file = fmemopen((void *)text, size, "rb");
        if (!s.file) {
            status = tgs_fail(err, TGS_ENOMEM, "no memory stream");
            goto done;
        }
        status = ((const tgs_reader *)p)->read(&s, args, b, err);
    }
    if (!status) {
        status = tgs_i_builder_finish_from(out, b, &s, err);
        b = NULL;
    }
done:
    tgs_builder_free(b);
    tgs_i_source_close(&s);
    tgs_i_args_free(args);
    return status;
}

/* what a writer makes of g; the caller frees the text with free() */
static inline tgs_status graph_to_text(char **text, size_t *size, const tgs_graph *g,
                                       const char *format, tgs_error *err)
{
    const tgs_plugin *p;
    tgs_args *args = NULL;
    FILE *to;
    tgs_status status = tgs_i_resolve(&p, &args, "writer", format, err);

    *text = NULL;
    if (status)
        return status;
    to = open_memstream(text, size);
    if (!to) {
        tgs_i_args_free(args);
        return tgs_fail(err, TGS_ENOMEM, "no memory stream");
    }
    status = ((const tgs_writer *)p)->write(&g->v, args, to, err);
    tgs_i_args_free(args);
    fclose(to);
    return status;
}
#endif
