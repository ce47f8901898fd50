/* memory_check.h - reports accesses to memory that a program should not make (`check.memory`).
 *
 * It is told of all accesses of a machine (machine_observer.access) and knows, of each byte,
 * whether it has been written, and which block it belongs to: blocks are those of the load plan and
 * those that programs allocate, seen by the calls of the functions of allocators.def.  It changes
 * nothing that a guest could see.  kinds.def lists what it reports; docs/memory_check.md says what
 * it cannot see.
 *
 * Functions that say so may be called from several threads, for each chip from one at a time. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/machine/machine.h"
#include "sim/load/elf_image.h"
C_LINKAGE_BEGIN

enum memory_check_kind {
#define KIND(NAME, text, meaning) MEMORY_CHECK_##NAME,
#include "sim/memory_check/kinds.def"
#undef KIND
    MEMORY_CHECK_KINDS
};
const char *memory_check_kind_text(enum memory_check_kind kind);
const char *memory_check_kind_meaning(enum memory_check_kind kind);

struct memory_check;

/* For a machine that has been created and not yet written to; it must outlive the check.  NULL: out
 * of memory. */
struct memory_check *memory_check_create(struct machine *machine,
                                         const struct machine_parameters *parameters);
void memory_check_destroy(struct memory_check *check); /* NULL: nothing */

/* ---- set-up: from the owner's thread ---- */

/* A block of SDRAM that the host has laid out on a chip.  Programs write no byte of
 * [memory_check_plan) that is in no block. */
enum { MEMORY_CHECK_OF_ALL = -1, MEMORY_CHECK_OF_HOST = -2 /* no core writes it */ };
struct memory_check_block {
    struct machine_core core; /* of the chip, as which the address is seen */
    uint32_t address, bytes;
    int32_t owner;    /* physical number of the only core that writes it; or a value below */
    bool zeros;       /* counts as written: programs may take what is there as 0 */
    const char *name; /* must outlive the check */
};
void memory_check_block(struct memory_check *check, const struct memory_check_block *block);

/* A program has been loaded into a core; the image must outlive the check.  Services (programs of
 * monitor processors) own nothing and may write to what others own.  STATUS_INTERNAL: out of
 * memory. */
enum status memory_check_program(struct memory_check *check, struct machine_core core,
                                 const struct elf_image *image, bool service);

/* Everything has been loaded: reads where the chips' heaps are, and what is in use there. */
void memory_check_begin(struct memory_check *check);

/* ---- during the run: for each chip from one thread at a time ---- */

void memory_check_access(struct memory_check *check, const struct machine_access *access);

/* A core is at a mark, which may be one that this check has set. */
void memory_check_mark(struct memory_check *check, struct machine_core core, uint32_t address);

/* ---- results ---- */

/* An instruction; core -1: none. */
struct memory_check_site {
    uint32_t pc;
    int32_t core; /* of the same chip, whose program has it */
};

/* What is reported once, however often it has happened at the same instruction to the same block.
 */
struct memory_check_report {
    uint64_t time_ps; /* of the first time */
    uint64_t times;
    struct machine_core core;
    enum memory_check_kind kind;
    uint32_t pc;             /* of the instruction; of a free: of the call */
    const char *access;      /* "read", "write", "swap", "DMA read", "DMA write", "free" */
    const char *memory;      /* "ITCM", "DTCM", "SDRAM", "System RAM", "none" */
    uint32_t address, bytes; /* of the first access, as the core names it */
    bool has_block;          /* the rest is about a block: of the access, or the one before it */
    const char *block;       /* its name in the load plan; "heap" */
    int32_t owner;           /* as of struct memory_check_block */
    uint32_t block_address, block_bytes;
    struct memory_check_site allocated, freed; /* calls */
};

/* Calls `each` for all reports, in the order of time, then of cores (x, y, p). STATUS_INTERNAL: out
 * of memory. */
enum { MEMORY_CHECK_REPORTS = 32 /* of a core at most; then one that says how many more */ };
enum status memory_check_reports(const struct memory_check *check,
                                 void (*each)(void *context,
                                              const struct memory_check_report *report),
                                 void *context);

/* The image of a site's program, to find its line; NULL: none. */
const struct elf_image *memory_check_image(const struct memory_check *check,
                                           struct machine_core core);

C_LINKAGE_END
