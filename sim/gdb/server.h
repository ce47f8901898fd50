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

/* Waits for a client and serves it, until it lets the target go, or the target ends.  A client that
 * is lost leaves the target as it stands, without points, for the next one.  `interrupt` is a
 * descriptor that becomes readable to end this (-1: none): then GDB_GOES_ON is returned.
 * STATUS_INTERNAL: out of memory. */
enum status gdb_server_run(const struct gdb_server *server, const struct gdb_target *target,
                           int interrupt, enum gdb_end *end, struct diagnostic *diagnostic);

C_LINKAGE_END
