/* standard_figure.h - the figures that every run has: energy by component, time by phase. */
#ifndef SIM_REPORTS_STANDARD_FIGURE_H
#define SIM_REPORTS_STANDARD_FIGURE_H
#include "sim/reports/gnuplot.h"
#include "sim/results/results.h"
#ifdef __cplusplus
extern "C" {
#endif

struct standard_figure_request {
    const struct results *results;
    const char *scripts_folder; /* of energy_by_component.gp, time_by_phase.gp */
    const char *out, *name;     /* the figures are out/name_energy_by_component.svg ... */
};

/* Draws each as .svg and .png.  A figure appears complete or not at all. */
enum status standard_figures_draw(const struct standard_figure_request *request,
                                  const struct figure_listener *listener,
                                  struct diagnostic *diagnostic);

#ifdef __cplusplus
}
#endif
#endif
