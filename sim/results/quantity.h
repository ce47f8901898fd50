/* quantity.h - every number that a run gives or takes, by its name: title, unit, meaning.
 *
 * The name is a dotted key of summary.json ("images_per_second", "energy.joules", or one of its
 * ends, "energy.joules.low"), a counter of counters.csv ("core.instructions"), a key of
 * config.yaml ("clock.cpu"), or a column of a table ("learning.loss" of learning.csv). */
#pragma once
#include "models/common/c_linkage.h"
#include <stdbool.h>
C_LINKAGE_BEGIN

enum quantity_better { QUANTITY_NEITHER, QUANTITY_LESS, QUANTITY_MORE };

enum { QUANTITY_TITLE_CHARS = 96, QUANTITY_LABEL_CHARS = 160 };

struct quantity {
    char title[QUANTITY_TITLE_CHARS]; /* for people: "Image rate" */
    const char *unit;                 /* of the number as it is written; "": it has none */
    const char *meaning;
    enum quantity_better better; /* which of two values an architect would rather have */
};

/* False when nothing has that name. */
bool quantity_find(const char *name, struct quantity *quantity);

/* How a unit stands behind numbers: in words, in the plural; symbols as they are. */
enum { QUANTITY_UNIT_CHARS = 48 };
struct quantity_unit {
    char text[QUANTITY_UNIT_CHARS];
};
struct quantity_unit quantity_unit(const char *unit);

/* The label of an axis or a column: "Image rate (images/s)".  `unit` replaces the quantity's own
 * when the numbers have been scaled ("ms"); NULL: its own.  A name that nothing has is its own
 * title. */
struct quantity_label {
    char text[QUANTITY_LABEL_CHARS];
};
struct quantity_label quantity_label(const char *name, const char *unit);

C_LINKAGE_END
