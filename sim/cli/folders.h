/* folders.h - where the program finds what came with it: configurations, ARM programs, plots'
 * scripts, goldens. */
#pragma once
#include "models/common/c_linkage.h"
C_LINKAGE_BEGIN

enum { FOLDER_PATH_CHARS = 4096 };

struct folders {
    char configs[FOLDER_PATH_CHARS];
    char workloads[FOLDER_PATH_CHARS]; /* built programs */
    char plot[FOLDER_PATH_CHARS];      /* gnuplot scripts */
    char golden[FOLDER_PATH_CHARS];
};

/* Beside the program, in ../share/spinnsim, when it is installed; otherwise the folders of the
 * checkout and the build that it was made from. */
void folders_find(struct folders *folders);

C_LINKAGE_END
