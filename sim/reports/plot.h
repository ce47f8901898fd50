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
    const char *out;        /* output folder */
    const char *scripts_folder; /* folder of the standard figures' gnuplot scripts */
};

/* Draws the requested figures:
 * - standard: <folder>_energy_by_component and <folder>_time_by_phase of each folder, .svg and
 * .png;
 * - x and y: <y>_over_<x>.svg, .gp and .csv;
 * - map: <folder>_map_<counter>.svg, .gp and .csv.
 * Calls `made` with each figure's path.  STATUS_CONFIGURATION for user errors and when gnuplot is
 * not installed. */
enum status plot_make(const struct plot_request *request,
                      void (*made)(void *context, const char *path), void *context,
                      struct diagnostic *diagnostic);

C_LINKAGE_END
