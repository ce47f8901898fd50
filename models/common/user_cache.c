/* user_cache.c - see user_cache.h. */
#include "models/common/user_cache.h"

#include "models/common/trusted_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool user_cache_path(const char *name, char path[USER_CACHE_PATH_CHARS])
{
    const char *cache = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    const bool by_cache = cache != NULL && cache[0] == '/';
    if (!by_cache && (home == NULL || home[0] != '/')) {
        return false;
    }
    const int length = snprintf(path, USER_CACHE_PATH_CHARS, "%s%s/spinnsim/%s",
                                by_cache ? cache : home, by_cache ? "" : "/.cache", name);
    return length > 0 && length < USER_CACHE_PATH_CHARS;
}

int user_cache_open(const char *name)
{
    enum { CREATED = 3 /* the last two, and that for the caches of all programs */ };
    char path[USER_CACHE_PATH_CHARS];
    const int folder = user_cache_path(name, path) ? trusted_folder_open(path, CREATED) : -1;
    if (folder >= 0 && name[0] != '\0' && !private_folder_is(folder)) {
        (void)close(folder);
        return -1;
    }
    return folder;
}
