/* server.c - see server.h. */
#include "sim/gdb/server.h"

#include "sim/port_owner.h"
#include "sim/steps.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

/* ---- the port ---- */

static enum status refuse(uint16_t port, struct diagnostic *diagnostic)
{
    const int why = errno;
    if (why == EADDRINUSE) {
        char owner[PORT_OWNER_CHARS];
        port_owner_print(PORT_TCP, INADDR_LOOPBACK, port, owner);
        return diagnose(diagnostic, STATUS_CONFIGURATION,
                        "TCP port %u of 127.0.0.1 is in use by %s\v--gdb PORT takes another one",
                        port, owner);
    }
    return diagnose(diagnostic, why == EACCES ? STATUS_CONFIGURATION : STATUS_INTERNAL,
                    "cannot listen at TCP port %u of 127.0.0.1: %s", port, strerror(why));
}

enum status gdb_server_open(struct gdb_server *server, uint16_t port, struct diagnostic *diagnostic)
{
    const struct sockaddr_in address = {.sin_family = AF_INET,
                                        .sin_port = htons(port),
                                        .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    const int on = 1;
    *server = (struct gdb_server){.file = -1, .port = port, .client = -1};
    const int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (file >= 0) { /* a connection that was closed a moment ago does not count */
        (void)setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    }
    if (file < 0 || bind(file, (const struct sockaddr *)&address, sizeof address) != 0 ||
        listen(file, 1) != 0) {
        const enum status status = refuse(port, diagnostic);
        if (file >= 0) {
            (void)close(file);
        }
        return status;
    }
    server->file = file;
    return STATUS_OK;
}

static void let_go(struct gdb_server *server)
{
    gdb_session_destroy(server->session);
    if (server->client >= 0) {
        (void)close(server->client);
    }
    server->session = NULL;
    server->client = -1;
}

void gdb_server_close(struct gdb_server *server)
{
    let_go(server);
    if (server->file >= 0) {
        (void)close(server->file);
    }
    server->file = -1;
}

/* ---- a client ---- */

/* How long a client may not read before it counts as lost. */
enum { SEND_PATIENCE_S = 10 };

/* Sends all, or gives the client up: then it is lost when it is next read from. */
static void send_all(void *context, const uint8_t *bytes, size_t count)
{
    const struct gdb_server *server = context;
    while (count > 0) {
        const ssize_t sent = send(server->client, bytes, count, MSG_NOSIGNAL);
        if (sent >= 0) {
            bytes += sent;
            count -= (size_t)sent;
        } else if (errno != EINTR) {
            (void)shutdown(server->client, SHUT_RDWR);
            return;
        }
    }
}

/* False: the client is lost. */
static bool receive(const struct gdb_server *server)
{
    enum { PART_BYTES = 4096 };
    uint8_t bytes[PART_BYTES];
    const ssize_t got = recv(server->client, bytes, sizeof bytes, MSG_DONTWAIT);
    if (got > 0) {
        gdb_session_take(server->session, bytes, (size_t)got);
    }
    return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

/* Another client while there is one: it is told by the end of its connection. */
static void turn_away(int listener)
{
    const int file = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (file >= 0) {
        (void)close(file);
    }
}

enum heard { HEARD, HEARD_INTERRUPT, HEARD_LOSS };

/* Waits for what comes; while the target runs, only looks. */
static enum heard hear(const struct gdb_server *server, int interrupt)
{
    struct pollfd poll_for[] = {
        {server->client, POLLIN, 0}, {interrupt, POLLIN, 0}, {server->file, POLLIN, 0}};
    const int patience_ms = gdb_session_runs(server->session) ? 0 : -1;
    if (poll(poll_for, sizeof poll_for / sizeof *poll_for, patience_ms) <= 0) {
        return HEARD;
    }
    if (poll_for[1].revents != 0) {
        return HEARD_INTERRUPT;
    }
    if (poll_for[0].revents != 0) {
        return receive(server) ? HEARD : HEARD_LOSS;
    }
    turn_away(server->file); /* the client has not just left: nothing was heard of it */
    return HEARD;
}

/* Serves the client; GDB_GOES_ON: it is lost, or *interrupted. */
static enum gdb_end serve_client(const struct gdb_server *server, int interrupt, bool *interrupted)
{
    enum gdb_end end = GDB_GOES_ON;
    bool pauses = false;
    while (end == GDB_GOES_ON && !pauses) {
        const enum heard heard = hear(server, interrupt);
        if (heard != HEARD) {
            *interrupted = heard == HEARD_INTERRUPT;
            return GDB_GOES_ON;
        }
        pauses = gdb_session_runs(server->session) && !gdb_session_run(server->session);
        end = gdb_session_end(server->session);
    }
    return pauses ? GDB_PAUSED : end;
}

/* Waits for a client; false: the interrupt came before. */
static bool wait_for_client(struct gdb_server *server, int interrupt)
{
    const struct timeval patience = {SEND_PATIENCE_S, 0};
    const int on = 1;
    while (server->client < 0) {
        struct pollfd poll_for[] = {{server->file, POLLIN, 0}, {interrupt, POLLIN, 0}};
        if (poll(poll_for, sizeof poll_for / sizeof *poll_for, -1) < 0) {
            continue;
        }
        if (poll_for[1].revents != 0) {
            return false;
        }
        server->client = accept4(server->file, NULL, NULL, SOCK_CLOEXEC);
    }
    (void)setsockopt(server->client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    (void)setsockopt(server->client, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    return true;
}

enum status gdb_server_run(struct gdb_server *server, const struct gdb_target *target,
                           int interrupt, enum gdb_end *end, struct diagnostic *diagnostic)
{
    const struct gdb_sink sink = {server, send_all};
    bool interrupted = false;
    *end = GDB_GOES_ON;
    while (*end == GDB_GOES_ON && !interrupted) {
        if (server->session == NULL) {
            if (!wait_for_client(server, interrupt)) {
                return STATUS_OK;
            }
            server->session = gdb_session_create(target, sink);
            if (server->session == NULL) {
                let_go(server);
                return no_memory(diagnostic);
            }
        }
        *end = serve_client(server, interrupt, &interrupted);
        if (*end != GDB_PAUSED) {
            let_go(server);
            target->remove_all_points(target->context);
        }
    }
    return STATUS_OK;
}

void gdb_server_finish(struct gdb_server *server, const struct gdb_stop *stop)
{
    if (server->session != NULL) {
        gdb_session_finish(server->session, stop);
        let_go(server);
    }
}
