/* streams.c - see streams.h. */
#include "sim/cli/streams.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void close_output(void)
{
    const bool failed = ferror(stdout) != 0;
    errno = 0;
    if (fflush(stdout) == 0 && !failed) {
        return;
    }
    (void)fprintf(stderr, "spinnsim: standard output: cannot write%s%s\n", errno != 0 ? ": " : "",
                  errno != 0 ? strerror(errno) : "");
    _exit(1);
}

void streams_begin(void)
{
    for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++) {
        if (fcntl(file, F_GETFD) < 0) { /* reads and writes fail as before: the wrong way round */
            (void)open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        }
    }
    (void)atexit(close_output);
}
