/* program_list.h - the ARM programs of experiments, linked before they run. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/config/config.h"
#include <stdio.h>
C_LINKAGE_BEGIN

/* Links the program of each configuration from the parts in the folder `workloads`, keeps it there
 * (program_ship()), and prints a row of CSV for each: how it is compiled, its bytes of code, those
 * that are free, its bytes of data, its file.  Left out are experiments that have no such program,
 * or have it by a choice that needs their data.  `request`: of each file, but for its path.
 * Ends with the first that fails. */
enum status program_list(const char *const *files, size_t count,
                         const struct config_request *request, const char *workloads, FILE *stream,
                         struct diagnostic *diagnostic);

C_LINKAGE_END
