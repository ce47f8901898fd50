/* elf_fault.c - see elf_fault.h. */
#include "sim/flat/elf_fault.h"

#include "models/arm968/disassemble.h"
#include "models/chip/memory_map.h"

#include <stdio.h>
#include <string.h>

enum {
    STACK_POINTER = 13,
    LINK_REGISTER = 14,
    THUMB_BIT = 1u << 5,
    MODE_BITS = 0x1f,
    SVC_VECTOR = 0x08,
    ARM_BYTES = 4,
    THUMB_BYTES = 2,
    WHAT_CHARS = 160
};

/* ---- places ---- */

/* main+0x10, or "no symbol". */
static void name_place(const struct elf_scene *scene, uint32_t address, char *text, size_t chars)
{
    const struct elf_symbol *symbol = elf_image_at(scene->image, address);
    if (symbol == NULL) {
        (void)snprintf(text, chars, "no symbol");
    } else if (symbol->address == address) {
        (void)snprintf(text, chars, "%s", symbol->name);
    } else {
        (void)snprintf(text, chars, "%s+0x%x", symbol->name, address - symbol->address);
    }
}

/* The instruction at an address as text; false: none can be there. */
static bool name_instruction(const struct elf_scene *scene, uint32_t pc, bool thumb, char *text)
{
    uint32_t word = 0;
    const uint32_t bytes = thumb ? THUMB_BYTES : ARM_BYTES;
    if (flat_core_bytes(scene->flat, pc, bytes) == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < ARM_BYTES; i++) { /* the first half of a Thumb BL needs its second */
        const uint8_t *byte = flat_core_bytes(scene->flat, pc + i, 1);
        word |= (byte == NULL ? 0 : (uint32_t)*byte) << 8 * i;
    }
    arm968_disassemble(word, pc, thumb, text);
    if (strcmp(text, "undefined") == 0) {
        (void)snprintf(text, ARM968_TEXT_CHARS, thumb ? ".short 0x%04x" : ".word 0x%08x",
                       thumb ? word & UINT16_MAX : word);
    }
    return true;
}

void elf_place(const struct elf_scene *scene, uint32_t pc, bool thumb, char *text)
{
    char instruction[ARM968_TEXT_CHARS];
    char name[ELF_PLACE_CHARS / 2];
    name_place(scene, pc, name, sizeof name);
    const bool known = name_instruction(scene, pc, thumb, instruction);
    (void)snprintf(text, ELF_PLACE_CHARS, "pc 0x%08x (%s%s%s)", pc, name, known ? ": " : "",
                   known ? instruction : "");
}

void elf_place_now(const struct elf_scene *scene, char *text)
{
    const struct arm968 *cpu = scene->flat->cpu;
    elf_place(scene, arm968_register(cpu, 15), (arm968_cpsr(cpu) & THUMB_BIT) != 0, text);
}

/* ---- hints ---- */

static bool is_on_chip(uint32_t address)
{
    return memory_map_find(address).block != MEMORY_NOTHING;
}

void elf_fault_note(struct elf_scene *scene)
{
    const struct arm968_fault fault = arm968_fault(scene->flat->cpu);
    if (fault.kind == ARM968_FAULT_DATA && !fault.misaligned && !scene->chip_wanted &&
        is_on_chip(fault.address)) {
        scene->chip_wanted = true;
        scene->chip_address = fault.address;
    }
}

/* Whether programs use this mode's stack for their own. */
static bool has_own_stack(enum arm968_mode mode)
{
    return mode == ARM968_USER || mode == ARM968_SYSTEM || mode == ARM968_SUPERVISOR;
}

/* Whether an address lies in bytes loaded from the file, not in zero-initialised memory. */
static bool is_of_program(const struct elf_scene *scene, uint32_t address)
{
    return elf_image_bytes(scene->image, address, ARM_BYTES) != NULL;
}

void elf_fault_hint(const struct elf_scene *scene, enum arm968_mode mode,
                    struct diagnostic *diagnostic)
{
    const uint32_t stack =
        has_own_stack(mode) ? arm968_banked_register(scene->flat->cpu, mode, STACK_POINTER) : 0;
    char name[ELF_PLACE_CHARS / 2];
    if (stack != 0 && is_of_program(scene, stack)) {
        name_place(scene, stack, name, sizeof name);
        diagnostic_hint(diagnostic,
                        "the stack has run into the program itself: sp 0x%08x lies in its code or "
                        "data (%s)",
                        stack, name);
    } else if (stack != 0 && stack < scene->stack_limit && stack >= scene->flat->base) {
        diagnostic_hint(diagnostic,
                        "the stack has run into the heap's part of memory: sp 0x%08x lies below "
                        "0x%08x, where the stack's part ends",
                        stack, scene->stack_limit);
    } else if (scene->chip_wanted) {
        diagnostic_hint(diagnostic,
                        "it has accessed 0x%08x, which on a chip is the block %s and here is "
                        "nothing; `spinnsim run FILE.elf` runs programs for a chip",
                        scene->chip_address,
                        memory_block_name(memory_map_find(scene->chip_address).block));
    }
}

/* ---- faults ---- */

static enum arm968_mode mode_before(const struct elf_scene *scene, enum arm968_mode mode)
{
    return (enum arm968_mode)(arm968_spsr(scene->flat->cpu, mode) & MODE_BITS);
}

static bool was_thumb(const struct elf_scene *scene, enum arm968_mode mode)
{
    return (arm968_spsr(scene->flat->cpu, mode) & THUMB_BIT) != 0;
}

static void name_fault(const struct arm968_fault *fault, char *what)
{
    static const char *const WHAT[] = {"no fault", "an undefined instruction", "a jump to nowhere",
                                       "a BKPT instruction"};
    if (fault->kind != ARM968_FAULT_DATA) {
        (void)snprintf(what, WHAT_CHARS, "%s", WHAT[fault->kind]);
        return;
    }
    (void)snprintf(what, WHAT_CHARS, "a %s%s of %u bytes at 0x%08x%s",
                   fault->misaligned ? "misaligned " : "",
                   arm968_access_name((enum arm968_access_kind)fault->access), fault->bytes,
                   fault->address, fault->misaligned ? "" : ", where nothing is,");
}

/* The program and the message, with where it was. */
static void tell(const struct elf_scene *scene, const char *what, const char *place,
                 const char *why, struct diagnostic *diagnostic)
{
    (void)diagnose(diagnostic, STATUS_GUEST, "%s at %s%s", what, place, why);
    diagnostic_at(diagnostic, scene->image->path, 0, 0);
}

/* Describes an SVC without a handler. */
static void tell_svc(const struct elf_scene *scene, const char *why, struct diagnostic *diagnostic)
{
    char place[ELF_PLACE_CHARS];
    const bool thumb = was_thumb(scene, ARM968_SUPERVISOR);
    const uint32_t behind =
        arm968_banked_register(scene->flat->cpu, ARM968_SUPERVISOR, LINK_REGISTER);
    elf_place(scene, behind - (thumb ? THUMB_BYTES : ARM_BYTES), thumb, place);
    tell(scene, "an unhandled SVC", place, why, diagnostic);
    elf_fault_hint(scene, mode_before(scene, ARM968_SUPERVISOR), diagnostic);
}

/* Adds ", lr 0x00008014 (main+0x14)", a hint at the caller. */
static void add_link(const struct elf_scene *scene, enum arm968_mode mode, char *place)
{
    char caller[ELF_PLACE_CHARS / 2];
    const uint32_t link = arm968_banked_register(scene->flat->cpu, mode, LINK_REGISTER);
    const size_t used = strlen(place);
    name_place(scene, link, caller, sizeof caller);
    (void)snprintf(place + used, ELF_PLACE_CHARS - used, ", lr 0x%08x (%s)", link, caller);
}

/* Describes a jump to an empty vector, without an exception. */
static void tell_vector(const struct elf_scene *scene, const char *why,
                        struct diagnostic *diagnostic)
{
    char place[ELF_PLACE_CHARS];
    const enum arm968_mode mode = (enum arm968_mode)(arm968_cpsr(scene->flat->cpu) & MODE_BITS);
    elf_place_now(scene, place);
    add_link(scene, mode, place);
    tell(scene, "a jump into the vectors (a null pointer to a function?)", place, why, diagnostic);
    elf_fault_hint(scene, mode, diagnostic);
}

static void tell_fault(const struct elf_scene *scene, const char *why,
                       struct diagnostic *diagnostic)
{
    const struct arm968_fault fault = arm968_fault(scene->flat->cpu);
    const enum arm968_mode taken =
        fault.kind == ARM968_FAULT_UNDEFINED ? ARM968_UNDEFINED : ARM968_ABORT;
    const enum arm968_mode mode = mode_before(scene, taken);
    char what[WHAT_CHARS];
    char place[ELF_PLACE_CHARS];
    name_fault(&fault, what);
    elf_place(scene, fault.pc, was_thumb(scene, taken), place);
    if (fault.kind == ARM968_FAULT_PREFETCH) {
        add_link(scene, mode, place);
    }
    tell(scene, what, place, why, diagnostic);
    elf_fault_hint(scene, mode, diagnostic);
}

static bool is_svc_vector(uint32_t address)
{
    static const uint32_t HIGH_VECTORS = 0xffff0000;
    return address == SVC_VECTOR || address == HIGH_VECTORS + SVC_VECTOR;
}

enum crash_entry elf_fault_entry(const struct elf_scene *scene, enum arm968_stop stop)
{
    const struct arm968 *cpu = scene->flat->cpu;
    const struct arm968_fault fault = arm968_fault(cpu);
    const bool svc = arm968_counters(cpu)->software_interrupts > scene->software_interrupts;
    if (svc && (stop == ARM968_STOP_BREAKPOINT
                    ? is_svc_vector(arm968_register(cpu, 15))
                    : fault.kind == ARM968_FAULT_PREFETCH && is_svc_vector(fault.pc))) {
        return CRASH_ENTRY_SVC;
    }
    return stop == ARM968_STOP_BREAKPOINT ? CRASH_ENTRY_NONE : CRASH_ENTRY_FAULT;
}

enum status elf_fault_tell(const struct elf_scene *scene, enum arm968_stop stop, const char *why,
                           struct diagnostic *diagnostic)
{
    switch (elf_fault_entry(scene, stop)) {
    case CRASH_ENTRY_SVC:
        tell_svc(scene, why, diagnostic);
        break;
    case CRASH_ENTRY_NONE:
        tell_vector(scene, why, diagnostic);
        break;
    case CRASH_ENTRY_FAULT:
        tell_fault(scene, why, diagnostic);
        break;
    }
    return STATUS_GUEST;
}
