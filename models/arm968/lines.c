/* lines.c - the interrupt lines, and the cycle from which the core sees them. */
#include "models/arm968/arm968_state.h"
#include "models/common/units.h"

void arm968_set_line(struct arm968 *cpu, enum arm968_line line, bool asserted, uint64_t cycle)
{
    if (asserted == cpu->line_asserted[line]) {
        return;
    }
    if (asserted) {
        cpu->line_visible_cycle[line] = cycle + cpu->config.timing.interrupt_sync;
    }
    cpu->line_asserted[line] = asserted;
    cpu_find_interrupt(cpu);
}

uint64_t arm968_wake_cycle(const struct arm968 *cpu)
{
    return earlier_of(cpu_line_visible(cpu, ARM968_IRQ), cpu_line_visible(cpu, ARM968_FIQ));
}

void cpu_find_interrupt(struct arm968 *cpu)
{
    const uint64_t irq = cpu->irq_masked ? UINT64_MAX : cpu_line_visible(cpu, ARM968_IRQ);
    const uint64_t fiq = cpu->fiq_masked ? UINT64_MAX : cpu_line_visible(cpu, ARM968_FIQ);
    cpu->interrupt_cycle = earlier_of(irq, fiq);
    cpu->look_cycle = earlier_of(cpu->horizon, cpu->interrupt_cycle);
}
