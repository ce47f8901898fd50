/* session_queries.c - see session_state.h: what the client and the target can do, which processes
 * there are, texts, and the commands of `monitor`. */
#include "sim/gdb/session_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- abilities ---- */

/* Whether a list "A;B;C" has an item. */
static bool has_item(const char *list, const char *item)
{
    const size_t chars = strlen(item);
    for (const char *at = list; at != NULL; at = strchr(at, ';')) {
        at += *at == ';' ? 1 : 0;
        if (strncmp(at, item, chars) == 0 && (at[chars] == ';' || at[chars] == '\0')) {
            return true;
        }
    }
    return false;
}

static void tell_abilities(struct gdb_session *session, const char *at)
{
    (void)gdb_take_char(&at, ':');
    session->many = has_item(at, "multiprocess+");
    session->told_breaks = has_item(at, "swbreak+") && has_item(at, "hwbreak+");
    gdb_print(session,
              "PacketSize=%x;QStartNoAckMode+;multiprocess+;swbreak+;hwbreak+;vContSupported+;"
              "qXfer:features:read+;qXfer:threads:read+;qXfer:exec-file:read+",
              (unsigned)GDB_PACKET_BYTES);
    if (session->target->goes_back) {
        gdb_print(session, ";ReverseStep+;ReverseContinue+");
    }
    gdb_send(session);
}

static void be_quiet(struct gdb_session *session, const char *arguments)
{
    (void)arguments;
    gdb_send_text(session, "OK");
    session->quiet = true;
}

static void agree(struct gdb_session *session, const char *arguments)
{
    (void)arguments;
    gdb_send_text(session, "OK");
}

/* ---- processes ---- */

static void tell_current(struct gdb_session *session, const char *arguments)
{
    (void)arguments;
    gdb_print(session, "QC");
    gdb_add_thread(session, session->selected);
    gdb_send(session);
}

/* Their number is bounded by what fits a packet: qXfer:threads lists all. */
static void list_first(struct gdb_session *session, const char *arguments)
{
    enum { THREAD_CHARS = 16 };
    char before = 'm';
    (void)arguments;
    for (unsigned i = gdb_next_attached(session, 1);
         i != 0 && session->reply.bytes + THREAD_CHARS < sizeof session->reply.data;
         i = gdb_next_attached(session, i + 1)) {
        gdb_add(session, &before, 1);
        gdb_add_thread(session, i);
        before = ',';
    }
    if (session->reply.bytes == 0) {
        gdb_add(session, "l", 1);
    }
    gdb_send(session);
}

static void list_next(struct gdb_session *session, const char *arguments)
{
    (void)arguments;
    gdb_send_text(session, "l");
}

/* The target goes on when the client leaves: it was there before. */
static void tell_attached(struct gdb_session *session, const char *arguments)
{
    (void)arguments;
    gdb_send_text(session, "1");
}

/* ---- texts ---- */

/* OFFSET,COUNT behind a text's name: sends that part, behind l if it is the last one. */
static void send_part(struct gdb_session *session, const char *at, const char *text, size_t chars)
{
    uint64_t offset;
    uint64_t count;
    if (!gdb_take_number(&at, &offset) || !gdb_take_char(&at, ',') ||
        !gdb_take_number(&at, &count) || *at != '\0' || offset > chars) {
        gdb_send_error(session, EINVAL);
        return;
    }
    const size_t left = chars - (size_t)offset;
    const size_t most = count < GDB_PACKET_BYTES / 2 ? (size_t)count : GDB_PACKET_BYTES / 2;
    gdb_add(session, left <= most ? "l" : "m", 1);
    gdb_add(session, text + offset, left <= most ? left : most);
    gdb_send(session);
}

static void send_description(struct gdb_session *session, const char *at)
{
    session->known[session->selected - 1].described = true;
    send_part(session, at, session->description, session->description_chars);
}

/* A text inside a value of an attribute. */
static void write_escaped(FILE *to, const char *text)
{
    for (; *text != '\0'; text++) {
        const unsigned char character = (unsigned char)*text;
        if (character < ' ' || strchr("<>&'\"", character) != NULL) {
            (void)fprintf(to, "&#%u;", character < ' ' ? (unsigned)' ' : character);
        } else {
            (void)fputc(character, to);
        }
    }
}

static void write_threads(const struct gdb_session *session, FILE *to)
{
    const struct gdb_target *target = session->target;
    (void)fputs("<?xml version=\"1.0\"?>\n<threads>\n", to);
    for (unsigned i = gdb_next_attached(session, 1); i != 0;
         i = gdb_next_attached(session, i + 1)) {
        (void)fprintf(
            to, session->many ? "<thread id=\"p%x.1\" name=\"" : "<thread id=\"%x\" name=\"", i);
        write_escaped(to, target->process(target->context, i).name);
        (void)fputs("\"/>\n", to);
    }
    (void)fputs("</threads>\n", to);
}

static void send_threads(struct gdb_session *session, const char *at)
{
    char *text = NULL;
    size_t chars = 0;
    FILE *to = open_memstream(&text, &chars);
    if (to == NULL) {
        gdb_send_error(session, ENOMEM);
        return;
    }
    write_threads(session, to);
    (void)fclose(to);
    send_part(session, at, text, chars);
    free(text);
}

/* PROCESS:OFFSET,COUNT; without a process: the selected one. */
static void send_program(struct gdb_session *session, const char *at)
{
    const struct gdb_target *target = session->target;
    uint64_t process = session->selected;
    if ((*at != ':' && !gdb_take_number(&at, &process)) || !gdb_take_char(&at, ':') ||
        process == 0 || process > target->processes) {
        gdb_send_error(session, EINVAL);
        return;
    }
    const char *program = target->process(target->context, (unsigned)process).program;
    if (program == NULL) {
        gdb_send_error(session, ENOENT);
    } else {
        send_part(session, at, program, strlen(program));
    }
}

/* ---- monitor ---- */

static const struct gdb_monitor *find_monitor(const struct gdb_target *target, const char *name,
                                              size_t chars)
{
    const struct gdb_monitor *at = target->monitors;
    while (at != NULL && at->name != NULL &&
           (strlen(at->name) != chars || memcmp(at->name, name, chars) != 0)) {
        at++;
    }
    return at == NULL || at->name == NULL ? NULL : at;
}

static void write_help(const struct gdb_target *target, FILE *out)
{
    (void)fprintf(out, "help - this list\n");
    for (const struct gdb_monitor *at = target->monitors; at != NULL && at->name != NULL; at++) {
        (void)fprintf(out, "%s%s%s - %s\n", at->name, at->arguments[0] == '\0' ? "" : " ",
                      at->arguments, at->help);
    }
}

static void perform_monitor(const struct gdb_session *session, const char *line, FILE *out)
{
    static const char BLANKS[] = " \t\n";
    const struct gdb_target *target = session->target;
    const char *name = line + strspn(line, BLANKS);
    const size_t chars = strcspn(name, BLANKS);
    const char *arguments = name + chars + strspn(name + chars, BLANKS);
    const struct gdb_monitor *monitor = find_monitor(target, name, chars);
    if (monitor != NULL) {
        monitor->perform(target->context, session->selected, arguments, out);
    } else if (chars == 0 || strncmp(name, "help", chars) == 0) {
        write_help(target, out);
    } else {
        (void)fprintf(out, "no command '%.*s'; `monitor help` lists them\n",
                      (int)(chars < INT8_MAX ? chars : INT8_MAX), name);
    }
}

/* qRcmd,DIGITS: a line of the user. */
static void take_monitor(struct gdb_session *session, const char *at)
{
    char line[GDB_PACKET_BYTES / 2 + 1];
    const size_t digits = gdb_bytes_left(session, at);
    char *text = NULL;
    size_t chars = 0;
    if (digits % 2 != 0 || !gdb_unhex((uint8_t *)line, at, digits / 2)) {
        gdb_send_error(session, EINVAL);
        return;
    }
    line[digits / 2] = '\0';
    FILE *out = open_memstream(&text, &chars);
    if (out == NULL) {
        gdb_send_error(session, ENOMEM);
        return;
    }
    perform_monitor(session, line, out);
    (void)fclose(out);
    gdb_show(session, text, chars);
    free(text);
    gdb_send_text(session, "OK");
}

const struct gdb_command GDB_QUERY_COMMANDS[] = {
    {"qSupported", false, tell_abilities},
    {"QStartNoAckMode", true, be_quiet},
    {"!", true, agree},
    {"qC", true, tell_current},
    {"qfThreadInfo", true, list_first},
    {"qsThreadInfo", true, list_next},
    {"qAttached", false, tell_attached},
    {"qSymbol::", true, agree},
    {"qXfer:features:read:target.xml:", false, send_description},
    {"qXfer:threads:read::", false, send_threads},
    {"qXfer:exec-file:read:", false, send_program},
    {"qRcmd,", false, take_monitor},
    {0}};
