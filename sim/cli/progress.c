/* progress.c - see progress.h. */
#include "sim/cli/progress.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

static const double SHOW_EVERY_S = 0.2;

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

/* Estimated seconds until the end, at the average speed so far; NAN: unknown. */
static double seconds_to_go(const struct progress *progress, const struct job_progress *now)
{
    if (now->total <= now->done || now->done <= progress->first) {
        return NAN;
    }
    return seconds_since(&progress->started) * (double)(now->total - now->done) /
           (double)(now->done - progress->first);
}

static void tell_terminal(struct progress *progress, const struct job_progress *now)
{
    static const double PERCENT = 100;
    const double to_go = seconds_to_go(progress, now);
    (void)fprintf(stderr, "\r\033[K%s: %" PRIu64, now->stage, now->done);
    if (now->total > 0) {
        (void)fprintf(stderr, " of %" PRIu64, now->total);
    }
    (void)fprintf(stderr, " %s", now->unit);
    if (isfinite(now->images_per_second)) {
        (void)fprintf(stderr, ", %.0f images/s", now->images_per_second);
    }
    if (isfinite(now->loss)) {
        (void)fprintf(stderr, ", loss %.3f", now->loss);
    }
    if (isfinite(now->accuracy)) {
        (void)fprintf(stderr, ", accuracy %.2f %%", PERCENT * now->accuracy);
    }
    if (isfinite(now->joules)) {
        (void)fprintf(stderr, ", %.3g J", now->joules);
    }
    (void)fprintf(stderr, ", %.0f s", seconds_since(&progress->started));
    if (isfinite(to_go)) {
        (void)fprintf(stderr, ", about %.0f s to go", to_go);
    }
    (void)fflush(stderr);
    progress->line_open = true;
}

static void put_known(const char *name, double value)
{
    enum { DIGITS = 9 };
    if (isfinite(value)) {
        (void)fprintf(stderr, ", \"%s\": %.*g", name, DIGITS, value);
    }
}

static void tell_program(const struct progress *progress, const struct job_progress *now)
{
    (void)fprintf(stderr,
                  "{\"stage\": \"%s\", \"done\": %" PRIu64 ", \"total\": %" PRIu64
                  ", \"unit\": \"%s\", \"seconds\": %.1f",
                  now->stage, now->done, now->total, now->unit, seconds_since(&progress->started));
    put_known("seconds_to_go", seconds_to_go(progress, now));
    put_known("images_per_second", now->images_per_second);
    put_known("loss", now->loss);
    put_known("accuracy", now->accuracy);
    put_known("joules", now->joules);
    (void)fputs("}\n", stderr);
}

/* Shows the first report, the report that all is done, and in between one every SHOW_EVERY_S.  The
 * number of lines depends on the host's speed, the first and last line do not. */
static bool worth_telling(const struct progress *progress, const struct job_progress *now)
{
    if (progress->shown.tv_sec == 0) {
        return true;
    }
    const bool all_done = now->total != 0 && now->done == now->total;
    return (all_done && progress->told != now->done) ||
           seconds_since(&progress->shown) >= SHOW_EVERY_S;
}

void progress_tell(void *context, const struct job_progress *now)
{
    struct progress *progress = context;
    if (!progress->began) {
        progress->began = true;
        progress->first = now->done;
    }
    if (progress->mode == PROGRESS_NONE || !worth_telling(progress, now)) {
        return;
    }
    progress->told = now->done;
    (void)clock_gettime(CLOCK_MONOTONIC, &progress->shown);
    if (progress->mode == PROGRESS_JSON) {
        tell_program(progress, now);
    } else {
        tell_terminal(progress, now);
    }
}

void progress_end(struct progress *progress)
{
    if (progress->line_open) {
        (void)fputs("\r\033[K", stderr);
        (void)fflush(stderr);
        progress->line_open = false;
    }
}
