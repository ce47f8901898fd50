/* barrier.c - all cores of an application on a chip wait for each other. A core marks itself as
 * waiting in its block in System RAM.  The last one, found under a lock, wakes the others by the
 * system controller's interrupt.  No core polls. */
#include "chip_sync.h"
#include "runtime.h"

/* In a section of this name: where data lie does not change. */
volatile uint barrier_released __attribute__((section(".bss.released")));

/* message_events.c has another in a program that takes messages. */
__attribute__((weak)) void barrier_isr(void)
{
    sc[SC_CLR_IRQ] = SC_CODE | (1u << sark.phys_cpu);
    barrier_released = 1;
    vic[VIC_VADDR] = 0;
}

/* Interrupt bits of the other cores of this application, 0 when one of them is not waiting yet. */
static uint others_waiting(void)
{
    uint cores = 0;
    for (uint v = 0; v < sv->num_cpus; v++) {
        const vcpu_t *other = sv->vcpu_base + v;
        if (v == sark.virt_cpu || other->app_id != sark.app_id) {
            continue;
        }
        if (other->cpu_state != CPU_STATE_SYNC0) {
            return 0;
        }
        cores |= 1u << other->phys_cpu;
    }
    return cores | SC_CODE;
}

void chip_wake(uint cores)
{
    sc[SC_SET_IRQ] = SC_CODE | cores;
}

void chip_wait(uint (*ready)(void))
{
    if (ready()) {
        return;
    }
    vic_slot(SLOT_CPU, CPU_INT, barrier_interrupt);
    vic[VIC_ENABLE] = 1u << CPU_INT;
    for (;;) {
        const uint masked = cpu_int_disable();
        const uint done = ready();
        if (!done) {
            cpu_wfi();
        }
        cpu_int_restore(masked);
        if (done) {
            break;
        }
    }
    vic[VIC_DISABLE] = 1u << CPU_INT;
}

static uint is_released(void)
{
    return barrier_released;
}

void barrier_wait(void)
{
    barrier_released = 0;
    const uint cpsr = sark_lock_get(LOCK_API_ROOT);
    const uint others = others_waiting();
    if (others != 0) {
        sc[SC_SET_IRQ] = others;
        sark_lock_free(cpsr, LOCK_API_ROOT);
        return;
    }
    sark_cpu_state(CPU_STATE_SYNC0);
    sark_lock_free(cpsr, LOCK_API_ROOT);
    chip_wait(is_released);
}

void chip_barrier(void)
{
    barrier_wait();
    sark_cpu_state(CPU_STATE_RUN);
}

/* The last core interrupts itself together with the others: so all cores are asleep when the
 * interrupt comes, and use no shared resource between it and act(). */
void chip_barrier_act(void (*act)(void))
{
    sc[SC_CLR_IRQ] = SC_CODE | (1u << sark.phys_cpu); /* clear an older signal */
    vic_slot(SLOT_CPU, CPU_INT, barrier_interrupt);
    const uint masks = sark_lock_get(LOCK_API_ROOT);
    const uint others = others_waiting();
    sark_cpu_state(CPU_STATE_SYNC0);
    sark_lock_free(masks, LOCK_API_ROOT);
    vic[VIC_ENABLE] = 1u << CPU_INT;
    const uint cpsr = cpu_irq_disable();
    if (others != 0) {
        sc[SC_SET_IRQ] = others | 1u << sark.phys_cpu;
    }
    do {
        cpu_wfi();
    } while ((vic[VIC_RAW] & 1u << CPU_INT) == 0);
    act();
    cpu_int_restore(cpsr); /* the handler clears the signal */
    vic[VIC_DISABLE] = 1u << CPU_INT;
    sark_cpu_state(CPU_STATE_RUN);
}
