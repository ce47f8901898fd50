/* processor_time.h - bounds of time that hold on a busy host, too: seconds of the processor. */
#pragma once
#include <ctime>
#include <sys/resource.h>

/* Of this process, all threads, so far [s]. */
inline double processor_seconds()
{
    struct timespec now = {};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Of the children that have ended and were waited for, and of theirs [s]. */
inline double processor_seconds_of_children()
{
    struct rusage usage = {};
    getrusage(RUSAGE_CHILDREN, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}
