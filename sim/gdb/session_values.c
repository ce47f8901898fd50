/* session_values.c - see session_state.h: registers, memory, breakpoints and watchpoints of the
 * selected process. */
#include "sim/gdb/session_state.h"

#include <errno.h>

enum { WORD_BYTES = 4, WORD_DIGITS = 8, CORE_REGISTERS = 16 };

/* Bytes of a floating-point register (FPA), which this core does not have; zeros stand in. */
enum { FPA_BYTES = 12, FPA_REGISTERS = 8 };

static bool read_register(const struct gdb_session *session, unsigned number, uint32_t *value)
{
    const struct gdb_target *target = session->target;
    return target->read_register(target->context, session->selected, number, value);
}

static bool write_register(const struct gdb_session *session, unsigned number, uint32_t value)
{
    const struct gdb_target *target = session->target;
    return target->write_register(target->context, session->selected, number, value);
}

/* ---- registers ---- */

static void add_register(struct gdb_session *session, unsigned number)
{
    uint32_t value = 0;
    (void)read_register(session, number, &value);
    gdb_add_word(session, value);
}

static void add_zeros(struct gdb_session *session, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) {
        gdb_add_hex(session, (const uint8_t *)"", 1);
    }
}

/* g: with a description, all registers in the order of their numbers; without one, those that GDB
 * takes every ARM to have. */
static void read_all(struct gdb_session *session, const char *arguments)
{
    size_t count;
    const struct gdb_register *list = gdb_registers(&count);
    (void)arguments;
    if (gdb_is_described(session)) {
        for (size_t i = 0; i < count; i++) {
            add_register(session, list[i].number);
        }
    } else {
        for (unsigned i = 0; i < CORE_REGISTERS; i++) {
            add_register(session, i);
        }
        add_zeros(session, FPA_REGISTERS * FPA_BYTES + WORD_BYTES);
        add_register(session, GDB_CPSR);
    }
    gdb_send(session);
}

/* The value behind `at`, which is moved on. */
static bool take_value(const char **at, uint32_t *value)
{
    uint8_t bytes[WORD_BYTES];
    if (!gdb_unhex(bytes, *at, WORD_BYTES)) {
        return false;
    }
    *value = 0;
    for (unsigned i = 0; i < WORD_BYTES; i++) {
        *value |= (uint32_t)bytes[i] << 8 * i;
    }
    *at += WORD_DIGITS;
    return true;
}

/* Writes those registers of a G packet that are banked or not.  The text has been checked. */
static void write_listed(struct gdb_session *session, const char *at, bool banked)
{
    size_t count;
    const struct gdb_register *list = gdb_registers(&count);
    for (size_t i = 0; i < count; i++) {
        uint32_t value;
        if (take_value(&at, &value) && list[i].banked == banked) {
            (void)write_register(session, list[i].number, value);
        }
    }
}

static bool all_digits(const char *at, size_t chars)
{
    for (size_t i = 0; i < chars; i++) {
        if (gdb_digit((uint8_t)at[i]) < 0) {
            return false;
        }
    }
    return true;
}

/* G: the mode first, as it decides which registers the others are; then the banked ones, of which
 * some are the current ones, too. */
static void write_all(struct gdb_session *session, const char *at)
{
    enum { FPA_DIGITS = 2 * (FPA_REGISTERS * FPA_BYTES + WORD_BYTES) };
    size_t count;
    (void)gdb_registers(&count);
    const size_t before_cpsr = (size_t)WORD_DIGITS * CORE_REGISTERS;
    const size_t chars =
        gdb_is_described(session) ? count * WORD_DIGITS : before_cpsr + FPA_DIGITS + WORD_DIGITS;
    if (gdb_bytes_left(session, at) != chars || !all_digits(at, chars)) {
        gdb_send_error(session, EINVAL);
        return;
    }
    const char *cpsr = at + before_cpsr + (gdb_is_described(session) ? 0 : FPA_DIGITS);
    uint32_t value = 0;
    (void)take_value(&cpsr, &value);
    (void)write_register(session, GDB_CPSR, value);
    if (gdb_is_described(session)) {
        write_listed(session, at, true);
        write_listed(session, at, false);
    } else {
        for (unsigned i = 0; i < CORE_REGISTERS; i++) {
            (void)take_value(&at, &value);
            (void)write_register(session, i, value);
        }
    }
    gdb_send_text(session, "OK");
}

static bool is_fpa(const struct gdb_session *session, uint32_t number)
{
    return !gdb_is_described(session) && number >= GDB_FPA_FIRST && number <= GDB_FPA_STATUS;
}

/* Adds the value of a register; false: there is none of this number. */
static bool add_one(struct gdb_session *session, uint32_t number)
{
    uint32_t value;
    if (is_fpa(session, number)) {
        add_zeros(session, number == GDB_FPA_STATUS ? WORD_BYTES : FPA_BYTES);
        return true;
    }
    if (!read_register(session, number, &value)) {
        return false;
    }
    gdb_add_word(session, value);
    return true;
}

static void read_one(struct gdb_session *session, const char *at)
{
    uint32_t number;
    if (gdb_take_word(&at, &number) && *at == '\0' && add_one(session, number)) {
        gdb_send(session);
    } else {
        gdb_send_error(session, EINVAL);
    }
}

/* Writes the value that stands there; what is written into a register of zeros is forgotten. */
static bool put_one(struct gdb_session *session, uint32_t number, const char *at)
{
    uint32_t value;
    return is_fpa(session, number) ||
           (take_value(&at, &value) && *at == '\0' && write_register(session, number, value));
}

static void write_one(struct gdb_session *session, const char *at)
{
    uint32_t number;
    if (gdb_take_word(&at, &number) && gdb_take_char(&at, '=') && put_one(session, number, at)) {
        gdb_send_text(session, "OK");
    } else {
        gdb_send_error(session, EINVAL);
    }
}

/* ---- memory ---- */

/* ADDRESS,COUNT; the count is limited to `most`. */
static bool take_range(const char **at, uint32_t *address, size_t *count, size_t most)
{
    uint64_t number;
    if (!gdb_take_word(at, address) || !gdb_take_char(at, ',') || !gdb_take_number(at, &number)) {
        return false;
    }
    *count = number < most ? (size_t)number : most;
    return true;
}

static void read_memory(struct gdb_session *session, const char *at)
{
    enum { MOST = GDB_PACKET_BYTES / 2 };
    const struct gdb_target *target = session->target;
    uint8_t bytes[MOST];
    uint32_t address;
    size_t count;
    if (!take_range(&at, &address, &count, MOST) || *at != '\0') {
        gdb_send_error(session, EINVAL);
        return;
    }
    const size_t got =
        target->read_memory(target->context, session->selected, address, bytes, count);
    if (got == 0 && count > 0) {
        gdb_send_error(session, EFAULT);
        return;
    }
    gdb_add_hex(session, bytes, got);
    gdb_send(session);
}

static void put_memory(struct gdb_session *session, uint32_t address, const uint8_t *bytes,
                       size_t count)
{
    const struct gdb_target *target = session->target;
    if (count == 0 ||
        target->write_memory(target->context, session->selected, address, bytes, count)) {
        gdb_send_text(session, "OK");
    } else {
        gdb_send_error(session, EFAULT);
    }
}

/* M ADDRESS,COUNT:DIGITS. */
static void write_memory(struct gdb_session *session, const char *at)
{
    uint8_t bytes[GDB_PACKET_BYTES / 2];
    uint32_t address;
    size_t count;
    if (!take_range(&at, &address, &count, SIZE_MAX) || !gdb_take_char(&at, ':') ||
        gdb_bytes_left(session, at) % 2 != 0 || gdb_bytes_left(session, at) / 2 != count ||
        !gdb_unhex(bytes, at, count)) {
        gdb_send_error(session, EINVAL);
        return;
    }
    put_memory(session, address, bytes, count);
}

/* X ADDRESS,COUNT:BYTES. */
static void write_binary(struct gdb_session *session, const char *at)
{
    uint32_t address;
    size_t count;
    if (!take_range(&at, &address, &count, SIZE_MAX) || !gdb_take_char(&at, ':') ||
        gdb_bytes_left(session, at) != count) {
        gdb_send_error(session, EINVAL);
        return;
    }
    put_memory(session, address, (const uint8_t *)at, count);
}

/* ---- breakpoints and watchpoints ---- */

static void answer(struct gdb_session *session, enum gdb_answer answer)
{
    if (answer == GDB_DONE) {
        gdb_send_text(session, "OK");
    } else if (answer == GDB_FAILED) {
        gdb_send_error(session, ENOSPC);
    } else {
        gdb_send(session);
    }
}

/* KIND,ADDRESS,BYTES; what may follow (conditions) was not offered. */
static bool take_point(const struct gdb_session *session, const char *at, struct gdb_point *point)
{
    uint32_t kind;
    if (!gdb_take_word(&at, &kind) || kind >= GDB_POINT_KINDS || !gdb_take_char(&at, ',') ||
        !gdb_take_word(&at, &point->address) || !gdb_take_char(&at, ',') ||
        !gdb_take_word(&at, &point->bytes) || *at != '\0') {
        return false;
    }
    point->kind = (enum gdb_point_kind)kind;
    point->process = session->selected;
    return true;
}

static void set_point(struct gdb_session *session, const char *at)
{
    const struct gdb_target *target = session->target;
    struct gdb_point point;
    if (take_point(session, at, &point)) {
        answer(session, target->set_point(target->context, &point));
    } else {
        gdb_send_error(session, EINVAL);
    }
}

static void remove_point(struct gdb_session *session, const char *at)
{
    const struct gdb_target *target = session->target;
    struct gdb_point point;
    if (take_point(session, at, &point)) {
        answer(session, target->remove_point(target->context, &point));
    } else {
        gdb_send_error(session, EINVAL);
    }
}

/* ---- processes ---- */

/* Hg and Hc; any or all of Hg leaves the selection as it is. */
static void select_process(struct gdb_session *session, const char *at)
{
    unsigned process;
    const char of = *at;
    if ((of != 'g' && of != 'c') || (at++, !gdb_take_thread(session, &at, &process)) ||
        *at != '\0') {
        gdb_send_error(session, EINVAL);
        return;
    }
    if (process != GDB_ALL && of == 'g') {
        session->selected = process;
    } else if (of == 'c') {
        session->stepped = process;
    }
    gdb_send_text(session, "OK");
}

static void is_alive(struct gdb_session *session, const char *at)
{
    unsigned process;
    if (gdb_take_thread(session, &at, &process) && *at == '\0' && process != GDB_ALL) {
        gdb_send_text(session, "OK");
    } else {
        gdb_send_error(session, ESRCH);
    }
}

const struct gdb_command GDB_STATE_COMMANDS[] = {
    {"g", true, read_all},        {"G", false, write_all},   {"p", false, read_one},
    {"P", false, write_one},      {"m", false, read_memory}, {"M", false, write_memory},
    {"X", false, write_binary},   {"Z", false, set_point},   {"z", false, remove_point},
    {"H", false, select_process}, {"T", false, is_alive},    {0}};
