/* exceptions.c - see exceptions.h. */
#include "models/arm968/exceptions.h"

static const struct {
    uint32_t vector;
    enum arm968_mode mode;
    bool masks_fiq;
} EXCEPTIONS[] = {
    [EXCEPTION_RESET] = {0x00, ARM968_SUPERVISOR, true},
    [EXCEPTION_UNDEFINED] = {0x04, ARM968_UNDEFINED, false},
    [EXCEPTION_SOFTWARE_INTERRUPT] = {0x08, ARM968_SUPERVISOR, false},
    [EXCEPTION_PREFETCH_ABORT] = {0x0c, ARM968_ABORT, false},
    [EXCEPTION_DATA_ABORT] = {0x10, ARM968_ABORT, false},
    [EXCEPTION_IRQ] = {0x18, ARM968_IRQ_MODE, false},
    [EXCEPTION_FIQ] = {0x1c, ARM968_FIQ_MODE, true},
};

#define HIGH_VECTORS 0xffff0000u

void exception_take(struct arm968 *cpu, enum exception kind, uint32_t return_address)
{
    const uint32_t saved = cpu_read_cpsr(cpu);
    cpu_switch_mode(cpu, EXCEPTIONS[kind].mode);
    cpu->bank_spsr[cpu_bank(EXCEPTIONS[kind].mode)] = saved;
    cpu->r[REGISTER_LR] = return_address;
    cpu->irq_masked = true;
    cpu->fiq_masked = cpu->fiq_masked || EXCEPTIONS[kind].masks_fiq;
    cpu_find_interrupt(cpu);
    cpu->thumb = false;
    cpu->pc = EXCEPTIONS[kind].vector +
              ((cpu->cp15_control & CONTROL_HIGH_VECTORS) != 0 ? HIGH_VECTORS : 0);
    cpu->fetch_valid = false;
}

void exception_spend(struct arm968 *cpu, uint64_t cycles)
{
    cpu->cycle += cycles;
    if (cpu->has_pending) {
        timing_elapse(&cpu->pending, cycles > UINT8_MAX ? UINT8_MAX : (unsigned)cycles);
        cpu->has_pending = !timing_nothing_pending(&cpu->pending);
    }
}

void exception_enter(struct arm968 *cpu, enum exception kind, uint32_t return_address)
{
    cpu_drop_resume(cpu);
    exception_spend(cpu, cpu->config.timing.exception_entry);
    cpu->counters.exception_cycles += cpu->config.timing.exception_entry;
    exception_take(cpu, kind, return_address);
}

void exception_interrupt(struct arm968 *cpu)
{
    const uint32_t return_address = cpu->pc + 4;
    if (!cpu->fiq_masked && cpu_line_visible(cpu, ARM968_FIQ) <= cpu->cycle) {
        cpu->counters.fast_interrupts++;
        exception_enter(cpu, EXCEPTION_FIQ, return_address);
    } else {
        cpu->counters.interrupts++;
        exception_enter(cpu, EXCEPTION_IRQ, return_address);
    }
}
