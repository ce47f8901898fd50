/* message_events.c - messages (SDP) that come to this core: the monitor puts one into the core's
 * mailbox and interrupts the core, as the last core at a barrier does (barrier.c). */
#include "listeners.h"

static struct listener listener;

static void enable(uint unused, uint unused_too)
{
    (void)unused;
    (void)unused_too;
    vic_slot(SLOT_CPU, CPU_INT, barrier_interrupt);
    vic[VIC_ENABLE] = 1u << CPU_INT;
}

/* A barrier turns the interrupt off behind it, so it is turned on twice.  Before the barrier, too,
 * as a message that came before must not be taken for its end. */
void messages_listen(callback_t callback, int priority)
{
    listener_set(&listener, callback, priority, enable);
    if (callback != NULL) {
        enable(0, 0);
    }
}

/* Takes the message out of shared memory, and drops it if there is no callback, or no memory.  Port
 * 0 is the kernel's, which takes no orders here. */
static void take_message(void)
{
    sdp_msg_t *shared = sark.vcpu->mbox_ap_msg;
    const uint port = shared->dest_port >> PORT_SHIFT;
    sdp_msg_t *message = port != 0 && listener.callback != NULL ? sark_msg_get() : NULL;
    if (message != NULL) {
        sark_msg_cpy(message, shared);
    }
    sark_shmsg_free(shared);
    sark.vcpu->mbox_ap_cmd = SHM_IDLE;
    if (message != NULL) {
        listener_call(&listener, (uint)message, port);
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
        barrier_released = 1;
    }
    vic[VIC_VADDR] = 0;
}
