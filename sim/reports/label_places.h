/* label_places.h - where the texts beside points stand, so that they do not cover each other or
 * another point. */
#pragma once
#include "models/common/c_linkage.h"
#include <stdbool.h>
#include <stddef.h>
C_LINKAGE_BEGIN

#define LABEL_CHARACTER_MM 1.45 /* of a text of 7 pt, a wide mean */
#define LABEL_LINE_MM      3.0

struct label_place {
    double x_mm, y_mm;      /* the point, from the lower left corner of the area */
    double low_mm, high_mm; /* of what is drawn above and below the point */
    size_t characters;      /* of its text */
    /* Set by label_places(): from the point to the middle of the text's left end, or of its right
     * end. */
    double dx_mm, dy_mm;
    bool from_right; /* the text ends there */
    bool is_far;     /* a line must say whose text it is */
};

/* Places the texts one after the other: as near to its point as it is free, else where it covers
 * least. */
void label_places(struct label_place *label, size_t count, double width_mm, double height_mm);

C_LINKAGE_END
