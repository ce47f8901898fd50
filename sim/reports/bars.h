/* bars.h - figures of horizontal bars with a label each: as many as there are, those of little
 * weight together in the last. */
#pragma once
#include "sim/reports/figure.h"
C_LINKAGE_BEGIN

enum { BAR_LABEL_BYTES = 128, BAR_PARTS_MAX = 16, BAR_PART_CHARS = 48 };

struct bar {
    char label[BAR_LABEL_BYTES];
    double value, low, high;    /* in the unit of the figure; a whisker goes from low to high */
    double part[BAR_PARTS_MAX]; /* they add up to value */
};

struct bars_layout {
    size_t legend_rows;
    size_t label_characters;
    double note_mm, bottom_mm;  /* where the note lies; below the bars */
    double left_mm, right_mm;   /* beside the bars */
    double width_mm, height_mm; /* of the figure */
};

struct bars {
    struct bar *bar; /* owned: bars_deinit() */
    size_t count, room;
    const char *of;                     /* what a bar is: head of the labels' column */
    const char *quantity, *unit, *note; /* of the values; note: what value and whiskers are */
    char part_name[BAR_PARTS_MAX][BAR_PART_CHARS]; /* of the parts of each bar, in a legend */
    size_t parts;                                  /* 0: bars are not divided */
    char title[512];
    struct bars_layout layout; /* set by bars_draw() */
    const char *nothing;       /* what is said where there is no bar */
};

/* The next bar, with a label that is shown as it stands, in one line and not endlessly long.  NULL:
 * out of memory. */
struct bar *bars_add(struct bars *bars, const char *format, ...) PRINTF_LIKE(2, 3);

/* Of more than a dozen bars, makes one of those that are less than a hundredth of the sum. */
void bars_merge(struct bars *bars);

/* Draws <folder>_<kind>. */
enum status bars_draw(const struct plotter *plotter, const struct results *results,
                      const char *kind, struct bars *bars);

void bars_deinit(struct bars *bars);

C_LINKAGE_END
