/* user_cache.h - the user's folder for what can be made again: spinnsim/ under XDG_CACHE_HOME or,
 * if that is not set, under ~/.cache. */
#pragma once
#include "models/common/c_linkage.h"

#include <stdbool.h>
C_LINKAGE_BEGIN

enum { USER_CACHE_PATH_CHARS = 4096 };

/* The path of a folder in it, or ("") of the folder itself.  false: there is none. */
bool user_cache_path(const char *name, char path[USER_CACHE_PATH_CHARS]);

/* Opens a folder in it, or ("") the folder itself, which is made if necessary.  The path to it must
 * be trusted (trusted_folder.h); a folder in it must also be this user's, and nobody else may read
 * it.  Returns a descriptor, which the caller closes; -1: there is no such folder. */
int user_cache_open(const char *name);

C_LINKAGE_END
