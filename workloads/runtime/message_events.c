/* message_events.c - messages (SDP) that come to this core: the monitor puts one into the core's
 * mailbox and interrupts the core, as the last core at a barrier does (barrier.c). */
#include "runtime.h"
#include "spin1_api.h"

void messages_listen(void)
{
    vic_slot(SLOT_CPU, CPU_INT, barrier_interrupt);
    vic[VIC_ENABLE] = 1u << CPU_INT;
}

/* Takes the message out of shared memory.  Port 0 is the kernel's, which takes no orders here. */
static void take_message(void)
{
    sdp_msg_t *shared = sark.vcpu->mbox_ap_msg;
    sdp_msg_t *message = (shared->dest_port & PORT_MASK) != 0 ? sark_msg_get() : NULL;
    if (message != NULL) {
        sark_msg_cpy(message, shared);
    }
    sark_shmsg_free(shared);
    sark.vcpu->mbox_ap_cmd = SHM_IDLE;
    if (message != NULL) {
        deliver_event(SDP_PACKET_RX, (uint)message, message->dest_port >> PORT_SHIFT);
    }
}

/* In place of that in barrier.c. */
void barrier_isr(void)
{
    sc[SC_CLR_IRQ] = SC_CODE | 1u << sark.phys_cpu;
    const uint command = sark.vcpu->mbox_ap_cmd;
    if (command == SHM_MSG) {
        take_message();
    } else if (command != SHM_IDLE) {
        sark.vcpu->mbox_ap_cmd = SHM_IDLE; /* signals, and asking whether it lives */
    } else {
        barrier_release();
    }
    vic[VIC_VADDR] = 0;
}
