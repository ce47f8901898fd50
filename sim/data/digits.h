/* digits.h - the `synthetic` data set: handwriting-like 28x28 digits made by a deterministic
 * generator.  It replaces MNIST only where an experiment names it, in tests and in the quickstart;
 * accuracies on it say nothing about MNIST.
 *
 * Integer arithmetic only, no libm and no library random numbers, so every host makes the same
 * bytes (tests/unit/data_digits_test.cpp holds their SHA-256).  Image i of a stream depends on
 * (seed, stream, i) alone: the first N images are the same whatever N is.
 *
 * Random numbers, mix() being the bijective finaliser of SplitMix64:
 *     key(seed, stream, i)  = mix(mix(seed) ^ (stream << 32 | i))
 *     word k of the image   = mix(key + (k + 1) * 0x9e3779b97f4a7c15)
 * mix() is bijective, so the images of all streams of a seed have distinct keys: train and test
 * cannot overlap.  Labels: images 10 j .. 10 j + 9 hold every digit once, in an order shuffled with
 * the random words of image j of stream + LABEL_STREAM (2^30). */
#pragma once
#include "models/common/c_linkage.h"
#include <stdint.h>
C_LINKAGE_BEGIN

enum { DIGITS_SIDE = 28, DIGITS_PIXELS = DIGITS_SIDE * DIGITS_SIDE, DIGITS_CLASSES = 10 };

/* A part of one stream; stream < LABEL_STREAM. */
struct digits_range {
    uint64_t seed;
    uint32_t stream;
    uint32_t first;
    uint32_t count;
};

/* Fills count * DIGITS_PIXELS pixels (row by row, 0 background .. 255 ink) and count labels. */
void digits_generate(const struct digits_range *range, uint8_t *images, uint8_t *labels);

C_LINKAGE_END
