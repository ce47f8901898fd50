/* registers.c - modes, banks and status registers (ARM DDI 0100I A2.2 to A2.5), and their view for
 * debuggers. */
#include "models/arm968/arm968_state.h"

enum {
    PSR_MODE = 0x1f,
    PSR_THUMB = 1u << 5,
    PSR_FIQ_MASK = 1u << 6,
    PSR_IRQ_MASK = 1u << 7,
    PSR_Q_SHIFT = 27,
    PSR_V_SHIFT = 28,
    PSR_C_SHIFT = 29,
    PSR_Z_SHIFT = 30,
    PSR_CONTROL = 0xff
};
#define PSR_NZCV     0xf0000000u
#define PSR_Q        (1u << PSR_Q_SHIFT)
#define PSR_WRITABLE (PSR_NZCV | PSR_Q | PSR_CONTROL)

const uint8_t CPU_BANKS[PSR_MODE + 1] = {
    [ARM968_FIQ_MODE] = BANK_FIQ,          [ARM968_IRQ_MODE] = BANK_IRQ,
    [ARM968_SUPERVISOR] = BANK_SUPERVISOR, [ARM968_ABORT] = BANK_ABORT,
    [ARM968_UNDEFINED] = BANK_UNDEFINED,
};

static bool valid_mode(uint32_t mode)
{
    return cpu_bank(mode) != BANK_USER || mode == ARM968_USER || mode == ARM968_SYSTEM;
}

/* FIQ mode also has its own r8 to r12. */
static NOINLINE void switch_high_registers(struct arm968 *cpu, enum bank from, enum bank to)
{
    uint32_t *saved = cpu->bank_r8_to_r12[from == BANK_FIQ];
    const uint32_t *loaded = cpu->bank_r8_to_r12[to == BANK_FIQ];
    for (unsigned i = 0; i < 5; i++) {
        saved[i] = cpu->r[8 + i];
        cpu->r[8 + i] = loaded[i];
    }
}

void cpu_switch_mode(struct arm968 *cpu, uint32_t mode)
{
    mode &= PSR_MODE;
    if (!valid_mode(mode)) {
        cpu->counters.unpredictable++;
        return;
    }
    const enum bank from = cpu_bank(cpu->mode);
    const enum bank to = cpu_bank(mode);
    cpu->mode = (uint8_t)mode;
    if (from == to) {
        return;
    }
    cpu->bank_r13[from] = cpu->r[13];
    cpu->bank_r14[from] = cpu->r[14];
    cpu->bank_lowest_sp[from] = cpu->lowest_sp;
    cpu->r[13] = cpu->bank_r13[to];
    cpu->r[14] = cpu->bank_r14[to];
    cpu->lowest_sp = cpu->bank_lowest_sp[to];
    if (from == BANK_FIQ || to == BANK_FIQ) {
        switch_high_registers(cpu, from, to);
    }
}

uint32_t cpu_read_cpsr(const struct arm968 *cpu)
{
    return (cpu->flag_n & 0x80000000u) | ((cpu->flag_z == 0 ? 1u : 0u) << PSR_Z_SHIFT) |
           (cpu->flag_c << PSR_C_SHIFT) | ((cpu->flag_v >> 31) << PSR_V_SHIFT) |
           (cpu->flag_q << PSR_Q_SHIFT) | (cpu->irq_masked ? PSR_IRQ_MASK : 0u) |
           (cpu->fiq_masked ? PSR_FIQ_MASK : 0u) | (cpu->thumb ? PSR_THUMB : 0u) | cpu->mode;
}

void cpu_write_cpsr(struct arm968 *cpu, uint32_t value, uint32_t mask, bool with_state)
{
    if ((mask & PSR_NZCV) != 0) {
        cpu->flag_n = value & 0x80000000u;
        cpu->flag_z = ~value & (1u << PSR_Z_SHIFT);
        cpu->flag_c = (value >> PSR_C_SHIFT) & 1;
        cpu->flag_v = (value << 3) & 0x80000000u;
    }
    if ((mask & PSR_Q) != 0) {
        cpu->flag_q = (value >> PSR_Q_SHIFT) & 1;
    }
    if ((mask & PSR_CONTROL) == 0) {
        return;
    }
    cpu->irq_masked = (value & PSR_IRQ_MASK) != 0;
    cpu->fiq_masked = (value & PSR_FIQ_MASK) != 0;
    cpu_find_interrupt(cpu);
    if (with_state) {
        cpu->thumb = (value & PSR_THUMB) != 0;
    }
    if ((value & PSR_MODE) != cpu->mode) {
        cpu_switch_mode(cpu, value);
    }
}

/* ---- the debugger's view ---- */

void cpu_drop_resume(struct arm968 *cpu)
{
    if (cpu->resume_block == NULL) {
        return;
    }
    const struct block_boundary *boundary = &cpu->resume_block->boundary[cpu->resume_insn];
    block_counts_add(&cpu->counts, &boundary->counts);
    cpu->has_pending = boundary->pending != NULL;
    if (cpu->has_pending) {
        cpu->pending = *boundary->pending;
    }
    cpu->resume_block = NULL;
}

uint32_t arm968_register(const struct arm968 *cpu, unsigned index)
{
    return index == 15 ? cpu->pc : cpu->r[index];
}

void arm968_set_register(struct arm968 *cpu, unsigned index, uint32_t value)
{
    cpu_drop_resume(cpu);
    if (index == 15) {
        cpu->pc = value & (cpu->thumb ? ~1u : ~3u);
        cpu->mark_passed = false;
        cpu->access_state = ACCESS_NONE; /* its instruction will not be executed */
    } else {
        cpu->r[index] = value;
    }
}

/* The storage of register n (8..14) of mode `mode`; NULL if it is the active one. */
static uint32_t *banked(struct arm968 *cpu, enum arm968_mode mode, unsigned n)
{
    const enum bank now = cpu_bank(cpu->mode);
    const enum bank bank = cpu_bank(mode);
    if (n == 13 || n == 14) {
        if (bank == now) {
            return NULL;
        }
        return n == 13 ? &cpu->bank_r13[bank] : &cpu->bank_r14[bank];
    }
    if (n < 8 || n > 14 || (bank == BANK_FIQ) == (now == BANK_FIQ)) {
        return NULL;
    }
    return &cpu->bank_r8_to_r12[bank == BANK_FIQ][n - 8];
}

uint32_t arm968_banked_register(const struct arm968 *cpu, enum arm968_mode mode, unsigned index)
{
    const uint32_t *place = banked((struct arm968 *)cpu, mode, index);
    return place == NULL ? cpu->r[index] : *place;
}

void arm968_set_banked_register(struct arm968 *cpu, enum arm968_mode mode, unsigned index,
                                uint32_t value)
{
    cpu_drop_resume(cpu);
    uint32_t *place = banked(cpu, mode, index);
    *(place == NULL ? &cpu->r[index] : place) = value;
}

uint32_t arm968_lowest_sp(const struct arm968 *cpu)
{
    const enum bank bank = cpu_bank(cpu->mode);
    const uint32_t user = cpu->bank_lowest_sp[BANK_USER];
    const uint32_t supervisor = cpu->bank_lowest_sp[BANK_SUPERVISOR];
    const uint32_t lowest = user < supervisor ? user : supervisor; /* that of `bank`: as it began */
    const bool current = bank == BANK_USER || bank == BANK_SUPERVISOR;
    return current && cpu->lowest_sp < lowest ? cpu->lowest_sp : lowest;
}

uint32_t arm968_spsr(const struct arm968 *cpu, enum arm968_mode mode)
{
    return cpu_bank(mode) == BANK_USER ? 0 : cpu->bank_spsr[cpu_bank(mode)];
}

void arm968_set_spsr(struct arm968 *cpu, enum arm968_mode mode, uint32_t value)
{
    if (cpu_bank(mode) != BANK_USER) {
        cpu->bank_spsr[cpu_bank(mode)] = value & PSR_WRITABLE;
    }
}

uint32_t arm968_cpsr(const struct arm968 *cpu)
{
    return cpu_read_cpsr(cpu);
}

void arm968_set_cpsr(struct arm968 *cpu, uint32_t value)
{
    cpu_drop_resume(cpu);
    cpu_write_cpsr(cpu, value, PSR_WRITABLE, true);
}

uint32_t arm968_control(const struct arm968 *cpu)
{
    return cpu->cp15_control;
}
