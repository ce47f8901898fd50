/* server.c - see server.h. */
#include "sim/gdb/server.h"

#include "sim/port_owner.h"
#include "sim/steps.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
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
    *server = (struct gdb_server){-1, port};
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

void gdb_server_close(struct gdb_server *server)
{
    if (server->file >= 0) {
        (void)close(server->file);
    }
    server->file = -1;
}

/* ---- a client ---- */

enum { LISTENER, INTERRUPT, CLIENT, FILES };

struct connection {
    struct pollfd poll[FILES];
    bool lost, interrupted;
};

/* Sends all; the client may be slow, but then the run must still end with a signal. */
static void send_all(void *context, const uint8_t *bytes, size_t count)
{
    struct connection *connection = context;
    while (count > 0 && !connection->lost && !connection->interrupted) {
        struct pollfd on[] = {{.fd = connection->poll[CLIENT].fd, .events = POLLOUT},
                              {.fd = connection->poll[INTERRUPT].fd, .events = POLLIN}};
        if (poll(on, sizeof on / sizeof *on, -1) < 0) {
            continue;
        }
        connection->interrupted = on[1].revents != 0;
        const ssize_t sent = send(on[0].fd, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent >= 0) {
            bytes += sent;
            count -= (size_t)sent;
        } else if (errno != EAGAIN && errno != EINTR) {
            connection->lost = true;
        }
    }
}

static void receive(struct connection *connection, struct gdb_session *session)
{
    enum { PART_BYTES = 4096 };
    uint8_t bytes[PART_BYTES];
    const ssize_t got = recv(connection->poll[CLIENT].fd, bytes, sizeof bytes, MSG_DONTWAIT);
    if (got > 0) {
        gdb_session_take(session, bytes, (size_t)got);
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
        connection->lost = true;
    }
}

/* Another client while there is one: it is told by the end of its connection. */
static void turn_away(int listener)
{
    const int file = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (file >= 0) {
        (void)close(file);
    }
}

/* Waits for what comes; a target that runs does not wait. */
static void look(struct connection *connection, struct gdb_session *session)
{
    for (size_t i = 0; i < FILES; i++) {
        connection->poll[i].revents = 0;
    }
    if (poll(connection->poll, FILES, gdb_session_runs(session) ? 0 : -1) <= 0) {
        return;
    }
    connection->interrupted = connection->interrupted || connection->poll[INTERRUPT].revents != 0;
    if (connection->poll[CLIENT].revents != 0) {
        receive(connection, session);
    } else if (connection->poll[LISTENER].revents != 0) { /* and the client has not just left */
        turn_away(connection->poll[LISTENER].fd);
    }
}

/* Waits for a client; -1: the interrupt came before. */
static int wait_for_client(const struct gdb_server *server, int interrupt)
{
    const int on = 1;
    int client = -1;
    struct pollfd poll_for[] = {{.fd = server->file, .events = POLLIN},
                                {.fd = interrupt, .events = POLLIN}};
    while (client < 0) {
        if (poll(poll_for, sizeof poll_for / sizeof *poll_for, -1) < 0) {
            continue;
        }
        if (poll_for[1].revents != 0) {
            return -1;
        }
        client = accept4(server->file, NULL, NULL, SOCK_CLOEXEC);
    }
    (void)setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return client;
}

struct gdb_client {
    struct connection connection;
    struct gdb_session *session;
    const struct gdb_target *target;
};

enum status gdb_client_await(const struct gdb_server *server, const struct gdb_target *target,
                             int interrupt, struct gdb_client **client,
                             struct diagnostic *diagnostic)
{
    *client = NULL;
    const int file = wait_for_client(server, interrupt);
    if (file < 0) {
        return STATUS_OK;
    }
    struct gdb_client *made = calloc(1, sizeof *made);
    if (made == NULL) {
        (void)close(file);
        return no_memory(diagnostic);
    }
    made->target = target;
    made->connection.poll[LISTENER] = (struct pollfd){server->file, POLLIN, 0};
    made->connection.poll[INTERRUPT] = (struct pollfd){interrupt, POLLIN, 0};
    made->connection.poll[CLIENT] = (struct pollfd){file, POLLIN, 0};
    made->session = gdb_session_create(target, (struct gdb_sink){&made->connection, send_all});
    if (made->session == NULL) {
        gdb_client_close(made);
        return no_memory(diagnostic);
    }
    *client = made;
    return STATUS_OK;
}

bool gdb_client_serve(struct gdb_client *client, bool (*pauses)(void *context), void *context)
{
    struct connection *connection = &client->connection;
    while (gdb_session_end(client->session) == GDB_GOES_ON && !connection->lost &&
           !connection->interrupted) {
        look(connection, client->session);
        if (gdb_session_runs(client->session)) {
            gdb_session_run(client->session);
            if (pauses != NULL && pauses(context)) {
                return true;
            }
        }
    }
    return false;
}

enum gdb_end gdb_client_end(const struct gdb_client *client)
{
    return gdb_session_end(client->session);
}

void gdb_client_finish(struct gdb_client *client, const struct gdb_stop *stop)
{
    gdb_session_finish(client->session, stop);
}

void gdb_client_close(struct gdb_client *client)
{
    if (client != NULL) {
        gdb_session_destroy(client->session);
        client->target->remove_all_points(client->target->context);
        (void)close(client->connection.poll[CLIENT].fd);
        free(client);
    }
}

enum status gdb_server_run(const struct gdb_server *server, const struct gdb_target *target,
                           int interrupt, enum gdb_end *end, struct diagnostic *diagnostic)
{
    *end = GDB_GOES_ON;
    bool interrupted = false;
    while (*end == GDB_GOES_ON && !interrupted) {
        struct gdb_client *client;
        TRY(gdb_client_await(server, target, interrupt, &client, diagnostic));
        if (client == NULL) {
            break;
        }
        (void)gdb_client_serve(client, NULL, NULL);
        *end = gdb_client_end(client);
        interrupted = client->connection.interrupted;
        gdb_client_close(client);
    }
    return STATUS_OK;
}
