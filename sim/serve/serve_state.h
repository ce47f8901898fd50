/* serve_state.h - what a served machine consists of.  Private to sim/serve. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/load/boot_blocks.h"
#include "sim/load/handover.h"
#include "sim/serve/bmp.h"
#include "sim/serve/inbox.h"
#include "sim/serve/serve.h"
#include "sim/serve/sockets.h"
#include <signal.h>
C_LINKAGE_BEGIN

/* Slices of board time: while clients are heard of, and otherwise.  None is longer than the time
 * after which the host answers an ARP or echo request of a board: so the answer's time does not
 * depend on where slices end. */
#define SERVE_SLICE_PS      (100 * PS_PER_US)
#define SERVE_IDLE_SLICE_PS (1 * PS_PER_MS)
#define SERVE_ANSWER_PS     SERVE_IDLE_SLICE_PS
/* How long after the last datagram slices stay short. */
#define SERVE_BUSY_PS (100 * PS_PER_MS)

/* A frame of a board that has left it in the current slice. */
struct serve_frame {
    uint32_t board;
    uint64_t time_ps; /* board time */
    uint32_t bytes;
    uint8_t frame[FRAME_BYTES_MAX];
};

/* Answers of the host that wait for their time, which is that of the request + SERVE_ANSWER_PS: in
 * order. */
enum { SERVE_ANSWERS = 256 };
struct serve_answers {
    struct serve_frame of[SERVE_ANSWERS];
    size_t first, count;
};

struct serve_counts {
#define COUNT(name, text) uint64_t name;
#include "sim/serve/serve_counts.def"
};

struct serve {
    struct serve_options options;
    struct topology topology;
    size_t board_count;
    struct handover_board board[LOG_BOARDS_MAX];
    uint32_t address[LOG_BOARDS_MAX];
    uint8_t *image; /* --scamp; owned */
    size_t image_bytes;
    struct boot_blocks boot[LOG_BOARDS_MAX]; /* what each board has been sent */
    struct bmp bmp;
    struct sockets sockets;
    struct inbox inbox;
    struct serve_answers answers;
    struct serve_frame *out; /* owned */
    size_t out_count, out_room;
    struct log replay;
    size_t replayed; /* entries of it */
    struct file_writer record;
    bool records;
    sigset_t signals_before;
    int signals; /* open file; -1: none */

    struct machine *machine; /* the run's; NULL before it begins */
    uint64_t now_ps;         /* board time, the sum over power-ons */
    uint64_t power_on_ps;    /* board time at which the machine's time is 0 */
    uint64_t busy_until_ps;
    bool is_off;
    bool stopped;
    enum status status; /* of the run; not STATUS_OK: a fault, which ends it */
    struct diagnostic diagnostic;
    struct pace_clock pace;
    int64_t arrival_ns; /* of the last datagram: never goes back */
    int64_t told_ns;    /* when the terminal was told; and the board's time then */
    uint64_t told_ps;
    struct serve_counts counts;
    char unopened_text[DIAGNOSTIC_TEXT_CHARS]; /* why the first of counts.unopened is not open */
};

/* Not in a replay, nor with a client of this process. */
static inline bool serve_has_sockets(const struct serve *serve)
{
    return serve->options.replay == NULL && serve->options.client == NULL;
}

/* job_options.run_until: see serve_loop.c. */
enum machine_stop serve_run_until(void *context, struct machine *machine, uint64_t time_ps);

/* job_options.frame: keeps it until the end of the slice. */
void serve_keep_frame(void *context, struct machine_chip chip, const uint8_t *bytes, uint32_t count,
                      uint64_t time_ps);

/* serve_boards.c: what is done to the boards at a board time (now). */

/* Deals with a datagram: puts its frame on the wire, collects a boot image, answers for the BMP.
 * False: there is no room for the frame now. */
bool serve_deliver(struct serve *serve, const struct log_entry *entry);

/* Whether a datagram is taken here instead of by a boot ROM. */
bool serve_takes_boot(const struct serve *serve, const struct log_entry *entry);

/* Starts the boards as they are found: their boot ROMs, or the image of --scamp. */
void serve_start_image(struct serve *serve);

/* Sends what has come out to clients, or prepares the host's answer. */
void serve_send_out(struct serve *serve);

/* Puts an answer of the host on the wire; false: there is no room now. */
bool serve_answer(struct serve *serve, const struct serve_frame *answer);

/* The wall clock. */
int64_t serve_wall_ns(void);

C_LINKAGE_END
