/* gnuplot.h - starts gnuplot, without a shell. */
#ifndef SIM_EXPERIMENT_GNUPLOT_H
#define SIM_EXPERIMENT_GNUPLOT_H
#include "models/common/status.h"
#ifdef __cplusplus
extern "C" {
#endif

/* Is told each figure's path. */
struct figure_listener {
    void (*made)(void *context, const char *path);
    void *context;
};

/* argv[0] is "gnuplot".  STATUS_CONFIGURATION with a hint when it is not installed. */
enum status gnuplot_run(char *const *argv, struct diagnostic *diagnostic);

/* Runs folder/name.gp in its folder, since the names in it are relative, and tells of
 * folder/name.svg. */
enum status gnuplot_draw(const char *folder, const char *name,
                         const struct figure_listener *listener, struct diagnostic *diagnostic);

#ifdef __cplusplus
}
#endif
#endif
