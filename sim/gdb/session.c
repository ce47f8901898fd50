/* session.c - see session.h: life cycle, acknowledgements, which command a packet is. */
#include "sim/gdb/session_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- life cycle ---- */

struct gdb_session *gdb_session_create(const struct gdb_target *target, struct gdb_sink sink)
{
    struct gdb_session *session = calloc(1, sizeof *session);
    if (session == NULL) {
        return NULL;
    }
    session->known = calloc(target->processes + 1, sizeof *session->known);
    if (session->known == NULL) {
        free(session);
        return NULL;
    }
    session->target = target;
    session->sink = sink;
    session->description_chars = gdb_describe(session->description);
    for (unsigned i = 1; i <= target->processes; i++) {
        session->known[i - 1].attached = target->process(target->context, i).listed;
    }
    const unsigned first = gdb_next_attached(session, 1);
    session->selected = first == 0 ? 1 : first;
    session->stop = (struct gdb_stop){
        .why = GDB_SIGNALLED, .process = session->selected, .number = GDB_SIGNAL_TRAP};
    return session;
}

void gdb_session_destroy(struct gdb_session *session)
{
    if (session != NULL) {
        free(session->known);
        free(session);
    }
}

enum gdb_end gdb_session_end(const struct gdb_session *session)
{
    return session->end;
}

/* ---- packets ---- */

static const struct gdb_command *find_in(const struct gdb_command *list, const char *packet)
{
    for (; list->name != NULL; list++) {
        const bool is = list->whole ? strcmp(packet, list->name) == 0
                                    : strncmp(packet, list->name, strlen(list->name)) == 0;
        if (is) {
            return list;
        }
    }
    return NULL;
}

/* An unknown command has an empty answer. */
static void perform(struct gdb_session *session)
{
    static const struct gdb_command *const LISTS[] = {GDB_RUN_COMMANDS, GDB_STATE_COMMANDS,
                                                      GDB_QUERY_COMMANDS};
    const char *packet = (const char *)session->input.data;
    session->reply.bytes = 0;
    for (size_t i = 0; i < sizeof LISTS / sizeof *LISTS; i++) {
        const struct gdb_command *command = find_in(LISTS[i], packet);
        if (command != NULL) {
            command->perform(session, packet + strlen(command->name));
            return;
        }
    }
    gdb_send(session);
}

static void acknowledge(struct gdb_session *session, char how)
{
    if (!session->quiet) {
        session->sink.send(session->sink.context, (const uint8_t *)&how, 1);
    }
}

/* Without acknowledgements a sum says nothing: the connection keeps the bytes right. */
static void take_packet(struct gdb_session *session, enum gdb_event event)
{
    if (event == GDB_EVENT_BAD_SUM && !session->quiet) {
        acknowledge(session, '-');
        return;
    }
    acknowledge(session, '+');
    if (event == GDB_EVENT_TOO_LONG) {
        session->reply.bytes = 0;
        gdb_send_error(session, E2BIG);
    } else if (!session->runs) { /* else only Ctrl-C is heard */
        perform(session);
    }
}

static void take_event(struct gdb_session *session, enum gdb_event event)
{
    switch (event) {
    case GDB_EVENT_PACKET:
    case GDB_EVENT_BAD_SUM:
    case GDB_EVENT_TOO_LONG:
        take_packet(session, event);
        break;
    case GDB_EVENT_REFUSED:
        if (!session->quiet && session->frame_bytes > 0) {
            session->sink.send(session->sink.context, session->frame, session->frame_bytes);
        }
        break;
    case GDB_EVENT_INTERRUPT:
        session->interrupted = session->runs;
        break;
    case GDB_EVENT_ACKNOWLEDGED:
    case GDB_EVENT_NONE:
    default:
        break;
    }
}

void gdb_session_take(struct gdb_session *session, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count && session->end == GDB_GOES_ON; i++) {
        take_event(session, gdb_input_put(&session->input, bytes[i]));
    }
}
