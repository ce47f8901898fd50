/* frame.c - see frame.h. */
#include "sim/serve/frame.h"

#include "sim/serve/byte_order.h"

#include <stdbool.h>
#include <string.h>

/* Offsets and values, by header. */
enum {
    ETHERNET_BYTES = 14,
    ETHERNET_FROM = 6,
    ETHERNET_TYPE = 12,
    TYPE_IPV4 = 0x0800,
    TYPE_ARP = 0x0806,

    IP_BYTES = 20, /* without options */
    IP_VERSION = 0,
    IP_LENGTH = 2,
    IP_FRAGMENT = 6,
    IP_LIFE = 8,
    IP_PROTOCOL = 9,
    IP_CHECKSUM = 10,
    IP_FROM = 12,
    IP_TO = 16,
    PROTOCOL_ICMP = 1,
    PROTOCOL_UDP = 17,
    LIFE = 64,                    /* hops */
    FRAGMENT_OF_SEVERAL = 0x3fff, /* more fragments, or an offset */

    UDP_BYTES = 8,
    UDP_FROM = 0,
    UDP_TO = 2,
    UDP_LENGTH = 4,
    UDP_CHECKSUM = 6,

    ICMP_BYTES = 8,
    ICMP_CHECKSUM = 2,
    ICMP_ECHO_REQUEST = 8,
    ICMP_ECHO_REPLY = 0,

    ARP_BYTES = 28,
    ARP_OPERATION = 6,
    ARP_FROM = 8, /* MAC, then IP */
    ARP_TO = 18,
    ARP_IP = 6, /* from ARP_FROM or ARP_TO */
    ARP_REQUEST = 1,
    ARP_REPLY = 2,
    IP_ADDRESS_BYTES = 4
};

const char *frame_kind_text(enum frame_kind kind)
{
    static const char *const TEXT[] = {
#define FRAME_KIND(name, text) [FRAME_##name] = text,
#include "sim/serve/frame_kinds.def"
    };
    return TEXT[kind];
}

/* ---- checksums ---- */

/* The sum of 16-bit words, an odd byte being the upper half of one; RFC 1071. */
static uint32_t sum_words(uint32_t sum, const uint8_t *bytes, uint32_t count)
{
    for (uint32_t i = 0; i + 1 < count; i += 2) {
        sum += big_get16(bytes + i);
    }
    return (count & 1u) != 0 ? sum + (uint32_t)(bytes[count - 1] << 8) : sum;
}

static uint16_t checksum_of(uint32_t sum)
{
    sum = (sum >> 16) + (sum & 0xffffu);
    return (uint16_t) ~((sum >> 16) + sum);
}

/* Of a UDP datagram with its header, and the pseudo-header of IP; 0 when a checksum in it is right.
 */
static uint16_t udp_checksum(const uint8_t *ip, const uint8_t *udp, uint32_t count)
{
    const uint32_t pseudo = sum_words(PROTOCOL_UDP + count, ip + IP_FROM, 2 * IP_ADDRESS_BYTES);
    return checksum_of(sum_words(pseudo, udp, count));
}

/* ---- making ---- */

/* Fills with zeros up to the smallest frame. */
static uint32_t pad(uint8_t *frame, uint32_t count)
{
    if (count < FRAME_BYTES_MIN) {
        memset(frame + count, 0, FRAME_BYTES_MIN - count);
        return FRAME_BYTES_MIN;
    }
    return count;
}

uint32_t frame_make(uint8_t frame[FRAME_BYTES_MAX], const uint8_t to_mac[FRAME_MAC_BYTES],
                    const uint8_t from_mac[FRAME_MAC_BYTES], const struct frame_datagram *datagram)
{
    static const uint8_t IP_VERSION_AND_HEADER_WORDS = 0x45;
    uint8_t *ip = frame + ETHERNET_BYTES;
    uint8_t *udp = ip + IP_BYTES;
    const uint32_t udp_bytes = UDP_BYTES + datagram->bytes;
    if (datagram->bytes > FRAME_PAYLOAD_BYTES_MAX) {
        return 0;
    }
    memset(frame, 0, FRAME_UDP_HEADER_BYTES);
    memcpy(frame, to_mac, FRAME_MAC_BYTES);
    memcpy(frame + ETHERNET_FROM, from_mac, FRAME_MAC_BYTES);
    big_put16(frame + ETHERNET_TYPE, TYPE_IPV4);
    ip[IP_VERSION] = IP_VERSION_AND_HEADER_WORDS;
    big_put16(ip + IP_LENGTH, (uint16_t)(IP_BYTES + udp_bytes));
    ip[IP_LIFE] = LIFE;
    ip[IP_PROTOCOL] = PROTOCOL_UDP;
    big_put32(ip + IP_FROM, datagram->from.address);
    big_put32(ip + IP_TO, datagram->to.address);
    big_put16(ip + IP_CHECKSUM, checksum_of(sum_words(0, ip, IP_BYTES)));
    big_put16(udp + UDP_FROM, datagram->from.port);
    big_put16(udp + UDP_TO, datagram->to.port);
    big_put16(udp + UDP_LENGTH, (uint16_t)udp_bytes);
    if (datagram->bytes > 0) {
        memcpy(udp + UDP_BYTES, datagram->payload, datagram->bytes);
    }
    const uint16_t checksum = udp_checksum(ip, udp, udp_bytes);
    big_put16(udp + UDP_CHECKSUM,
              checksum == 0 ? 0xffff : checksum); /* 0 would mean that there is none */
    return pad(frame, FRAME_UDP_HEADER_BYTES + datagram->bytes);
}

/* ---- reading ---- */

/* A good IPv4 packet. */
struct packet {
    const uint8_t *ip;
    uint32_t header_bytes, bytes; /* of all, the header included */
};

static bool read_ip(const uint8_t *frame, uint32_t count, struct packet *packet)
{
    const uint8_t *ip = frame + ETHERNET_BYTES;
    const uint32_t there = count - ETHERNET_BYTES;
    if (there < IP_BYTES || ip[IP_VERSION] >> 4 != 4) {
        return false;
    }
    packet->ip = ip;
    packet->header_bytes = 4u * (ip[IP_VERSION] & 0xfu);
    packet->bytes = big_get16(ip + IP_LENGTH);
    return packet->header_bytes >= IP_BYTES && packet->header_bytes <= packet->bytes &&
           packet->bytes <= there && checksum_of(sum_words(0, ip, packet->header_bytes)) == 0;
}

static enum frame_kind read_udp(const struct packet *packet, struct frame_datagram *datagram)
{
    const uint8_t *udp = packet->ip + packet->header_bytes;
    const uint32_t there = packet->bytes - packet->header_bytes;
    if (there < UDP_BYTES) {
        return FRAME_BAD;
    }
    const uint32_t bytes = big_get16(udp + UDP_LENGTH);
    if (bytes < UDP_BYTES || bytes > there ||
        (big_get16(udp + UDP_CHECKSUM) != 0 && udp_checksum(packet->ip, udp, bytes) != 0)) {
        return FRAME_BAD;
    }
    *datagram = (struct frame_datagram){
        .from = {big_get32(packet->ip + IP_FROM), big_get16(udp + UDP_FROM)},
        .to = {big_get32(packet->ip + IP_TO), big_get16(udp + UDP_TO)},
        .payload = udp + UDP_BYTES,
        .bytes = bytes - UDP_BYTES};
    return FRAME_UDP;
}

static enum frame_kind read_icmp(const struct packet *packet)
{
    const uint8_t *icmp = packet->ip + packet->header_bytes;
    const uint32_t bytes = packet->bytes - packet->header_bytes;
    if (bytes < ICMP_BYTES || checksum_of(sum_words(0, icmp, bytes)) != 0) {
        return FRAME_BAD;
    }
    return icmp[0] == ICMP_ECHO_REQUEST ? FRAME_ECHO_REQUEST : FRAME_OTHER;
}

static enum frame_kind read_arp(const uint8_t *frame, uint32_t count)
{
    static const uint8_t ETHERNET_AND_IPV4[ARP_OPERATION] = {0, 1, 8, 0, 6, 4};
    const uint8_t *arp = frame + ETHERNET_BYTES;
    if (count < ETHERNET_BYTES + ARP_BYTES) {
        return FRAME_BAD;
    }
    const bool known = memcmp(arp, ETHERNET_AND_IPV4, sizeof ETHERNET_AND_IPV4) == 0;
    return known && big_get16(arp + ARP_OPERATION) == ARP_REQUEST ? FRAME_ARP_REQUEST : FRAME_OTHER;
}

enum frame_kind frame_read(const uint8_t *frame, uint32_t count, struct frame_datagram *datagram)
{
    struct packet packet;
    if (count < ETHERNET_BYTES || count > FRAME_BYTES_MAX) {
        return FRAME_BAD;
    }
    const uint16_t type = big_get16(frame + ETHERNET_TYPE);
    if (type != TYPE_IPV4) {
        return type == TYPE_ARP ? read_arp(frame, count) : FRAME_OTHER;
    }
    if (!read_ip(frame, count, &packet)) {
        return FRAME_BAD;
    }
    if ((big_get16(packet.ip + IP_FRAGMENT) & FRAGMENT_OF_SEVERAL) != 0) {
        return FRAME_FRAGMENT;
    }
    switch (packet.ip[IP_PROTOCOL]) {
    case PROTOCOL_UDP:
        return read_udp(&packet, datagram);
    case PROTOCOL_ICMP:
        return read_icmp(&packet);
    default:
        return FRAME_OTHER;
    }
}

/* ---- answering ---- */

static uint32_t answer_arp(uint8_t *reply, const uint8_t *host_mac, const uint8_t *frame)
{
    uint8_t *arp = reply + ETHERNET_BYTES;
    const uint8_t *asked = frame + ETHERNET_BYTES;
    memcpy(reply, frame, ETHERNET_BYTES + ARP_BYTES);
    big_put16(arp + ARP_OPERATION, ARP_REPLY);
    memcpy(arp + ARP_FROM, host_mac, FRAME_MAC_BYTES);
    memcpy(arp + ARP_FROM + ARP_IP, asked + ARP_TO + ARP_IP, IP_ADDRESS_BYTES);
    memcpy(arp + ARP_TO, asked + ARP_FROM, FRAME_MAC_BYTES + IP_ADDRESS_BYTES);
    return ETHERNET_BYTES + ARP_BYTES;
}

static uint32_t answer_echo(uint8_t *reply, const uint8_t *frame)
{
    struct packet packet = {.ip = NULL};
    (void)read_ip(frame, FRAME_BYTES_MAX, &packet);
    uint8_t *ip = reply + ETHERNET_BYTES;
    uint8_t *icmp = ip + packet.header_bytes;
    memcpy(reply, frame, ETHERNET_BYTES + packet.bytes);
    memcpy(ip + IP_FROM, packet.ip + IP_TO, IP_ADDRESS_BYTES);
    memcpy(ip + IP_TO, packet.ip + IP_FROM, IP_ADDRESS_BYTES);
    icmp[0] = ICMP_ECHO_REPLY;
    big_put16(icmp + ICMP_CHECKSUM, 0);
    big_put16(icmp + ICMP_CHECKSUM,
              checksum_of(sum_words(0, icmp, packet.bytes - packet.header_bytes)));
    return ETHERNET_BYTES + packet.bytes;
}

uint32_t frame_answer(uint8_t reply[FRAME_BYTES_MAX], const uint8_t host_mac[FRAME_MAC_BYTES],
                      const uint8_t *frame, uint32_t count)
{
    struct frame_datagram datagram;
    const enum frame_kind kind = frame_read(frame, count, &datagram);
    if (kind != FRAME_ARP_REQUEST && kind != FRAME_ECHO_REQUEST) {
        return 0;
    }
    const uint32_t bytes =
        kind == FRAME_ARP_REQUEST ? answer_arp(reply, host_mac, frame) : answer_echo(reply, frame);
    memcpy(reply, frame + ETHERNET_FROM, FRAME_MAC_BYTES);
    memcpy(reply + ETHERNET_FROM, host_mac, FRAME_MAC_BYTES);
    return pad(reply, bytes);
}
