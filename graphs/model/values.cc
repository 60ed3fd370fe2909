/* values.cc -- types, values and attributes of ONNX, as the model builder wants them. */
#include <cmath>
#include <cstdio>
#include <cstring>
#include "onnx.h"

namespace
{

using onnx::AttributeProto;
using onnx::TensorProto;

/* types that are newer than the library */
enum { FLOAT8_FIRST = 17, UINT4 = 21, INT4 = 22, FLOAT_LAST = 24 };
enum { LIST = 64 }; /* most values of a list that are kept in an attribute's text */

std::string number(double x)
{
    char text[40];

    std::snprintf(text, sizeof text, "%.9g", x);
    return text;
}

template <class List, class Show> std::string join(const List &list, Show show)
{
    std::string text;

    for (const auto &x : list)
        text += (text.empty() ? "" : ",") + show(x);
    return text;
}

template <class T> T load(const char *from)
{
    T x;

    std::memcpy(&x, from, sizeof x);
    return x;
}

double elements_of(const TensorProto &t)
{
    double n = 1;

    for (const auto d : t.dims())
        n *= (double)d;
    return n;
}

/* a number of 16 bits: IEEE half precision, or the upper half of a float */
double half(uint16_t bits, bool brain)
{
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double sign = bits & 0x8000 ? -1 : 1;

    if (brain) {
        const uint32_t wide = (uint32_t)bits << 16;

        return (double)load<float>((const char *)&wide);
    }
    if (exponent == 31)
        return fraction ? NAN : sign * INFINITY;
    return sign
           * (exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24));
}

/* element i of a raw tensor as an integer or a real */
template <class T> T raw(const TensorProto &t, tgs_dtype dtype, int64_t i)
{
    const char *at = t.raw_data().data() + i * (int64_t)tgs_dtype_size(dtype);

    switch (dtype) {
    case TGS_F32:
        return (T)load<float>(at);
    case TGS_F64:
        return (T)load<double>(at);
    case TGS_F16:
    case TGS_BF16:
        return (T)half(load<uint16_t>(at), dtype == TGS_BF16);
    case TGS_I64:
    case TGS_U64:
        return (T)load<int64_t>(at);
    case TGS_I32:
        return (T)load<int32_t>(at);
    case TGS_U32:
        return (T)load<uint32_t>(at);
    case TGS_I16:
        return (T)load<int16_t>(at);
    case TGS_U16:
        return (T)load<uint16_t>(at);
    case TGS_I8:
        return (T)load<int8_t>(at);
    default:
        return (T)load<uint8_t>(at);
    }
}

bool is_nibble(int type) /* two numbers in a byte */
{
    return type >= 21 && type <= 23;
}

bool is_real(tgs_dtype t)
{
    return t == TGS_F32 || t == TGS_F64 || t == TGS_F16 || t == TGS_BF16;
}

/* Do its data fill its shape? */
bool is_full(const TensorProto &t, tgs_dtype dtype, double count)
{
    if (dtype == TGS_TEXT)
        return t.string_data_size() == count;
    if (is_nibble(t.data_type()))
        return t.has_raw_data() ? (double)t.raw_data().size() == std::ceil(count / 2)
                                : t.int32_data_size() == std::ceil(count / 2);
    if (t.has_raw_data())
        return (double)t.raw_data().size() == count * tgs_dtype_size(dtype);
    switch (dtype) {
    case TGS_F32:
        return t.float_data_size() == count;
    case TGS_C64:
        return t.float_data_size() == 2 * count;
    case TGS_F64:
        return t.double_data_size() == count;
    case TGS_C128:
        return t.double_data_size() == 2 * count;
    case TGS_I64:
        return t.int64_data_size() == count;
    case TGS_U32:
    case TGS_U64:
        return t.uint64_data_size() == count;
    default:
        return t.int32_data_size() == count;
    }
}

int64_t integer(const TensorProto &t, tgs_dtype dtype, int i)
{
    if (t.has_raw_data())
        return raw<int64_t>(t, dtype, i);
    if (dtype == TGS_U32 || dtype == TGS_U64)
        return (int64_t)t.uint64_data(i);
    return dtype == TGS_I64 ? t.int64_data(i) : t.int32_data(i);
}

double real(const TensorProto &t, tgs_dtype dtype, int i)
{
    if (t.has_raw_data())
        return raw<double>(t, dtype, i);
    if (dtype == TGS_F16 || dtype == TGS_BF16)
        return half((uint16_t)t.int32_data(i), dtype == TGS_BF16);
    return dtype == TGS_F32 ? (double)t.float_data(i) : t.double_data(i);
}

/* a text that is one word of an attribute string */
bool is_word(const std::string &s)
{
    for (const unsigned char c : s)
        if (c <= ' ' || c > '~' || c == '"')
            return false;
    return !s.empty() && s.size() <= 100;
}

std::string list_text(const std::string &key, const std::string &values, int count, bool learned,
                      int64_t largest)
{
    std::string text;

    if (count <= LIST && count > 0)
        text = key + "=" + values + " ";
    if (learned) /* tables of trees and the like: their size is what matters here */
        text += key + ".count=" + std::to_string(count) + " " + key
                + ".max=" + std::to_string(largest) + " ";
    return text;
}

std::string attribute_text(const AttributeProto &a, bool learned)
{
    int64_t largest = 0;

    switch (a.type()) {
    case AttributeProto::INT:
        return a.name() + "=" + std::to_string(a.i()) + " ";
    case AttributeProto::FLOAT:
        return a.name() + "=" + number(a.f()) + " ";
    case AttributeProto::STRING:
        return is_word(a.s()) ? a.name() + "=" + a.s() + " " : "";
    case AttributeProto::INTS:
        for (const auto x : a.ints())
            largest = std::max<int64_t>(largest, x);
        return list_text(
            a.name(),
            a.ints_size() > LIST ? "" : join(a.ints(), [](int64_t x) { return std::to_string(x); }),
            a.ints_size(), learned, largest);
    case AttributeProto::FLOATS:
        return list_text(a.name(), a.floats_size() > LIST ? "" : join(a.floats(), number),
                         a.floats_size(), learned, 0);
    case AttributeProto::STRINGS:
        return list_text(a.name(), "", a.strings_size(), learned, 0);
    default:
        return ""; /* no rule asks for it */
    }
}

} // namespace

tgs_dtype tgs::dtype_of(int type)
{
    switch (type) {
    case TensorProto::FLOAT:
        return TGS_F32;
    case TensorProto::DOUBLE:
        return TGS_F64;
    case TensorProto::FLOAT16:
        return TGS_F16;
    case TensorProto::BFLOAT16:
        return TGS_BF16;
    case TensorProto::INT8:
        return TGS_I8;
    case TensorProto::UINT8:
        return TGS_U8;
    case TensorProto::INT32:
        return TGS_I32;
    case TensorProto::INT64:
        return TGS_I64;
    case TensorProto::BOOL:
        return TGS_BOOL;
    case TensorProto::INT16:
        return TGS_I16;
    case TensorProto::UINT16:
        return TGS_U16;
    case TensorProto::UINT32:
        return TGS_U32;
    case TensorProto::UINT64:
        return TGS_U64;
    case TensorProto::COMPLEX64:
        return TGS_C64;
    case TensorProto::COMPLEX128:
        return TGS_C128;
    case TensorProto::STRING:
        return TGS_TEXT;
    case UINT4: /* a byte each */
        return TGS_U8;
    case INT4:
        return TGS_I8;
    default: /* the 8-bit floats, and FLOAT4E2M1 with a byte each */
        return type >= FLOAT8_FIRST && type <= FLOAT_LAST ? TGS_F8 : TGS_BYTES;
    }
}

std::string tgs::type_name(int type)
{
    if (!TensorProto::DataType_IsValid(type))
        return std::to_string(type);
    std::string name = TensorProto::DataType_Name((TensorProto::DataType)type);

    for (char &c : name)
        c = (char)std::tolower((unsigned char)c);
    return name;
}

void tgs::put_tensor(tgs_model_builder *b, int32_t tensor, const TensorProto &t, bool literal)
{
    const tgs_dtype dtype = dtype_of(t.data_type());
    const std::vector<int64_t> dims(t.dims().begin(), t.dims().end());
    const double count = elements_of(t);

    if (dtype == TGS_BYTES)
        throw Refused(TGS_ENOTAPPLICABLE,
                      "tensor '" + t.name() + "' has type " + type_name(t.data_type()));
    check(tgs_model_shape(b, tensor, dtype, (int32_t)dims.size(), dims.data()));
    if (t.data_location() == TensorProto::EXTERNAL)
        return;
    if (!is_full(t, dtype, count))
        throw Refused(TGS_EPARSE, "tensor '" + t.name() + "': its data do not fill its shape");
    if (count > TGS_MODEL_VALUES || dtype > TGS_U64 || is_nibble(t.data_type()))
        return;
    if (is_real(dtype)) {
        std::vector<double> value((size_t)count + 1);

        for (int i = 0; i < (int)count; i++)
            value[(size_t)i] = real(t, dtype, i);
        if (count <= LIST)
            check(tgs_model_reals(b, tensor, value.data(), literal && count == 1));
        return;
    }
    std::vector<int64_t> value((size_t)count + 1);

    for (int i = 0; i < (int)count; i++)
        value[(size_t)i] = integer(t, dtype, i);
    check(tgs_model_integers(b, tensor, value.data()));
}

std::string tgs::attributes_of(const onnx::NodeProto &node)
{
    const bool learned = node.domain() == "ai.onnx.ml" || node.op_type() == "TfIdfVectorizer";
    std::string text;

    for (const auto &a : node.attribute())
        if (a.type() == AttributeProto::INT && !learned
            && (a.name() == "to" || a.name() == "dtype" || a.name() == "output_dtype"
                || a.name() == "output_datatype")) {
            const tgs_dtype dtype = dtype_of((int)a.i());

            text += "dtype=" + (dtype == TGS_BYTES ? type_name((int)a.i()) : tgs_dtype_name(dtype))
                    + " ";
        } else if (node.op_type() == "ConstantOfShape" && a.name() == "value") {
            const tgs_dtype dtype = dtype_of(a.t().data_type());

            if (dtype == TGS_BYTES || !is_full(a.t(), dtype, 1))
                throw Refused(TGS_EPARSE,
                              "node '" + node.name() + "' (ConstantOfShape): its value is not one");
            text += std::string("dtype=") + tgs_dtype_name(dtype) + " value="
                    + (is_real(dtype)     ? number(real(a.t(), dtype, 0))
                       : dtype <= TGS_U64 ? std::to_string(integer(a.t(), dtype, 0))
                                          : "0")
                    + " ";
        } else
            text += attribute_text(a, learned);
    if (!text.empty())
        text.pop_back();
    return text;
}
