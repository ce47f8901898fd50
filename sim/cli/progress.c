/* progress.c - see progress.h. */
#include "sim/cli/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const double SHOW_EVERY_S = 0.2;

bool progress_mode_of(const char *text, enum progress_mode *mode)
{
    static const char *const NAME[] = {"auto", "json", "none"};
    for (unsigned i = 0; i < sizeof NAME / sizeof *NAME; i++) {
        if (strcmp(text, NAME[i]) == 0) {
            *mode = (enum progress_mode)i;
            return true;
        }
    }
    return false;
}

static double seconds_since(const struct timespec *then)
{
    static const double NS = 1e-9;
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - then->tv_sec) + NS * (double)(now.tv_nsec - then->tv_nsec);
}

void progress_begin(struct progress *progress, enum progress_mode mode)
{
    *progress = (struct progress){.mode = mode};
    if (mode == PROGRESS_AUTO && isatty(STDERR_FILENO) == 0) {
        progress->mode = PROGRESS_NONE;
    }
    (void)clock_gettime(CLOCK_MONOTONIC, &progress->started);
}

static void tell_terminal(struct progress *progress, const char *stage, uint64_t done,
                          uint64_t total, const char *unit)
{
    const double seconds = seconds_since(&progress->started);
    (void)fprintf(stderr, "\r\033[K%s: %" PRIu64, stage, done);
    if (total > 0) {
        (void)fprintf(stderr, " of %" PRIu64, total);
    }
    (void)fprintf(stderr, " %s, %.0f s", unit, seconds);
    if (total > 0 && done > 0 && done < total) {
        (void)fprintf(stderr, ", about %.0f s to go",
                      seconds * (double)(total - done) / (double)done);
    }
    (void)fflush(stderr);
    progress->line_open = true;
}

void progress_tell(void *context, const char *stage, uint64_t done, uint64_t total,
                   const char *unit)
{
    struct progress *progress = context;
    if (progress->mode == PROGRESS_NONE ||
        (progress->shown.tv_sec != 0 && seconds_since(&progress->shown) < SHOW_EVERY_S)) {
        return;
    }
    (void)clock_gettime(CLOCK_MONOTONIC, &progress->shown);
    if (progress->mode == PROGRESS_JSON) {
        (void)fprintf(stderr,
                      "{\"stage\": \"%s\", \"done\": %" PRIu64 ", \"total\": %" PRIu64
                      ", \"unit\": \"%s\", \"seconds\": %.1f}\n",
                      stage, done, total, unit, seconds_since(&progress->started));
        return;
    }
    tell_terminal(progress, stage, done, total, unit);
}

void progress_end(struct progress *progress)
{
    if (progress->line_open) {
        (void)fputs("\r\033[K", stderr);
        (void)fflush(stderr);
        progress->line_open = false;
    }
}
