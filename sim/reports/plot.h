/* plot.h - figures from result folders, drawn by gnuplot. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include <stdbool.h>
#include <stddef.h>
C_LINKAGE_BEGIN

enum { PLOT_WIDTH_MM = 160, PLOT_WIDTH_LEAST_MM = 60, PLOT_WIDTH_MOST_MM = 1000 };

/* The points than which none is better in x and y: whether low or high values are the better ones
 * of x, and of y; known: as quantities.def says.  In the order of config_plot_pareto. */
enum plot_pareto {
    PLOT_PARETO_NONE,
    PLOT_PARETO_KNOWN,
    PLOT_PARETO_LOW_LOW,
    PLOT_PARETO_LOW_HIGH,
    PLOT_PARETO_HIGH_LOW,
    PLOT_PARETO_HIGH_HIGH
};
#define PLOT_PARETO_TEXT "none|known|low,low|low,high|high,low|high,high"

/* Runs that a figure of points leaves out, since they have no value of a key, as a run that has
 * failed may. */
struct plot_left_out {
    size_t runs;
    const char *key; /* the first such key of the first such run; NULL: none is left out */
};

struct plot_request {
    const char *const *folder; /* of runs, or with runs in them (run_folders.h) */
    size_t folder_count;
    const char *kind;       /* of plot_kinds(); NULL: as x, y and map ask for */
    const char *x, *y, *by; /* keys of results.h */
    const char *label;      /* a key whose value stands beside each point; NULL: none */
    enum plot_pareto pareto;
    bool log_x, log_y;
    const char *map; /* component.counter of counters.csv, or router.packets; NULL: no map */
    const char *const *along; /* keys of config.yaml that advance together with x */
    size_t along_count;
    const char *out;   /* output folder */
    const char *name;  /* of the figure, without ending; NULL: after its kind and content */
    unsigned formats;  /* bits by enum gnuplot_format; 0: SVG */
    unsigned width_mm; /* 0: PLOT_WIDTH_MM; texts have 9 pt at any width */
    const char *scripts_folder;     /* where style.gp lies */
    struct plot_left_out *left_out; /* filled in; NULL: the caller does not ask */
};

/* Draws the requested figures, each as NAME.csv, NAME.gp and NAME.svg (or .png, .pdf):
 * - of each folder, with neither x nor map: <folder>_energy_by_component, <folder>_time_by_phase,
 *   <folder>_energy_by_phase;
 * - x and y: <y>_over_<x>, of the runs that have all values of it, unless none has;
 * - map: <folder>_map_<counter>.
 * Calls `made`, if there is one, with each file's path.  STATUS_CONFIGURATION for user errors and
 * when gnuplot is not installed. */
enum status plot_make(const struct plot_request *request,
                      void (*made)(void *context, const char *path), void *context,
                      struct diagnostic *diagnostic);

/* Whether x and y are those of a figure of how trainings have learnt: columns of learning.csv. */
bool plot_is_learning(const char *x, const char *y);

/* The kinds of figures, in the order of lists. */
struct plot_kind {
    const char *name, *summary; /* summary: a sentence */
};
size_t plot_kind_count(void);
const struct plot_kind *plot_kind(size_t i);

/* Splits FOLDER/NAME.svg (.png, .pdf) into out, name and formats of the request; leaves another
 * path as the output folder.  STATUS_CONFIGURATION for another ending of a file.  *owned must be
 * freed after the request. */
enum status plot_take_out(struct plot_request *request, const char *path, char **owned,
                          struct diagnostic *diagnostic);

/* Adds "svg", "png" or "pdf" to the formats; false: it is none of them. */
bool plot_add_format(struct plot_request *request, const char *format);

C_LINKAGE_END
