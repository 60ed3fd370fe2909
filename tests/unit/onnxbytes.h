/* onnxbytes.h -- ONNX files byte by byte (field numbers of onnx.proto), right or wrong on purpose;
 * include cmocka.h first. */
#ifndef TESTS_UNIT_ONNXBYTES_H
#define TESTS_UNIT_ONNXBYTES_H
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct bytes {
    unsigned char data[4096];
    size_t size;
} bytes;

static inline void put_byte(bytes *m, unsigned value)
{
    assert_true(m->size < sizeof m->data);
    m->data[m->size++] = (unsigned char)value;
}

static inline void put_varint(bytes *m, uint64_t x)
{
    for (; x > 0x7f; x >>= 7)
        put_byte(m, (unsigned)(x & 0x7f) | 0x80);
    put_byte(m, (unsigned)x);
}

static inline void put_int(bytes *m, unsigned field, int64_t x)
{
    put_varint(m, field << 3);
    put_varint(m, (uint64_t)x);
}

static inline void put_data(bytes *m, unsigned field, const void *data, size_t size)
{
    put_varint(m, field << 3 | 2);
    put_varint(m, size);
    for (size_t i = 0; i < size; i++)
        put_byte(m, ((const unsigned char *)data)[i]);
}

static inline void put_text(bytes *m, unsigned field, const char *s)
{
    put_data(m, field, s, strlen(s));
}

static inline void put_message(bytes *m, unsigned field, const bytes *inner)
{
    put_data(m, field, inner->data, inner->size);
}

enum { ONNX_FLOAT = 1, ONNX_INT64 = 7, ONNX_STRING = 8, ONNX_DOUBLE = 11 };

/* TensorProto: name, type, dims; the caller adds the data */
static inline bytes onnx_tensor(const char *name, int type, int rank, const int64_t *dims)
{
    bytes t = {.size = 0};

    for (int i = 0; i < rank; i++)
        put_int(&t, 1, dims[i]);
    put_int(&t, 2, type);
    put_text(&t, 8, name);
    return t;
}

/* ValueInfoProto of a tensor; a dimension below 0 is the symbol "batch", -2 has neither */
static inline bytes onnx_value(const char *name, int type, int rank, const int64_t *dims)
{
    bytes shape = {.size = 0}, tensor = {.size = 0}, kind = {.size = 0}, v = {.size = 0};

    for (int i = 0; i < rank; i++) {
        bytes d = {.size = 0};

        if (dims[i] >= 0)
            put_int(&d, 1, dims[i]);
        else if (dims[i] == -1)
            put_text(&d, 2, "batch");
        put_message(&shape, 1, &d);
    }
    put_int(&tensor, 1, type);
    put_message(&tensor, 2, &shape);
    put_message(&kind, 1, &tensor);
    put_text(&v, 1, name);
    put_message(&v, 2, &kind);
    return v;
}

/* NodeProto; the caller adds attributes.  inputs and outputs are blank-separated. */
static inline bytes onnx_node(const char *name, const char *type, const char *inputs,
                              const char *outputs)
{
    bytes n = {.size = 0};
    char text[200], *cursor;

    for (int k = 1; k <= 2; k++) {
        snprintf(text, sizeof text, "%s", k == 1 ? inputs : outputs);
        cursor = text;
        for (char *w; (w = tgs_word(&cursor));)
            put_text(&n, (unsigned)k, strcmp(w, "-") ? w : "");
    }
    put_text(&n, 3, name);
    put_text(&n, 4, type);
    return n;
}

/* ModelProto of a GraphProto */
static inline bytes onnx_model(const bytes *graph, int64_t opset)
{
    bytes set = {.size = 0}, m = {.size = 0};

    put_int(&m, 1, 8); /* IR version */
    put_int(&set, 2, opset);
    put_message(&m, 8, &set);
    put_message(&m, 7, graph);
    return m;
}

/* writes a file, and returns its name until the next call */
static inline const char *onnx_file(const void *data, size_t size)
{
    static char path[64];
    int fd;

    strcpy(path, "/tmp/tgsched-XXXXXX.onnx");
    fd = mkstemps(path, 5);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, data, size), (ssize_t)size);
    close(fd);
    return path;
}
#endif
