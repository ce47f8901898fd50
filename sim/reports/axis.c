/* axis.c - see axis.h. */
#include "sim/reports/axis.h"

#include "sim/results/json.h"
#include "sim/results/quantity.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { MULTIPLES = 7 };

/* A unit, and its multiples in ascending order with what they are worth. */
static const struct family {
    const char *unit;
    struct {
        const char *text;
        double worth;
    } multiple[MULTIPLES];
} FAMILIES[] = {
    {"Hz", {{"Hz", 1}, {"kHz", 1e3}, {"MHz", 1e6}, {"GHz", 1e9}}},
    {"bit/s", {{"bit/s", 1}, {"kbit/s", 1e3}, {"Mbit/s", 1e6}, {"Gbit/s", 1e9}}},
    {"ps", {{"ps", 1}, {"ns", 1e3}, {"µs", 1e6}, {"ms", 1e9}, {"s", 1e12}}},
    {"s", {{"ps", 1e-12}, {"ns", 1e-9}, {"µs", 1e-6}, {"ms", 1e-3}, {"s", 1}}},
    {"J", {{"pJ", 1e-12}, {"nJ", 1e-9}, {"µJ", 1e-6}, {"mJ", 1e-3}, {"J", 1}, {"kJ", 1e3}}},
    {"W", {{"nW", 1e-9}, {"µW", 1e-6}, {"mW", 1e-3}, {"W", 1}, {"kW", 1e3}}},
    {"byte", {{"bytes", 1}, {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}}},
    {"bytes", {{"bytes", 1}, {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}}},
};

/* Multiples of what is counted: small counts are shown as they are. */
static const struct {
    const char *text;
    double worth, from;
} COUNTS[] = {{"", 1, 0}, {"10⁶ ", 1e6, 1e6}, {"10⁹ ", 1e9, 1e9}, {"10¹² ", 1e12, 1e12}};

static void take_multiple(struct axis *axis, const struct family *family, double greatest)
{
    size_t best = 0;
    for (size_t i = 0; i < MULTIPLES && family->multiple[i].text != NULL; i++) {
        /* Of 0 the unit itself. */
        if (greatest == 0 ? family->multiple[i].worth == 1
                          : greatest >= family->multiple[i].worth) {
            best = i;
        }
    }
    axis->scale = 1 / family->multiple[best].worth;
    (void)snprintf(axis->unit, sizeof axis->unit, "%s", family->multiple[best].text);
}

static void take_count(struct axis *axis, const char *unit, double greatest)
{
    size_t best = 0;
    for (size_t i = 0; i < sizeof COUNTS / sizeof *COUNTS; i++) {
        best = greatest >= COUNTS[i].from ? i : best;
    }
    axis->scale = 1 / COUNTS[best].worth;
    (void)snprintf(axis->unit, sizeof axis->unit, "%s%s", COUNTS[best].text,
                   quantity_unit(unit).text);
    for (size_t end = strlen(axis->unit); end > 0 && axis->unit[end - 1] == ' '; end--) {
        axis->unit[end - 1] = '\0';
    }
}

/* Without its label. */
static struct axis scaled(const char *unit, double greatest)
{
    struct axis axis = {.scale = 1};
    for (size_t i = 0; i < sizeof FAMILIES / sizeof *FAMILIES; i++) {
        if (strcmp(FAMILIES[i].unit, unit) == 0) {
            take_multiple(&axis, &FAMILIES[i], greatest);
            return axis;
        }
    }
    take_count(&axis, unit, greatest);
    return axis;
}

struct axis axis_named(const char *name, const char *unit, double greatest)
{
    struct axis axis = scaled(unit, greatest);
    (void)snprintf(axis.label, sizeof axis.label, axis.unit[0] == '\0' ? "%s" : "%s (%s)", name,
                   axis.unit);
    return axis;
}

/* Fractions that people read as percentages, and the keys that end with their names. */
static bool is_share(const char *key, const char *unit)
{
    static const char SHARE[] = "accuracy";
    const size_t length = strlen(key);
    return unit[0] == '\0' && length >= sizeof SHARE - 1 &&
           strcmp(key + length - (sizeof SHARE - 1), SHARE) == 0;
}

struct axis axis_of(const char *key, const char *unit, double greatest)
{
    static const double PERCENT = 100;
    struct quantity quantity;
    const bool known = quantity_find(key, &quantity);
    const char *of = unit[0] != '\0' || !known ? unit : quantity.unit;
    struct axis axis =
        is_share(key, of) ? (struct axis){.scale = PERCENT, .unit = "%"} : scaled(of, greatest);
    (void)snprintf(axis.label, sizeof axis.label, "%s", quantity_label(key, axis.unit).text);
    return axis;
}

/* ---- ranges and tics ---- */

struct axis_range axis_range(double least, double greatest, double room)
{
    static const double FAR = 0.4;
    const double span = greatest > least ? greatest - least : fmax(fabs(greatest), 1);
    const double low = least - room * span;
    return (struct axis_range){least >= 0 && (low < 0 || least < FAR * greatest) ? 0 : low,
                               greatest + room * span};
}

/* Whether tics at multiples of the step have room for their numbers. */
static bool fits(double low, double high, double step, double room_mm)
{
    static const double GAP_MM = 3;
    size_t longest = 1;
    const double width_mm = room_mm * step / (high - low);
    if (width_mm < AXIS_CHARACTER_MM + GAP_MM) {
        return false;
    }
    const long last = (long)floor(high / step);
    for (long i = (long)ceil(low / step); i <= last; i++) {
        const size_t length = (size_t)snprintf(NULL, 0, "%g", (double)i * step);
        longest = length > longest ? length : longest;
    }
    return width_mm >= AXIS_CHARACTER_MM * (double)longest + GAP_MM;
}

double axis_step(double low, double high, double room_mm)
{
    static const double STEP[] = {1, 2, 5};
    enum { STEPS = sizeof STEP / sizeof *STEP, DECADES = 4, TEN = 10 };
    double decade = pow(10, floor(log10(high - low)) - 2);
    for (unsigned d = 0; d < DECADES; d++) {
        for (unsigned i = 0; i < STEPS; i++) {
            if (fits(low, high, STEP[i] * decade, room_mm)) {
                return STEP[i] * decade;
            }
        }
        decade *= TEN;
    }
    return decade;
}

void axis_put_log(FILE *stream, const char *axis, double least, double greatest)
{
    static const double ROOM = 1.25;
    static const double TIC[] = {1, 2, 5};
    char text[2][REAL_TEXT_CHARS];
    const double low = least / ROOM;
    const double high = greatest * ROOM;
    (void)fprintf(stream, "set logscale %s\nset %srange [%s:%s]\n", axis, axis,
                  real_text(low, text[0]), real_text(high, text[1]));
    const char *more = "";
    for (int power = (int)floor(log10(low)); power <= (int)ceil(log10(high)); power++) {
        for (size_t i = 0; i < sizeof TIC / sizeof *TIC; i++) {
            const double at = TIC[i] * pow(10, power);
            if (at >= low && at <= high) {
                (void)fprintf(stream, "set %stics %s('%g' %s)\n", axis, more, at,
                              real_text(at, text[0]));
                more = "add ";
            }
        }
    }
}

void axis_put_range(FILE *stream, const char *axis, double least, double greatest, double room,
                    double length_mm)
{
    char text[2][REAL_TEXT_CHARS];
    const struct axis_range range = axis_range(least, greatest, room);
    (void)fprintf(stream, "set %srange [%s:%s]\n", axis, real_text(range.low, text[0]),
                  real_text(range.high, text[1]));
    if (length_mm > 0) {
        (void)fprintf(stream, "set %stics %s\n", axis,
                      real_text(axis_step(range.low, range.high, length_mm), text[0]));
    }
}

enum status axis_refuse_log(const char *key, struct diagnostic *diagnostic)
{
    const enum status status = diagnose(diagnostic, STATUS_CONFIGURATION,
                                        "a logarithmic axis takes numbers above 0 alone");
    diagnostic_key(diagnostic, key);
    return status;
}
