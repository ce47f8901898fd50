/* units_text.c - see units_text.h. */
#include "sim/config/units_text.h"

#include "models/common/units.h"
#include "sim/config/suggestion.h"

#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BITS_PER_KBIT = 1000, BITS_PER_MBIT = 1000000, PPM_PER_PERCENT = 10000 };

struct unit {
    const char *name;
    uint64_t scale; /* base units in one, of whole kinds */
    enum units_kind kind;
    int exponent; /* decimal, of real kinds */
};

/* Of each kind from small to large. */
static const struct unit UNIT_TABLE[] = {
    {"cycles", 1, UNITS_CYCLES, 0},
    {"Hz", 1, UNITS_FREQUENCY, 0},
    {"kHz", HZ_PER_KHZ, UNITS_FREQUENCY, 0},
    {"MHz", HZ_PER_MHZ, UNITS_FREQUENCY, 0},
    {"GHz", HZ_PER_GHZ, UNITS_FREQUENCY, 0},
    {"ps", 1, UNITS_TIME, 0},
    {"ns", PS_PER_NS, UNITS_TIME, 0},
    {"us", PS_PER_US, UNITS_TIME, 0},
    {"ms", PS_PER_MS, UNITS_TIME, 0},
    {"s", PS_PER_S, UNITS_TIME, 0},
    {"bit/s", 1, UNITS_RATE, 0},
    {"kbit/s", BITS_PER_KBIT, UNITS_RATE, 0},
    {"Mbit/s", BITS_PER_MBIT, UNITS_RATE, 0},
    {"B", 1, UNITS_SIZE, 0},
    {"KiB", BYTES_PER_KIB, UNITS_SIZE, 0},
    {"MiB", BYTES_PER_MIB, UNITS_SIZE, 0},
    {"ppm", 1, UNITS_SHARE, 0},
    {"%", PPM_PER_PERCENT, UNITS_SHARE, 0},
    {"pJ", 0, UNITS_ENERGY, 0},
    {"nJ", 0, UNITS_ENERGY, 3},
    {"uJ", 0, UNITS_ENERGY, 6},
    {"mJ", 0, UNITS_ENERGY, 9},
    {"J", 0, UNITS_ENERGY, 12},
    {"uW", 0, UNITS_POWER, -6},
    {"mW", 0, UNITS_POWER, -3},
    {"W", 0, UNITS_POWER, 0},
};
enum { UNIT_COUNT = sizeof UNIT_TABLE / sizeof UNIT_TABLE[0] };

enum {
    RADIX = 10,
    NUMBER_CHARS = 48, /* longest number that is read */
    DOUBLE_DIGITS = 17 /* enough for every double */
};

static const struct unit *find_unit(const char *name)
{
    for (size_t i = 0; i < UNIT_COUNT; i++) {
        if (strcmp(UNIT_TABLE[i].name, name) == 0) {
            return &UNIT_TABLE[i];
        }
    }
    return NULL;
}

/* Of each kind, for messages: its name, its units ("" for none), the unit of the fields. */
static const struct {
    const char *text, *units, *base;
} KIND_TABLE[] = {
    [UNITS_COUNT] = {"a whole number", "", ""},
    [UNITS_CYCLES] = {"a number of core clock cycles", "cycles", "cycles"},
    [UNITS_FREQUENCY] = {"a frequency", "Hz, kHz, MHz or GHz", "Hz"},
    [UNITS_TIME] = {"a time", "ps, ns, us, ms or s", "ps"},
    [UNITS_RATE] = {"a data rate", "bit/s, kbit/s or Mbit/s", "bit/s"},
    [UNITS_SIZE] = {"a size", "B, KiB or MiB", "B"},
    [UNITS_SHARE] = {"a share", "ppm or %", "ppm"},
    [UNITS_FRACTION] = {"a number", "", ""},
    [UNITS_ENERGY] = {"an energy", "pJ, nJ, uJ, mJ or J", "pJ"},
    [UNITS_POWER] = {"a power", "uW, mW or W", "W"},
};

const char *units_kind_text(enum units_kind kind)
{
    return KIND_TABLE[kind].text;
}

const char *units_of_kind(enum units_kind kind)
{
    return KIND_TABLE[kind].units;
}

const char *units_base(enum units_kind kind)
{
    return KIND_TABLE[kind].base;
}

static bool has_unit(enum units_kind kind)
{
    return KIND_TABLE[kind].units[0] != '\0';
}

static size_t count_digits(const char *text)
{
    return strspn(text, "0123456789");
}

/* Characters of the number at the start: 12, 12.5; 0 when there is none. */
static size_t number_length(const char *text)
{
    const size_t whole = count_digits(text);
    if (whole == 0 || (whole > 1 && text[0] == '0')) {
        return 0;
    }
    if (text[whole] != '.') {
        return whole;
    }
    const size_t fraction = count_digits(text + whole + 1);
    return fraction == 0 ? 0 : whole + 1 + fraction;
}

/* Characters of an exponent: e5, E-07. */
static size_t exponent_length(const char *text)
{
    if (text[0] != 'e' && text[0] != 'E') {
        return 0;
    }
    const size_t sign = text[1] == '+' || text[1] == '-' ? 1 : 0;
    const size_t digits = count_digits(text + 1 + sign);
    return digits == 0 ? 0 : 1 + sign + digits;
}

static const char *skip_spaces(const char *text)
{
    return text + strspn(text, " ");
}

/* Splits a text into its number (*length characters) and its unit (NULL: a kind without one). */
static enum units_error split(enum units_kind kind, const char *text, size_t *length,
                              const struct unit **unit)
{
    *unit = NULL;
    *length = number_length(text);
    if (*length > 0 && kind == UNITS_FRACTION) {
        *length += exponent_length(text + *length);
    }
    const char *name = skip_spaces(text + *length);
    if (*length == 0 || *length > NUMBER_CHARS) {
        return UNITS_NO_NUMBER;
    }
    if (*name == '\0') {
        if (has_unit(kind)) {
            return UNITS_NO_UNIT;
        }
        return name == text + *length ? UNITS_OK : UNITS_NO_NUMBER;
    }
    *unit = find_unit(name);
    if (!has_unit(kind)) {
        const bool apart = name != text + *length;
        return *unit != NULL || apart ? UNITS_UNWANTED_UNIT : UNITS_NO_NUMBER;
    }
    if (*unit == NULL) {
        return UNITS_UNKNOWN_UNIT;
    }
    return (*unit)->kind == kind ? UNITS_OK : UNITS_OTHER_KIND;
}

/* number x scale, exactly. */
static enum units_error scale_number(const char *number, size_t length, uint64_t scale,
                                     uint64_t *value)
{
    const char *point = memchr(number, '.', length);
    size_t end = length;
    while (point != NULL && number[end - 1] == '0') {
        end--; /* trailing zeros of a fraction are insignificant */
    }
    uint64_t digits = 0;
    size_t behind_point = 0;
    for (size_t i = 0; i < end; i++) {
        if (number[i] == '.') {
            continue;
        }
        const uint128 next = (uint128)digits * (unsigned)RADIX + (unsigned)(number[i] - '0');
        if (next > UINT64_MAX) {
            return point != NULL ? UNITS_NOT_WHOLE : UNITS_TOO_LARGE;
        }
        digits = (uint64_t)next;
        behind_point += point != NULL && number + i > point ? 1 : 0;
    }
    uint128 scaled = (uint128)digits * scale;
    for (size_t i = 0; i < behind_point; i++) {
        if (scaled % RADIX != 0) {
            return UNITS_NOT_WHOLE;
        }
        scaled /= RADIX;
    }
    if (scaled > UINT64_MAX) {
        return UNITS_TOO_LARGE;
    }
    *value = (uint64_t)scaled;
    return UNITS_OK;
}

enum units_error units_read_whole(enum units_kind kind, const char *text, uint64_t *value)
{
    size_t length = 0;
    const struct unit *unit = NULL;
    const enum units_error error = split(kind, text, &length, &unit);
    if (error != UNITS_OK) {
        return error;
    }
    const bool indivisible = kind == UNITS_COUNT || kind == UNITS_CYCLES;
    if (indivisible && memchr(text, '.', length) != NULL) {
        return UNITS_NOT_WHOLE;
    }
    return scale_number(text, length, unit == NULL ? 1 : unit->scale, value);
}

/* Uses the C locale's decimal point, independent of the program's locale. */
struct plain_locale {
    locale_t plain, before;
};

static struct plain_locale enter_plain_locale(void)
{
    struct plain_locale entered = {.plain = newlocale(LC_ALL_MASK, "C", (locale_t)0)};
    entered.before = entered.plain == (locale_t)0 ? (locale_t)0 : uselocale(entered.plain);
    return entered;
}

static void leave_plain_locale(struct plain_locale entered)
{
    if (entered.plain != (locale_t)0) {
        (void)uselocale(entered.before);
        freelocale(entered.plain);
    }
}

enum units_error units_read_real(enum units_kind kind, const char *text, double *value)
{
    size_t length = 0;
    const struct unit *unit = NULL;
    const enum units_error error = split(kind, text, &length, &unit);
    if (error != UNITS_OK) {
        return error;
    }
    /* The unit becomes an exponent, so that 2.01 nJ is the double nearest to 2010 pJ. */
    char number[NUMBER_CHARS + 16];
    (void)snprintf(number, sizeof number, unit == NULL ? "%.*s" : "%.*se%d", (int)length, text,
                   unit == NULL ? 0 : unit->exponent);
    const struct plain_locale entered = enter_plain_locale();
    const double read = strtod(number, NULL);
    leave_plain_locale(entered);
    if (!isfinite(read)) {
        return UNITS_TOO_LARGE;
    }
    *value = read;
    return UNITS_OK;
}

static void add_unit(struct units_text *written, const struct unit *unit)
{
    const size_t length = strlen(written->text);
    if (unit != NULL) {
        (void)snprintf(written->text + length, sizeof written->text - length, " %s", unit->name);
    }
}

struct units_text units_write_whole(enum units_kind kind, uint64_t value)
{
    struct units_text written;
    const struct unit *unit = NULL;
    for (size_t i = 0; i < UNIT_COUNT; i++) {
        if (UNIT_TABLE[i].kind != kind) {
            continue;
        }
        const bool whole = kind != UNITS_SIZE || value % UNIT_TABLE[i].scale == 0;
        if (unit == NULL || (value >= UNIT_TABLE[i].scale && whole)) {
            unit = &UNIT_TABLE[i];
        }
    }
    const uint64_t scale = unit == NULL ? 1 : unit->scale;
    int length =
        snprintf(written.text, sizeof written.text, "%llu", (unsigned long long)(value / scale));
    uint64_t rest = value % scale;
    if (rest != 0) {
        written.text[length++] = '.';
    }
    for (uint64_t step = scale; rest != 0; rest %= step) { /* scales are powers of ten here */
        step /= RADIX;
        written.text[length++] = (char)('0' + rest / step);
    }
    written.text[length] = '\0';
    add_unit(&written, unit);
    return written;
}

/* The shortest digits that read back as the value, and the decimal exponent of the first digit. */
static int shortest_digits(double value, char digits[DOUBLE_DIGITS + 1], int *exponent)
{
    char text[DOUBLE_DIGITS + 16];
    int count = 0;
    do {
        count++;
        (void)snprintf(text, sizeof text, "%.*e", count - 1, value);
    } while (count < DOUBLE_DIGITS && strtod(text, NULL) != value);
    int found = 0;
    for (const char *at = text; *at != 'e'; at++) {
        if (*at != '.') {
            digits[found++] = *at;
        }
    }
    digits[found] = '\0';
    *exponent = (int)strtol(strchr(text, 'e') + 1, NULL, RADIX);
    return found;
}

/* Writes digits as a plain decimal; the first digit has the weight 10^exponent. */
static void write_decimal(char *text, size_t capacity, const char *digits, int count, int exponent)
{
    size_t length = 0;
    if (exponent < 0) {
        text[length++] = '0';
    }
    for (int place = exponent < 0 ? -1 : exponent;
         (place >= 0 || exponent - place < count) && length + 2 < capacity; place--) {
        if (place == -1) {
            text[length++] = '.';
        }
        const int index = exponent - place;
        text[length++] = index >= 0 && index < count ? digits[index] : '0';
    }
    text[length] = '\0';
}

struct units_text units_write_real(enum units_kind kind, double value)
{
    enum { PLAIN_EXPONENT = -7 }; /* below it a fraction is written with an exponent */
    struct units_text written;
    char digits[DOUBLE_DIGITS + 1];
    int exponent = 0;
    const struct plain_locale entered = enter_plain_locale();
    const int count = shortest_digits(value, digits, &exponent);
    const struct unit *unit = NULL;
    for (size_t i = 0; i < UNIT_COUNT; i++) {
        const bool fits =
            value > 0 ? exponent >= UNIT_TABLE[i].exponent : UNIT_TABLE[i].exponent == 0;
        if (UNIT_TABLE[i].kind == kind && (unit == NULL || fits)) {
            unit = &UNIT_TABLE[i];
        }
    }
    if (kind == UNITS_FRACTION && (exponent < PLAIN_EXPONENT || exponent >= DOUBLE_DIGITS)) {
        (void)snprintf(written.text, sizeof written.text, "%.*e", count - 1, value);
    } else {
        write_decimal(written.text, sizeof written.text, digits, count,
                      unit == NULL ? exponent : exponent - unit->exponent);
    }
    leave_plain_locale(entered);
    add_unit(&written, unit);
    return written;
}

const char *units_nearest(enum units_kind kind, const char *text)
{
    struct suggestion suggestion = suggestion_begin(skip_spaces(text + number_length(text)));
    for (size_t i = UNIT_COUNT; i-- > 0;) { /* from the large: KB is rather KiB than B */
        if (UNIT_TABLE[i].kind == kind) {
            suggestion_offer(&suggestion, UNIT_TABLE[i].name);
        }
    }
    return suggestion.best;
}
