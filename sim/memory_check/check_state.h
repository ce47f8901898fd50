/* check_state.h - what the memory check knows of a machine.  Private to sim/memory_check. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/memory_check/blocks.h"
#include "sim/memory_check/memory_check.h"
#include "sim/memory_check/shadow.h"
C_LINKAGE_BEGIN

/* Parts of a memory with rules of their own; a byte in none belongs to nobody, and all may write
 * there. */
enum check_rule {
    CHECK_CODE,  /* nobody writes */
    CHECK_BLOCKS /* programs write to blocks only */
};
struct check_area {
    uint32_t first, end;
    enum check_rule rule;
};

enum { CHECK_AREAS = 8 };
struct check_memory {
    struct shadow shadow; /* without pages: not followed */
    struct memory_blocks blocks;
    struct check_area area[CHECK_AREAS];
    unsigned areas;
};

/* A call of an allocator's function that has not returned. */
struct check_call {
    uint32_t returns, sp; /* where to, and r13 then */
    uint32_t site;        /* the call */
    bool allocates;
    uint32_t bytes, block; /* to allocate; to give back: its address */
    uint32_t heap;         /* address; 0: not known */
    bool shared;           /* by a tag, by which other cores find the block */
};

/* A transfer that the program has asked its runtime for. */
struct check_transfer {
    uint32_t site; /* of the call */
    uint32_t system_address, tcm_address, bytes;
};

enum {
    CHECK_CALLS = 8,
    CHECK_RETURNS = 256,
    CHECK_EXEMPT = 8,
    CHECK_FUNCTIONS = 8,
    CHECK_TRANSFERS = 32 /* the last ones: more than the runtime keeps waiting */
};

struct check_report {
    struct memory_check_report report;
    uint32_t last; /* address of the last access that counts to it */
};

struct check_core {
    const struct elf_image *image; /* NULL: no program */
    bool service;
    bool knows;                 /* where its stacks end: the runtime says so */
    uint32_t stack_end;         /* lowest offset of its stacks in DTCM, if it knows */
    uint32_t stack_sp;          /* the last r13 in the stacks, as an offset in DTCM */
    bool overflows;             /* and it is below them now */
    struct check_memory tcm[2]; /* MACHINE_MEMORY_ITCM, _DTCM */
    struct {
        uint32_t first, end;
    } exempt[CHECK_EXEMPT]; /* code that makes heaps */
    unsigned exempts;
    struct {
        uint32_t address;
        const struct check_allocator *is;
    } function[CHECK_FUNCTIONS];
    unsigned functions;
    uint32_t returns[CHECK_RETURNS]; /* addresses that have been marked */
    unsigned return_count;
    struct check_call call[CHECK_CALLS];
    unsigned calls;
    struct check_transfer told[CHECK_TRANSFERS];
    unsigned tolds;
    struct check_report *report; /* MEMORY_CHECK_REPORTS; NULL: none yet */
    unsigned reports;
    uint64_t more; /* accesses that would have been further reports */
    uint64_t more_ps;
};

struct check_chip {
    struct machine_chip at;
    struct check_memory sdram, system_ram;
    struct check_core core[TOPOLOGY_CORES];
};

struct memory_check {
    struct machine *machine;
    const struct machine_parameters *parameters;
    struct check_chip *chip;
    unsigned chips;
};

/* ---- places.c ---- */

struct check_chip *check_chip_of(const struct memory_check *check, struct machine_core core);
static inline struct check_core *check_core_of(struct check_chip *chip, struct machine_core core)
{
    return &chip->core[core.p];
}
/* NULL: no memory. */
struct check_memory *check_memory_of(struct check_chip *chip, struct machine_core core,
                                     enum machine_memory memory);
void check_add_area(struct check_memory *memory, uint32_t first, uint32_t end,
                    enum check_rule rule);
/* The area that has an offset; NULL: none. */
const struct check_area *check_area_at(const struct check_memory *memory, uint32_t offset);

/* A word of a core's memory; 0: there is no memory. */
uint32_t check_word(const struct memory_check *check, struct machine_core core, uint32_t address);

/* ---- allocators.c: the functions of a program that manage heaps ---- */

enum status check_find_allocators(const struct memory_check *check, struct machine_core core,
                                  struct check_core *of);

/* ---- heaps.c ---- */

/* Follows a heap in a core's memory from now on: what is in use there belongs to all. */
void check_add_heap(const struct memory_check *check, struct machine_core core, uint32_t address);

/* ---- reports.c ---- */

/* What is wrong with an access. */
struct check_fault {
    enum memory_check_kind kind;
    const struct machine_access *access; /* time, core, kind, pc */
    struct machine_range range;          /* the part at fault */
    uint32_t bytes;
    const struct memory_block *block; /* NULL: none */
    const char *how;                  /* NULL: by the access's kind */
};
void check_note(struct check_core *core, const struct check_fault *fault);

C_LINKAGE_END
