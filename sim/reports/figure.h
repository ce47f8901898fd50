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
    void (*made)(void *context, const char *path); /* called with each file's path */
    void *context;
    const char *style; /* the text of style.gp */
    struct diagnostic *diagnostic;
};

/* A kind of figure, a row of KINDS in plot.c.  Without a kind in the request, all are drawn that it
 * asks for by its keys. */
struct figure_kind {
    struct plot_kind about;
    bool (*is_wanted)(const struct plotter *plotter);
    /* Draws one figure of all runs or, if this is NULL, of each, which must have the key `needs`
     * (NULL: none). */
    enum status (*draw)(const struct plotter *plotter);
    enum status (*draw_each)(const struct plotter *plotter, const struct results *results);
    const char *needs;
};
extern const struct figure_kind FIGURE_ENERGY;   /* joules by coefficient */
extern const struct figure_kind FIGURE_TIME;     /* time of a core by phase */
extern const struct figure_kind FIGURE_PHASES;   /* joules by phase and component */
extern const struct figure_kind FIGURE_POWER;    /* watts over machine time */
extern const struct figure_kind FIGURE_POINTS;   /* any number over any other */
extern const struct figure_kind FIGURE_LEARNING; /* trainings: curves from learning.csv */
extern const struct figure_kind FIGURE_MAP;      /* chips and links of the board */

/* A table, and the gnuplot script that draws it behind the head. */
struct figure {
    enum status (*write_table)(FILE *stream, void *context, struct diagnostic *diagnostic);
    void (*write_script)(FILE *stream, void *context);
    void *context;
    double width_mm, height_mm; /* 0: the request's width, three fifths of the width */
    double below_mm;            /* more height than that, for a legend below */
    double text_size;           /* as of struct gnuplot_head */
};

#define FIGURE_LINE_MM 4.0 /* of a line of text, and of an entry of a legend */

/* Writes out/NAME.csv and out/NAME.gp, draws out/NAME.svg or in the formats of the request, and
 * reports each through `made`.  A file appears complete or not at all. */
enum status figure_make(const struct plotter *plotter, const char *name,
                        const struct figure *figure);

/* Puts the legend below the x axis, in the room of below_mm.  layout: gnuplot's words; title: NULL,
 * or of the legend: one more line. */
void figure_legend_below(FILE *stream, const char *layout, const char *title);

/* Writes the line type of a network or an energy component, by which it has the same colour in all
 * figures (style.gp has the table): "lt (...)".  other: the line type of other names. */
void figure_put_colour(FILE *stream, const char *name, size_t other);

/* The same of the network of group 1, 2, ...: networks without a colour of their own have one by
 * number that no other has. */
void figure_put_network(FILE *stream, const char *network, size_t group);

/* Writes "set WHAT " and a text in quotes. */
void figure_set(FILE *stream, const char *what, const char *text);

/* Parts of a figure's file name: path separators and characters that are not printable become
 * '_'. */
enum { FIGURE_NAME_CHARS = 256, FIGURE_KEY_CHARS = 128 };
void figure_name_of_folder(const char *folder, char name[FIGURE_NAME_CHARS]);
void figure_name_of_key(const char *key, char name[FIGURE_KEY_CHARS]); /* a.b -> a_b */

C_LINKAGE_END
