/* frame.h - Ethernet frames between the host and a board: UDP datagrams are put into frames and
 * taken out of them, ARP and ICMP echo requests of a board are answered.  No sockets here, and no
 * state.
 *
 * A frame is its bytes on the wire without FCS, 60 to 1514 of them.  Addresses (IPv4) and ports are
 * numbers of the host: 127.0.0.2 is 0x7f000002.  Layouts: IEEE 802.3 (Ethernet II), RFC 791 (IPv4),
 * RFC 768 (UDP), RFC 826 (ARP), RFC 792 (ICMP). */
#pragma once
#include "models/common/c_linkage.h"
#include <stdint.h>
C_LINKAGE_BEGIN

enum {
    FRAME_BYTES_MIN = 60,
    FRAME_BYTES_MAX = 1514,
    FRAME_MAC_BYTES = 6,
    FRAME_UDP_HEADER_BYTES = 14 + 20 + 8, /* Ethernet, IPv4 without options, UDP */
    FRAME_PAYLOAD_BYTES_MAX = FRAME_BYTES_MAX - FRAME_UDP_HEADER_BYTES /* 1472 */
};

struct frame_endpoint {
    uint32_t address;
    uint16_t port;
};

/* A UDP datagram.  The payload belongs to the caller (frame_make) or lies in the frame
 * (frame_read). */
struct frame_datagram {
    struct frame_endpoint from, to;
    const uint8_t *payload;
    uint32_t bytes;
};

enum frame_kind {
#define FRAME_KIND(name, text) FRAME_##name, /* NOLINT */
#include "sim/serve/frame_kinds.def"
    FRAME_KINDS
};

/* The plural name of a kind: "ARP requests". */
const char *frame_kind_text(enum frame_kind kind);

/* Makes the frame of a datagram, with both checksums; IP identification is 0, as the frame is never
 * cut into fragments.  Returns the number of bytes, or 0 if the payload has more than
 * FRAME_PAYLOAD_BYTES_MAX bytes. */
uint32_t frame_make(uint8_t frame[FRAME_BYTES_MAX], const uint8_t to_mac[FRAME_MAC_BYTES],
                    const uint8_t from_mac[FRAME_MAC_BYTES], const struct frame_datagram *datagram);

/* Says what a frame is.  Fills the datagram of FRAME_UDP; otherwise it is unchanged.  Any bytes are
 * allowed.  FRAME_BAD: cut short, or a checksum or a length is wrong.  A UDP checksum of 0 means
 * that there is none. */
enum frame_kind frame_read(const uint8_t *frame, uint32_t count, struct frame_datagram *datagram);

/* Answers an ARP or ICMP echo request of a board as its host, which has every IP address and this
 * MAC address.  Returns the bytes of the reply; 0: frame_read() says that the frame is something
 * else. */
uint32_t frame_answer(uint8_t reply[FRAME_BYTES_MAX], const uint8_t host_mac[FRAME_MAC_BYTES],
                      const uint8_t *frame, uint32_t count);

C_LINKAGE_END
