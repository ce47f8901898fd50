/* debug_lines.c - lines of each level, with a level of its own. */
#define LOG_LEVEL LOG_INFO
#include <debug.h>

#include <spin1_api.h>

static uint evaluated;

void c_main(void)
{
    log_error("no %s", "memory");
    log_warning("%u of %u", 3, 4);
    log_info("plain");
    log_debug("never %u", ++evaluated);
    log_info("evaluated %u", evaluated);
}
