/* stopwatch.c - see stopwatch.h. */
#include "sim/baseline/stopwatch.h"

#include <math.h>
#include <time.h>

static double seconds_of(clockid_t clock)
{
    static const double NS = 1e-9;
    struct timespec now;
    (void)clock_gettime(clock, &now);
    return (double)now.tv_sec + NS * (double)now.tv_nsec;
}

double stopwatch_now(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

struct stopwatch stopwatch_of(struct joule_meter *meter)
{
    const bool measures = meter != NULL && meter->packages > 0;
    return (struct stopwatch){.meter = measures ? meter : NULL, .joules = measures ? 0 : NAN};
}

void stopwatch_start(struct stopwatch *watch)
{
    if (watch->meter != NULL) {
        joule_meter_begin(watch->meter);
    }
    watch->wall = watch->read = stopwatch_now();
    watch->cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

void stopwatch_tick(struct stopwatch *watch)
{
    static const double READ_SECONDS = 1;
    if (watch->meter != NULL && stopwatch_now() - watch->read > READ_SECONDS) {
        joule_meter_read(watch->meter);
        watch->read = stopwatch_now();
    }
}

void stopwatch_stop(struct stopwatch *watch)
{
    watch->seconds += stopwatch_now() - watch->wall;
    watch->cpu_seconds += seconds_of(CLOCK_PROCESS_CPUTIME_ID) - watch->cpu;
    if (watch->meter != NULL) {
        joule_meter_read(watch->meter);
        watch->joules += watch->meter->joules;
    }
}
