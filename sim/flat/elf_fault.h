/* elf_fault.h - describes guest faults under `spinnsim elf` in messages: cause and place. */
#pragma once
#include "sim/crash/crash_core.h"
#include "sim/flat/flat_core.h"
#include "sim/load/elf_image.h"

struct elf_scene {
    const struct elf_image *image;
    const struct flat_core *flat;
    uint64_t software_interrupts; /* count taken before the core reached its current instruction */
    uint32_t stack_limit;         /* as reported to the program; 0: it has not asked */
    bool chip_wanted;             /* the program has accessed an address that only a chip has ... */
    uint32_t chip_address;        /* ... and this was the first such address */
};

/* Writes the place of an instruction: "pc 0x00008010 (main+0x10: ldr r0, [r1])". */
enum { ELF_PLACE_CHARS = 256 };
void elf_place(const struct elf_scene *scene, uint32_t pc, bool thumb, char *text);

/* The same for the core's current instruction. */
void elf_place_now(const struct elf_scene *scene, char *text);

/* Call this at each fault: records the first access to an address that only a chip has. */
void elf_fault_note(struct elf_scene *scene);

/* Describes why the core has stopped (a fault, or the breakpoint of an empty vector) and `why` that
 * ends the program.  Returns STATUS_GUEST. */
enum status elf_fault_tell(const struct elf_scene *scene, enum arm968_stop stop, const char *why,
                           struct diagnostic *diagnostic);

/* Which exception the core has just taken, at such a stop. */
enum crash_entry elf_fault_entry(const struct elf_scene *scene, enum arm968_stop stop);

/* Adds a hint to the message about a program's end, if one applies: a stack overflow in the given
 * mode, or a program that needs a chip. */
void elf_fault_hint(const struct elf_scene *scene, enum arm968_mode mode,
                    struct diagnostic *diagnostic);
