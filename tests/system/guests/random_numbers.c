/* random_numbers.c - prints random numbers: without a seed, and behind one. */
#include <spin1_api.h>

enum { NUMBERS = 1000 };

static void print(const char *name)
{
    const uint first = spin1_rand();
    const uint second = sark_rand();
    uint sum = 0;
    for (uint i = 2; i < NUMBERS; i++) {
        sum += spin1_rand();
    }
    io_printf(IO_BUF, "%s %08x %08x %08x\n", name, first, second, sum);
}

void c_main(void)
{
    print("none");
    spin1_srand(12345);
    print("12345");
    sark_srand(0xdeaddead);
    print("again");
}
