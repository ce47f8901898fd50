/* run_ahead.c - see run_ahead.h. */
#include "models/common/run_ahead.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool run_ahead_of(const char *text, uint64_t *run_ahead)
{
    if (strcmp(text, "auto") == 0 || strcmp(text, "off") == 0) {
        *run_ahead = *text == 'a' ? RUN_AHEAD_AUTO : RUN_AHEAD_OFF;
        return true;
    }
    char *end;
    errno = 0;
    const uint64_t seed = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || errno != 0) {
        return false;
    }
    *run_ahead = seed;
    return true;
}
