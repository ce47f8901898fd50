/* session_reply.c - see session_state.h: answers. */
#include "sim/gdb/session_state.h"

#include <stdarg.h>
#include <string.h>

enum { WORD_BYTES = 4, TEXT_CHARS = 1024 };

void gdb_add(struct gdb_session *session, const void *bytes, size_t count)
{
    struct gdb_reply *reply = &session->reply;
    const size_t room = sizeof reply->data - reply->bytes;
    count = count < room ? count : room;
    if (count > 0) {
        memcpy(reply->data + reply->bytes, bytes, count);
        reply->bytes += count;
    }
}

void gdb_print(struct gdb_session *session, const char *format, ...)
{
    char text[TEXT_CHARS];
    va_list arguments;
    va_start(arguments, format);
    const int chars = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    gdb_add(session, text, chars < TEXT_CHARS ? (size_t)chars : sizeof text - 1);
}

void gdb_add_hex(struct gdb_session *session, const uint8_t *bytes, size_t count)
{
    char digits[2];
    for (size_t i = 0; i < count; i++) {
        gdb_hex(digits, bytes + i, 1);
        gdb_add(session, digits, sizeof digits);
    }
}

void gdb_add_word(struct gdb_session *session, uint32_t word)
{
    uint8_t bytes[WORD_BYTES];
    for (unsigned i = 0; i < WORD_BYTES; i++) {
        bytes[i] = (uint8_t)(word >> 8 * i);
    }
    gdb_add_hex(session, bytes, sizeof bytes);
}

/* Each process has one thread, 1; to a client that knows no processes, they are threads. */
void gdb_add_thread(struct gdb_session *session, unsigned process)
{
    if (session->many) {
        gdb_print(session, "p%x.1", process);
    } else {
        gdb_print(session, "%x", process);
    }
}

void gdb_send(struct gdb_session *session)
{
    session->frame_bytes = gdb_frame(session->frame, session->reply.data, session->reply.bytes);
    session->reply.bytes = 0;
    session->sink.send(session->sink.context, session->frame, session->frame_bytes);
}

void gdb_send_text(struct gdb_session *session, const char *text)
{
    session->reply.bytes = 0;
    gdb_add(session, text, strlen(text));
    gdb_send(session);
}

void gdb_send_error(struct gdb_session *session, int number)
{
    session->reply.bytes = 0;
    gdb_print(session, "E%02x", (unsigned)number & 0xff);
    gdb_send(session);
}

void gdb_show(struct gdb_session *session, const char *text, size_t chars)
{
    enum { PART_CHARS = GDB_PACKET_BYTES / 2 - 1 };
    for (size_t at = 0; at < chars; at += PART_CHARS) {
        const size_t part = chars - at < PART_CHARS ? chars - at : PART_CHARS;
        session->reply.bytes = 0;
        gdb_add(session, "O", 1);
        gdb_add_hex(session, (const uint8_t *)text + at, part);
        gdb_send(session);
    }
}

/* ---- stops ---- */

static void add_end(struct gdb_session *session, char how)
{
    gdb_print(session, "%c%02x", how, session->stop.number & 0xff);
    if (session->many) {
        gdb_print(session, ";process:%x", session->stop.process);
    }
}

static void add_point(struct gdb_session *session)
{
    static const char *const NAMES[GDB_POINT_KINDS] = {[GDB_BREAK_SOFTWARE] = "swbreak",
                                                       [GDB_BREAK_HARDWARE] = "hwbreak",
                                                       [GDB_WATCH_WRITE] = "watch",
                                                       [GDB_WATCH_READ] = "rwatch",
                                                       [GDB_WATCH_ACCESS] = "awatch"};
    const struct gdb_point *point = &session->stop.point;
    if (session->stop.why == GDB_AT_WATCHPOINT) {
        gdb_print(session, "%s:%x;", NAMES[point->kind], point->address);
    } else if (session->told_breaks) {
        gdb_print(session, "%s:;", NAMES[point->kind]);
    }
}

static unsigned signal_of(const struct gdb_stop *stop)
{
    switch (stop->why) {
    case GDB_SIGNALLED:
        return stop->number;
    case GDB_INTERRUPTED:
        return GDB_SIGNAL_INT;
    case GDB_RUNS:
    case GDB_STEPPED:
    case GDB_AT_BREAKPOINT:
    case GDB_AT_WATCHPOINT:
    case GDB_AT_BEGIN:
    case GDB_EXITED:
    case GDB_KILLED:
    default:
        return GDB_SIGNAL_TRAP;
    }
}

/* The registers of every core, "0f:78563412;": GDB may have old ones of a process that it has not
 * resumed, and would not see that it is at a breakpoint. */
static void add_registers(struct gdb_session *session, unsigned process)
{
    const struct gdb_target *target = session->target;
    size_t count;
    const struct gdb_register *list = gdb_registers(&count);
    for (size_t i = 0; i < count; i++) {
        uint32_t value;
        if (!list[i].banked &&
            target->read_register(target->context, process, list[i].number, &value)) {
            gdb_print(session, "%02x:", list[i].number);
            gdb_add_word(session, value);
            gdb_print(session, ";");
        }
    }
}

void gdb_send_stop(struct gdb_session *session)
{
    const struct gdb_stop *stop = &session->stop;
    session->reply.bytes = 0;
    if (stop->why == GDB_EXITED || stop->why == GDB_KILLED) {
        add_end(session, stop->why == GDB_EXITED ? 'W' : 'X');
    } else {
        gdb_print(session, "T%02x", signal_of(stop) & 0xff);
        if (stop->why == GDB_AT_BREAKPOINT || stop->why == GDB_AT_WATCHPOINT) {
            add_point(session);
        } else if (stop->why == GDB_AT_BEGIN) {
            gdb_print(session, "replaylog:begin;");
        }
        gdb_print(session, "thread:");
        gdb_add_thread(session, stop->process);
        gdb_print(session, ";");
        add_registers(session, stop->process);
    }
    gdb_send(session);
}
