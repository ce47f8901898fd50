/* check.c - ends a process that cannot continue. */
#include "models/common/check.h"

#include <stdio.h>
#include <stdlib.h>

void check_failed(const char *file, int line, const char *what)
{
    (void)fprintf(stderr, "spinnsim: internal error at %s:%d: %s\n", file, line, what);
    abort();
}
