/* standard_figure.h - the figures that every run has: energy by component, time by phase. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/reports/gnuplot.h"
#include "sim/results/results.h"
C_LINKAGE_BEGIN

struct standard_figure_request {
    const struct results *results;
    const char *scripts_folder; /* of energy_by_component.gp, time_by_phase.gp */
    const char *out, *name;     /* the figures are out/name_energy_by_component.svg ... */
};

/* Draws each as .svg and .png.  A figure appears complete or not at all. */
enum status standard_figures_draw(const struct standard_figure_request *request,
                                  const struct figure_listener *listener,
                                  struct diagnostic *diagnostic);

C_LINKAGE_END
