/* checkpoint_check.h - inside of checkpoint.c: values of a file that no training can have left. */
#ifndef SIM_NETWORKS_CHECKPOINT_CHECK_H
#define SIM_NETWORKS_CHECKPOINT_CHECK_H
#include "sim/networks/checkpoint.h"
#ifdef __cplusplus
extern "C" {
#endif

/* Every value but the parameters, of which all can be.  STATUS_CONFIGURATION with file, array,
 * index, value, and what is expected. */
enum status checkpoint_check(const struct checkpoint *checkpoint, const struct learning *learning,
                             const char *path, struct diagnostic *diagnostic);

#ifdef __cplusplus
}
#endif
#endif
