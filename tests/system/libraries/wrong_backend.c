/* wrong_backend.c - the example backend with one fault, by the macro that is defined. */
#include "spinnsim_backend.h"

#define spinnsim_backend(nothing) plain_backend(nothing)
#include "sim/backends/example/plain_backend.c" /* NOLINT(bugprone-suspicious-include) */
#undef spinnsim_backend

#ifdef FAILS
static int fail(void *context, const struct spinnsim_gemv *g, struct spinnsim_events *events)
{
    (void)context;
    (void)g;
    (void)events;
    return 1;
}
#endif

#ifndef NO_FUNCTION
const struct spinnsim_backend *spinnsim_backend(void)
{
    static struct spinnsim_backend wrong;
    wrong = *plain_backend();
#if defined(VERSION)
    wrong.version = VERSION;
#elif defined(BYTES)
    wrong.bytes = BYTES;
#elif defined(NUMBERS)
    wrong.numbers = (enum spinnsim_numbers)NUMBERS;
#elif defined(LACKS)
    wrong.LACKS = NULL;
#elif defined(FAILS)
    wrong.gemv = fail;
#elif defined(RETURNS_NULL)
    return NULL;
#endif
    return &wrong;
}
#endif
