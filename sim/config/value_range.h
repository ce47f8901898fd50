/* value_range.h - the values that a range on an axis of a sweep stands for:
 *
 *     1..16        1, 2, 3 to 16
 *     1..16..4     1, 5, 9, 13: the last number is the step
 *     log:1..64    1, 2, 4 to 64: the first number, doubled while it is not above the last
 *
 * Numbers are decimal and may have a fraction (0.1..0.5..0.1); values are exact.  A unit behind the
 * last number is the unit of every value: 100..400..100 MHz. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
C_LINKAGE_BEGIN

enum { VALUE_RANGE_VALUES = 10000, VALUE_RANGE_DIGITS = 18, VALUE_RANGE_CHARS = 64 };

struct value_range {
    bool doubles;        /* log: */
    int64_t first, step; /* in units of 10^-decimals */
    unsigned decimals;
    size_t count;     /* of values: 1 to VALUE_RANGE_VALUES */
    const char *unit; /* in the text that was read; "": none */
};

/* Whether a text is meant as a range: it begins with a number, or log: and a number, and "..". */
bool value_range_is(const char *text);

/* STATUS_CONFIGURATION, with text and hint, for a range that is malformed, has no value, more than
 * VALUE_RANGE_VALUES values, or numbers of more than VALUE_RANGE_DIGITS digits. */
enum status value_range_read(struct value_range *range, const char *text,
                             struct diagnostic *diagnostic);

/* Value number i, below count, with its unit. */
void value_range_value(const struct value_range *range, size_t i, char text[VALUE_RANGE_CHARS]);

C_LINKAGE_END
