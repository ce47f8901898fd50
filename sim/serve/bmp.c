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
    enum bmp_power *power;
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
                               "2.1.2";            /* spinnaker_tools 813bfef7, bmp/bmp.h */
    static const uint32_t VERSION_IS_TEXT = 0xffff0000;
    little_put32(exchange->data, exchange->board);
    little_put32(exchange->data + 4, VERSION_IS_TEXT + SCP_DATA_BYTES_MAX);
    little_put32(exchange->data + 8, 0); /* time of building: none */
    memcpy(exchange->data + 12, NAME, sizeof NAME);
    return 12 + sizeof NAME;
}

static uint32_t all_boards(const struct bmp *bmp)
{
    return UINT32_MAX >> (32 - bmp->boards);
}

static bool is_off(const struct bmp *bmp, uint8_t board)
{
    return (bmp->off >> board & 1) != 0;
}

/* ---- registers of the FPGAs ---- */

static const struct {
    uint32_t address, value, per_fpga;
    bool writable;
} REGISTERS[] = {
#define REGISTER(name, address, value, per_fpga, writable) {address, value, per_fpga, writable},
#include "sim/serve/bmp_registers.def"
};

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

static uint32_t register_value(struct bmp *bmp, uint8_t board, uint32_t fpga, uint32_t address)
{
    const struct bmp_register *reg = find_register(bmp, board, fpga, address);
    if (reg != NULL || is_off(bmp, board)) {
        return reg == NULL ? 0 : reg->value;
    }
    for (size_t i = 0; i < sizeof REGISTERS / sizeof REGISTERS[0]; i++) {
        if (REGISTERS[i].address == address) {
            return REGISTERS[i].value + fpga * REGISTERS[i].per_fpga;
        }
    }
    return 0;
}

static bool is_writable(uint32_t address)
{
    for (size_t i = 0; i < sizeof REGISTERS / sizeof REGISTERS[0]; i++) {
        if (REGISTERS[i].address == address) {
            return REGISTERS[i].writable;
        }
    }
    return true;
}

/* The FPGAs of these boards are reset, or lose their power. */
static void forget_registers(struct bmp *bmp, uint32_t boards)
{
    size_t kept = 0;
    for (size_t i = 0; i < bmp->register_count; i++) {
        if ((boards >> bmp->reg[i].board & 1) == 0) {
            bmp->reg[kept++] = bmp->reg[i];
        }
    }
    bmp->register_count = kept;
}

/* Arguments: address, of which bits 1:0 count for nothing; bytes, of which only words are moved;
 * FPGA. */
static bool is_register_access(const struct exchange *exchange)
{
    return exchange->argument[1] <= SCP_DATA_BYTES_MAX && exchange->argument[2] < BMP_FPGAS;
}

static uint32_t read_registers(struct exchange *exchange)
{
    if (!is_register_access(exchange)) {
        return refuse(exchange);
    }
    const uint32_t bytes = exchange->argument[1];
    memset(exchange->data, 0, bytes);
    for (uint32_t i = 0; i + 4 <= bytes; i += 4) {
        const uint32_t address = (exchange->argument[0] & ~3u) + i;
        little_put32(exchange->data + i, register_value(exchange->bmp, exchange->board,
                                                        exchange->argument[2], address));
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
        const uint32_t address = (exchange->argument[0] & ~3u) + i;
        struct bmp_register *reg =
            find_register(bmp, exchange->board, exchange->argument[2], address);
        if (is_off(bmp, exchange->board) || !is_writable(address)) {
            continue;
        }
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

/* ---- power and reset ---- */

static void stop_if_none_runs(struct exchange *exchange)
{
    const struct bmp *bmp = exchange->bmp;
    if ((bmp->off | bmp->held) == all_boards(bmp)) {
        *exchange->power = BMP_POWER_STOP;
    }
}

/* Argument 1: delay in milliseconds << 16 | 1 on, 0 off; argument 2: boards.  The delay is between
 * boards, and not modelled.  A board that is on is reset by switching it on. */
static uint32_t power(struct exchange *exchange)
{
    struct bmp *bmp = exchange->bmp;
    const uint32_t on = exchange->argument[0] & 0xff;
    const uint32_t boards = exchange->argument[1] & all_boards(bmp);
    if (on > 1) {
        return refuse(exchange);
    }
    forget_registers(bmp, boards);
    if (on == 0) {
        bmp->off |= boards;
        stop_if_none_runs(exchange);
    } else if (boards != 0) {
        bmp->off &= ~boards;
        bmp->held &= ~boards;
        *exchange->power = BMP_POWER_START;
    }
    return 0;
}

/* Argument 1: delay << 16 | 4 with the FPGAs | 0 end, 1 begin, 2 pulse; argument 2: boards. */
static uint32_t reset(struct exchange *exchange)
{
    enum { END = 0, BEGIN = 1, PULSE = 2, FPGAS = 4 };
    struct bmp *bmp = exchange->bmp;
    const uint32_t boards = exchange->argument[1] & all_boards(bmp);
    const uint32_t what = exchange->argument[0] & 0xff & ~(uint32_t)FPGAS;
    if (what > PULSE) {
        return refuse(exchange);
    }
    if (what != END) {
        bmp->held |= boards;
        forget_registers(bmp, (exchange->argument[0] & FPGAS) != 0 ? boards : 0);
    }
    if (what == BEGIN) {
        stop_if_none_runs(exchange);
    } else if ((boards & bmp->held & ~bmp->off) != 0) {
        *exchange->power = BMP_POWER_START;
    }
    if (what != BEGIN) {
        bmp->held &= ~boards;
    }
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
    static const uint8_t SELF = 1;
    static const uint8_t ALIVE = 5;
    memset(data, 0, BMP_BOARDS_MAX);
    memset(data, ALIVE, bmp->boards);
    data[0] = SELF;
    return BMP_BOARDS_MAX;
}

/* Eight voltages, two sensors of temperature on the board (1/256 degree), four beside it and two
 * fans, which are not there. */
static uint32_t put_readings(uint8_t *data, bool off)
{
    enum { VOLTAGES = 8, INNER = 2, NUMBERS = 20, BYTES = 2 * NUMBERS + 2 * 4, STEPS = 4096 };
#define VOLTAGE(place, nominal_mv, full_scale_mv, switched, name)                                  \
    [place] = {(STEPS * (nominal_mv) + (full_scale_mv) / 2) / (full_scale_mv), true, switched},
    static const struct {
        uint16_t value;
        bool converted, switched;
    } READING[VOLTAGES] = {
#include "sim/serve/bmp_readings.def"
    };
    static const uint16_t NOT_CONVERTED = 0xffff;
    static const uint16_t DEGREES_25 = 25 * 256; /* assumed: a room's */
    static const uint16_t NO_SENSOR = 0x8000;
    static const uint16_t NO_FAN = 0xffff;
    memset(data, 0, BYTES);
    for (size_t i = 0; i < NUMBERS; i++) {
        uint16_t value = i < VOLTAGES               ? READING[i].value
                         : i < VOLTAGES + INNER     ? DEGREES_25
                         : i < VOLTAGES + 4 * INNER ? NO_SENSOR
                                                    : NO_FAN;
        if (i < VOLTAGES && !READING[i].converted) {
            value = NOT_CONVERTED;
        } else if (i < VOLTAGES && READING[i].switched && off) {
            value = 0;
        }
        little_put16(data + 2 * i, value);
    }
    return BYTES;
}

/* Twice, of the processor and of its board: flags, MAC (none), IP, gateway, netmask, UDP port,
 * padding. */
static uint32_t put_addresses(const struct bmp *bmp, uint8_t board, uint8_t *data)
{
    enum { BYTES = 32, BOTH = 2 * BYTES, IP = 8, PORT = 20, SCP_PORT = 17893 };
    memset(data, 0, BOTH);
    big_put32(data + IP, bmp->address);
    big_put32(data + BYTES + IP, bmp->board_address + board);
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
        return put_readings(exchange->data, is_off(exchange->bmp, exchange->board));
    case INFO_ADDRESSES:
        return put_addresses(exchange->bmp, exchange->board, exchange->data);
    default:
        return refuse(exchange);
    }
}

/* ---- messages ---- */

static const struct {
    uint16_t number;
    uint32_t (*answer)(struct exchange *exchange);
} COMMANDS[] = {{0, version},     {17, read_registers}, {18, write_registers},
                {25, do_nothing}, {48, information},    {55, reset},
                {57, power}};

static uint32_t answer(struct exchange *exchange)
{
    if (exchange->board >= exchange->bmp->boards) {
        exchange->code = SCP_NO_ROUTE;
        return 0;
    }
    if (exchange->message[SDP_TO_PORT] >> SDP_PORT_SHIFT != 0) {
        exchange->code = SCP_BAD_PORT;
        return 0;
    }
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
                    uint8_t reply[BMP_REPLY_BYTES_MAX], enum bmp_power *power_asked)
{
    *power_asked = BMP_POWER_AS_IT_IS;
    if (bytes < SCP_ARGUMENT1 || bytes > SCP_DATA + SCP_DATA_BYTES_MAX) {
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
    reply[SDP_FLAGS] = payload[SDP_FLAGS] & (uint8_t)~SDP_REPLY_BIT;
    reply[SDP_TO_PORT] = payload[SDP_FROM_PORT];
    reply[SDP_FROM_PORT] = payload[SDP_TO_PORT];
    memcpy(reply + SDP_TO_CHIP, payload + SDP_FROM_CHIP, 2);
    memcpy(reply + SDP_FROM_CHIP, payload + SDP_TO_CHIP, 2);
    const uint32_t data = answer(&exchange);
    little_put16(reply + SCP_COMMAND, exchange.code);
    return (payload[SDP_FLAGS] & SDP_REPLY_BIT) != 0 ? SCP_ARGUMENT1 + data : 0;
}
