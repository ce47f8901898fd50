/* frames.c - see frames.h. */
#include "frames.h"

#include <stddef.h>

enum {
    WAIT_MOST = 16, /* timeouts from one repetition to the next, at most */
    NUMBER_SHIFT = 16,
    WORD_MASK = 0xffff,
    WINDOW = COLLECTIVES_WINDOW
};

/* Bits of `due`. */
enum { DUE_OFFER = 1, DUE_STILL = 2, DUE_ASK = 4, DUE_MORE = 8 };

enum { HEARD = 1, PROGRESS = 2 };

/* ---- memory ---- */

static uint32_t pair_bytes(uint32_t ranks)
{
    return (ranks + 1) / 2 * (uint32_t)sizeof(uint32_t);
}

static uint32_t offered_words(uint32_t ranks)
{
    return (ranks + 31) / 32;
}

uint32_t frames_bytes(uint32_t ranks)
{
    return 2 * pair_bytes(ranks) + offered_words(ranks) * (uint32_t)sizeof(uint32_t);
}

void frames_begin(struct frames *frames, const struct collectives_plan *plan, void *memory)
{
    uint32_t *word = memory;
    *frames = (struct frames){.plan = plan};
    frames->lost.from = COLLECTIVES_NOBODY;
    for (uint32_t i = 0; i < frames_bytes(plan->size) / sizeof *word; i++) {
        word[i] = 0;
    }
    frames->sent = memory;
    frames->taken = (uint16_t *)(void *)((uint8_t *)memory + pair_bytes(plan->size));
    frames->offered = word + 2 * pair_bytes(plan->size) / sizeof *word;
}

/* ---- packets of control ---- */

static uint32_t control_key(const struct frames *frames, uint32_t to, uint32_t kind)
{
    return collectives_key(frames->plan, frames->plan->rank, to) | COLLECTIVES_CONTROL | kind;
}

static uint32_t payload_of(uint32_t number, uint32_t word)
{
    return number << NUMBER_SHIFT | (word & WORD_MASK);
}

/* Sends an answer when the transmitter is free.  There is room for one: who misses it asks again.
 */
static void owe(struct frames *frames, uint32_t to, uint32_t kind, uint32_t number)
{
    if (frames->owed_key == 0 || kind == COLLECTIVES_DONE) {
        frames->owed_payload = payload_of(number, 0);
        frames->owed_key = control_key(frames, to, kind);
    }
}

static void be_patient(struct frames_patience *patience)
{
    *patience = (struct frames_patience){.wait = 1, .left = 2}; /* at least one whole timeout */
}

/* ---- beginning and end of frames ---- */

static void start_out(struct frames *frames)
{
    const uint32_t left = frames->out.rest;
    const uint32_t number = frames->sent[frames->out.to];
    frames->out.count = left < FRAMES_WORDS_MOST ? left : FRAMES_WORDS_MOST;
    frames->out.rest = left - frames->out.count;
    frames->out.next = frames->out.end = 0;
    frames->out.key = collectives_key(frames->plan, frames->plan->rank, frames->out.to) |
                      (number & COLLECTIVES_STEP_MASK) << COLLECTIVES_STEP_SHIFT;
    be_patient(&frames->out.patience);
    frames->due |= DUE_OFFER;
}

static void end_out(struct frames *frames)
{
    frames->sent[frames->out.to]++;
    frames->due &= ~(uint32_t)(DUE_OFFER | DUE_STILL);
    frames->out.next = frames->out.end = 0;
    if (frames->out.rest > 0) {
        frames->out.words += frames->out.count;
        start_out(frames);
    } else {
        frames->busy &= ~(uint32_t)FRAMES_OUT;
    }
}

static void end_in(struct frames *frames);

static void start_in(struct frames *frames)
{
    const uint32_t from = frames->in.from;
    const uint32_t left = frames->in.rest;
    const uint32_t bit = 1u << from % 32;
    frames->in.count = left < FRAMES_WORDS_MOST ? left : FRAMES_WORDS_MOST;
    frames->in.rest = left - frames->in.count;
    frames->in.next = 0;
    frames->in.more_at = WINDOW / 2;
    frames->in.was_lost = 0;
    frames->in.key = collectives_key(frames->plan, from, frames->plan->rank) |
                     ((uint32_t)frames->taken[from] & COLLECTIVES_STEP_MASK)
                         << COLLECTIVES_STEP_SHIFT;
    frames->in.answer = collectives_key(frames->plan, frames->plan->rank, from);
    be_patient(&frames->in.patience);
    if ((frames->offered[from / 32] & bit) != 0) {
        frames->offered[from / 32] &= ~bit;
        if (frames->in.count == 0) {
            end_in(frames);
        } else {
            frames->due |= DUE_ASK;
        }
    }
}

static void end_in(struct frames *frames)
{
    const uint32_t from = frames->in.from;
    frames->in.key = 0;
    frames->due &= ~(uint32_t)(DUE_ASK | DUE_MORE);
    owe(frames, from, COLLECTIVES_DONE, frames->taken[from]++);
    if (frames->in.rest > 0) {
        frames->in.words += frames->in.count * (frames->in.operation == FRAMES_ADD_HALVES ? 2 : 1);
        start_in(frames);
    } else {
        frames->busy &= ~(uint32_t)FRAMES_IN;
    }
}

void frames_start(struct frames *frames, const struct frames_transfer *transfer)
{
    frames->out.to = transfer->to;
    frames->out.words = transfer->out;
    frames->out.rest = transfer->out_words;
    frames->in.from = transfer->from;
    frames->in.words = transfer->in;
    frames->in.rest = transfer->in_words;
    frames->in.operation = transfer->operation;
    if (transfer->to != COLLECTIVES_NOBODY) {
        frames->busy |= FRAMES_OUT;
        start_out(frames);
    }
    if (transfer->from != COLLECTIVES_NOBODY) {
        frames->busy |= FRAMES_IN;
        start_in(frames);
    }
}

/* ---- received ---- */

static int32_t sum(int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)a + (uint32_t)b);
}

static void take(int32_t *array, uint32_t index, uint32_t payload, uint32_t operation)
{
    const int32_t value = (int32_t)payload;
    int32_t *word = &array[index];
    switch (operation) {
    case FRAMES_SUM:
        *word = sum(*word, value);
        break;
    case FRAMES_MIN:
        *word = value < *word ? value : *word;
        break;
    case FRAMES_MAX:
        *word = value > *word ? value : *word;
        break;
    case FRAMES_ADD_HALVES:
        word += index;
        word[0] = sum(word[0], (int16_t)payload);
        word[1] = sum(word[1], (int16_t)(payload >> 16));
        break;
    default:
        *word = value;
    }
}

/* Words before `next` have come. */
static void take_word(struct frames *frames, uint32_t key, uint32_t payload)
{
    const uint32_t next = frames->in.next;
    const uint32_t ahead = (key - next) & COLLECTIVES_SEQUENCE_MASK;
    if (((key ^ frames->in.key) & ~(uint32_t)COLLECTIVES_SEQUENCE_MASK) != 0 || ahead >= WINDOW ||
        next >= frames->in.count) {
        frames->late++;
        return;
    }
    if (ahead != 0) {
        if (frames->in.was_lost == 0) {
            frames->in.was_lost = 1;
            frames->again++;
            frames->due |= DUE_ASK;
        }
        return;
    }
    take(frames->in.words, next, payload, frames->in.operation);
    frames->in.next = next + 1;
    frames->in.was_lost = 0;
    frames->in.patience.heard = PROGRESS;
    if (next + 1 == frames->in.count) {
        end_in(frames);
    } else if (next + 1 == frames->in.more_at) {
        frames->in.more_at += WINDOW / 2;
        if (frames->in.more_at < frames->in.count) {
            frames->due |= DUE_MORE; /* words up to more_at have been asked for */
        }
    }
}

static int32_t ahead_of(uint32_t number, uint16_t complete)
{
    return (int16_t)(uint16_t)(number - complete);
}

static void give_up(struct frames *frames)
{
    frames->busy = 0;
    frames->due = 0;
    frames->in.key = 0;
    frames->out.next = frames->out.end = 0;
    frames_port_lost(frames);
}

static void take_offer(struct frames *frames, uint32_t from, uint32_t kind, uint32_t number,
                       uint32_t count)
{
    const int32_t ahead = ahead_of(number, frames->taken[from]);
    if (ahead < 0) {
        owe(frames, from, COLLECTIVES_DONE, number);
    } else if (frames->in.key == 0 || frames->in.from != from) {
        frames->offered[from / 32] |= 1u << from % 32;
        if (kind == COLLECTIVES_STILL) {
            owe(frames, from, COLLECTIVES_LATER, number);
        }
    } else if (count != frames->in.count) {
        frames->lost =
            (struct frames_lost){from, frames->in.key, 0, number, 0, frames->in.count, count};
        give_up(frames);
    } else {
        frames->in.patience.heard |= HEARD;
        if (count == 0) {
            end_in(frames);
        } else if (frames->in.next == 0 || frames->in.patience.heard < PROGRESS) {
            frames->due |= DUE_ASK; /* else words are arriving */
        }
    }
}

/* ASK, MORE, DONE. */
static void take_request(struct frames *frames, uint32_t from, uint32_t kind, uint32_t number,
                         uint32_t word)
{
    const int32_t ahead = ahead_of(number, frames->sent[from]);
    if (ahead != 0 || (frames->busy & FRAMES_OUT) == 0 || frames->out.to != from) {
        if (ahead == 0 && kind == COLLECTIVES_ASK) {
            owe(frames, from, COLLECTIVES_LATER, number);
        }
        return;
    }
    if (kind == COLLECTIVES_DONE) {
        end_out(frames);
        return;
    }
    if (word > frames->out.count) {
        return;
    }
    const uint32_t left = frames->out.count - word;
    const uint32_t end = word + (left < WINDOW ? left : WINDOW);
    frames->out.patience.heard = PROGRESS;
    if (frames->out.count == 0) {
        frames->due |= DUE_OFFER; /* that is all there is */
        return;
    }
    frames->due &= ~(uint32_t)(DUE_OFFER | DUE_STILL);
    if (kind == COLLECTIVES_ASK) {
        frames->out.next = word;
        frames->out.end = end;
    } else if (end > frames->out.end) {
        frames->out.end = end;
    }
}

static void take_control(struct frames *frames, uint32_t key, uint32_t payload)
{
    const uint32_t from = key >> COLLECTIVES_SENDER_SHIFT & (COLLECTIVES_RANKS_MOST - 1);
    const uint32_t kind = key & 7;
    const uint32_t number = payload >> NUMBER_SHIFT;
    const uint32_t word = payload & WORD_MASK;
    frames->controls++;
    if (from >= frames->plan->size || frames->lost.from != COLLECTIVES_NOBODY) {
        frames->late++;
    } else if (kind <= COLLECTIVES_STILL) {
        take_offer(frames, from, kind, number, word);
    } else if (kind <= COLLECTIVES_DONE) {
        take_request(frames, from, kind, number, word);
    } else {
        if (from == frames->out.to) {
            frames->out.patience.heard |= HEARD;
        }
        if (from == frames->in.from) {
            frames->in.patience.heard |= HEARD;
        }
    }
}

void frames_packet(struct frames *frames, uint32_t key, uint32_t payload)
{
    if ((key & COLLECTIVES_CONTROL) == 0) {
        take_word(frames, key, payload);
    } else {
        take_control(frames, key, payload);
    }
    if (frames->busy == 0 && frames->owed_key != 0) {
        (void)frames_pump(frames); /* the program is not waiting */
    }
}

/* ---- sent ---- */

static enum frames_sent send(struct frames *frames, uint32_t key, uint32_t payload)
{
    if (frames_port_send(frames, key, payload) == 0) {
        return FRAMES_FULL;
    }
    frames->packets++;
    return FRAMES_SENT;
}

/* Sends a packet of control of the kind that `bits` of `due` stand for. */
static enum frames_sent send_due(struct frames *frames, uint32_t bits)
{
    const uint32_t due = frames->due & bits;
    const uint32_t from = frames->in.from;
    const uint32_t to = frames->out.to;
    enum frames_sent sent;
    if (bits == (DUE_ASK | DUE_MORE)) {
        sent = send(frames,
                    frames->in.answer | COLLECTIVES_CONTROL |
                        ((due & DUE_ASK) != 0 ? COLLECTIVES_ASK : COLLECTIVES_MORE),
                    payload_of(frames->taken[from], frames->in.next));
    } else {
        sent = send(
            frames,
            control_key(frames, to, (due & DUE_STILL) != 0 ? COLLECTIVES_STILL : COLLECTIVES_OFFER),
            payload_of(frames->sent[to], frames->out.count));
    }
    if (sent == FRAMES_SENT) {
        frames->due &= ~bits;
        if ((due & DUE_ASK) != 0) {
            frames->in.more_at = frames->in.next + WINDOW / 2;
        }
    }
    return sent;
}

enum frames_sent frames_pump(struct frames *frames)
{
    enum frames_sent sent = FRAMES_IDLE;
    if (frames->owed_key != 0) {
        sent = send(frames, frames->owed_key, frames->owed_payload);
        frames->owed_key = sent == FRAMES_SENT ? 0 : frames->owed_key;
    } else if ((frames->due & (DUE_ASK | DUE_MORE)) != 0) {
        sent = send_due(frames, DUE_ASK | DUE_MORE);
    } else if ((frames->due & (DUE_OFFER | DUE_STILL)) != 0) {
        sent = send_due(frames, DUE_OFFER | DUE_STILL);
    } else if (frames->out.next != frames->out.end) {
        const uint32_t word = frames->out.next;
        sent = send(frames, frames->out.key | (word & COLLECTIVES_SEQUENCE_MASK),
                    (uint32_t)frames->out.words[word]);
        frames->out.next = sent == FRAMES_SENT ? word + 1 : word;
    }
    return sent;
}

/* ---- timeouts ---- */

/* Whether to ask again now. */
static uint32_t is_over(struct frames_patience *patience)
{
    const uint32_t heard = patience->heard;
    patience->heard = 0;
    if (heard >= PROGRESS) {
        be_patient(patience);
        return 0;
    }
    if (heard != 0) {
        patience->silent = 0;
    }
    if (--patience->left > 0) {
        return 0;
    }
    patience->wait = 2 * patience->wait < WAIT_MOST ? 2 * patience->wait : WAIT_MOST;
    patience->left = patience->wait;
    patience->silent++;
    return 1;
}

void frames_timeout(struct frames *frames)
{
    const uint32_t tries = frames->plan->tries;
    if ((frames->busy & FRAMES_IN) != 0 && is_over(&frames->in.patience)) {
        const uint32_t next = frames->in.next;
        frames->due |= DUE_ASK;
        frames->again++;
        if (frames->in.patience.silent > tries) {
            frames->lost =
                (struct frames_lost){.from = frames->in.from,
                                     .key = frames->in.key | (next & COLLECTIVES_SEQUENCE_MASK),
                                     .frame = frames->taken[frames->in.from],
                                     .word = next,
                                     .words = frames->in.count,
                                     .offered = frames->in.count};
            give_up(frames);
        }
    }
    if ((frames->busy & FRAMES_OUT) != 0 && is_over(&frames->out.patience)) {
        const uint32_t to = frames->out.to;
        const uint32_t number = frames->sent[to];
        frames->due |= DUE_STILL;
        if (frames->out.patience.silent > tries) {
            frames->lost =
                (struct frames_lost){.from = to,
                                     .key = collectives_key(frames->plan, to, frames->plan->rank) |
                                            COLLECTIVES_CONTROL | COLLECTIVES_DONE,
                                     .payload = payload_of(number, 0),
                                     .frame = number,
                                     .word = frames->out.end,
                                     .words = frames->out.count,
                                     .offered = frames->out.count};
            give_up(frames);
        }
    }
}
