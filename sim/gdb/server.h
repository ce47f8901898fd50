/* server.h - the TCP port on which GDB is waited for: of this computer only, one client at a
 * time. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include "sim/gdb/session.h"
C_LINKAGE_BEGIN

struct gdb_server {
    int file; /* -1: closed */
    uint16_t port;
    int client;                  /* -1: there is none */
    struct gdb_session *session; /* the client's */
};

/* Listens at 127.0.0.1.  STATUS_CONFIGURATION naming the port: in use (and by whom), or not
 * allowed. */
enum status gdb_server_open(struct gdb_server *server, uint16_t port,
                            struct diagnostic *diagnostic);

/* Also ends a client's connection. */
void gdb_server_close(struct gdb_server *server);

/* Waits for a client and serves it, until it lets the target go, or the target ends or pauses; then
 * the next call goes on with the same client.  A client that is lost leaves the target as it
 * stands, without points, for the next one.  `target` is the same in all calls.  `interrupt` is a
 * descriptor that becomes readable to end this (-1: none): then *end is GDB_GOES_ON.
 * STATUS_INTERNAL: out of memory. */
enum status gdb_server_run(struct gdb_server *server, const struct gdb_target *target,
                           int interrupt, enum gdb_end *end, struct diagnostic *diagnostic);

/* Tells the client, if there is one, that the target has ended: gdb_session_finish(). */
void gdb_server_finish(struct gdb_server *server, const struct gdb_stop *stop);

C_LINKAGE_END
