/* messages.c - messages of cores (SDP): memory for them, sending.  A core gives its message to the
 * monitor processor, through its mailbox in System RAM; the monitor passes it on. */
#include "runtime.h"

enum { POOL = 4, COPIED_FROM = 4, WORD = 4, US_PER_MS = 1000 };

_Static_assert(sizeof(sdp_msg_t) == 292, "a message in shared memory fills 292 bytes");

/* ---- memory of this core ---- */

static struct {
    sdp_msg_t message[POOL];
    uint unused; /* the first one that has never been taken */
    sdp_msg_t *free;
} pool;

sdp_msg_t *sark_msg_get(void)
{
    const uint cpsr = cpu_int_disable();
    sdp_msg_t *message = pool.free;
    if (message != NULL) {
        pool.free = message->next;
    } else if (pool.unused < POOL) {
        message = &pool.message[pool.unused++];
    }
    cpu_int_restore(cpsr);
    return message;
}

void sark_msg_free(sdp_msg_t *message)
{
    const uint cpsr = cpu_int_disable();
    message->next = pool.free;
    pool.free = message;
    cpu_int_restore(cpsr);
}

/* All but the link, and no more than there is. */
void sark_msg_cpy(sdp_msg_t *to, const sdp_msg_t *from)
{
    const uint most = sizeof *to - COPIED_FROM - WORD;
    const uint bytes = from->length < most ? from->length : most;
    sark_word_cpy(&to->length, &from->length, WORD + bytes);
}

/* ---- memory that all cores share ---- */

sdp_msg_t *sark_shmsg_get(void)
{
    if (!sark_has_system()) {
        return NULL;
    }
    mem_block_t *root = &sv->shm_root;
    const uint cpsr = sark_lock_get(LOCK_MSG);
    mem_link_t *message = root->free;
    if (message != NULL) {
        root->free = message->next;
        root->count++;
        root->max = root->count > root->max ? root->count : root->max;
    }
    sark_lock_free(cpsr, LOCK_MSG);
    return (sdp_msg_t *)message;
}

void sark_shmsg_free(sdp_msg_t *message)
{
    mem_link_t *link = (mem_link_t *)message;
    const uint cpsr = sark_lock_get(LOCK_MSG);
    link->next = sv->shm_root.free;
    sv->shm_root.free = link;
    sv->shm_root.count--;
    sark_lock_free(cpsr, LOCK_MSG);
}

/* ---- sending ---- */

/* Waits until the monitor has taken the message before, for at least this time.  It is counted
 * here: the monitor's clock stands still where there is no monitor. */
static uint mailbox_is_free(uint milliseconds)
{
    uint left = milliseconds * US_PER_MS;
    while (sark.vcpu->mbox_mp_cmd != SHM_IDLE) {
        if (left == 0) {
            return 0;
        }
        left--;
        sark_delay_us(1);
    }
    return 1;
}

static void tell_monitor(void)
{
    const uint cpsr = sark_lock_get(LOCK_MBOX);
    const uint waiting = sv->mbox_flags;
    sv->mbox_flags = waiting | 1u << sark.virt_cpu;
    if (waiting == 0) {
        sc[SC_SET_IRQ] = SC_CODE | 1u << sv->v2p_map[0];
    }
    sark_lock_free(cpsr, LOCK_MBOX);
}

uint sark_msg_send(sdp_msg_t *message, uint timeout)
{
    if (!mailbox_is_free(timeout)) {
        return 0;
    }
    sdp_msg_t *shared = sark_shmsg_get();
    if (shared == NULL) {
        return 0;
    }
    sark_msg_cpy(shared, message);
    sark.vcpu->mbox_mp_msg = shared;
    sark.vcpu->mbox_mp_cmd = SHM_MSG;
    tell_monitor();
    return 1;
}
