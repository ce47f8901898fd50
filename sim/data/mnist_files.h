/* mnist_files.h - finds the files of MNIST on the host, in the folders that dataset.h lists. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include "sim/data/dataset.h"
#include <stdbool.h>
C_LINKAGE_BEGIN

/* All owned, NULL when not found. */
struct mnist_files {
    char *folder;
    char *images;
    char *labels;
};

/* Looks for both files of a split.  STATUS_CONFIGURATION when no folder has both, with all folders
 * searched and the files missing in each; `diagnostic` may be NULL. */
enum status mnist_files_find(struct mnist_files *files, const char *data_dir,
                             enum dataset_split split, struct diagnostic *diagnostic);

void mnist_files_deinit(struct mnist_files *files);

C_LINKAGE_END
