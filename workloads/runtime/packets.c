/* packets.c - multicast packets: transmit queue, receive callbacks, entries of the router. */
#include "runtime.h"
#include "spin1_api.h"

enum {
    TX_QUEUE_LENGTH = 16,
    TCR_NOT_FULL = 1 << 28,
    RSR_HAS_PAYLOAD = 1 << 17,
    ROUTER_ENTRIES = 1024
};

struct outgoing {
    uint key, data, load;
};

static struct {
    struct outgoing queue[TX_QUEUE_LENGTH];
    uint first, count;
} packets;

static void transmit(const struct outgoing *packet)
{
    if (packet->load != NO_PAYLOAD) {
        cc[CC_TXDATA] = packet->data;
    }
    cc[CC_TXKEY] = packet->key;
}

uint spin1_send_mc_packet(uint key, uint data, uint load)
{
    const struct outgoing packet = {key, data, load};
    const uint cpsr = cpu_int_disable();
    uint result = SUCCESS;
    if (packets.count == 0 && (cc[CC_TCR] & TCR_NOT_FULL) != 0) {
        transmit(&packet);
    } else if (packets.count < TX_QUEUE_LENGTH) {
        packets.queue[(packets.first + packets.count++) % TX_QUEUE_LENGTH] = packet;
        vic[VIC_ENABLE] = 1u << CC_TNF_INT;
    } else {
        result = FAILURE;
    }
    cpu_int_restore(cpsr);
    return result;
}

void transmit_isr(void)
{
    while (packets.count > 0 && (cc[CC_TCR] & TCR_NOT_FULL) != 0) {
        transmit(&packets.queue[packets.first]);
        packets.first = (packets.first + 1) % TX_QUEUE_LENGTH;
        packets.count--;
    }
    if (packets.count == 0) {
        vic[VIC_DISABLE] = 1u << CC_TNF_INT;
    }
    vic[VIC_VADDR] = 0;
}

void serve_packet(void)
{
    const uint has_payload = cc[CC_RSR] & RSR_HAS_PAYLOAD;
    const uint data = cc[CC_RXDATA];
    const uint key = cc[CC_RXKEY]; /* reading the key removes the packet */
    deliver_event(has_payload ? MCPL_PACKET_RECEIVED : MC_PACKET_RECEIVED, key,
                  has_payload ? data : 0);
}

void packet_isr(void)
{
    serve_packet();
    vic[VIC_VADDR] = 0;
}

uint rtr_mc_set(uint entry, uint key, uint mask, uint route)
{
    if (entry >= ROUTER_ENTRIES) {
        return FAILURE;
    }
    rtr_ram[entry] = route;
    rtr_mask[entry] = mask;
    rtr_key[entry] = key;
    return SUCCESS;
}
