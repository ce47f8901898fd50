/* memory_check.c - what is checked: memories, blocks and programs.  See memory_check.h. */
#include "sim/memory_check/check_state.h"

#include "models/common/units.h"
#include "sim/load/machine_load.h"
#include "sim/load/sark_layout.h"
#include "sim/load/sark_program.h"

#include <stdlib.h>

/* Address of DTCM (SpiNNaker datasheet v2.02, 3.2). */
static const uint32_t DTCM_FIRST = 0x00400000;

/* ---- life cycle ---- */

const struct elf_image *memory_check_image(const struct memory_check *check,
                                           struct machine_core core)
{
    const struct check_chip *chip = check_chip_of(check, core);
    return chip == NULL || core.p >= TOPOLOGY_CORES ? NULL : chip->core[core.p].image;
}

struct memory_check *memory_check_create(struct machine *machine,
                                         const struct machine_parameters *parameters)
{
    struct memory_check *check = calloc(1, sizeof *check);
    if (check == NULL) {
        return NULL;
    }
    check->machine = machine;
    check->parameters = parameters;
    check->chips = machine_chip_count(machine);
    check->chip = calloc(check->chips, sizeof *check->chip);
    if (check->chip == NULL) {
        free(check);
        return NULL;
    }
    for (unsigned i = 0; i < check->chips; i++) {
        struct check_chip *chip = &check->chip[i];
        chip->at = machine_chip_at(machine, i);
        shadow_init(&chip->sdram.shadow, (uint32_t)parameters->sdram_bytes);
        shadow_init(&chip->system_ram.shadow, (uint32_t)parameters->chip_system_ram_bytes);
    }
    return check;
}

static void drop_memory(struct check_memory *memory)
{
    shadow_deinit(&memory->shadow);
    memory_blocks_deinit(&memory->blocks);
}

void memory_check_destroy(struct memory_check *check)
{
    for (unsigned i = 0; check != NULL && i < check->chips; i++) {
        struct check_chip *chip = &check->chip[i];
        drop_memory(&chip->sdram);
        drop_memory(&chip->system_ram);
        for (unsigned p = 0; p < TOPOLOGY_CORES; p++) {
            drop_memory(&chip->core[p].tcm[MACHINE_MEMORY_ITCM]);
            drop_memory(&chip->core[p].tcm[MACHINE_MEMORY_DTCM]);
            free(chip->core[p].report);
        }
    }
    if (check != NULL) {
        free(check->chip);
        free(check);
    }
}

/* ---- the load plan ---- */

void memory_check_block(struct memory_check *check, const struct memory_check_block *block)
{
    struct check_chip *chip = check_chip_of(check, block->core);
    const struct machine_range range =
        machine_find_memory(check->machine, block->core, block->address);
    struct check_memory *memory =
        chip == NULL || block->bytes == 0
            ? NULL
            : check_memory_of(chip, block->core, (enum machine_memory)range.memory);
    if (memory == NULL) {
        return;
    }
    const struct memory_block added = {.first = range.offset,
                                       .bytes = block->bytes,
                                       .owner = block->owner,
                                       .name = block->name,
                                       .allocated = {.core = -1},
                                       .given_back = {.core = -1}};
    (void)memory_blocks_add(&memory->blocks, &added);
    if (block->zeros) {
        shadow_set(&memory->shadow, range.offset, block->bytes, true);
    }
}

/* ---- programs ---- */

/* Segments are loaded before the program is told of. */
static void learn_segments(struct check_core *core)
{
    const struct elf_image *image = core->image;
    struct check_memory *dtcm = &core->tcm[MACHINE_MEMORY_DTCM];
    uint32_t data_end = 0;
    for (size_t i = 0; i < image->segment_count; i++) {
        const struct elf_segment *segment = &image->segment[i];
        const bool data = segment->address >= DTCM_FIRST;
        const uint32_t first = data ? segment->address - DTCM_FIRST : segment->address;
        struct check_memory *tcm = &core->tcm[data ? MACHINE_MEMORY_DTCM : MACHINE_MEMORY_ITCM];
        shadow_set(&tcm->shadow, first, segment->memory_bytes, true);
        if (data) {
            const uint32_t end = first + segment->memory_bytes;
            data_end = end > data_end ? end : data_end;
        } else if (core->knows) {
            check_add_area(tcm, first, first + segment->memory_bytes, CHECK_CODE);
        }
    }
    if (core->knows) {
        check_add_area(dtcm, data_end, core->stack_end, CHECK_BLOCKS);
    }
}

enum status memory_check_program(struct memory_check *check, struct machine_core at,
                                 const struct elf_image *image, bool service)
{
    struct check_chip *chip = check_chip_of(check, at);
    struct check_core *core = &chip->core[at.p];
    const struct machine_parameters *parameters = check->parameters;
    core->image = image;
    core->service = service;
    core->knows = !sark_program_is(image) && elf_image_find(image, "sark_stack_bytes") != NULL;
    core->stack_end = core->knows ? machine_stack_end(parameters, image) - DTCM_FIRST : 0;
    core->stack_sp = (uint32_t)parameters->chip_dtcm_bytes;
    shadow_init(&core->tcm[MACHINE_MEMORY_ITCM].shadow, (uint32_t)parameters->chip_itcm_bytes);
    shadow_init(&core->tcm[MACHINE_MEMORY_DTCM].shadow, (uint32_t)parameters->chip_dtcm_bytes);
    learn_segments(core);
    return check_find_allocators(check, at, core);
}

/* ---- the state in which the system's software leaves a chip ---- */

/* The system's software has written all of System RAM but what its heap has free. */
static void begin_chip(const struct memory_check *check, struct check_chip *chip,
                       struct machine_core core)
{
    static const uint32_t HEAPS[] = {SV_SYSRAM_HEAP, SV_SDRAM_HEAP, SV_SYS_HEAP};
    const uint32_t ram = (uint32_t)check->parameters->chip_system_ram_bytes;
    const uint32_t heap_first = SARK_SYSRAM_HEAP % ram;
    const uint32_t heap_end = SARK_SYSRAM_HEAP_END % ram;
    shadow_set(&chip->system_ram.shadow, 0, heap_first, true);
    shadow_set(&chip->system_ram.shadow, heap_end, ram - heap_end, true);
    const uint32_t plan_end = check_word(check, core, SARK_SV_BASE + SV_SDRAM_HEAP);
    check_add_area(&chip->sdram, SARK_SDRAM_HEAP - SARK_SDRAM_BASE, plan_end - SARK_SDRAM_BASE,
                   CHECK_BLOCKS);
    for (size_t i = 0; i < sizeof HEAPS / sizeof *HEAPS; i++) {
        check_add_heap(check, core, check_word(check, core, SARK_SV_BASE + HEAPS[i]));
    }
}

void memory_check_begin(struct memory_check *check)
{
    for (unsigned i = 0; i < check->chips; i++) {
        struct check_chip *chip = &check->chip[i];
        struct machine_core core = {chip->at.x, chip->at.y, 0};
        while (core.p < TOPOLOGY_CORES && !machine_has_core(check->machine, core)) {
            core.p++;
        }
        if (core.p < TOPOLOGY_CORES) {
            begin_chip(check, chip, core);
        }
    }
}
