/* memory.c - see memory.h. */
#include "models/common/memory.h"

#include <unistd.h>

void memory_exhausted(void)
{
    static const char MESSAGE[] = "spinnsim: out of memory\n";
    const ssize_t written = write(STDERR_FILENO, MESSAGE, sizeof MESSAGE - 1);
    (void)written;
    _exit(1);
}
