/* elf_fault.h - what a program under `spinnsim elf` has done wrong, and where, in words. */
#pragma once
#include "sim/flat/flat_core.h"
#include "sim/load/elf_image.h"

struct elf_scene {
    const struct elf_image *image;
    const struct flat_core *flat;
    uint64_t software_interrupts; /* taken before the core arrived where it is now */
    uint32_t stack_limit;         /* as the program has been told; 0: it has not asked */
    bool chip_wanted;             /* the program has accessed what only a chip has ... */
    uint32_t chip_address;        /* ... at first here */
};

/* "pc 0x00008010 (main+0x10: ldr r0, [r1])". */
enum { ELF_PLACE_CHARS = 256 };
void elf_place(const struct elf_scene *scene, uint32_t pc, bool thumb, char *text);

/* The same of the instruction that the core is at. */
void elf_place_now(const struct elf_scene *scene, char *text);

/* To be told of each fault: remembers the first access to what only a chip has. */
void elf_fault_note(struct elf_scene *scene);

/* Describes why the core has stopped, by a fault or at the breakpoint of an empty vector, and `why`
 * that ends the program.  Returns STATUS_GUEST. */
enum status elf_fault_tell(const struct elf_scene *scene, enum arm968_stop stop, const char *why,
                           struct diagnostic *diagnostic);

/* Adds to a message why a program was ended what is known of its stack, that of a mode, or that the
 * program is one for a chip; nothing where neither has to do with it. */
void elf_fault_hint(const struct elf_scene *scene, enum arm968_mode mode,
                    struct diagnostic *diagnostic);
