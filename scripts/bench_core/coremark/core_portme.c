/* core_portme.c - port of CoreMark: a run by its rules, with ITERATIONS iterations.  The exit
 * status says whether CoreMark's own check of its results has passed. */
#include "coremark.h"

#include <stdbool.h>
#include <stdlib.h>

volatile ee_s32 seed1_volatile = 0, seed2_volatile = 0,
                seed3_volatile = 0x66; /* of a performance run */
volatile ee_s32 seed4_volatile = ITERATIONS, seed5_volatile = 0;
ee_u32 default_num_contexts = 1;
static bool validated, wrong;

void start_time(void)
{
}
void stop_time(void)
{
}
CORE_TICKS get_time(void)
{
    return 10; /* seconds: a shorter run would be refused */
}
secs_ret time_in_secs(CORE_TICKS ticks)
{
    return ticks;
}

/* The report is read here. */
int ee_printf(const char *format, ...)
{
    validated |= strstr(format, "Correct operation validated") != NULL;
    wrong |= strstr(format, "ERROR") != NULL;
    return 0;
}

void portable_init(core_portable *port, int *argc, char *argv[])
{
    port->portable_id = 1;
}
void portable_fini(core_portable *port)
{
    port->portable_id = 0;
    exit(validated && !wrong ? EXIT_SUCCESS : EXIT_FAILURE);
}
