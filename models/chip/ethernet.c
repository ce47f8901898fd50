/* ethernet.c - see ethernet.h. */
#include "models/chip/ethernet.h"

#include "models/chip/vic.h"
#include "models/common/bits.h"
#include "models/common/register_field.h"
#include "models/common/units.h"

#include <string.h>

#define COUNTER_PART ethernet
#define COUNTER_ROWS "models/chip/ethernet_counters.def"
#include "models/common/counter_table.inc"

enum ethernet_register {
#define REG(name, offset, reset, access, help) name = offset,
#include "models/chip/ethernet_regs.def"
#undef REG
};

enum {
    TX_RAM = 0x0000,
    RX_RAM = 0x4000,
    RX_DESCRIPTORS = 0x8000,
    WORD_BYTES = 4,
    RX_SHOWN = 2 * ETHERNET_RX_BYTES, /* the receive RAM stands there twice */

    CONTROL_RESET = 0x78,
    CONTROL_TX_ON = 0, /* bits */
    CONTROL_RX_ON = 1,
    CONTROL_LOOPBACK = 2,
    CONTROL_UNICAST = 4,
    CONTROL_MULTICAST = 5,
    CONTROL_BROADCAST = 6,
    CONTROL_ALL = 7,
    CONTROL_CLEAR_DROPPED = 9,
    CONTROL_BYTES_IN_ORDER = 10,
    CONTROL_STORED = 0x5ff,

    INTERRUPT_TX = 1u << 0,
    INTERRUPT_RX = 1u << 4,

    DROPPED_MAX = 0xffff,
    STATUS_DROPPED = 16, /* lowest bits */
    STATUS_UNREAD = 1,
    LENGTH_MASK = 0x7ff,
    MAC_BYTES = 6,
    BUFFER_ROLLOVER = 1u << 12,
    DESCRIPTOR_ROLLOVER = 1u << 6,

    PHY_RUNS = 0, /* bits of ETH_PHY_CTRL */
    PHY_DATA_IN = 1,
    PHY_DATA_OUT = 2,
    PHY_OUTPUT = 3,
    PHY_CLOCK = 4,
    PHY_NOT_INVERTED = 5,
    PHY_STORED = 0x3d
};

/* The PHY: an SMSC LAN8700 by the registers that host tools read. */
enum {
    PHY_CONTROL = 0,
    PHY_STATUS = 1,
    PHY_PARTNER = 5,
    PHY_INTERRUPT = 29,
    PHY_INTERRUPT_MASK = 30,
    PHY_CONTROL_SELF_CLEARING = 0x8200, /* reset, restart of the negotiation */
    PHY_CONTROL_RESTART = 9,
    PHY_CONTROL_RESET = 15,
    PHY_NEGOTIATED = 1u << 6 /* in PHY_INTERRUPT */
};

static const struct {
    uint8_t number;
    uint16_t value;
} PHY_RESET[] = {
    {PHY_CONTROL, 0x3100},              /* 100 Mbit/s, full duplex, negotiates */
    {PHY_STATUS, 0x782d},               /* negotiated, link up */
    {2, 0x0007},                        /* identifier */
    {3, 0xc0c4},           {4, 0x01e1}, /* offers all four rates */
    {PHY_PARTNER, 0x41e1},
};

/* ---- life ---- */

static void reset_phy(struct ethernet *ethernet)
{
    memset(ethernet->phy, 0, sizeof ethernet->phy);
    for (unsigned i = 0; i < sizeof PHY_RESET / sizeof *PHY_RESET; i++) {
        ethernet->phy[PHY_RESET[i].number] = PHY_RESET[i].value;
    }
    ethernet->smi_ones = ethernet->smi_bits = 0;
}

void ethernet_reset(struct ethernet *ethernet)
{
    ethernet->control = CONTROL_RESET;
    ethernet->tx_length = ethernet->mac_low = ethernet->mac_high = ethernet->phy_control = 0;
    ethernet->interrupts = ethernet->dropped = ethernet->unread = 0;
    ethernet->rx_read = ethernet->rx_write = 0;
    ethernet->descriptor_read = ethernet->descriptor_write = 0;
    ethernet->sent_ps = TIME_NEVER;
    reset_phy(ethernet);
}

/* ---- the wires ---- */

uint64_t ethernet_wire_ps(uint32_t bytes)
{
    const uint64_t sent = bytes < ETHERNET_BYTES_MIN ? ETHERNET_BYTES_MIN : bytes;
    return ETHERNET_FRAME_PS + sent * ETHERNET_BYTE_PS;
}

unsigned ethernet_room(const struct ethernet *ethernet)
{
    return ETHERNET_QUEUE - ethernet->queued;
}

void ethernet_send(struct ethernet *ethernet, const uint8_t *data, uint32_t bytes, uint64_t time_ps)
{
    const uint32_t last = (ethernet->queue_first + ethernet->queued - 1) % ETHERNET_QUEUE;
    const uint32_t next = (ethernet->queue_first + ethernet->queued) % ETHERNET_QUEUE;
    const uint64_t free_ps = ethernet->queued == 0 ? 0 : ethernet->in[last].end_ps;
    struct ethernet_frame *frame = &ethernet->in[next];
    *frame =
        (struct ethernet_frame){.end_ps = later_of(free_ps, time_ps) + ethernet_wire_ps(bytes),
                                .bytes = bytes < ETHERNET_BYTES_MIN ? ETHERNET_BYTES_MIN : bytes};
    memcpy(frame->data, data, bytes);
    ethernet->queued++;
}

/* ---- the receiver ---- */

/* The place of a frame's byte in RAM. */
static uint32_t place_of(const struct ethernet *ethernet, uint32_t byte)
{
    return bits_test(ethernet->control, CONTROL_BYTES_IN_ORDER) ? byte : byte ^ (WORD_BYTES - 1);
}

static uint32_t in_words(uint32_t bytes)
{
    return (bytes + WORD_BYTES - 1) / WORD_BYTES * WORD_BYTES;
}

/* A place of the receive RAM, `bytes` on. */
static uint32_t buffer_after(uint32_t place, uint32_t bytes)
{
    const uint32_t offset = (place & (BUFFER_ROLLOVER - 1)) + in_words(bytes);
    const bool wraps = offset >= ETHERNET_RX_BYTES;
    return ((place & BUFFER_ROLLOVER) ^ (wraps ? BUFFER_ROLLOVER : 0)) |
           (wraps ? offset - ETHERNET_RX_BYTES : offset);
}

static uint32_t descriptor_after(uint32_t place)
{
    const uint32_t index = (place & (DESCRIPTOR_ROLLOVER - 1)) + 1;
    return index < ETHERNET_DESCRIPTORS ? (place & DESCRIPTOR_ROLLOVER) | index
                                        : (place & DESCRIPTOR_ROLLOVER) ^ DESCRIPTOR_ROLLOVER;
}

/* Free bytes of the receive RAM. */
static uint32_t buffer_room(const struct ethernet *ethernet)
{
    const uint32_t write = ethernet->rx_write & (BUFFER_ROLLOVER - 1);
    const uint32_t read = ethernet->rx_read & (BUFFER_ROLLOVER - 1);
    const bool wrapped = ((ethernet->rx_write ^ ethernet->rx_read) & BUFFER_ROLLOVER) != 0;
    return wrapped ? read - write : ETHERNET_RX_BYTES - (write - read);
}

static bool is_own_address(const struct ethernet *ethernet, const uint8_t *address)
{
    const uint64_t own = (uint64_t)ethernet->mac_high << 32 | ethernet->mac_low;
    uint64_t value = 0;
    for (unsigned i = 0; i < MAC_BYTES; i++) {
        value = value << 8 | address[i];
    }
    return value == own;
}

/* Whether the filters let a frame with this destination in. */
static bool is_wanted(const struct ethernet *ethernet, const uint8_t *destination)
{
    static const uint8_t BROADCAST[MAC_BYTES] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    const uint32_t control = ethernet->control;
    if (bits_test(control, CONTROL_ALL)) {
        return true;
    }
    if (memcmp(destination, BROADCAST, sizeof BROADCAST) == 0) {
        return bits_test(control, CONTROL_BROADCAST);
    }
    if ((destination[0] & 1) != 0) {
        return bits_test(control, CONTROL_MULTICAST);
    }
    return bits_test(control, CONTROL_UNICAST) && is_own_address(ethernet, destination);
}

static void store(struct ethernet *ethernet, const struct ethernet_frame *frame)
{
    const uint32_t first = ethernet->rx_write & (BUFFER_ROLLOVER - 1);
    for (uint32_t i = 0; i < frame->bytes; i++) {
        ethernet->rx[(first + place_of(ethernet, i)) % ETHERNET_RX_BYTES] = frame->data[i];
    }
    ethernet->descriptor[ethernet->descriptor_write & (DESCRIPTOR_ROLLOVER - 1)] = frame->bytes;
    ethernet->rx_write = buffer_after(ethernet->rx_write, frame->bytes);
    ethernet->descriptor_write = descriptor_after(ethernet->descriptor_write);
    ethernet->unread++;
    ethernet->interrupts |= INTERRUPT_RX;
    ethernet->counters.frames_received++;
    ethernet->counters.bytes_received += frame->bytes;
}

static void receive(struct ethernet *ethernet, const struct ethernet_frame *frame)
{
    if (!bits_test(ethernet->control, CONTROL_RX_ON) || !is_wanted(ethernet, frame->data)) {
        ethernet->counters.frames_filtered++;
    } else if (ethernet->unread == ETHERNET_DESCRIPTORS ||
               buffer_room(ethernet) < in_words(frame->bytes)) {
        ethernet->dropped += ethernet->dropped < DROPPED_MAX;
        ethernet->counters.frames_lost++;
    } else {
        store(ethernet, frame);
    }
}

/* The current frame has been read. */
static void discard(struct ethernet *ethernet)
{
    if (ethernet->unread > 0) {
        const uint32_t index = ethernet->descriptor_read & (DESCRIPTOR_ROLLOVER - 1);
        ethernet->rx_read = buffer_after(ethernet->rx_read, ethernet->descriptor[index]);
        ethernet->descriptor_read = descriptor_after(ethernet->descriptor_read);
        ethernet->unread--;
    }
}

/* ---- the transmitter ---- */

static enum register_reply transmit(struct ethernet *ethernet, uint64_t now_ps)
{
    const uint32_t bytes = ethernet->tx_length;
    if (!bits_test(ethernet->control, CONTROL_TX_ON) || ethernet->sent_ps != TIME_NEVER) {
        return REGISTER_OK; /* nothing is sent */
    }
    if (bytes < ETHERNET_BYTES_MIN || bytes > ETHERNET_BYTES_MAX) {
        return REGISTER_UNMODELLED;
    }
    for (uint32_t i = 0; i < bytes; i++) {
        ethernet->out.data[i] = ethernet->tx[place_of(ethernet, i)];
    }
    ethernet->out.bytes = bytes;
    ethernet->out.end_ps = ethernet->sent_ps = now_ps + ethernet_wire_ps(bytes);
    return REGISTER_OK;
}

/* The transmitter has sent its frame.  True: to the host. */
static bool end_sending(struct ethernet *ethernet)
{
    ethernet->sent_ps = TIME_NEVER;
    ethernet->interrupts |= INTERRUPT_TX;
    if (bits_test(ethernet->control, CONTROL_LOOPBACK)) {
        receive(ethernet, &ethernet->out);
        return false;
    }
    ethernet->counters.frames_sent++;
    ethernet->counters.bytes_sent += ethernet->out.bytes;
    return true;
}

/* ---- events ---- */

static uint64_t arrival_ps(const struct ethernet *ethernet)
{
    return ethernet->queued == 0 ? TIME_NEVER : ethernet->in[ethernet->queue_first].end_ps;
}

uint64_t ethernet_next_ps(const struct ethernet *ethernet)
{
    return earlier_of(ethernet->sent_ps, arrival_ps(ethernet));
}

bool ethernet_event(struct ethernet *ethernet)
{
    if (ethernet->sent_ps <= arrival_ps(ethernet)) {
        return end_sending(ethernet);
    }
    receive(ethernet, &ethernet->in[ethernet->queue_first]);
    ethernet->queue_first = (ethernet->queue_first + 1) % ETHERNET_QUEUE;
    ethernet->queued--;
    return false;
}

uint32_t ethernet_lines(const struct ethernet *ethernet)
{
    const bool asks = (ethernet->phy[PHY_INTERRUPT] & ethernet->phy[PHY_INTERRUPT_MASK]) != 0;
    const bool pin = !asks; /* active low */
    const bool phy = pin == bits_test(ethernet->phy_control, PHY_NOT_INVERTED);
    return ((ethernet->interrupts & INTERRUPT_TX) != 0 ? 1u << VIC_SOURCE_ETHERNET_TX : 0u) |
           ((ethernet->interrupts & INTERRUPT_RX) != 0 ? 1u << VIC_SOURCE_ETHERNET_RX : 0u) |
           (phy ? 1u << VIC_SOURCE_ETHERNET_PHY : 0u);
}

/* ---- the PHY's management interface: a bit at each rising edge of its clock ---- */

enum {
    SMI_PREAMBLE = 32, /* ones before a message */
    SMI_BITS = 32,
    SMI_START_BITS = 2,
    SMI_ADDRESSED_BITS = 14, /* start, operation, PHY, register */
    SMI_DATA_FIRST = 16,     /* the first bit of data */
    SMI_START = 1,
    SMI_WRITE = 1,
    SMI_READ = 2
};

static void write_phy(struct ethernet *ethernet, unsigned number, uint32_t value)
{
    if (number == PHY_CONTROL) {
        if (bits_test(value, PHY_CONTROL_RESET)) {
            reset_phy(ethernet);
            return;
        }
        if (bits_test(value, PHY_CONTROL_RESTART)) {
            ethernet->phy[PHY_INTERRUPT] |= PHY_NEGOTIATED;
        }
        value &= ~(uint32_t)PHY_CONTROL_SELF_CLEARING;
    }
    if (number != PHY_STATUS && number != PHY_PARTNER && number != PHY_INTERRUPT) {
        ethernet->phy[number] = (uint16_t)value;
    }
}

static uint32_t read_phy(struct ethernet *ethernet, unsigned number)
{
    const uint32_t value = ethernet->phy[number];
    if (number == PHY_INTERRUPT) {
        ethernet->phy[PHY_INTERRUPT] = 0;
    }
    return value;
}

/* Of a message: the operation, and the register; both wait for the address to be complete. */
static bool smi_asks(const struct ethernet *ethernet, unsigned operation, unsigned bits)
{
    const uint32_t head = ethernet->smi_word >> (bits - SMI_ADDRESSED_BITS);
    return bits_get(head, 11, 10) == operation && bits_get(head, 9, 5) == 0;
}

static unsigned smi_register(const struct ethernet *ethernet, unsigned bits)
{
    return bits_get(ethernet->smi_word >> (bits - SMI_ADDRESSED_BITS), 4, 0);
}

static void begin_message(struct ethernet *ethernet, bool bit)
{
    if (bit) {
        ethernet->smi_ones += ethernet->smi_ones < SMI_PREAMBLE;
        return;
    }
    ethernet->smi_bits = ethernet->smi_ones == SMI_PREAMBLE ? 1 : 0;
    ethernet->smi_word = ethernet->smi_ones = 0;
}

static void end_message(struct ethernet *ethernet)
{
    if (smi_asks(ethernet, SMI_WRITE, SMI_BITS)) {
        write_phy(ethernet, smi_register(ethernet, SMI_BITS), bits_get(ethernet->smi_word, 15, 0));
    }
    ethernet->smi_bits = 0;
}

static void take_bit(struct ethernet *ethernet, bool bit)
{
    if (ethernet->smi_bits == 0) {
        begin_message(ethernet, bit);
        return;
    }
    ethernet->smi_word = ethernet->smi_word << 1 | bit;
    ethernet->smi_bits++;
    if (ethernet->smi_bits == SMI_START_BITS && ethernet->smi_word != SMI_START) {
        ethernet->smi_bits = 0;
    } else if (ethernet->smi_bits == SMI_ADDRESSED_BITS &&
               smi_asks(ethernet, SMI_READ, SMI_ADDRESSED_BITS)) {
        ethernet->smi_reply = read_phy(ethernet, smi_register(ethernet, SMI_ADDRESSED_BITS));
    } else if (ethernet->smi_bits == SMI_BITS) {
        end_message(ethernet);
    }
}

/* The level of the data line: the controller's while it drives it, else the PHY's; pulled up. */
static bool data_line(const struct ethernet *ethernet)
{
    const unsigned bits = ethernet->smi_bits;
    if (bits_test(ethernet->phy_control, PHY_OUTPUT)) {
        return bits_test(ethernet->phy_control, PHY_DATA_OUT);
    }
    if (bits >= SMI_DATA_FIRST && smi_asks(ethernet, SMI_READ, bits)) {
        return bits_test(ethernet->smi_reply, SMI_BITS - 1 - bits);
    }
    return true;
}

static void write_phy_control(struct ethernet *ethernet, uint32_t value)
{
    const uint32_t before = ethernet->phy_control;
    const bool rises = !bits_test(before, PHY_CLOCK) && bits_test(value, PHY_CLOCK);
    ethernet->phy_control = value & PHY_STORED;
    if (!bits_test(value, PHY_RUNS)) {
        reset_phy(ethernet);
    } else if (rises) {
        take_bit(ethernet, data_line(ethernet));
    }
}

/* ---- registers ---- */

static const struct register_field FIELDS[] = {
    {ETH_CONTROL, REGISTER_MEMBER(ethernet, control), REGISTER_STORES, 0, CONTROL_STORED},
    {ETH_STATUS, REGISTER_NO_WORD, REGISTER_READ_ONLY, 0, 0},
    {ETH_TX_LEN, REGISTER_MEMBER(ethernet, tx_length), REGISTER_STORES, 0, LENGTH_MASK},
    {ETH_TX_CMD, REGISTER_NO_WORD, REGISTER_READ_ONLY, 0, 0},
    {ETH_RX_CMD, REGISTER_NO_WORD, REGISTER_READ_ONLY, 0, 0},
    {ETH_MAC_LO, REGISTER_MEMBER(ethernet, mac_low), REGISTER_STORES, 0, UINT32_MAX},
    {ETH_MAC_HI, REGISTER_MEMBER(ethernet, mac_high), REGISTER_STORES, 0, 0xffff},
    {ETH_PHY_CTRL, REGISTER_MEMBER(ethernet, phy_control), REGISTER_READ_ONLY, 0, 0},
    {ETH_INT_CLR, REGISTER_NO_WORD, REGISTER_READ_ONLY, 0, 0},
    {ETH_RX_BUF_RP, REGISTER_MEMBER(ethernet, rx_read), REGISTER_READ_ONLY, 0, 0},
    {ETH_RX_BUF_WP, REGISTER_MEMBER(ethernet, rx_write), REGISTER_READ_ONLY, 0, 0},
    {ETH_RX_DESC_RP, REGISTER_MEMBER(ethernet, descriptor_read), REGISTER_READ_ONLY, 0, 0},
    {ETH_RX_DESC_WP, REGISTER_MEMBER(ethernet, descriptor_write), REGISTER_READ_ONLY, 0, 0},
};

static const struct register_field *find(uint32_t offset)
{
    return register_find(FIELDS, sizeof FIELDS / sizeof *FIELDS, offset);
}

static enum register_reply read_register(const struct ethernet *ethernet, uint32_t offset,
                                         uint32_t *value)
{
    const bool sends = ethernet->sent_ps != TIME_NEVER;
    const enum register_reply reply = register_read(find(offset), ethernet, value);
    if (offset == ETH_STATUS) {
        *value = ethernet->dropped << STATUS_DROPPED | ethernet->unread << STATUS_UNREAD | sends;
    } else if (offset == ETH_PHY_CTRL && data_line(ethernet)) {
        *value |= 1u << PHY_DATA_IN;
    }
    return reply;
}

static enum register_reply write_register(struct ethernet *ethernet, uint32_t offset,
                                          uint32_t value, uint64_t now_ps)
{
    switch (offset) {
    case ETH_CONTROL:
        if (bits_test(value, CONTROL_CLEAR_DROPPED)) {
            ethernet->dropped = 0;
        }
        break;
    case ETH_TX_CMD:
        return transmit(ethernet, now_ps);
    case ETH_RX_CMD:
        discard(ethernet);
        break;
    case ETH_PHY_CTRL:
        write_phy_control(ethernet, value);
        break;
    case ETH_INT_CLR:
        ethernet->interrupts &= ~value;
        break;
    default:
        break;
    }
    return register_write(find(offset), ethernet, value);
}

/* ---- accesses ---- */

static bool is_in(uint32_t offset, uint32_t first, uint32_t bytes)
{
    return offset - first < bytes;
}

enum register_reply ethernet_read(const struct ethernet *ethernet, uint32_t offset, unsigned size,
                                  uint32_t *value)
{
    const uint32_t word = offset & ~(uint32_t)(WORD_BYTES - 1);
    enum register_reply reply = REGISTER_OK;
    *value = 0;
    offset &= ~(size - 1u);
    if (is_in(offset, RX_RAM, RX_SHOWN)) {
        memcpy(value, &ethernet->rx[(offset - RX_RAM) % ETHERNET_RX_BYTES], size);
        return REGISTER_OK;
    }
    if (is_in(offset, RX_DESCRIPTORS, sizeof ethernet->descriptor)) {
        *value = ethernet->descriptor[(word - RX_DESCRIPTORS) / WORD_BYTES];
    } else {
        reply = read_register(ethernet, word, value);
    }
    *value >>= 8 * (offset - word);
    *value &= size == WORD_BYTES ? UINT32_MAX : (1u << 8 * size) - 1;
    return reply;
}

enum register_reply ethernet_write(struct ethernet *ethernet, uint32_t offset, unsigned size,
                                   uint32_t value, uint64_t now_ps)
{
    offset &= ~(size - 1u);
    if (is_in(offset, TX_RAM, ETHERNET_TX_BYTES)) {
        memcpy(&ethernet->tx[offset - TX_RAM], &value, size);
        return REGISTER_OK;
    }
    return size == WORD_BYTES ? write_register(ethernet, offset, value, now_ps)
                              : REGISTER_UNMODELLED;
}
