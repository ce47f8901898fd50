/* arithmetic_mix.c - sums, differences, products and quotients by the compiler's library, for two
 * ticks of the timer: of float, or with FIXED of accum, which has 16 bits before the point and 15
 * behind it.  Each operation adds to a counter of the same type: 2, or 0.002.  After I. Sugiarto's
 * comparison of floating and fixed point of 2016, which counted for three seconds. */
#include <spin1_api.h>

#ifdef FIXED
/* The functions by their names, since ISO C has no accum.  A literal of type double made each count
 * a sum of doubles in the program of 2016. */
typedef int number;
number __gnu_mulsa3(number a, number b);
number __gnu_divsa3(number a, number b);
double __gnu_fractsadf(number a);
number __gnu_fractdfsa(double a);
#define PRODUCT  __gnu_mulsa3
#define QUOTIENT __gnu_divsa3
#define K(value) ((number)((value)*32768))
#define COUNT()  counter = __gnu_fractdfsa(__gnu_fractsadf(counter) + 0.002)
#else
typedef float number;
#define PRODUCT(a, b)  ((a) * (b))
#define QUOTIENT(a, b) ((a) / (b))
#define K(value)       ((number)(value))
#define COUNT()        counter = counter + 2
#endif

enum { TICK_US = 20000, TICKS = 2 };

static volatile number result, counter;
static volatile number k1 = K(3.19), k2 = K(2.91), k3 = K(2.01), k4 = K(1.97);
static volatile uint running = 1;

static void compute(uint unused, uint unused_too)
{
    (void)unused;
    (void)unused_too;
    while (running) {
        result = result + k1;
        COUNT();
        result = result - k2;
        COUNT();
        result = PRODUCT(result, k3);
        COUNT();
        result = QUOTIENT(result, k4);
        COUNT();
        result = result + k2;
        COUNT();
        result = result - k1;
        COUNT();
        result = PRODUCT(result, k4);
        COUNT();
        result = QUOTIENT(result, k3);
        COUNT();
    }
    io_printf(IO_BUF, "counter %u after %u us\n", (uint)counter, TICKS * TICK_US);
    spin1_exit(0);
}

static void tick(uint ticks, uint unused)
{
    (void)unused;
    if (ticks == TICKS) {
        running = 0;
    }
}

void c_main(void)
{
    spin1_set_timer_tick(TICK_US);
    spin1_callback_on(TIMER_TICK, tick, -1);
    spin1_schedule_callback(compute, 0, 0, 1);
    spin1_start(SYNC_NOWAIT);
}
