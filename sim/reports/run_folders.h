/* run_folders.h - the result folders that a command names: themselves, or the folder of a sweep
 * that they lie in. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include <stdbool.h>
#include <stddef.h>
C_LINKAGE_BEGIN

struct run_folders {
    const char **folder; /* owned, and each of them */
    size_t count, room;
    bool any_found; /* some were found in a folder that was named */
};

/* A folder without results stands for the runs in it, in the order of their names; without any it
 * stays, and results_open() says what is wrong with it.  STATUS_INTERNAL when out of memory; deinit
 * the list in any case. */
enum status run_folders_find(struct run_folders *runs, const char *const *folder, size_t count,
                             struct diagnostic *diagnostic);
void run_folders_deinit(struct run_folders *runs);

C_LINKAGE_END
