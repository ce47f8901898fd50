/* number.h - the number type of a network's values: weights, activations and errors.
 *
 * A program, or a library of the host, is compiled for one row of formats.def; NN_FORMAT is the
 * row's name.  Functions on values have that name as a suffix in the object file (NN_SYMBOL), so
 * that a host program can contain those of all formats. */
#pragma once
#include <stdint.h>

/* Around declarations, for the tests. */
#ifdef __cplusplus
#define NN_LINKAGE_BEGIN extern "C" {
#define NN_LINKAGE_END   }
#else
#define NN_LINKAGE_BEGIN
#define NN_LINKAGE_END
#endif

#ifndef NN_FORMAT
#define NN_FORMAT int16
#endif
#ifndef NN_FORMATS /* a test brings a table with a row more */
#define NN_FORMATS "formats.def"
#endif

#define NN_JOINED(name, format)  name##_##format
#define NN_JOIN(name, format)    NN_JOINED(name, format)
#define NN_OF_FORMAT(name)       NN_JOIN(name, NN_FORMAT)
#define NN_QUOTED(text)          #text
#define NN_QUOTE(text)           NN_QUOTED(text)
#define NN_SYMBOL(name)          __asm__(NN_QUOTE(NN_OF_FORMAT(name)))
#define NN_FORMAT_HEADER(format) NN_QUOTE(NN_JOIN(format, NN_FORMAT).h)

#define FORMAT(name, NAME, text, value, total, bias, array, fraction, error_fraction, convolves,   \
               pads, operators, trains)                                                            \
    typedef value nn_value_##name;                                                                 \
    typedef total nn_total_##name;                                                                 \
    typedef bias nn_bias_##name;                                                                   \
    enum {                                                                                         \
        NN_FRACTION_##name = (fraction),                                                           \
        NN_ERROR_FRACTION_##name = (error_fraction),                                               \
        NN_CONVOLVES_##name = (convolves),                                                         \
        NN_PADS_##name = (pads),                                                                   \
        NN_OPERATORS_##name = (operators),                                                         \
        NN_TRAINS_##name = (trains)                                                                \
    };
#include NN_FORMATS

/* In a source: its format has this column of formats.def.  CMake reads the line, too, and compiles
 * the source for such formats only. */
#define NN_NEEDS(COLUMN)                                                                           \
    _Static_assert(NN_OF_FORMAT(NN_##COLUMN), "this number format has no such kernel");

typedef NN_OF_FORMAT(nn_value) nn_value;
typedef NN_OF_FORMAT(nn_total) nn_total;
typedef NN_OF_FORMAT(nn_bias) nn_bias;

enum {
    NN_FRACTION = NN_OF_FORMAT(NN_FRACTION),
    NN_ERROR_FRACTION = NN_OF_FORMAT(NN_ERROR_FRACTION),
    NN_CONVOLVES = NN_OF_FORMAT(NN_CONVOLVES),
    NN_PADS = NN_OF_FORMAT(NN_PADS),
    NN_TRAINS = NN_OF_FORMAT(NN_TRAINS),
    NN_WIDE = sizeof(nn_value) == sizeof(int32_t),
    NN_NARROW = sizeof(nn_value) == sizeof(int8_t),
    /* of integers */
    NN_VALUE_MOST = INT32_MAX >> (8 * (sizeof(int32_t) - sizeof(nn_value))),
    NN_VALUE_LEAST = -NN_VALUE_MOST - 1
};
