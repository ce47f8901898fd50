/* circle.c - see circle.h. */
#include "circle.h"

#include <exchange.h>
#include <operators.h>
#include <words.h>

enum { WORD = TRAIN_WORD };

uint32_t circle_block(const struct circle *circle, uint32_t core, uint32_t odd)
{
    return circle->share + (odd * circle->count + core) * circle->share_bytes;
}

uint32_t circle_begin(struct circle *circle)
{
    return circle->rounds++ & 1;
}

void circle_end(struct circle *circle, uint32_t odd)
{
    train_finish_transfers();
    circle->awaited[odd] += circle->count - 1;
    exchange_signal(circle->key + odd);
    train_await(circle->counter + odd, circle->awaited[odd]);
}

uint32_t circle_share(struct circle *circle, void *block, uint32_t bytes)
{
    const uint32_t odd = circle_begin(circle);
    train_write(circle_block(circle, circle->own, odd), block, bytes);
    circle_end(circle, odd);
    return odd;
}

/* The blocks of a few cores at a time, where memory is short. */
static inline void add_few(const struct circle *circle, int32_t *block, struct circle_words which,
                           uint32_t odd, void (*mark)(uint32_t row), uint32_t row)
{
    int32_t *taken = train_words(train.at.taken);
    for (; which.times > 0; which.times--, which.first += which.step) {
        uint32_t blocks = 0;
        for (uint32_t c = 0; c < circle->count; c++) {
            if (c != circle->own) {
                train_read(circle_block(circle, c, odd) + which.first * WORD,
                           taken + blocks++ * which.count, which.count * WORD);
            }
            if (blocks == NN_TRAIN_AT_ONCE || (blocks > 0 && c + 1 == circle->count)) {
                train_finish_transfers();
                mark(row);
                nn_add_words(block + which.first, taken, which.count, blocks);
                blocks = 0;
            }
        }
    }
}

void circle_add(struct circle *circle, int32_t *block, struct circle_words which,
                void (*mark)(uint32_t row), uint32_t row)
{
    int32_t *taken = train_words(train.at.taken);
    const uint32_t odd = circle_share(circle, block, which.words * WORD);
    if (NN_HAS(NN_TAKES_FEW)) {
        add_few(circle, block, which, odd, mark, row);
        return;
    }
    int32_t *to = taken;
    uint32_t blocks = 0;
    for (uint32_t t = 0; t < which.times; t++) {
        blocks = 0;
        for (uint32_t c = 0; c < circle->count; c++) {
            if (c != circle->own) {
                const uint32_t from = circle_block(circle, c, odd);
                train_read(from + (which.first + t * which.step) * WORD, to, which.count * WORD);
                to += which.count;
                blocks++;
            }
        }
    }
    train_finish_transfers();
    mark(row);
    block += which.first;
    for (; which.times > 0; which.times--, block += which.step, taken += blocks * which.count) {
        nn_add_words(block, taken, which.count, blocks);
    }
}

/* ---- values ---- */

struct circle_span circle_span_of(const uint32_t *bounds, uint32_t part)
{
    enum { PER_WORD = WORD / sizeof(nn_value) };
    const uint32_t first = bounds[part];
    const uint32_t end = bounds[part + 1];
    const uint32_t begin = first / PER_WORD * PER_WORD;
    const uint32_t words = (end - begin + PER_WORD - 1) / PER_WORD;
    return (struct circle_span){first, end, begin, first == end ? 0 : words * WORD};
}

/* Whether transfers of a part touch no value of another part. */
static bool is_whole(const struct circle_span *span)
{
    return span->bytes == (span->end - span->first) * sizeof(nn_value);
}

/* Parts that do not fill their words go through a buffer, from which their values are copied. */
void circle_take(const struct circle *circle, uint32_t odd, uint32_t first, uint32_t count,
                 const uint32_t *bounds, nn_value *values)
{
    uint8_t *to = train.memory + train.at.taken;
    for (uint32_t i = 0; i < count; i++) {
        const struct circle_span span = circle_span_of(bounds, i);
        const uint32_t block = circle_block(circle, first + i, odd);
        if (first + i == circle->own) {
            continue;
        }
        if (is_whole(&span)) {
            train_read(block, values + span.first, span.bytes);
        } else {
            train_read(block, to, span.bytes);
            to += span.bytes;
        }
    }
    train_finish_transfers();
    const nn_value *from = train_values(train.at.taken);
    for (uint32_t i = 0; i < count; i++) {
        const struct circle_span span = circle_span_of(bounds, i);
        if (first + i != circle->own && !is_whole(&span)) {
            for (uint32_t v = span.first; v < span.end; v++) {
                values[v] = from[v - span.begin];
            }
            from += span.bytes / sizeof *from;
        }
    }
}

void circle_unpack(const struct circle *circle, uint32_t odd, const uint32_t *bounds,
                   uint32_t images, nn_value *values, uint32_t stride)
{
    nn_value *const taken = train_values(train.at.taken);
    enum { PER_WORD = WORD / sizeof(nn_value) };
    nn_value *at = taken;
    for (uint32_t c = 0; c < circle->count; c++) {
        const uint32_t count = images * (bounds[c + 1] - bounds[c]);
        const uint32_t room = (count + PER_WORD - 1) / PER_WORD * PER_WORD;
        if (c != circle->own) {
            train_read(circle_block(circle, c, odd), at, room * (uint32_t)sizeof *at);
            at += room;
        }
    }
    train_finish_transfers();
    at = taken;
    for (uint32_t c = 0; c < circle->count; c++) {
        const nn_value *from = at;
        const uint32_t count = images * (bounds[c + 1] - bounds[c]);
        for (uint32_t i = 0; c != circle->own && i < images; i++) {
            for (uint32_t u = bounds[c]; u < bounds[c + 1]; u++) {
                values[i * stride + u] = *from++;
            }
        }
        at += c == circle->own ? 0 : (count + PER_WORD - 1) / PER_WORD * PER_WORD;
    }
}
