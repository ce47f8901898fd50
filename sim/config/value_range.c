/* value_range.c - see value_range.h. */
#include "sim/config/value_range.h"

#include "sim/config/config_tree.h"
#include "sim/steps.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { RADIX = 10, UNIT_CHARS = 16 };

static const char LOG[] = "log:";
static const char DOTS[] = "..";
static const char DIGITS[] = "0123456789";
static const char HINT[] = "1..16, 1..16..4 with a step, log:1..64 for 1, 2, 4 to 64; a unit "
                           "stands at the end (100..400..100 MHz), a text in quotes";

/* ---- numbers ---- */

struct number {
    bool negative;
    const char *whole, *fraction;
    size_t whole_digits, decimals;
};

/* Reads a number and moves *text behind it.  The dot of a fraction has a digit behind it. */
static bool take_number(const char **text, struct number *number)
{
    *number = (struct number){.negative = **text == '-'};
    number->whole = *text + (**text == '-' || **text == '+');
    number->whole_digits = strspn(number->whole, DIGITS);
    *text = number->whole + number->whole_digits;
    if (number->whole_digits > 0 && (*text)[0] == '.') {
        number->fraction = *text + 1;
        number->decimals = strspn(number->fraction, DIGITS);
        *text += number->decimals == 0 ? 0 : 1 + number->decimals;
    }
    return number->whole_digits > 0;
}

static bool take_text(const char **text, const char *expected)
{
    const size_t length = strlen(expected);
    const bool is = strncmp(*text, expected, length) == 0;
    *text += is ? length : 0;
    return is;
}

/* The number in units of 10^-decimals. */
static int64_t scaled(const struct number *number, size_t decimals)
{
    int64_t value = 0;
    for (size_t i = 0; i < number->whole_digits; i++) {
        value = value * RADIX + (number->whole[i] - '0');
    }
    for (size_t i = 0; i < decimals; i++) {
        value = value * RADIX + (i < number->decimals ? number->fraction[i] - '0' : 0);
    }
    return number->negative ? -value : value;
}

/* ---- ranges ---- */

enum { FIRST, LAST, STEP, NUMBERS };

struct reading {
    bool log, has_step;
    struct number number[NUMBERS];
    size_t decimals; /* most of the numbers */
    const char *unit;
};

static bool take_all(const char *text, struct reading *reading)
{
    *reading = (struct reading){.log = take_text(&text, LOG)};
    bool good = take_number(&text, &reading->number[FIRST]) && take_text(&text, DOTS) &&
                take_number(&text, &reading->number[LAST]);
    reading->has_step = good && take_text(&text, DOTS);
    if (reading->has_step) {
        good = take_number(&text, &reading->number[STEP]);
    }
    reading->unit = text + strspn(text, " ");
    for (size_t i = 0; i < NUMBERS; i++) {
        const size_t decimals = reading->number[i].decimals;
        reading->decimals = decimals > reading->decimals ? decimals : reading->decimals;
    }
    return good && strpbrk(reading->unit, "0123456789.,") == NULL &&
           strlen(reading->unit) <= UNIT_CHARS;
}

static bool is_too_long(const struct reading *reading)
{
    bool is = false;
    for (size_t i = 0; i < NUMBERS; i++) {
        is = is || reading->number[i].whole_digits + reading->decimals > VALUE_RANGE_DIGITS;
    }
    return is;
}

static size_t count_doublings(int64_t first, int64_t last)
{
    size_t count = 1;
    for (; first <= last / 2; first *= 2) {
        count++;
    }
    return count;
}

bool value_range_is(const char *text)
{
    struct number number;
    (void)take_text(&text, LOG);
    return take_number(&text, &number) && take_text(&text, DOTS);
}

enum status value_range_read(struct value_range *range, const char *text,
                             struct diagnostic *diagnostic)
{
    struct reading reading;
    const struct config_shown shown = config_show_text(text);
    if (!take_all(text, &reading)) {
        return diagnose(diagnostic, STATUS_CONFIGURATION, "%s is no range\v%s", shown.text, HINT);
    }
    if (is_too_long(&reading)) {
        return diagnose(diagnostic, STATUS_CONFIGURATION, "%s has numbers of more than %d digits",
                        shown.text, VALUE_RANGE_DIGITS);
    }
    int64_t value[NUMBERS];
    for (size_t i = 0; i < NUMBERS; i++) {
        value[i] = scaled(&reading.number[i], reading.decimals);
    }
    const char *wrong = reading.log && reading.has_step        ? "log: takes no step: it doubles"
                        : reading.log && value[FIRST] <= 0     ? "log: begins above 0"
                        : reading.has_step && value[STEP] <= 0 ? "the step is not above 0"
                        : value[LAST] < value[FIRST]           ? "it ends below its begin"
                                                               : NULL;
    if (wrong != NULL) {
        return diagnose(diagnostic, STATUS_CONFIGURATION, "%s has no values: %s\v%s", shown.text,
                        wrong, HINT);
    }
    int64_t one = 1;
    for (size_t i = 0; i < reading.decimals; i++) {
        one *= RADIX;
    }
    const int64_t step = reading.has_step ? value[STEP] : one;
    const uint64_t count = reading.log ? count_doublings(value[FIRST], value[LAST])
                                       : (uint64_t)((value[LAST] - value[FIRST]) / step) + 1;
    if (count > VALUE_RANGE_VALUES) {
        return diagnose(diagnostic, STATUS_CONFIGURATION, "%s has %" PRIu64 " values; %d at most",
                        shown.text, count, VALUE_RANGE_VALUES);
    }
    *range = (struct value_range){.doubles = reading.log,
                                  .first = value[FIRST],
                                  .step = step,
                                  .decimals = (unsigned)reading.decimals,
                                  .count = (size_t)count,
                                  .unit = reading.unit};
    return STATUS_OK;
}

void value_range_value(const struct value_range *range, size_t i, char text[VALUE_RANGE_CHARS])
{
    const int64_t value =
        range->doubles ? range->first * (INT64_C(1) << i) : range->first + (int64_t)i * range->step;
    uint64_t rest = value < 0 ? (uint64_t)-value : (uint64_t)value;
    unsigned decimals = range->decimals;
    uint64_t one = 1;
    while (decimals > 0 && rest % RADIX == 0) {
        rest /= RADIX;
        decimals--;
    }
    for (unsigned k = 0; k < decimals; k++) {
        one *= RADIX;
    }
    int used = snprintf(text, VALUE_RANGE_CHARS, "%s%" PRIu64, value < 0 ? "-" : "", rest / one);
    if (decimals > 0) {
        used += snprintf(text + used, VALUE_RANGE_CHARS - (size_t)used, ".%0*" PRIu64,
                         (int)decimals, rest % one);
    }
    (void)snprintf(text + used, VALUE_RANGE_CHARS - (size_t)used, "%s%s",
                   range->unit[0] == '\0' ? "" : " ", range->unit);
}
