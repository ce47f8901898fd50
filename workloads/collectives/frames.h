/* frames.h - arrays of words from one rank to another, complete and once, although packets may be
 * lost, late or repeated.
 *
 * A frame is an array of 32-bit words.  Its sender offers it; its receiver asks for a window of
 * words, and for more while they arrive; at the end it says that all have come.  A packet's key has
 * its sender, the frame's number (step) and the word's number (sequence), so that the receiver
 * knows each packet:
 *
 * - The next word of the awaited frame is stored, or added, once.
 * - A later word of that frame means that a packet was lost: the receiver asks again at once.
 * - An earlier word of that frame, and any word of another, is late or repeated: it is counted and
 *   not used.
 *
 * What is lost without a successor is asked for again after a timeout, by either side.  A peer that
 * answers is waited for, however long it takes.  One that has been silent `tries` times in a row
 * ends the program, with the name of the packet that is missing.
 *
 * A rank sends one frame and receives one at a time (struct frames_transfer); both go on together.
 * Nothing here waits or knows the hardware: the caller passes packets and timeouts in, and
 * frames_port_send() takes packets out.  So the same source runs on the host, where tests lose
 * packets (tests/unit/collectives_*).  On a core frames_core.h does the rest. */
#pragma once
#include <collectives_plan.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { FRAMES_WORDS_MOST = 0xffff }; /* of a frame; longer arrays are several */

enum frames_operation {
    FRAMES_STORE,
    FRAMES_SUM,
    FRAMES_MIN,
    FRAMES_MAX,
    FRAMES_ADD_HALVES /* a word is two int16, the first in its low half, which are added to two
                         words: `in` has twice in_words */
};

/* One array to send and one to receive.  Words are signed; sums wrap.  A rank cannot send to
 * itself.  The arrays belong to the transfer until it is over. */
struct frames_transfer {
    uint32_t to; /* rank; COLLECTIVES_NOBODY: nothing is sent */
    const int32_t *out;
    uint32_t out_words;
    uint32_t from; /* the same for what is received */
    int32_t *in;
    uint32_t in_words;
    enum frames_operation operation; /* with what stands there already */
};

/* What a rank waits for in vain. */
struct frames_lost {
    uint32_t from;         /* rank */
    uint32_t key, payload; /* of the packet; payload 0 unless it is control */
    uint32_t frame, word;  /* numbers */
    uint32_t words;        /* of the frame */
    uint32_t offered;      /* length that the sender offers: it differs from `words` */
};

/* Repetitions on one side of a transfer. */
struct frames_patience {
    volatile uint32_t heard; /* from the peer since the last timeout: 1: an answer, 2: progress */
    uint32_t silent;         /* timeouts in a row without an answer at which it was asked */
    uint32_t wait, left;     /* timeouts from one repetition to the next */
};

struct frames {
    const struct collectives_plan *plan;
    uint16_t *sent, *taken; /* [size]: complete frames to and from each rank */
    uint32_t *offered;      /* a bit for each rank: its next frame is ready */

    struct {
        uint32_t to, key;
        const int32_t *words;
        uint32_t count, rest; /* words of this frame; behind it */
        volatile uint32_t next, end;
        struct frames_patience patience;
    } out;
    struct {
        uint32_t from, key; /* key 0: nothing is awaited */
        uint32_t answer;    /* first key of packets to the sender */
        int32_t *words;
        uint32_t count, rest, operation;
        volatile uint32_t next;
        uint32_t more_at;  /* word at which more is asked for */
        uint32_t was_lost; /* asked again, and the word has not come yet */
        struct frames_patience patience;
    } in;

    volatile uint32_t busy;                   /* FRAMES_OUT, FRAMES_IN: not over yet */
    volatile uint32_t due;                    /* packets of control to be sent */
    volatile uint32_t owed_key, owed_payload; /* an answer to be sent; key 0: none */

    /* Packets: late or repeated, to be ignored; times that words were asked for again. */
    uint32_t late, again;
    uint32_t packets;  /* sent */
    uint32_t controls; /* packets of control received */
    struct frames_lost lost;
};

enum { FRAMES_OUT = 1, FRAMES_IN = 2 };

enum frames_sent {
    FRAMES_IDLE, /* nothing is to be sent */
    FRAMES_SENT,
    FRAMES_FULL /* something is, but the transmitter is full */
};

/* Bytes of the memory that frames_begin() needs; a multiple of 4. */
uint32_t frames_bytes(uint32_t ranks);

/* `memory`: aligned to words; its and the plan's owner is the caller. */
void frames_begin(struct frames *frames, const struct collectives_plan *plan, void *memory);

/* Starts a transfer; it is over when `busy` is 0.  None may be in progress. */
void frames_start(struct frames *frames, const struct frames_transfer *transfer);

/* A packet has arrived.  May interrupt the caller of frames_pump(), which masks the interrupt. */
void frames_packet(struct frames *frames, uint32_t key, uint32_t payload);

/* Sends one packet, if one is to be sent.  Call with the receiving interrupt masked. */
enum frames_sent frames_pump(struct frames *frames);

/* plan->timeout_cycles have passed; call with the receiving interrupt masked. */
void frames_timeout(struct frames *frames);

/* ---- what the caller's side defines ---- */

/* Sends a packet; returns 0 when the transmitter is full. */
uint32_t frames_port_send(struct frames *frames, uint32_t key, uint32_t payload);

/* frames->lost will not come: the transfer is over, `lost.from` says so, and nothing is answered
 * any more.  The interrupt may call it. */
void frames_port_lost(struct frames *frames);

#ifdef __cplusplus
}
#endif
