/* ethernet.c - the PHY and the Ethernet controller of a board's first chip: frames with parts of an
 * image, ARP, and the hello.
 *
 * The controller is set to swap the bytes of words: a frame is words, its first byte in the top
 * byte.  IP headers have 20 bytes. */
#include "workloads/boot_rom/rom.h"

enum {
    PHY_RUNS = 1, /* ETH_PHY_CTRL */
    PHY_DATA_IN = 1 << 1,
    PHY_DATA_OUT = 1 << 2,
    PHY_OUTPUT = 1 << 3,
    PHY_CLOCK = 1 << 4,
    SMI_ONES = 32,
    SMI_READ = 0x6 << 10, /* 14 bits with the register's number */
    SMI_READ_BITS = 14,
    SMI_TURN_BITS = 2,
    SMI_DATA_BITS = 16,
    SMI_WRITE = 0x50020000,
    SMI_WRITE_REGISTER = 18,
    PHY_CONTROL = 0, /* registers of the PHY */
    PHY_ADVERTISE = 4,
    PHY_PROBE = 0x4080,
    PHY_100_FULL = 0x101,
    PHY_NEGOTIATE = 0x1200,

    MAC_ON = 0x7b, /* both ways; own address, multicast, broadcast; errors filtered */
    UNREAD = 0x7e,
    BUSY = 1,
    RX_CLEAR = 1 << 4,
    RX_BYTES = 0xc00,
    RX_PLACE = 0xfff,

    IP_HEAD = 0x080045, /* type of the frame, version and words of the IP header */
    ARP_HEAD = 0x08060001,
    ARP_KIND = 0x08000604,
    ARP_REQUEST = 1,
    ARP_REPLY = 2,
    PROTOCOL_UDP = 17,
    FRAGMENT = 0x3fff,
    HELLO_BYTES = 60,
    HELLO_WORDS = HELLO_BYTES / 4,

    UDP_HEAD = 8, /* bytes */
    BOOT_HEAD = 18,
    BOOT_PORT = 54321,
    BOOT_VERSION = 1,
    BOOT_START = 1, /* opcodes */
    BOOT_BLOCK = 3,
    BOOT_CONTROL = 5,
    BOOT_HELLO = 0x41,
    BOOT_ROM_VERSION = 0x02010000,
    BOOT_MAGIC = 0x43505453,
    BYTE = 0xff
};

static volatile uint *const TX = (volatile uint *)ETH_TX_BASE;

/* ---- PHY: its management interface, bit by bit ---- */

static void smi_send(uint bits, uint count)
{
    for (uint i = count; i > 0; i--) {
        const uint level = PHY_RUNS | PHY_OUTPUT | ((bits >> (i - 1) & 1) != 0 ? PHY_DATA_OUT : 0);
        ETH[ETH_PHY_CTRL] = level;
        ETH[ETH_PHY_CTRL] = level | PHY_CLOCK;
    }
}

static void smi_clock(void)
{
    ETH[ETH_PHY_CTRL] = PHY_RUNS;
    ETH[ETH_PHY_CTRL] = PHY_RUNS | PHY_CLOCK;
}

static uint phy_read(uint number)
{
    uint value = 0;
    smi_send(0xffffffff, SMI_ONES);
    smi_send(SMI_READ | number, SMI_READ_BITS);
    for (uint i = 0; i < SMI_TURN_BITS; i++) {
        smi_clock();
    }
    for (uint i = 0; i < SMI_DATA_BITS; i++) {
        value = value << 1 | ((ETH[ETH_PHY_CTRL] & PHY_DATA_IN) != 0 ? 1 : 0);
        smi_clock();
    }
    ETH[ETH_PHY_CTRL] = PHY_RUNS;
    return value;
}

static void phy_write(uint number, uint value)
{
    smi_send(0xffffffff, SMI_ONES);
    smi_send(SMI_WRITE | number << SMI_WRITE_REGISTER | value, 32);
    ETH[ETH_PHY_CTRL] = PHY_RUNS;
}

uint phy_answers(void)
{
    ETH[ETH_PHY_CTRL] = PHY_RUNS;
    const uint value = phy_read(PHY_CONTROL);
    phy_write(PHY_CONTROL, value | PHY_PROBE);
    const uint answers = phy_read(PHY_CONTROL) == (value | PHY_PROBE);
    phy_write(PHY_CONTROL, value);
    return answers;
}

/* ---- the board's addresses: bytes of the serial ROM's block, in the order of the wire ---- */

static uint serial_bytes(uint first)
{
    const volatile uchar *bytes = (const volatile uchar *)ROM_SERIAL + first;
    return (uint)bytes[0] << 24 | (uint)bytes[1] << 16 | (uint)bytes[2] << 8 | bytes[3];
}

static uint mac_high(void)
{
    return serial_bytes(2) >> 16;
}

static uint mac_low(void)
{
    return serial_bytes(4);
}

static uint own_ip(void)
{
    return serial_bytes(8);
}

void ethernet_set_up(void)
{
    phy_write(PHY_ADVERTISE, PHY_100_FULL);
    phy_write(PHY_CONTROL, PHY_NEGOTIATE);
    ETH[ETH_MAC_LO] = mac_low();
    ETH[ETH_MAC_HI] = mac_high();
    ETH[ETH_CONTROL] = MAC_ON;
}

/* ---- out ---- */

static void send(const uint *frame)
{
    if ((ETH[ETH_STATUS] & BUSY) != 0) {
        return;
    }
    for (uint i = 0; i < HELLO_WORDS; i++) {
        TX[i] = frame[i];
    }
    ETH[ETH_TX_LEN] = HELLO_BYTES;
    ETH[ETH_TX_CMD] = 0;
}

/* Of an IP header that begins in the low half of word 3. */
static uint ip_checksum(const uint *frame)
{
    uint sum = frame[3] & 0xffff;
    for (uint i = 4; i < 8; i++) {
        sum += (frame[i] >> 16) + (frame[i] & 0xffff);
    }
    sum += frame[8] >> 16;
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    return ~sum & 0xffff;
}

void ethernet_say_hello(void)
{
    const uint ip = own_ip();
    uint frame[HELLO_WORDS] = {0xffffffff,
                               0xffff0000 | mac_high(),
                               mac_low(),
                               IP_HEAD << 8,
                               (HELLO_BYTES - 14) << 16,
                               64 << 8 | PROTOCOL_UDP, /* hops, protocol */
                               ip >> 16,
                               ip << 16 | 0xffff,
                               0xffff0000 | BOOT_PORT,
                               (uint)BOOT_PORT << 16 | (HELLO_BYTES - 34),
                               BOOT_VERSION,
                               BOOT_HELLO,
                               BOOT_ROM_VERSION,
                               0,
                               BOOT_MAGIC};
    frame[6] |= ip_checksum(frame) << 16;
    send(frame);
}

/* ---- in ---- */

/* Word i of the current frame; the receive RAM is a ring. */
static uint word_at(uint i)
{
    const uint place = (ETH[ETH_RX_BUF_RP] & RX_PLACE) + 4 * i;
    return *(volatile uint *)(ETH_RX_BASE + (place >= RX_BYTES ? place - RX_BYTES : place));
}

static void answer_arp(void)
{
    const uint ip = own_ip();
    const uint sender_high = word_at(5) & 0xffff;
    const uint sender_low = word_at(6);
    const uint sender_ip = word_at(7);
    if (word_at(4) != ARP_KIND || word_at(5) >> 16 != ARP_REQUEST ||
        ((word_at(9) & 0xffff) << 16 | word_at(10) >> 16) != ip) {
        return;
    }
    const uint frame[HELLO_WORDS] = {sender_high << 16 | sender_low >> 16,
                                     sender_low << 16 | mac_high(),
                                     mac_low(),
                                     ARP_HEAD,
                                     ARP_KIND,
                                     (uint)ARP_REPLY << 16 | mac_high(),
                                     mac_low(),
                                     ip,
                                     sender_high << 16 | sender_low >> 16,
                                     sender_low << 16 | sender_ip >> 16,
                                     sender_ip << 16};
    send(frame);
}

/* Hosts announce whole blocks and send less in the last one: the rest are zeros. */
static void take_block(uint operand)
{
    const uint block = operand & BYTE;
    const uint words = (operand >> 8 & BYTE) + 1;
    const uint bytes = word_at(9) & 0xffff; /* with two headers */
    const uint present = bytes > UDP_HEAD + BOOT_HEAD ? (bytes - UDP_HEAD - BOOT_HEAD) / 4 : 0;
    uint *to = (uint *)image_place(block, words);
    if (to == 0) {
        return;
    }
    for (uint i = 0; i < words; i++) {
        to[i] = i < present ? word_at(15 + i) : 0;
    }
    image_have(block, words);
}

/* For a start address that is to be used, the frame must be read first. */
static void take_boot(void)
{
    const uint operand = word_at(12);
    const uint last = word_at(14);
    switch (word_at(11)) {
    case BOOT_START:
        if ((operand & BYTE) == 0) {
            image_begin((last & BYTE) + 1);
        }
        break;
    case BOOT_BLOCK:
        take_block(operand);
        break;
    case BOOT_CONTROL:
        if ((operand & 1) != 0) {
            image_run(last);
        }
        break;
    default:
        break;
    }
}

static void take_frame(void)
{
    const uint head = word_at(3);
    if (head == ARP_HEAD) {
        answer_arp();
    } else if (head >> 8 == IP_HEAD && (word_at(5) & BYTE) == PROTOCOL_UDP &&
               (word_at(5) >> 16 & FRAGMENT) == 0 && word_at(9) >> 16 == BOOT_PORT &&
               (word_at(10) & 0xffff) == BOOT_VERSION) {
        take_boot();
    }
}

void ethernet_take_frames(void)
{
    while ((ETH[ETH_STATUS] & UNREAD) != 0) {
        take_frame();
        ETH[ETH_RX_CMD] = 0;
    }
    ETH[ETH_INT_CLR] = RX_CLEAR;
}
