/* session_state.h - a session's state, and what its files need of each other.  Private to
 * session*.c. */
#pragma once
#include "models/common/compiler.h"
#include "sim/gdb/registers.h"
#include "sim/gdb/session.h"

/* The data of an answer; what does not fit is left out. */
struct gdb_reply {
    uint8_t data[GDB_PACKET_BYTES];
    size_t bytes;
};

/* What the client has of a process. */
struct gdb_known {
    bool attached;
    bool described; /* it has read the description of this process' registers */
};

struct gdb_session {
    const struct gdb_target *target;
    struct gdb_sink sink;
    enum gdb_end end;
    bool quiet;       /* no acknowledgements */
    bool many;        /* the client knows of processes: "p1.1" */
    bool told_breaks; /* it wants to be told of which kind a breakpoint is */
    bool hinted;      /* its user has been told how to let all run */
    bool runs;
    bool interrupted;        /* by Ctrl-C, while it runs */
    struct gdb_known *known; /* [process - 1] */
    unsigned selected;       /* process of register and memory commands (Hg) */
    unsigned stepped; /* process of commands that name none (Hc), or GDB_ALL: it stays, as GDB does
                         not repeat it */
    struct gdb_stop stop; /* the last one */
    struct gdb_input input;
    struct gdb_reply reply;
    uint8_t frame[GDB_FRAME_BYTES]; /* the last packet sent */
    size_t frame_bytes;
    char description[GDB_DESCRIPTION_CHARS];
    size_t description_chars;
};

/* ---- answers (session_reply.c): parts are added, then the packet is sent ---- */

void gdb_add(struct gdb_session *session, const void *bytes, size_t count);
void gdb_print(struct gdb_session *session, const char *format, ...) PRINTF_LIKE(2, 3);
void gdb_add_hex(struct gdb_session *session, const uint8_t *bytes, size_t count);
void gdb_add_word(struct gdb_session *session, uint32_t word); /* as in memory: 8 digits */
void gdb_add_thread(struct gdb_session *session, unsigned process);
void gdb_send(struct gdb_session *session);
void gdb_send_text(struct gdb_session *session, const char *text);
void gdb_send_error(struct gdb_session *session, int number); /* an errno */

/* Shows a text to the user: packets O, as many as it needs. */
void gdb_show(struct gdb_session *session, const char *text, size_t chars);

/* Tells of the last stop. */
void gdb_send_stop(struct gdb_session *session);

/* ---- arguments and processes (session_arguments.c): the functions move *at behind what they have
 * taken ---- */

/* A number of up to 16 hexadecimal digits. */
bool gdb_take_number(const char **at, uint64_t *value);
bool gdb_take_word(const char **at, uint32_t *value); /* at most 32 bits */
bool gdb_take_char(const char **at, char wanted);
bool gdb_take_text(const char **at, const char *wanted);

/* "p1.1", "p1", "1"; 0 any, -1 all: *process is GDB_ALL.  False: malformed, or no such process. */
enum { GDB_ALL = 0 };
bool gdb_take_thread(const struct gdb_session *session, const char **at, unsigned *process);

static inline bool gdb_is_described(const struct gdb_session *session)
{
    return session->known[session->selected - 1].described;
}

/* The next attached process from `process` on; 0: none. */
unsigned gdb_next_attached(const struct gdb_session *session, unsigned process);

/* ---- commands ---- */

struct gdb_command {
    const char *name; /* NULL ends a list */
    bool whole;       /* the packet has no arguments */
    void (*perform)(struct gdb_session *session, const char *arguments);
};

extern const struct gdb_command GDB_RUN_COMMANDS[];   /* session_resume.c */
extern const struct gdb_command GDB_STATE_COMMANDS[]; /* session_values.c: registers, memory */
extern const struct gdb_command GDB_QUERY_COMMANDS[]; /* session_queries.c */

/* The number of bytes of the packet from `arguments` on: binary data may have zeros. */
static inline size_t gdb_bytes_left(const struct gdb_session *session, const char *arguments)
{
    return session->input.bytes - (size_t)(arguments - (const char *)session->input.data);
}
