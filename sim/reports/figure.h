/* figure.h - shared by all kinds of figures: the request, the open results, and the files of a
 * figure. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/reports/plot.h"
#include "sim/results/results.h"
#include <stdbool.h>
#include <stdio.h>
C_LINKAGE_BEGIN

struct plotter {
    const struct plot_request *request;
    const struct results *results;                 /* one for each folder of the request */
    void (*made)(void *context, const char *path); /* called with each figure's path */
    void *context;
    struct diagnostic *diagnostic;
};

/* A kind of figure.  plot.c draws the first kind of its list that the request asks for. */
struct figure_kind {
    bool (*is_wanted)(const struct plotter *plotter);
    enum status (*draw)(const struct plotter *plotter);
};
extern const struct figure_kind FIGURE_MAP;      /* --map: chips and links of the board */
extern const struct figure_kind FIGURE_LEARNING; /* trainings: curves from learning.csv */
extern const struct figure_kind FIGURE_POINTS;   /* any number over any other */
extern const struct figure_kind FIGURE_STANDARD; /* energy by component, time by phase */

/* A table, and the gnuplot script that draws it. */
struct figure {
    enum status (*write_table)(FILE *stream, void *context, struct diagnostic *diagnostic);
    void (*write_script)(FILE *stream, void *context, const char *name);
    void *context;
};

/* Writes out/NAME.csv and out/NAME.gp, draws out/NAME.svg, and reports each through `made`.  A file
 * appears complete or not at all. */
enum status figure_make(const struct plotter *plotter, const char *name,
                        const struct figure *figure);

/* Parts of a figure's file name: path separators and characters that are not printable become
 * '_'. */
enum { FIGURE_NAME_CHARS = 256, FIGURE_KEY_CHARS = 128 };
void figure_name_of_folder(const char *folder, char name[FIGURE_NAME_CHARS]);
void figure_name_of_key(const char *key, char name[FIGURE_KEY_CHARS]); /* a.b -> a_b */

C_LINKAGE_END
