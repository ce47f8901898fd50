/* accelerator.c - a dot product by the accelerator before the SDRAM (../accelerator.cpp), and by
 * the core alone. */
#include <spin1_api.h>

enum { COUNT = 100 };

/* The accelerator's registers, at 0x1000 of SDRAM; addresses are offsets in SDRAM. */
typedef struct {
    uint a, b, count;
    uint result; /* a store starts it */
} accelerator_t;
static volatile accelerator_t *const accelerator = (volatile accelerator_t *)0x70001000;

static uint dot(const volatile uint *a, const volatile uint *b)
{
    uint sum = 0;
    for (uint i = 0; i < COUNT; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

static void run(uint unused, uint unused_too)
{
    (void)unused;
    (void)unused_too;
    volatile uint *a = (volatile uint *)0x70010000;
    volatile uint *b = (volatile uint *)0x70020000;
    for (uint i = 0; i < COUNT; i++) {
        a[i] = i;
        b[i] = i;
    }
    tc[T2_LOAD] = 0xffffffff;
    tc[T2_CONTROL] = 0x82; /* enabled, 32 bits: counts down with each cycle */
    const uint begin = tc[T2_COUNT];
    accelerator->a = 0x10000;
    accelerator->b = 0x20000;
    accelerator->count = COUNT;
    accelerator->result = 0;
    const uint fast = accelerator->result;
    const uint middle = tc[T2_COUNT];
    const uint slow = dot(a, b);
    const uint end = tc[T2_COUNT];
    io_printf(IO_BUF, "dot product %u, core alone %u, %u times faster\n", fast, slow,
              (middle - end) / (begin - middle));
    spin1_exit(0);
}

void c_main(void)
{
    spin1_schedule_callback(run, 0, 0, 1);
    spin1_start(SYNC_NOWAIT);
}
