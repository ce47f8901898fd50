/* pooling_backward.c - converts the errors behind a pool, or behind ReLU alone, to the events of
 * the convolution in front. */
#include "backward.h"

#include <stddef.h>

NN_NEEDS(CONVOLVES)
NN_NEEDS(TRAINS)

/* The values of a row, whose errors become events: forward through all rows of all maps. */
struct line {
    const nn_value *output, *errors;
    const uint8_t *choice;
};

/* Where a map's events are written: events at even places from the front of the room, in order;
 * events at odd places from its back.  At the end the latter are moved behind the former. */
struct room {
    struct nn_event *front, *back;
};

/* Places in a row: the first window's, the distance between windows, and the places inside a pool's
 * window. */
struct places {
    uint32_t first, step, count;
    uint32_t side, column, row;
};

/* One row; side 1: no pool. */
static __attribute__((noinline, hot)) struct room
put_row(struct room room, const struct line *line, const struct places *places, int32_t least)
{
    const nn_value *output = line->output;
    const nn_value *errors = line->errors;
    const nn_value *const end = errors + places->count;
    const uint8_t *choices = line->choice;
    const uint32_t side = places->side;
    const uint32_t step = places->step;
    const uint32_t column = places->column;
    uint32_t at = places->first;
    while (errors != end) {
        const nn_value error = *errors++;
        const nn_value value = *output++;
        uint32_t choice = *choices++;
        uint32_t place = at;
        at += step;
        if (error == 0 || value < least) {
            continue;
        }
        if (side > 1) {
            for (; choice >= side; choice -= side) {
                place += places->row;
            }
            place += choice * column;
        }
        struct nn_event *const event = (place & 1) != 0 ? --room.back : room.front++;
        event->place = (uint16_t)place;
        event->error = error;
    }
    return room;
}

/* shape: of the values; next_row: from a row's first place to that of the next. */
NN_RARE void put_all(const struct nn_layer *conv, struct nn_shape shape, struct line line,
                     struct places places, uint32_t next_row, struct nn_event *events,
                     uint16_t *counts)
{
    const int32_t least = conv->activation == NN_RELU ? 1 : INT32_MIN; /* of an open output */
    const uint32_t values = (uint32_t)shape.height * shape.width;
    for (uint32_t m = 0; m < shape.channels; m++) {
        struct nn_event *const end = events + values;
        struct room room = {events, end};
        places.first = 0;
        for (uint32_t y = 0; y < shape.height; y++, places.first += next_row) {
            room = put_row(room, &line, &places, least);
            line.output += places.count;
            line.errors += places.count;
            line.choice += places.count;
        }
        for (; room.back != end; room.back++) {
            *room.front++ = *room.back;
        }
        counts[m] = (uint16_t)(room.front - events);
        events = room.front;
    }
}

NN_SMALL void nn_pool_events(const struct nn_layer *conv, const struct nn_layer *pool,
                             const nn_value *output, const uint8_t *choice, const nn_value *errors,
                             struct nn_event *events, uint16_t *counts)
{
    const uint32_t row = nn_row_step(conv);
    const struct line line = {output, errors, choice};
    const struct places places = {
        0,  (uint32_t)pool->stride * conv->stride, pool->output.width, pool->kernel, conv->stride,
        row};
    put_all(conv, pool->output, line, places, pool->stride * row, events, counts);
}

NN_SMALL void nn_relu_events(const struct nn_layer *conv, const nn_value *output,
                             const nn_value *errors, struct nn_event *events, uint16_t *counts)
{
    const uint32_t row = nn_row_step(conv);
    /* The choice of a window of one value is not read; any address will do. */
    const struct line line = {output, errors, (const uint8_t *)(const void *)errors};
    const struct places places = {0, conv->stride, conv->output.width, 1, conv->stride, row};
    put_all(conv, conv->output, line, places, row, events, counts);
}
