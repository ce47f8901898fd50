/* fixed_route.c - packets that the router sends where its one fixed route leads: a queue of their
 * own, and receive callbacks. */
#include "listeners.h"

enum { QUEUE_LENGTH = 16, TCR_EMPTY = (int)0x80000000, RSR_HAS_PAYLOAD = 1 << 17 };

struct outgoing {
    uint key, data, load;
};

static struct {
    struct outgoing queue[QUEUE_LENGTH];
    uint first, count;
} fixed;

static uint can_send(void)
{
    return (cc[CC_TCR] & (uint)TCR_EMPTY) != 0;
}

/* The control byte goes with the key; behind it multicast packets find theirs again. */
static void transmit(const struct outgoing *packet)
{
    cc[CC_TCR] = packet->load != NO_PAYLOAD ? PKT_FR_PL : PKT_FR;
    if (packet->load != NO_PAYLOAD) {
        cc[CC_TXDATA] = packet->data;
    }
    cc[CC_TXKEY] = packet->key;
    cc[CC_TCR] = PKT_MC;
}

uint spin1_send_fr_packet(uint key, uint data, uint load)
{
    const struct outgoing packet = {key, data, load};
    const uint cpsr = cpu_int_disable();
    uint result = SUCCESS;
    if (fixed.count == 0 && can_send()) {
        transmit(&packet);
    } else if (fixed.count < QUEUE_LENGTH) {
        fixed.queue[(fixed.first + fixed.count++) % QUEUE_LENGTH] = packet;
        vic_slot(SLOT_FIXED_TRANSMIT, CC_TMT_INT, fixed_transmit_interrupt);
        vic[VIC_ENABLE] = 1u << CC_TMT_INT;
    } else {
        result = FAILURE;
    }
    cpu_int_restore(cpsr);
    return result;
}

void fixed_transmit_isr(void)
{
    if (fixed.count > 0 && can_send()) {
        transmit(&fixed.queue[fixed.first]);
        fixed.first = (fixed.first + 1) % QUEUE_LENGTH;
        fixed.count--;
    }
    if (fixed.count == 0) {
        vic[VIC_DISABLE] = 1u << CC_TMT_INT;
    }
    vic[VIC_VADDR] = 0;
}

/* ---- receiving ---- */

static struct listener plain, loaded;

static void enable(uint unused, uint unused_too)
{
    (void)unused;
    (void)unused_too;
    vic_slot(SLOT_FIXED_ROUTE, CC_FR_INT, fixed_route_interrupt);
    vic[VIC_ENABLE] = 1u << CC_FR_INT;
}

void fixed_route_listen(uint event_id, callback_t callback, int priority)
{
    listener_set(event_id == FR_PACKET_RECEIVED ? &plain : &loaded, callback, priority, enable);
}

void fixed_route_isr(void)
{
    const uint has_payload = cc[CC_RSR] & RSR_HAS_PAYLOAD;
    const uint data = cc[CC_RXDATA];
    const uint key = cc[CC_RXKEY]; /* reading the key removes the packet */
    const struct listener *listener = has_payload ? &loaded : &plain;
    if (listener->callback != NULL) {
        listener_call(listener, key, has_payload ? data : 0);
    }
    vic[VIC_VADDR] = 0;
}
