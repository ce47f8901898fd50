/* rt_error.c - prints, then ends with a run-time error of its own. */
#include <spin1_api.h>

void c_main(void)
{
    io_printf(IO_BUF, "before the error\n");
    rt_error(RTE_SWERR);
}
