/* session.h - one client's debugging of a target: its bytes come in, ours go out.  It knows neither
 * sockets nor clocks, and holds no point of its own: those are the target's. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/gdb/packet.h"
#include "sim/gdb/target.h"
C_LINKAGE_BEGIN

/* Where our bytes go. */
struct gdb_sink {
    void *context;
    void (*send)(void *context, const uint8_t *bytes, size_t count);
};

enum gdb_end {
    GDB_GOES_ON,
    GDB_DETACHED, /* the client has let the target go */
    GDB_DEAD,     /* the client wants the target to end */
    GDB_FINISHED  /* the target has ended, and the client was told */
};

struct gdb_session;

/* The target must outlive the session, and stands still.  NULL: out of memory. */
struct gdb_session *gdb_session_create(const struct gdb_target *target, struct gdb_sink sink);
void gdb_session_destroy(struct gdb_session *session);

/* Takes bytes of the client, and answers complete packets. */
void gdb_session_take(struct gdb_session *session, const uint8_t *bytes, size_t count);

/* Whether the client has let the target run: gdb_session_run() is then to be called until the
 * target stops. */
bool gdb_session_runs(const struct gdb_session *session);

/* Runs the target for a slice, and tells the client if it has stopped. */
void gdb_session_run(struct gdb_session *session);

/* Tells the client, whose target runs, that it has ended: why is GDB_EXITED or GDB_KILLED.  Nothing
 * is told of a target that stands. */
void gdb_session_finish(struct gdb_session *session, const struct gdb_stop *stop);

enum gdb_end gdb_session_end(const struct gdb_session *session);

C_LINKAGE_END
