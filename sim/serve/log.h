/* log.h - the datagrams that clients have sent to a machine, with their board times, as a file: for
 * `serve --record` and `--replay`.
 *
 * The file is text, one entry a line, words separated by one space:
 *
 *     spinnsim datagrams 1
 *     simulation HASH                     sim_hash of the run: 64 hexadecimal digits
 *     image HASH                          SHA-256 of the file of --scamp; "none" without it
 *     board NUMBER ADDRESS                a line for each board, from 0
 *     in TIME BOARD PORT FROM PAYLOAD     a line for each datagram, in order of time
 *     end TIME                            when the run ended
 *
 * TIME is board time in picoseconds: when the first bit of the frame was on the wire; for ports
 * 54321 and "bmp", which are no frames to the machine, when it was dealt with.  PORT is the board's
 * UDP port, or "bmp" for the board management processor.  FROM is the client's address and port,
 * 127.0.0.1:40000.  PAYLOAD is hexadecimal, "-" when it is empty. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/data/sha256.h"
#include "sim/file.h"
#include "sim/serve/frame.h"
#include <stddef.h>
C_LINKAGE_BEGIN

enum { LOG_BOARDS_MAX = 64, LOG_PORT_BMP = 0 };

struct log_head {
    char simulation[SHA256_HEX_CHARS];
    char image[SHA256_HEX_CHARS];   /* or "none" */
    uint32_t board_count;           /* at most LOG_BOARDS_MAX */
    uint32_t board[LOG_BOARDS_MAX]; /* IPv4 addresses */
};

struct log_entry {
    uint64_t time_ps;
    uint32_t board;
    uint16_t port; /* LOG_PORT_BMP: of the BMP */
    struct frame_endpoint from;
    const uint8_t *payload; /* of a log that was read: inside it */
    uint32_t bytes;
};

/* ---- writing ---- */

/* Creates the file, which appears under its name when it is complete. */
enum status log_create(struct file_writer *file, const char *path, const struct log_head *head,
                       struct diagnostic *diagnostic);
void log_add(struct file_writer *file, const struct log_entry *entry);
/* Always closes the file.  Reports what could not be written. */
enum status log_end(struct file_writer *file, uint64_t time_ps, struct diagnostic *diagnostic);

/* ---- reading ---- */

struct log {
    struct log_head head;
    struct log_entry *entry; /* owned */
    size_t count, room;
    uint64_t end_ps;
    uint8_t *text; /* owned: the file, with payloads in place of their digits */
};

/* STATUS_CONFIGURATION with file and line: it is no such file, was cut short, or its times go
 * backwards. */
enum status log_read(struct log *log, const char *path, struct diagnostic *diagnostic);
void log_deinit(struct log *log);

C_LINKAGE_END
