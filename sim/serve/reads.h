/* reads.h - a client that reads memory of a chip as fast as the board's software answers, with
 * several requests under way: SCP commands READ of 256 bytes (SpiNNaker Application Note 5).
 *
 * It first asks the chip for its version, every READS_POLL_PS, until the chip knows its place.  A
 * request without an answer is sent again after READS_AGAIN_PS. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/units.h"
#include "sim/serve/client.h"
#include "sim/serve/sdp.h"
C_LINKAGE_BEGIN

enum { READS_WINDOW_MAX = 64, READS_VERSION = -1 };

#define READS_POLL_PS  (100 * PS_PER_MS) /* as SpiNNMan asks a board that boots */
#define READS_AGAIN_PS (1 * PS_PER_S)    /* SpiNNMan's time-out for an answer */

struct reads_setup {
    uint8_t x, y; /* the chip that is read, through board 0 */
    uint32_t address;
    uint32_t bytes;    /* a multiple of 256, not 0 */
    unsigned window;   /* requests under way, 1 to READS_WINDOW_MAX */
    uint64_t limit_ps; /* board time at which it gives up */
};

/* A request: to be sent at due_ps, or sent, and to be sent again then. */
struct reads_request {
    bool is_open;
    int32_t index; /* of 256 bytes; READS_VERSION: it asks for the version */
    uint64_t due_ps;
    uint32_t times; /* that it was sent */
};

struct reads {
    struct reads_setup setup;
    bool is_ready; /* the chip has told its version */
    struct reads_request request[READS_WINDOW_MAX];
    unsigned chosen;     /* by next() */
    int32_t asked, read; /* requests begun, and answered */
    uint32_t again;      /* sent more than once */
    uint32_t refused;    /* answers with another code than OK */
    uint64_t begin_ps, end_ps;
    uint8_t payload[SCP_DATA];
};

void reads_init(struct reads *reads, const struct reads_setup *setup);

/* Functions of struct serve_client; the context is a struct reads. */
struct serve_client reads_client(struct reads *reads);

/* Whether all was read; then end_ps - begin_ps is the board time from the first request's first bit
 * to the last answer's last bit. */
bool reads_are_complete(const struct reads *reads);

C_LINKAGE_END
