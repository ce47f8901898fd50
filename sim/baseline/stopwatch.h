/* stopwatch.h - seconds, CPU seconds and joules of the work of a training, in any number of
 * pieces: tests between them do not count. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/baseline/joules.h"
C_LINKAGE_BEGIN

struct stopwatch {
    struct joule_meter *meter;   /* NULL: nothing to measure with */
    double wall, cpu, read;      /* when the piece began; when the meter was last read */
    double seconds, cpu_seconds; /* so far, of this process with its threads */
    double joules;               /* NAN: not measured */
};

/* Seconds of a clock that only goes forward. */
double stopwatch_now(void);

/* The meter has no packages: joules are not measured. */
struct stopwatch stopwatch_of(struct joule_meter *meter);
void stopwatch_start(struct stopwatch *watch);

/* Call it from time to time: the meter's counters wrap. */
void stopwatch_tick(struct stopwatch *watch);
void stopwatch_stop(struct stopwatch *watch);

C_LINKAGE_END
