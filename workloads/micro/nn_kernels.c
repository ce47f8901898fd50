/* nn_kernels.c - runs the cases of kernel_cases.h and prints a line for each: name,
 * multiply-accumulates, multiply-accumulates if every output had an error, check of the bits,
 * sizes.  For one flat memory.  Its cycles: spinnsim elf --count begin_NAME:end_NAME. */
#include "kernel_cases.h"

#include <stddef.h>

enum { SYS_WRITE0 = 4, DIGITS = 10 };

void *memset(void *to, int value, size_t bytes);

static void say(const char *text)
{
    register uint32_t operation __asm__("r0") = SYS_WRITE0;
    register const char *argument __asm__("r1") = text;
    __asm__ volatile("svc 0x123456" : "+r"(operation) : "r"(argument) : "memory", "lr");
}

static void say_number(uint32_t value)
{
    char text[DIGITS + 2];
    char *at = text + DIGITS + 1;
    *at = '\0';
    do {
        *--at = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    *--at = ' ';
    say(at);
}

/* Compilers ask for it. */
void *memset(void *to, int value, size_t bytes)
{
    volatile uint8_t *at = to;
    for (; bytes > 0; bytes--) {
        *at++ = (uint8_t)value;
    }
    return to;
}

int main(void)
{
    for (uint32_t i = 0; i < kernel_case_count; i++) {
        const struct kernel_case *one = &kernel_cases[i];
        if (one->run == NULL) {
            continue;
        }
        const uint32_t check = one->run();
        say(one->name);
        say_number(one->macs);
        say_number(one->dense_macs);
        say_number(check);
        say(" ");
        say(one->what);
        say("\n");
    }
    return 0;
}
