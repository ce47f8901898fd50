/* units_text.h - values as people write them: "200 MHz", "14.7 ns", "64 KiB", "3 %", "0.9".
 * Reading is exact: 14.7 ns is 14,700 ps; a value that is not a whole number of the base unit is an
 * error, never rounded.  Writing chooses the largest unit in which the number is at least 1; the
 * text reads back as the same value, bit for bit. */
#pragma once
#include "models/common/c_linkage.h"
#include <stddef.h>
#include <stdint.h>
C_LINKAGE_BEGIN

enum units_kind {
    /* whole numbers of a base unit */
    UNITS_COUNT,     /* no unit */
    UNITS_CYCLES,    /* "4 cycles" */
    UNITS_FREQUENCY, /* Hz */
    UNITS_TIME,      /* ps */
    UNITS_RATE,      /* bit/s */
    UNITS_SIZE,      /* bytes */
    UNITS_SHARE,     /* ppm */
    /* double */
    UNITS_FRACTION, /* no unit; the only kind that may carry an exponent */
    UNITS_ENERGY,   /* pJ */
    UNITS_POWER     /* W */
};

enum units_error {
    UNITS_OK,
    UNITS_NO_NUMBER,     /* not a decimal number without sign: 0x10, 1e3, .5, 1_000, 010, yes */
    UNITS_NO_UNIT,       /* a bare number for a kind that has a unit */
    UNITS_UNWANTED_UNIT, /* a unit on a kind that has none */
    UNITS_OTHER_KIND,    /* the unit of another kind */
    UNITS_UNKNOWN_UNIT,  /* "ms." or "mhz": names are case-sensitive */
    UNITS_NOT_WHOLE,     /* no whole number of the base unit */
    UNITS_TOO_LARGE      /* does not fit */
};

/* For the kinds up to UNITS_SHARE. */
enum units_error units_read_whole(enum units_kind kind, const char *text, uint64_t *value);

/* For the other kinds. */
enum units_error units_read_real(enum units_kind kind, const char *text, double *value);

enum { UNITS_TEXT_CHARS = 128 };
struct units_text {
    char text[UNITS_TEXT_CHARS];
};

struct units_text units_write_whole(enum units_kind kind, uint64_t value);

/* value is finite and not negative. */
struct units_text units_write_real(enum units_kind kind, double value);

/* For messages: the kind, "a time"; its units, "ps, ns, us, ms or s" ("" for none); its base unit;
 * the known unit nearest to the misspelt unit of `text`, NULL when none is near. */
const char *units_kind_text(enum units_kind kind);
const char *units_of_kind(enum units_kind kind);
const char *units_base(enum units_kind kind); /* "ps"; "" when there is none */
const char *units_nearest(enum units_kind kind, const char *text);

C_LINKAGE_END
