/* debugged.c - what a test looks at with GDB, compiled with debug information for one flat memory:
 * calls, a variable that changes, an exit status. */
volatile unsigned watched;

static void __attribute__((noinline)) inner(unsigned n)
{
    watched += n;
}

static void __attribute__((noinline)) middle(unsigned n)
{
    inner(n + 1);
    __asm__ volatile("");
}

int main(void)
{
    for (unsigned i = 0; i < 5; i++) {
        middle(i);
    }
    return (int)watched;
}

/* Semihosting's SYS_EXIT_EXTENDED, with what main() returns. */
__attribute__((naked, section(".start"))) void _start(void)
{
    __asm__ volatile("bl main\n"
                     "push {r0}\n"
                     "ldr r1, =0x20026\n"
                     "push {r1}\n"
                     "mov r1, sp\n"
                     "mov r0, #0x20\n"
                     "svc 0x123456\n");
}
