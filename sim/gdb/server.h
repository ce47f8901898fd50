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
};

/* Listens at 127.0.0.1.  STATUS_CONFIGURATION naming the port: in use (and by whom), or not
 * allowed. */
enum status gdb_server_open(struct gdb_server *server, uint16_t port,
                            struct diagnostic *diagnostic);
void gdb_server_close(struct gdb_server *server);

/* A client that is served in parts. */
struct gdb_client;

/* Waits for a client; *client NULL: the interrupt (see below) came before.  STATUS_INTERNAL: out of
 * memory. */
enum status gdb_client_await(const struct gdb_server *server, const struct gdb_target *target,
                             int interrupt, struct gdb_client **client,
                             struct diagnostic *diagnostic);

/* Serves it until the session has ended, the client is lost, the interrupt comes, or, while the
 * target runs, `pauses` says that enough has been done (NULL: never).  True: because of `pauses`.
 */
bool gdb_client_serve(struct gdb_client *client, bool (*pauses)(void *context), void *context);

/* How the session has ended; GDB_GOES_ON: it has not, and the client is lost or interrupted. */
enum gdb_end gdb_client_end(const struct gdb_client *client);

/* Tells a client whose target runs that it has ended: gdb_session_finish(). */
void gdb_client_finish(struct gdb_client *client, const struct gdb_stop *stop);

/* The target has no points any more.  NULL is permitted. */
void gdb_client_close(struct gdb_client *client);

/* Waits for a client and serves it, until it lets the target go, or the target ends.  A client that
 * is lost leaves the target as it stands, without points, for the next one.  `interrupt` is a
 * descriptor that becomes readable to end this (-1: none): then GDB_GOES_ON is returned.
 * STATUS_INTERNAL: out of memory. */
enum status gdb_server_run(const struct gdb_server *server, const struct gdb_target *target,
                           int interrupt, enum gdb_end *end, struct diagnostic *diagnostic);

C_LINKAGE_END
