/* plot.h - figures from result folders, drawn by gnuplot. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include <stddef.h>
C_LINKAGE_BEGIN

struct plot_request {
    const char *const *folder;
    size_t folder_count;
    const char *x, *y, *by; /* keys of results.h; x and y NULL: the standard figures */
    const char *map;        /* component.counter of counters.csv, or router.packets; NULL: no map */
    const char *out;        /* where figures go */
    const char *scripts_folder; /* of the standard figures */
};

/* Standard figures of each folder: <folder>_energy_by_component, <folder>_time_by_phase as .svg and
 * .png.  x and y: <y>_over_<x>.svg, .gp and .csv.  map: <folder>_map_<counter>.svg, .gp and .csv.
 * Tells each figure's path through `made`. STATUS_CONFIGURATION for what a user can mend, a missing
 * gnuplot included. */
enum status plot_make(const struct plot_request *request,
                      void (*made)(void *context, const char *path), void *context,
                      struct diagnostic *diagnostic);

C_LINKAGE_END
