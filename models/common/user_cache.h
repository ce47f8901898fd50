/* user_cache.h - the user's folder for what can be made again: spinnsim/ under XDG_CACHE_HOME or,
 * if that is not set, under ~/.cache. */
#pragma once
#include "models/common/c_linkage.h"
C_LINKAGE_BEGIN

enum { USER_CACHE_PATH_CHARS = 4096 };

/* Opens a folder in it, which is made if necessary: it must be this user's, and nobody else may
 * read or write it; the path to it must be trusted (trusted_folder.h).  `path`, if not NULL, is set
 * to the folder's name.  Returns a descriptor, which the caller closes; -1: there is no such
 * folder. */
int user_cache_open(const char *name, char path[USER_CACHE_PATH_CHARS]);

C_LINKAGE_END
