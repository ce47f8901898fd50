/* sdp.h - places in a UDP payload with an SDP message and an SCP command.  SpiNNaker Application
 * Note 4; all numbers are little-endian. */
#pragma once

enum {
    SDP_FLAGS = 2, /* behind two bytes of padding */
    SDP_TAG = 3,
    SDP_TO_PORT = 4, /* port in bits 7:5, core in 4:0 */
    SDP_FROM_PORT = 5,
    SDP_TO_CHIP = 6, /* 2 bytes */
    SDP_FROM_CHIP = 8,
    SCP_COMMAND = 10, /* 2 bytes; of a reply: its code */
    SCP_SEQUENCE = 12,
    SCP_ARGUMENT1 = 14, /* 4 bytes each; data of a reply begin here */
    SCP_ARGUMENT2 = 18,
    SCP_ARGUMENT3 = 22,
    SCP_DATA = 26,
    SCP_DATA_BYTES_MAX = 256,

    SDP_REPLY_WANTED = 0x87,
    SDP_REPLY_BIT = 0x80,
    SDP_CORE_MASK = 0x1f,
    SDP_PORT_SHIFT = 5,

    SCP_OK = 0x80,
    SCP_BAD_LENGTH = 0x81,
    SCP_BAD_COMMAND = 0x83,
    SCP_BAD_ARGUMENT = 0x84,
    SCP_BAD_PORT = 0x85,
    SCP_NO_ROUTE = 0x87,

    SCP_IPTAG = 26
};
