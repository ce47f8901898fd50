/* console.c - see console.h. */
#include "sim/flat/console.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

/* ---- input ---- */

/* Waits for input or its end; false if the wait was interrupted. */
static bool wait_for_input(const struct console *console)
{
    struct pollfd on[] = {{.fd = console->input, .events = POLLIN},
                          {.fd = console->interrupt, .events = POLLIN}};
    while (poll(on, sizeof on / sizeof *on, -1) < 0 && errno == EINTR) {
        on[0].revents = on[1].revents = 0;
    }
    return on[1].revents == 0;
}

/* Fills the buffer, which is empty; false at the end of the input. */
static bool fill(struct console *console, int *error)
{
    ssize_t got = -1;
    errno = EINTR;
    while (got < 0 && (errno == EINTR || errno == EAGAIN)) {
        if (!wait_for_input(console)) {
            return false;
        }
        got = read(console->input, console->ahead, sizeof console->ahead);
    }
    *error = got < 0 ? errno : 0;
    console->ahead_at = 0;
    console->ahead_end = got < 0 ? 0 : (size_t)got;
    return console->ahead_end != 0;
}

size_t console_read(struct console *console, uint8_t *bytes, size_t room, int *error)
{
    size_t got = 0;
    bool ended = false;
    *error = 0;
    console->reads++;
    console_flush(console);
    while (got < room && !ended) {
        if (console->ahead_at == console->ahead_end && !fill(console, error)) {
            break;
        }
        const uint8_t *from = console->ahead + console->ahead_at;
        size_t count = console->ahead_end - console->ahead_at;
        count = count < room - got ? count : room - got;
        const uint8_t *end = memchr(from, '\n', count);
        if (end != NULL) {
            count = (size_t)(end - from) + 1;
            ended = true;
        }
        memcpy(bytes + got, from, count);
        console->ahead_at += count;
        got += count;
    }
    return got;
}

/* ---- output ---- */

static bool is_interrupted(const struct console *console)
{
    struct pollfd on = {.fd = console->interrupt, .events = POLLIN};
    return console->interrupt >= 0 && poll(&on, 1, 0) > 0;
}

static void note_loss(struct console *console, int to, int error)
{
    if (console->lost_errno == 0) {
        console->lost_errno = error;
        console->lost_on = to;
    }
}

static size_t write_all(struct console *console, int to, const uint8_t *bytes, size_t count,
                        int *error)
{
    size_t done = console->mute ? count : 0;
    *error = 0;
    while (done < count) {
        const ssize_t wrote = write(to, bytes + done, count - done);
        if (wrote >= 0) {
            done += (size_t)wrote;
        } else if (errno == EAGAIN) { /* the descriptor is non-blocking */
            struct pollfd on = {.fd = to, .events = POLLOUT};
            (void)poll(&on, 1, -1);
        } else if (errno != EINTR || is_interrupted(console)) {
            *error = errno;
            note_loss(console, to, *error);
            break;
        }
    }
    return done;
}

size_t console_write(struct console *console, int to, const uint8_t *bytes, size_t count,
                     int *error)
{
    console_flush(console);
    return write_all(console, to, bytes, count, error);
}

void console_put(struct console *console, uint8_t byte)
{
    console->line[console->line_bytes++] = byte;
    if (byte == '\n' || console->line_bytes == sizeof console->line) {
        console_flush(console);
    }
}

void console_flush(struct console *console)
{
    int error;
    const size_t count = console->line_bytes;
    console->line_bytes = 0;
    (void)write_all(console, console->output, console->line, count, &error);
}
