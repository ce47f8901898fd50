/* port_owner.c - see port_owner.h.
 * Linux lists open sockets in /proc/net/udp and /proc/net/tcp (proc(5)): address and port in
 * hexadecimal, those of the other end, the state, the user's number, the inode.  /proc/PID/fd has a
 * link "socket:[INODE]" to it. */
#include "sim/port_owner.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE_CHARS = 512, PATH_CHARS = 320, LINK_CHARS = 64, NAME_CHARS = 32 };
enum { DECIMAL = 10, HEXADECIMAL = 16 };

/* What to look for. */
struct wanted_port {
    enum port_protocol protocol;
    uint32_t address;
    uint16_t port;
};

struct open_socket {
    unsigned user;
    unsigned long inode;
};

/* State of a TCP socket that listens (Linux: TCP_LISTEN). */
enum { STATE_LISTENS = 0x0a };

static char *skip_fields(char *at, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        at += strspn(at, " ");
        at += strcspn(at, " ");
    }
    return at;
}

/* One line of a list: number, address:port, the other end, state, three other fields, user, one
 * other, inode.  A socket of all addresses has the port of each. */
static bool is_line_of(char *line, const struct wanted_port *wanted, struct open_socket *socket)
{
    enum { OTHERS_BEFORE_STATE = 1, OTHERS_BEFORE_USER = 3, OTHERS_BEFORE_INODE = 1 };
    char *at = strchr(line, ':');
    const unsigned long address = at == NULL ? 0 : strtoul(at + 1, &at, HEXADECIMAL);
    const unsigned long number = at == NULL || *at != ':' ? 0 : strtoul(at + 1, &at, HEXADECIMAL);
    if (at == NULL || number != wanted->port ||
        (address != htonl(wanted->address) && address != INADDR_ANY)) {
        return false;
    }
    const unsigned long state = strtoul(skip_fields(at, OTHERS_BEFORE_STATE), &at, HEXADECIMAL);
    socket->user = (unsigned)strtoul(skip_fields(at, OTHERS_BEFORE_USER), &at, DECIMAL);
    socket->inode = strtoul(skip_fields(at, OTHERS_BEFORE_INODE), &at, DECIMAL);
    return wanted->protocol == PORT_UDP || state == STATE_LISTENS;
}

static bool find_socket(const struct wanted_port *wanted, struct open_socket *socket)
{
    char line[LINE_CHARS];
    FILE *list = fopen(wanted->protocol == PORT_UDP ? "/proc/net/udp" : "/proc/net/tcp", "re");
    bool found = false;
    while (list != NULL && !found && fgets(line, sizeof line, list) != NULL) {
        found = is_line_of(line, wanted, socket);
    }
    if (list != NULL) {
        (void)fclose(list);
    }
    return found;
}

static bool leads_to(const char *directory, const char *name, const char *target)
{
    char path[PATH_CHARS];
    char link[LINK_CHARS];
    (void)snprintf(path, sizeof path, "%.40s/%.40s", directory, name);
    const ssize_t length = readlink(path, link, sizeof link);
    return length == (ssize_t)strlen(target) && memcmp(link, target, (size_t)length) == 0;
}

/* Whether a process has the file open; false if its files are not to be seen. */
static bool has_open(const char *process, const char *target)
{
    char path[PATH_CHARS];
    (void)snprintf(path, sizeof path, "/proc/%.20s/fd", process);
    DIR *files = opendir(path);
    bool has = false;
    for (const struct dirent *file = NULL;
         files != NULL && !has && (file = readdir(files)) != NULL;) {
        has = leads_to(path, file->d_name, target);
    }
    if (files != NULL) {
        (void)closedir(files);
    }
    return has;
}

static void read_name(const char *process, char name[NAME_CHARS])
{
    char path[PATH_CHARS];
    (void)snprintf(path, sizeof path, "/proc/%.20s/comm", process);
    FILE *file = fopen(path, "re");
    name[0] = '\0';
    if (file != NULL) {
        if (fgets(name, NAME_CHARS, file) != NULL) {
            name[strcspn(name, "\n")] = '\0';
        }
        (void)fclose(file);
    }
}

static bool print_process(const struct open_socket *socket, char text[PORT_OWNER_CHARS])
{
    char target[LINK_CHARS];
    char name[NAME_CHARS];
    DIR *processes = opendir("/proc");
    bool found = false;
    (void)snprintf(target, sizeof target, "socket:[%lu]", socket->inode);
    for (const struct dirent *process = NULL;
         processes != NULL && !found && (process = readdir(processes)) != NULL;) {
        if (isdigit((unsigned char)process->d_name[0]) && has_open(process->d_name, target)) {
            read_name(process->d_name, name);
            (void)snprintf(text, PORT_OWNER_CHARS, "process %.20s (%s)", process->d_name, name);
            found = true;
        }
    }
    if (processes != NULL) {
        (void)closedir(processes);
    }
    return found;
}

void port_owner_print(enum port_protocol protocol, uint32_t address, uint16_t port,
                      char text[PORT_OWNER_CHARS])
{
    const struct wanted_port wanted = {protocol, address, port};
    struct open_socket socket;
    if (!find_socket(&wanted, &socket)) {
        (void)snprintf(text, PORT_OWNER_CHARS, "another process");
    } else if (!print_process(&socket, text)) {
        (void)snprintf(text, PORT_OWNER_CHARS, "a process of user %u", socket.user);
    }
}
