/* crash_core.c - see crash_core.h. */
#include "sim/crash/crash_core.h"

#include "sim/gdb/registers.h"
#include "sim/steps.h"

#include <inttypes.h>

/* Of the CPSR (ARM DDI 0100I, A2.5). */
enum {
    MODE_BITS = 0x1f,
    THUMB_BIT = 1u << 5,
    FIQ_BIT = 1u << 6,
    IRQ_BIT = 1u << 7,
    FLAGS_SHIFT = 27
};
enum { SP = 13, LR = 14, PC = 15, IN_A_LINE = 4, ARM_BYTES = 4, THUMB_BYTES = 2 };

/* Where the core was before an exception; a fault knows its instruction. */
static void go_before_exception(struct crash_core *core, const struct arm968 *cpu,
                                enum crash_entry entry)
{
    const struct arm968_fault fault = arm968_fault(cpu);
    const enum arm968_mode taken = entry == CRASH_ENTRY_SVC               ? ARM968_SUPERVISOR
                                   : fault.kind == ARM968_FAULT_UNDEFINED ? ARM968_UNDEFINED
                                                                          : ARM968_ABORT;
    const uint32_t before = arm968_spsr(cpu, taken);
    const enum arm968_mode mode = (enum arm968_mode)(before & MODE_BITS);
    const uint32_t behind = arm968_banked_register(cpu, taken, LR);
    core->cpsr = before;
    core->r[SP] = arm968_banked_register(cpu, mode, SP);
    core->r[LR] = arm968_banked_register(cpu, mode, LR);
    core->r[PC] = entry == CRASH_ENTRY_FAULT
                      ? fault.pc
                      : behind - ((before & THUMB_BIT) != 0 ? THUMB_BYTES : ARM_BYTES);
}

void crash_core_take(struct crash_core *core, const struct arm968 *cpu, enum crash_entry entry)
{
    size_t count;
    const struct gdb_register *registers = gdb_registers(&count);
    *core = (struct crash_core){.cpsr = arm968_cpsr(cpu),
                                .cycle = arm968_cycle(cpu),
                                .instructions = arm968_counters(cpu)->instructions,
                                .active_cycles = arm968_counters(cpu)->active_cycles};
    for (unsigned i = 0; i < CRASH_REGISTERS; i++) {
        core->r[i] = arm968_register(cpu, i);
    }
    for (size_t i = 0; i < count && i < CRASH_REGISTERS_ALL; i++) {
        (void)gdb_read_register(cpu, registers[i].number, &core->value[i]);
    }
    if (entry != CRASH_ENTRY_NONE) {
        go_before_exception(core, cpu, entry);
    }
}

enum status crash_core_trace_back(struct crash_core *core, const struct elf_image *image,
                                  symbols_read read, const void *context)
{
    if (image == NULL) {
        return STATUS_OK;
    }
    struct symbols *symbols = symbols_open(image);
    if (symbols == NULL) {
        return STATUS_INTERNAL;
    }
    core->has_lines = symbols_have_lines(symbols);
    core->frames =
        symbols_backtrace(symbols, core->r, read, context, core->frame, CRASH_FRAMES, &core->end);
    symbols_close(symbols);
    return STATUS_OK;
}

/* ---- registers ---- */

static const char *mode_text(uint32_t cpsr)
{
    static const struct {
        enum arm968_mode mode;
        const char *text;
    } MODES[] = {{ARM968_USER, "user"},    {ARM968_FIQ_MODE, "FIQ"},
                 {ARM968_IRQ_MODE, "IRQ"}, {ARM968_SUPERVISOR, "supervisor"},
                 {ARM968_ABORT, "abort"},  {ARM968_UNDEFINED, "undefined"},
                 {ARM968_SYSTEM, "system"}};
    for (size_t i = 0; i < sizeof MODES / sizeof *MODES; i++) {
        if (MODES[i].mode == (cpsr & MODE_BITS)) {
            return MODES[i].text;
        }
    }
    return "unknown";
}

/* "cpsr 6000001f: nZCvq, system mode, ARM state, IRQ and FIQ let in" */
static void write_status(FILE *out, uint32_t cpsr)
{
    static const char SET[] = "QVCZN";
    static const char CLEAR[] = "qvczn";
    static const char *const MASKED[] = {"IRQ and FIQ let in", "FIQ masked", "IRQ masked",
                                         "IRQ and FIQ masked"};
    char flags[sizeof SET] = "";
    for (size_t i = 0; i < sizeof SET - 1; i++) {
        const bool set = (cpsr >> (FLAGS_SHIFT + i) & 1) != 0;
        flags[sizeof SET - 2 - i] = set ? SET[i] : CLEAR[i];
    }
    const unsigned masked = ((cpsr & IRQ_BIT) != 0 ? 2u : 0) + ((cpsr & FIQ_BIT) != 0 ? 1u : 0);
    (void)fprintf(out, "  cpsr      %08" PRIx32 "  %s, %s mode, %s state, %s\n", cpsr, flags,
                  mode_text(cpsr), (cpsr & THUMB_BIT) != 0 ? "Thumb" : "ARM", MASKED[masked]);
}

void crash_write_registers(FILE *out, const struct crash_core *core)
{
    size_t count;
    unsigned column = 0;
    const struct gdb_register *registers = gdb_registers(&count);
    (void)fputs("registers\n", out);
    for (unsigned i = 0; i < CRASH_REGISTERS; i++) {
        (void)fprintf(out, "  %-8s  %08" PRIx32 "%s", registers[i].name, core->r[i],
                      i % IN_A_LINE == IN_A_LINE - 1 ? "\n" : "");
    }
    write_status(out, core->cpsr);
    for (size_t i = 0; i < count && i < CRASH_REGISTERS_ALL; i++) {
        if (registers[i].banked) {
            (void)fprintf(out, "  %-8s  %08" PRIx32 "%s", registers[i].name, core->value[i],
                          column % IN_A_LINE == IN_A_LINE - 1 ? "\n" : "");
            column++;
        }
    }
    (void)fputs(column % IN_A_LINE == 0 ? "" : "\n", out);
}

/* ---- callers ---- */

static const char *end_text(enum symbols_end end)
{
    switch (end) {
    case SYMBOLS_NO_RULES:
        return "the function has no frame information, so its caller is not known";
    case SYMBOLS_OUTSIDE:
        return "the caller's address is no code of the program";
    case SYMBOLS_UNREAD:
        return "the caller cannot be found: its address is lost, or the stack is no memory";
    case SYMBOLS_STUCK:
        return "the stack is damaged: it does not lead further";
    case SYMBOLS_ROOM:
        break;
    }
    return "and so on";
}

void crash_write_backtrace(FILE *out, const struct crash_core *core)
{
    (void)fputs("backtrace\n", out);
    for (unsigned i = 0; i < core->frames; i++) {
        const struct symbols_frame *frame = &core->frame[i];
        char text[SYMBOLS_TEXT_CHARS];
        (void)fprintf(out, "  #%-2u 0x%08" PRIx32 "  %s%s\n", i, frame->pc,
                      symbols_text(&frame->place, frame->pc, text),
                      frame->how == SYMBOLS_BY_LINK ? "  (by the link register)" : "");
    }
    if (core->frames == 0) {
        (void)fputs("  the core's program is not known\n", out);
        return;
    }
    (void)fprintf(out, "  %s\n", end_text(core->end));
    if (!core->has_lines) {
        (void)fputs("  the program has no lines: compile it with -g\n", out);
    }
}
