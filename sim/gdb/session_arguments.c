/* session_arguments.c - see session_state.h: the arguments of commands, and processes. */
#include "sim/gdb/session_state.h"

#include <string.h>

enum { DIGIT_BITS = 4, DIGITS_MOST = 16 };

bool gdb_take_number(const char **at, uint64_t *value)
{
    unsigned digits = 0;
    *value = 0;
    for (int digit = gdb_digit((uint8_t) * *at); digit >= 0; digit = gdb_digit((uint8_t) * *at)) {
        if (++digits > DIGITS_MOST) {
            return false;
        }
        *value = *value << DIGIT_BITS | (uint64_t)digit;
        (*at)++;
    }
    return digits > 0;
}

bool gdb_take_word(const char **at, uint32_t *value)
{
    uint64_t number;
    if (!gdb_take_number(at, &number) || number > UINT32_MAX) {
        return false;
    }
    *value = (uint32_t)number;
    return true;
}

bool gdb_take_char(const char **at, char wanted)
{
    if (**at != wanted) {
        return false;
    }
    (*at)++;
    return true;
}

bool gdb_take_text(const char **at, const char *wanted)
{
    const size_t chars = strlen(wanted);
    if (strncmp(*at, wanted, chars) != 0) {
        return false;
    }
    *at += chars;
    return true;
}

/* One part of a thread's name: a number, or -1 for all. */
static bool take_part(const char **at, uint64_t *value)
{
    if (gdb_take_text(at, "-1")) {
        *value = 0;
        return true;
    }
    return gdb_take_number(at, value);
}

bool gdb_take_thread(const struct gdb_session *session, const char **at, unsigned *process)
{
    const bool with_process = gdb_take_char(at, 'p');
    uint64_t number;
    uint64_t thread = 1;
    if (!take_part(at, &number)) {
        return false;
    }
    if (with_process && gdb_take_char(at, '.') && (!take_part(at, &thread) || thread > 1)) {
        return false;
    }
    if (number > session->target->processes) {
        return false;
    }
    *process = (unsigned)number; /* 0: GDB_ALL */
    return true;
}

unsigned gdb_next_attached(const struct gdb_session *session, unsigned process)
{
    for (unsigned i = process; i <= session->target->processes; i++) {
        if (session->known[i - 1].attached) {
            return i;
        }
    }
    return 0;
}
