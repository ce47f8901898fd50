/* bmp.c - see bmp.h. */
#include "sim/serve/bmp.h"

#include "sim/serve/byte_order.h"
#include "sim/serve/sdp.h"

#include <string.h>

/* A message and the data of its reply. */
struct exchange {
    struct bmp *bmp;
    const uint8_t *message;
    uint32_t bytes; /* of the message */
    uint32_t argument[3];
    uint8_t board;
    uint8_t *data;
    struct bmp_power *power;
    uint16_t code; /* of the reply; SCP_OK unless a command says otherwise */
};

/* ---- commands; each returns the bytes of its data ---- */

static uint32_t refuse(struct exchange *exchange)
{
    exchange->code = SCP_BAD_ARGUMENT;
    return 0;
}

static uint32_t version(struct exchange *exchange)
{
    static const char NAME[] = "BC&MP/Spin5-BMP\0" /* NUL in between */
                               "2.1.3";
    static const uint32_t VERSION_IS_TEXT = 0xffff0000;
    little_put32(exchange->data, exchange->board);
    little_put32(exchange->data + 4, VERSION_IS_TEXT + SCP_DATA_BYTES_MAX);
    little_put32(exchange->data + 8, 0); /* time of building: none */
    memcpy(exchange->data + 12, NAME, sizeof NAME);
    return 12 + sizeof NAME;
}

static struct bmp_register *find_register(struct bmp *bmp, uint8_t board, uint32_t fpga,
                                          uint32_t address)
{
    for (size_t i = 0; i < bmp->register_count; i++) {
        struct bmp_register *reg = &bmp->reg[i];
        if (reg->board == board && reg->fpga == fpga && reg->address == address) {
            return reg;
        }
    }
    return NULL;
}

/* Arguments: address, bytes, FPGA.  Words only. */
static bool is_register_access(const struct exchange *exchange)
{
    return exchange->argument[1] <= SCP_DATA_BYTES_MAX && exchange->argument[2] < BMP_FPGAS;
}

static uint32_t read_registers(struct exchange *exchange)
{
    if (!is_register_access(exchange)) {
        return refuse(exchange);
    }
    const uint32_t bytes = exchange->argument[1] & ~3u;
    for (uint32_t i = 0; i < bytes; i += 4) {
        const struct bmp_register *reg = find_register(
            exchange->bmp, exchange->board, exchange->argument[2], exchange->argument[0] + i);
        little_put32(exchange->data + i, reg == NULL ? 0 : reg->value);
    }
    return bytes;
}

static uint32_t write_registers(struct exchange *exchange)
{
    struct bmp *bmp = exchange->bmp;
    if (!is_register_access(exchange) || exchange->bytes < SCP_DATA + exchange->argument[1]) {
        return refuse(exchange);
    }
    for (uint32_t i = 0; i + 4 <= exchange->argument[1]; i += 4) {
        const uint32_t address = exchange->argument[0] + i;
        struct bmp_register *reg =
            find_register(bmp, exchange->board, exchange->argument[2], address);
        if (reg == NULL && bmp->register_count == BMP_REGISTERS) {
            return refuse(exchange);
        }
        if (reg == NULL) {
            reg = &bmp->reg[bmp->register_count++];
            *reg =
                (struct bmp_register){exchange->board, (uint8_t)exchange->argument[2], address, 0};
        }
        reg->value = little_get32(exchange->message + SCP_DATA + i);
    }
    return 0;
}

static uint32_t do_nothing(struct exchange *exchange)
{
    (void)exchange;
    return 0;
}

/* Argument 1: delay in milliseconds << 16 | 1 on, 0 off; argument 2: boards.  The delay is between
 * boards, and not modelled. */
static uint32_t power(struct exchange *exchange)
{
    const uint32_t on = exchange->argument[0] & 0xff;
    if (on > 1) {
        return refuse(exchange);
    }
    *exchange->power = (struct bmp_power){true, on == 1, exchange->argument[1]};
    return 0;
}

/* ---- information ---- */

enum { INFO_BASIC = 0, INFO_CAN = 2, INFO_READINGS = 3, INFO_ADDRESSES = 4 };

static uint32_t put_basic(const struct bmp *bmp, uint8_t *data)
{
    enum { BYTES = 32 };
    memset(data, 0, BYTES);
    little_put32(data, bmp->hardware_version);
    return BYTES;
}

static uint32_t put_can(const struct bmp *bmp, uint8_t *data)
{
    static const uint8_t ALIVE = 5;
    memset(data, 0, BMP_BOARDS_MAX);
    memset(data, ALIVE, bmp->boards);
    return BMP_BOARDS_MAX;
}

/* Eight voltages, two sensors of temperature on the board (1/256 degree), four beside it and two
 * fans, which are not there. */
static uint32_t put_readings(uint8_t *data)
{
    enum { VOLTAGES = 8, INNER = 2, NUMBERS = 20, BYTES = 2 * NUMBERS + 2 * 4, STEPS = 4096 };
#define VOLTAGE(place, nominal_mv, full_scale_mv, name)                                            \
    [place] = (STEPS * (nominal_mv) + (full_scale_mv) / 2) / (full_scale_mv),
    static const uint16_t READING[VOLTAGES] = {
#include "sim/serve/bmp_readings.def"
    };
    static const uint16_t DEGREES_25 = 25 * 256; /* assumed: a room's */
    static const uint16_t NO_SENSOR = 0x8000;
    static const uint16_t NO_FAN = 0xffff;
    memset(data, 0, BYTES);
    for (size_t i = 0; i < NUMBERS; i++) {
        const uint16_t value = i < VOLTAGES               ? READING[i]
                               : i < VOLTAGES + INNER     ? DEGREES_25
                               : i < VOLTAGES + 4 * INNER ? NO_SENSOR
                                                          : NO_FAN;
        little_put16(data + 2 * i, value);
    }
    return BYTES;
}

/* Twice: flags, MAC (none), IP, gateway, netmask, UDP port, padding. */
static uint32_t put_addresses(const struct bmp *bmp, uint8_t *data)
{
    enum { BYTES = 32, BOTH = 2 * BYTES, IP = 8, PORT = 20, SCP_PORT = 17893 };
    memset(data, 0, BOTH);
    big_put32(data + IP, bmp->address);
    big_put32(data + BYTES + IP, bmp->board_address);
    little_put16(data + PORT, SCP_PORT);
    little_put16(data + BYTES + PORT, SCP_PORT);
    return BOTH;
}

static uint32_t information(struct exchange *exchange)
{
    switch (exchange->argument[0]) {
    case INFO_BASIC:
        return put_basic(exchange->bmp, exchange->data);
    case INFO_CAN:
        return put_can(exchange->bmp, exchange->data);
    case INFO_READINGS:
        return put_readings(exchange->data);
    case INFO_ADDRESSES:
        return put_addresses(exchange->bmp, exchange->data);
    default:
        return refuse(exchange);
    }
}

/* ---- messages ---- */

static const struct {
    uint16_t number;
    uint32_t (*answer)(struct exchange *exchange);
} COMMANDS[] = {{0, version},     {17, read_registers}, {18, write_registers},
                {25, do_nothing}, {48, information},    {57, power}};

static uint32_t answer(struct exchange *exchange)
{
    if (exchange->bytes < SCP_DATA) {
        exchange->code = SCP_BAD_LENGTH;
        return 0;
    }
    for (size_t i = 0; i < sizeof COMMANDS / sizeof COMMANDS[0]; i++) {
        if (COMMANDS[i].number == little_get16(exchange->message + SCP_COMMAND)) {
            return COMMANDS[i].answer(exchange);
        }
    }
    exchange->code = SCP_BAD_COMMAND;
    return 0;
}

uint32_t bmp_answer(struct bmp *bmp, const uint8_t *payload, uint32_t bytes,
                    uint8_t reply[BMP_REPLY_BYTES_MAX], struct bmp_power *power_asked)
{
    *power_asked = (struct bmp_power){.asked = false};
    if (bytes < SCP_ARGUMENT1 || payload[SDP_FLAGS] != SDP_REPLY_WANTED) {
        return 0;
    }
    struct exchange exchange = {.bmp = bmp,
                                .message = payload,
                                .bytes = bytes,
                                .board = payload[SDP_TO_PORT] & SDP_CORE_MASK,
                                .data = reply + SCP_ARGUMENT1,
                                .power = power_asked,
                                .code = SCP_OK};
    for (size_t i = 0; i < 3 && bytes >= SCP_DATA; i++) {
        exchange.argument[i] = little_get32(payload + SCP_ARGUMENT1 + 4 * i);
    }
    memcpy(reply, payload, SCP_ARGUMENT1);
    reply[SDP_FLAGS] = SDP_NO_REPLY;
    reply[SDP_TO_PORT] = payload[SDP_FROM_PORT];
    reply[SDP_FROM_PORT] = payload[SDP_TO_PORT];
    memcpy(reply + SDP_TO_CHIP, payload + SDP_FROM_CHIP, 2);
    memcpy(reply + SDP_FROM_CHIP, payload + SDP_TO_CHIP, 2);
    const uint32_t data = answer(&exchange);
    little_put16(reply + SCP_COMMAND, exchange.code);
    return SCP_ARGUMENT1 + data;
}
