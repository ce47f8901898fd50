/* packet.c - see packet.h. */
#include "sim/gdb/packet.h"

enum { ESCAPE = '}', ESCAPE_BIT = 0x20, CONTROL_C = 3, DIGIT_BITS = 4, DIGIT_MASK = 0xf };

/* ---- digits ---- */

int gdb_digit(uint8_t character)
{
    if (character >= '0' && character <= '9') {
        return character - '0';
    }
    const uint8_t lower = character | ESCAPE_BIT;
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

static const char DIGITS[] = "0123456789abcdef";

void gdb_hex(char *text, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        text[2 * i] = DIGITS[bytes[i] >> DIGIT_BITS];
        text[2 * i + 1] = DIGITS[bytes[i] & DIGIT_MASK];
    }
}

bool gdb_unhex(uint8_t *bytes, const char *text, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const int high = gdb_digit((uint8_t)text[2 * i]);
        const int low = high < 0 ? -1 : gdb_digit((uint8_t)text[2 * i + 1]);
        if (low < 0) {
            return false;
        }
        bytes[i] = (uint8_t)(high << DIGIT_BITS | low);
    }
    return true;
}

/* ---- what comes in ---- */

/* A $ begins a packet wherever it stands: in data it would be escaped. */
static void begin(struct gdb_input *input)
{
    input->state = GDB_INPUT_DATA;
    input->bytes = 0;
    input->sum = input->told = 0;
    input->escaped = input->too_long = input->sum_malformed = false;
}

static enum gdb_event put_outside(struct gdb_input *input, uint8_t byte)
{
    switch (byte) {
    case '$':
        begin(input);
        return GDB_EVENT_NONE;
    case '+':
        return GDB_EVENT_ACKNOWLEDGED;
    case '-':
        return GDB_EVENT_REFUSED;
    case CONTROL_C:
        return GDB_EVENT_INTERRUPT;
    default:
        return GDB_EVENT_NONE;
    }
}

static void put_data(struct gdb_input *input, uint8_t byte)
{
    if (byte == '$') {
        begin(input);
        return;
    }
    if (byte == '#') {
        input->data[input->bytes] = 0;
        input->state = GDB_INPUT_SUM_HIGH;
        return;
    }
    input->sum = (uint8_t)(input->sum + byte);
    if (byte == ESCAPE && !input->escaped) {
        input->escaped = true;
    } else if (input->bytes == GDB_PACKET_BYTES) {
        input->too_long = true;
    } else {
        input->data[input->bytes++] = input->escaped ? byte ^ ESCAPE_BIT : byte;
        input->escaped = false;
    }
}

static void put_sum(struct gdb_input *input, uint8_t byte)
{
    const int digit = gdb_digit(byte);
    input->sum_malformed = input->sum_malformed || digit < 0;
    input->told = (uint8_t)(input->told << DIGIT_BITS | (digit < 0 ? 0 : digit));
}

static enum gdb_event end(struct gdb_input *input)
{
    input->state = GDB_INPUT_OUTSIDE;
    if (input->too_long) {
        return GDB_EVENT_TOO_LONG;
    }
    return input->sum_malformed || input->sum != input->told ? GDB_EVENT_BAD_SUM : GDB_EVENT_PACKET;
}

enum gdb_event gdb_input_put(struct gdb_input *input, uint8_t byte)
{
    switch (input->state) {
    case GDB_INPUT_DATA:
        put_data(input, byte);
        return GDB_EVENT_NONE;
    case GDB_INPUT_SUM_HIGH:
        put_sum(input, byte);
        input->state = GDB_INPUT_SUM_LOW;
        return GDB_EVENT_NONE;
    case GDB_INPUT_SUM_LOW:
        put_sum(input, byte);
        return end(input);
    case GDB_INPUT_OUTSIDE:
    default:
        return put_outside(input, byte);
    }
}

/* ---- what goes out ---- */

size_t gdb_frame(uint8_t frame[GDB_FRAME_BYTES], const uint8_t *data, size_t bytes)
{
    size_t at = 0;
    uint8_t sum = 0;
    frame[at++] = '$';
    for (size_t i = 0; i < bytes; i++) {
        const uint8_t byte = data[i];
        const bool escaped = byte == '$' || byte == '#' || byte == ESCAPE || byte == '*';
        if (escaped) {
            frame[at++] = ESCAPE;
            sum = (uint8_t)(sum + ESCAPE);
        }
        frame[at] = escaped ? byte ^ ESCAPE_BIT : byte;
        sum = (uint8_t)(sum + frame[at++]);
    }
    frame[at++] = '#';
    frame[at++] = (uint8_t)DIGITS[sum >> DIGIT_BITS];
    frame[at++] = (uint8_t)DIGITS[sum & DIGIT_MASK];
    return at;
}
