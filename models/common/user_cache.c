/* user_cache.c - see user_cache.h. */
#include "models/common/user_cache.h"

#include "models/common/trusted_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int user_cache_open(const char *name)
{
    enum {
        PATH_CHARS = 4096,
        CREATED = 3 /* the last two, and that for the caches of all programs */
    };
    const char *cache = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    const bool by_cache = cache != NULL && cache[0] == '/';
    char own[PATH_CHARS];
    if (!by_cache && (home == NULL || home[0] != '/')) {
        return -1;
    }
    const int length = snprintf(own, sizeof own, "%s%s/spinnsim/%s", by_cache ? cache : home,
                                by_cache ? "" : "/.cache", name);
    const bool fits = length > 0 && length < PATH_CHARS;
    const int folder = fits ? trusted_folder_open(own, CREATED) : -1;
    if (folder >= 0 && name[0] != '\0' && !private_folder_is(folder)) {
        (void)close(folder);
        return -1;
    }
    return folder;
}
