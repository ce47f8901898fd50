/* limits.c - see limits.h. */
#include "sim/cli/limits.h"

#include <signal.h>
#include <stdint.h>
#include <sys/resource.h>
#include <unistd.h>

/* What calls within native code may use (NATIVE_STACK_BYTES), and as much for everything else.  The
 * C library takes this limit for threads, too. */
#define STACK_LEAST_BYTES (UINT64_C(2) << 20)

static void on_time(int number)
{
    static const char TEXT[] = "spinnsim: the processor time is used up (ulimit -t)\n";
    (void)!write(STDERR_FILENO, TEXT, sizeof TEXT - 1);
    (void)raise(number); /* by default, see SA_RESETHAND: ends the program when this returns */
}

void limits_begin(void)
{
    struct sigaction time = {.sa_handler = on_time, .sa_flags = (int)SA_RESETHAND};
    struct rlimit limit;
    (void)signal(SIGXFSZ, SIG_IGN);
    if (getrlimit(RLIMIT_CPU, &limit) == 0 && limit.rlim_cur == limit.rlim_max &&
        limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur > 1) {
        limit.rlim_cur--; /* at the hard limit the kernel kills without a signal */
        (void)setrlimit(RLIMIT_CPU, &limit);
    }
    (void)sigaction(SIGXCPU, &time, NULL);
}

enum status limits_check(struct diagnostic *diagnostic)
{
    static const unsigned KIB = 1024;
    struct rlimit stack;
    if (getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur >= STACK_LEAST_BYTES) {
        return STATUS_OK;
    }
    return diagnose(diagnostic, STATUS_INTERNAL,
                    "the stack is limited to %llu KiB, and %llu are needed\v"
                    "ulimit -s 8192 in the shell that starts this program",
                    (unsigned long long)stack.rlim_cur / KIB,
                    (unsigned long long)STACK_LEAST_BYTES / KIB);
}
