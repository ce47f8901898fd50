/* comms_ctrl.c - see comms_ctrl.h. */
#include "models/chip/comms_ctrl.h"

#include "models/common/bits.h"

enum comms_register {
#define REG(name, offset, reset, access, help) name = offset,
#include "models/chip/comms_regs.def"
#undef REG
};

enum {
    TCR_EMPTY = 31,
    TCR_FULL = 30,
    TCR_OVERRUN = 29,
    TCR_NOT_FULL = 28,

    RSR_WAITING = 31,
    RSR_PARITY = 30,
    RSR_FRAMING = 29,
    RSR_GOOD = 28,
    RSR_ROUTE_SHIFT = 24,

    CONTROL_SHIFT = 16, /* in both */
    CONTROL_TYPE_SHIFT = 6,
    CONTROL_SEQUENCE_SHIFT = 4,
    CONTROL_SEQUENCE = 3u << CONTROL_SEQUENCE_SHIFT,
    CONTROL_PAYLOAD = 1u << 1,
    CONTROL_PARITY = 1u << 0,

    KEY_SEQUENCE_SHIFT = 16,
    KEY_ADDRESS = 0xffff,

    SAR_RESET = 0x07000000,
    SAR_STORED = 0x0700ffff,
    SAR_ROUTE_SHIFT = 24
};

#define COUNTER_PART comms
#define COUNTER_ROWS "models/chip/comms_counters.def"
#include "models/common/counter_table.inc"

/* ---- packets ---- */

enum comms_type comms_packet_type(const struct comms_packet *packet)
{
    return (enum comms_type)(packet->control >> CONTROL_TYPE_SHIFT);
}

bool comms_packet_has_payload(const struct comms_packet *packet)
{
    return (packet->control & CONTROL_PAYLOAD) != 0;
}

/* The control byte with the parity bit that makes the number of ones in the whole packet odd. */
static uint8_t with_parity(const struct comms_packet *packet)
{
    const uint8_t control = packet->control & (uint8_t)~CONTROL_PARITY;
    const uint32_t payload = comms_packet_has_payload(packet) ? packet->payload : 0;
    const bool odd = bits_parity(control ^ packet->key ^ packet->source ^ payload);
    return (uint8_t)(control | (odd ? 0 : CONTROL_PARITY));
}

void comms_ctrl_reset(struct comms_ctrl *comms)
{
    const struct comms_counters counters = comms->counters;
    *comms = (struct comms_ctrl){.source_route = SAR_RESET, .counters = counters};
}

/* ---- transmit ---- */

static uint32_t transmit_status(const struct comms_ctrl *comms)
{
    return (comms->sending ? 0 : 1u << TCR_EMPTY | 1u << TCR_NOT_FULL) |
           (comms->full ? 1u << TCR_FULL : 0) | (comms->overrun ? 1u << TCR_OVERRUN : 0) |
           (uint32_t)comms->control << CONTROL_SHIFT;
}

static void write_transmit_control(struct comms_ctrl *comms, uint32_t value)
{
    comms->control = (uint8_t)bits_get(value, 23, CONTROL_SHIFT);
    if (!bits_test(value, TCR_FULL)) {
        comms->full = comms->sending; /* set again at once while the register holds a packet */
    }
    if (!bits_test(value, TCR_OVERRUN)) {
        comms->overrun = false;
    }
}

static void count_sent(struct comms_ctrl *comms)
{
    struct comms_counters *counters = &comms->counters;
    uint64_t *const by_type[COMMS_TYPES] = {
        &counters->sent_multicast, &counters->sent_point_to_point,
        &counters->sent_nearest_neighbour, &counters->sent_fixed_route};
    ++*by_type[comms_packet_type(&comms->transmit)];
}

/* A written payload belongs to this key, even if the key is lost. */
static bool send(struct comms_ctrl *comms, uint32_t key)
{
    const bool payload = comms->data_written;
    comms->data_written = false;
    if (comms->sending) {
        comms->overrun = true;
        comms->counters.lost_by_overrun++;
        return false;
    }
    struct comms_packet packet = {.key = key,
                                  .payload = payload ? comms->data : 0,
                                  .control = comms->control & (uint8_t)~CONTROL_PAYLOAD,
                                  .route = (uint8_t)(comms->source_route >> SAR_ROUTE_SHIFT)};
    packet.control |= payload ? CONTROL_PAYLOAD : 0;
    if (comms_packet_type(&packet) == COMMS_POINT_TO_POINT) {
        const uint32_t sequence = bits_get(key, 17, KEY_SEQUENCE_SHIFT);
        packet.control &= (uint8_t)~CONTROL_SEQUENCE;
        packet.control |= (uint8_t)(sequence << CONTROL_SEQUENCE_SHIFT);
        packet.key = key & KEY_ADDRESS;
        packet.source = (uint16_t)comms->source_route;
    }
    packet.control = with_parity(&packet);
    comms->transmit = packet;
    comms->sending = true;
    comms->full = true;
    count_sent(comms);
    return true;
}

const struct comms_packet *comms_ctrl_outgoing(const struct comms_ctrl *comms)
{
    return comms->sending ? &comms->transmit : NULL;
}

void comms_ctrl_taken(struct comms_ctrl *comms)
{
    comms->sending = false;
}

/* ---- receive ---- */

static bool good(const struct comms_ctrl *comms)
{
    return comms->waiting && !comms->bad;
}

static uint32_t receive_status(const struct comms_ctrl *comms)
{
    uint32_t status = (comms->parity_error ? 1u << RSR_PARITY : 0) |
                      (comms->framing_error ? 1u << RSR_FRAMING : 0);
    if (comms->waiting) {
        status |= 1u << RSR_WAITING | (uint32_t)comms->receive.route << RSR_ROUTE_SHIFT |
                  (uint32_t)comms->receive.control << CONTROL_SHIFT;
    }
    if (good(comms)) {
        status |= 1u << RSR_GOOD | 1u << comms_packet_type(&comms->receive);
    }
    return status;
}

bool comms_ctrl_can_receive(const struct comms_ctrl *comms)
{
    return !comms->waiting && !comms->held;
}

static void count_received(struct comms_ctrl *comms)
{
    struct comms_counters *counters = &comms->counters;
    uint64_t *const by_type[COMMS_TYPES] = {
        &counters->received_multicast, &counters->received_point_to_point,
        &counters->received_nearest_neighbour, &counters->received_fixed_route};
    ++*(comms->bad ? &counters->received_bad : by_type[comms_packet_type(&comms->receive)]);
}

bool comms_ctrl_receive(struct comms_ctrl *comms, const struct comms_packet *packet,
                        unsigned errors)
{
    if (!comms_ctrl_can_receive(comms)) {
        return false;
    }
    const bool parity = (errors & COMMS_PARITY_ERROR) != 0;
    const bool framing = (errors & COMMS_FRAMING_ERROR) != 0;
    comms->receive = *packet;
    comms->receive.control = with_parity(packet);
    comms->receive.control ^= parity ? CONTROL_PARITY : 0;
    comms->waiting = true;
    comms->bad = parity || framing;
    comms->parity_error |= parity;
    comms->framing_error |= framing;
    count_received(comms);
    return true;
}

static uint32_t received_key(const struct comms_ctrl *comms)
{
    const struct comms_packet *packet = &comms->receive;
    if (comms_packet_type(packet) != COMMS_POINT_TO_POINT) {
        return packet->key;
    }
    const uint32_t sequence = (packet->control & CONTROL_SEQUENCE) >> CONTROL_SEQUENCE_SHIFT;
    return sequence << KEY_SEQUENCE_SHIFT | packet->source;
}

/* ---- interrupts ---- */

uint32_t comms_ctrl_interrupts(const struct comms_ctrl *comms)
{
    uint32_t outputs = (comms->waiting ? 1u << VIC_SOURCE_COMMS_RECEIVED : 0) |
                       (comms->parity_error ? 1u << VIC_SOURCE_COMMS_PARITY : 0) |
                       (comms->framing_error ? 1u << VIC_SOURCE_COMMS_FRAMING : 0) |
                       (comms->full ? 1u << VIC_SOURCE_COMMS_FULL : 0) |
                       (comms->overrun ? 1u << VIC_SOURCE_COMMS_OVERRUN : 0);
    if (!comms->sending) {
        outputs |= 1u << VIC_SOURCE_COMMS_EMPTY | 1u << VIC_SOURCE_COMMS_NOT_FULL;
    }
    if (good(comms)) {
        outputs |= 1u << (VIC_SOURCE_COMMS_MULTICAST + comms_packet_type(&comms->receive));
    }
    return outputs;
}

/* ---- registers ---- */

bool comms_ctrl_knows(uint32_t offset, bool write)
{
    const bool there = (offset & 3) == 0 && offset <= CC_SAR;
    return there && (write || offset != CC_TXKEY);
}

bool comms_ctrl_transmits(uint32_t offset)
{
    return offset == CC_TCR || offset == CC_TXKEY;
}

bool comms_ctrl_takes(uint32_t offset)
{
    return offset == CC_RXKEY;
}

enum register_reply comms_ctrl_read32(struct comms_ctrl *comms, uint32_t offset, uint32_t *value)
{
    *value = 0;
    if ((offset & 3) != 0) {
        return REGISTER_BUS_ERROR;
    }
    switch (offset) {
    case CC_TCR:
        *value = transmit_status(comms);
        return REGISTER_OK;
    case CC_TXDATA:
        *value = comms->data;
        return REGISTER_OK;
    case CC_RSR:
        *value = receive_status(comms);
        return REGISTER_OK;
    case CC_RXDATA:
        *value = comms->receive.payload;
        return REGISTER_OK;
    case CC_RXKEY:
        *value = received_key(comms);
        comms->waiting = false;
        comms->bad = false;
        return REGISTER_OK;
    case CC_SAR:
        *value = comms->source_route;
        return REGISTER_OK;
    case CC_TSTR:
        *value = comms->test;
        return REGISTER_OK;
    case CC_TXKEY:
    default:
        return REGISTER_UNMODELLED;
    }
}

enum register_reply comms_ctrl_write32(struct comms_ctrl *comms, uint32_t offset, uint32_t value,
                                       bool *sent)
{
    *sent = false;
    if ((offset & 3) != 0) {
        return REGISTER_BUS_ERROR;
    }
    switch (offset) {
    case CC_TCR:
        write_transmit_control(comms, value);
        return REGISTER_OK;
    case CC_TXDATA:
        comms->data = value;
        comms->data_written = true;
        return REGISTER_OK;
    case CC_TXKEY:
        *sent = send(comms, value);
        return REGISTER_OK;
    case CC_RSR:
        comms->parity_error = comms->parity_error && bits_test(value, RSR_PARITY);
        comms->framing_error = comms->framing_error && bits_test(value, RSR_FRAMING);
        return REGISTER_OK;
    case CC_SAR:
        comms->source_route = value & SAR_STORED;
        return REGISTER_OK;
    case CC_TSTR:
        comms->test = bits_test(value, 0);
        return comms->test ? REGISTER_UNMODELLED : REGISTER_OK;
    case CC_RXDATA:
    case CC_RXKEY:
        return REGISTER_OK; /* read only: ignored */
    default:
        return REGISTER_UNMODELLED;
    }
}
