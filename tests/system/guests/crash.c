/* crash.c - fails three calls deep, in one of these ways. */
#ifdef FLAT
typedef unsigned uint;
#else
#include <spin1_api.h>
#endif

#define APART __attribute__((noinline, noclone))

enum { NOWHERE = 0x50000000 };

volatile uint deep;

#if defined CRASH_DATA
#define FAIL(n) (*(volatile uint *)(NOWHERE + 8) = (n))
#elif defined CRASH_PREFETCH
#define FAIL(n) (((void (*)(uint))NOWHERE)(n))
#elif defined CRASH_UNDEFINED
#define FAIL(n) __asm__ volatile(".word 0xe7f000f0" : : "r"(n))
#elif defined CRASH_ERROR
#define FAIL(n) rt_error(RTE_SWERR, n)
#elif defined CRASH_SLEEP
#define FAIL(n)                                                                                    \
    for (;;)                                                                                       \
    (void)cpu_wfi()
#elif defined CRASH_WATCHDOG
static volatile uint *const WATCHDOG = (volatile uint *)0xf3000000;
#define FAIL(n)                                                                                    \
    for (WATCHDOG[0] = 2000, WATCHDOG[2] = 3;;)                                                    \
    deep += (n)
#else
#define FAIL(n)                                                                                    \
    for (;;)                                                                                       \
    deep += (n)
#endif

static APART void inner(uint n)
{
    deep = n;
    FAIL(n);
    deep += n;
}

static APART void middle(uint n)
{
    inner(n + 1);
    deep += n;
}

static APART void outer(uint n)
{
    middle(n + 1);
    deep += n;
}

#ifdef FLAT
int main(void)
{
    outer(1);
    return (int)deep;
}
#else
void c_main(void)
{
    outer(1);
    deep = 0;
}
#endif
