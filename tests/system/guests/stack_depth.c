/* stack_depth.c - moves its stack pointer to an address of its choice, pushes ten words there, and
 * ends as if nothing had happened. */
#include <spin1_api.h>

uint words[64];

void c_main(void)
{
    const uint before = cpu_int_disable();
    register uint *sp_there __asm__("r4") = TO;
    __asm__ volatile("mov r5, sp\n\t"
                     "mov sp, r4\n\t"
                     "stmdb sp!, {r0-r3, r6-r11}\n\t"
                     "mov sp, r5"
                     : "+r"(sp_there)
                     :
                     : "r5", "memory");
    cpu_int_restore(before);
    io_printf(IO_BUF, "done\n");
}
