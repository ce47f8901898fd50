/* checkpoint_check.h - inside of checkpoint.c: values of a file that no training can have left. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/networks/checkpoint.h"
C_LINKAGE_BEGIN

/* Every value but the parameters, of which all can be.  STATUS_CONFIGURATION with file, array,
 * index, value, and what is expected. */
enum status checkpoint_check(const struct checkpoint *checkpoint, const struct learning *learning,
                             const char *path, struct diagnostic *diagnostic);

C_LINKAGE_END
