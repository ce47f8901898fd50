/* axis.h - how a quantity stands along an axis, in a legend or in a table for people: its name, and
 * its values in a multiple of its unit that suits them. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include <stdio.h>
C_LINKAGE_BEGIN

enum { AXIS_LABEL_CHARS = 192, AXIS_UNIT_CHARS = 48 };

struct axis {
    double scale;                 /* a value times this is shown */
    char unit[AXIS_UNIT_CHARS];   /* of what is shown: "MHz", "10⁶ cycles", "" */
    char label[AXIS_LABEL_CHARS]; /* "Core clock (MHz)" */
};

/* The axis of a key of results.h whose values are of this unit ("": as quantities are declared), in
 * magnitude at most `greatest`. */
struct axis axis_of(const char *key, const char *unit, double greatest);

/* The same with a name of its own. */
struct axis axis_named(const char *name, const char *unit, double greatest);

#define AXIS_CHARACTER_MM 1.9 /* of a text of 9 pt, a wide mean */

/* The distance of tics, 1, 2 or 5 times a power of ten, at which their numbers from low to high do
 * not touch each other along so many millimetres. */
double axis_step(double low, double high, double room_mm);

/* From where to where an axis goes that shows these values and some room above: from 0, unless they
 * lie close together and far from it. */
struct axis_range {
    double low, high;
};
struct axis_range axis_range(double least, double greatest, double room);

/* gnuplot's settings of the axis "x" or "y": from where to where, and its tics.  length_mm: of the
 * axis; 0: gnuplot chooses the tics. */
void axis_put_range(FILE *stream, const char *axis, double least, double greatest, double room,
                    double length_mm);

/* The same with a logarithmic scale, of values that are all above 0: from a little less than the
 * least to a little more than the greatest, with tics at 1, 2 and 5 times powers of ten. */
void axis_put_log(FILE *stream, const char *axis, double least, double greatest);

/* STATUS_CONFIGURATION: this key has other values, too. */
enum status axis_refuse_log(const char *key, struct diagnostic *diagnostic);

C_LINKAGE_END
