/* machine_load.c - see machine_load.h. */
#include "sim/load/machine_load.h"

#include "models/common/units.h"
#include "sim/file.h"
#include "sim/load/router_boot.h"
#include "sim/load/sark_layout.h"
#include "sim/load/sark_program.h"
#include "sim/steps.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST_CHAIN = 4096, UNMAPPED = 0xff };

/* ---- words in guest memory ---- */

/* A chip's memory as seen by one of its cores. */
struct view {
    struct machine *machine;
    struct machine_core core;
};

static void put(struct view view, uint32_t address, uint64_t value, uint32_t bytes)
{
    (void)machine_write(view.machine, view.core, address, &value, bytes);
}

static uint32_t get(const struct machine *machine, struct machine_core core, uint32_t address,
                    uint32_t bytes)
{
    uint32_t value = 0;
    (void)machine_read(machine, core, address, &value, bytes);
    return value;
}

/* Writes an empty heap from `first` to `end`: one free block, and the end block without space. */
static void put_heap(struct view view, uint32_t first, uint32_t end)
{
    const uint32_t block = first + HEAP_BUFFER;
    const uint32_t last = (end & ~7u) - HEAP_BLOCK_BYTES;
    put(view, first + HEAP_FREE, block, 4);
    put(view, first + HEAP_FIRST, block, 4);
    put(view, first + HEAP_LAST, last, 4);
    put(view, block, last, 4);
    put(view, block + 4, last, 4);
    put(view, last, 0, 4);
    put(view, last + 4, 0, 4);
}

/* ---- boot ---- */

uint32_t machine_virtual_core(const struct machine *machine, struct machine_core core)
{
    uint32_t number = 0;
    for (struct machine_core at = {core.x, core.y, 0}; at.p < core.p; at.p++) {
        number += machine_has_core(machine, at);
    }
    return number;
}

static void put_core_maps(struct view view)
{
    for (unsigned i = 0; i < SARK_CORES; i++) {
        put(view, SARK_SV_BASE + SV_P2V_MAP + i, UNMAPPED, 1);
        put(view, SARK_SV_BASE + SV_V2P_MAP + i, UNMAPPED, 1);
    }
    uint32_t v = 0;
    for (struct machine_core at = {view.core.x, view.core.y, 0}; at.p < SARK_CORES; at.p++) {
        if (machine_has_core(view.machine, at)) {
            put(view, SARK_SV_BASE + SV_P2V_MAP + at.p, v, 1);
            put(view, SARK_SV_BASE + SV_V2P_MAP + v, at.p, 1);
            put(view, SARK_VCPU_BASE + v * SARK_VCPU_BYTES + VCPU_PHYS_CPU, at.p, 1);
            v++;
        }
    }
    put(view, SARK_SV_BASE + SV_NUM_CPUS, v, 1);
}

/* Width and height of the machine in the format of a point-to-point address: 1 and 1 for a single
 * chip. */
static uint32_t dimensions(const struct machine *machine)
{
    uint32_t width = 0;
    uint32_t height = 0;
    for (unsigned i = 0; i < machine_chip_count(machine); i++) {
        const struct machine_chip chip = machine_chip_at(machine, i);
        width = chip.x + 1u > width ? chip.x + 1u : width;
        height = chip.y + 1u > height ? chip.y + 1u : height;
    }
    return (width & 0xff) << 8 | (height & 0xff);
}

/* Writes the state of the network: all links that lead to a chip are good, all chips are reached.
 */
static void put_network(struct view view, const struct topology_chip *chip)
{
    uint32_t links = 0;
    for (unsigned link = 0; link < TOPOLOGY_LINKS; link++) {
        links |= chip->neighbour[link] != TOPOLOGY_NO_CHIP ? 1u << link : 0;
    }
    put(view, SARK_SV_BASE + SV_P2P_UP, 1, 1);
    put(view, SARK_SV_BASE + SV_ETH_ADDR, (uint32_t)chip->ethernet_x << 8 | chip->ethernet_y, 2);
    put(view, SARK_SV_BASE + SV_NETINIT_PHASE, NETINIT_DONE, 1);
    put(view, SARK_SV_BASE + SV_LINK_EN, links, 1);
    put(view, SARK_SV_BASE + SV_P2P_ACTIVE, machine_chip_count(view.machine), 2);
}

static void boot_chip(struct view view, const struct machine_parameters *parameters,
                      uint32_t user_heap, uint32_t chip_dimensions)
{
    const uint32_t sdram_end = SARK_SDRAM_BASE + (uint32_t)parameters->sdram_bytes;
    const uint32_t system_heap = sdram_end - SARK_SYSTEM_HEAP_BYTES;
    put(view, SARK_SV_BASE + SV_P2P_ADDR, (uint32_t)view.core.x << 8 | view.core.y, 2);
    put(view, SARK_SV_BASE + SV_P2P_DIMS, chip_dimensions, 2);
    put(view, SARK_SV_BASE + SV_CLK_DIV,
        parameters->clock_system_divider << 4 | parameters->clock_router_divider, 1);
    put(view, SARK_SV_BASE + SV_CPU_CLK, parameters->clock_cpu_hz / HZ_PER_MHZ, 2);
    put(view, SARK_SV_BASE + SV_MEM_CLK, parameters->clock_sdram_hz / HZ_PER_MHZ, 2);
    put(view, SARK_SV_BASE + SV_SYSRAM_HEAP, SARK_SYSRAM_HEAP, 4);
    put(view, SARK_SV_BASE + SV_SDRAM_HEAP, user_heap, 4);
    put(view, SARK_SV_BASE + SV_IOBUF_SIZE, IOBUF_SIZE, 4);
    put(view, SARK_SV_BASE + SV_SDRAM_BASE, SARK_SDRAM_BASE, 4);
    put(view, SARK_SV_BASE + SV_SYSRAM_BASE, SARK_SYSRAM_HEAP & ~0xfffu, 4);
    put(view, SARK_SV_BASE + SV_VCPU_BASE, SARK_VCPU_BASE, 4);
    put(view, SARK_SV_BASE + SV_SYS_HEAP, system_heap, 4);
    put_core_maps(view);
    put_heap(view, SARK_SYSRAM_HEAP, SARK_SYSRAM_HEAP_END);
    put_heap(view, user_heap, system_heap);
    put_heap(view, system_heap, sdram_end);
}

/* The first working core of a chip, which is its monitor; false if no core works. */
static bool first_core(const struct machine *machine, struct machine_core *core)
{
    for (core->p = 0; core->p < SARK_CORES; core->p++) {
        if (machine_has_core(machine, *core)) {
            return true;
        }
    }
    return false;
}

enum status machine_boot_direct(struct machine *machine,
                                const struct machine_parameters *parameters, uint32_t heap_start,
                                struct diagnostic *diagnostic)
{
    const uint32_t sdram_end = SARK_SDRAM_BASE + (uint32_t)parameters->sdram_bytes;
    const uint32_t system_heap = sdram_end - SARK_SYSTEM_HEAP_BYTES;
    const uint32_t user_heap = heap_start > SARK_SDRAM_HEAP ? heap_start : SARK_SDRAM_HEAP;
    if (parameters->sdram_bytes < 2ull * SARK_SYSTEM_HEAP_BYTES ||
        user_heap > system_heap - BYTES_PER_KIB) {
        (void)diagnose(diagnostic, STATUS_CONFIGURATION,
                       "the SDRAM is too small for the program's data and the system's heap");
        diagnostic_key(diagnostic, "sdram.size");
        return STATUS_CONFIGURATION;
    }
    const uint32_t size = dimensions(machine);
    for (unsigned i = 0; i < machine_chip_count(machine); i++) {
        const struct machine_chip chip = machine_chip_at(machine, i);
        struct view view = {machine, {chip.x, chip.y, 0}};
        if (first_core(machine, &view.core)) { /* else no program runs there */
            boot_chip(view, parameters, user_heap, size);
            put_network(view, &machine_topology(machine)->chip[i]);
        }
    }
    return router_boot(machine, parameters) == STATUS_OK ? STATUS_OK : no_memory(diagnostic);
}

/* ---- programs ---- */

static uint32_t block_of(const struct machine *machine, struct machine_core core)
{
    const uint32_t v = get(machine, core, SARK_SV_BASE + SV_P2V_MAP + core.p, 1);
    return SARK_VCPU_BASE + v * SARK_VCPU_BYTES;
}

/* Address of DTCM (SpiNNaker datasheet v2.02, 3.2). */
static const uint32_t DTCM_FIRST = 0x00400000u;

uint32_t machine_stack_end(const struct machine_parameters *parameters,
                           const struct elf_image *program)
{
    const uint64_t dtcm_bytes = parameters->chip_dtcm_bytes;
    if (sark_program_is(program)) { /* it fills its stacks, and looks itself */
        return 0;
    }
    const struct elf_symbol *stack_bytes = elf_image_find(program, "sark_stack_bytes");
    if (stack_bytes != NULL && stack_bytes->address <= dtcm_bytes) {
        return (uint32_t)(DTCM_FIRST + dtcm_bytes - stack_bytes->address);
    }
    uint32_t end = DTCM_FIRST;
    for (size_t i = 0; i < program->segment_count; i++) {
        const struct elf_segment *segment = &program->segment[i];
        const uint32_t last = segment->address + segment->memory_bytes;
        end = segment->address >= DTCM_FIRST && last > end ? last : end;
    }
    return end;
}

static enum status check_segment(const struct machine_parameters *parameters,
                                 const struct elf_image *program, const struct elf_segment *segment,
                                 struct diagnostic *diagnostic)
{
    static const char HINT[] =
        "link it with workloads/runtime/link/app.ld, or enlarge chip.itcm and chip.dtcm";
    const uint64_t end = (uint64_t)segment->address + segment->memory_bytes;
    const uint64_t itcm_end = parameters->chip_itcm_bytes;
    const uint64_t dtcm_end = DTCM_FIRST + parameters->chip_dtcm_bytes;
    const bool in_itcm = end <= itcm_end;
    const bool in_dtcm = segment->address >= DTCM_FIRST && end <= dtcm_end;
    if (in_itcm || in_dtcm) {
        return STATUS_OK;
    }
    if (segment->address < itcm_end) {
        return file_refuse(program->path, HINT, diagnostic,
                           "the program does not fit: its code ends at 0x%llx, ITCM has %llu bytes",
                           (unsigned long long)end, (unsigned long long)itcm_end);
    }
    if (segment->address >= DTCM_FIRST && segment->address < dtcm_end) {
        return file_refuse(program->path, HINT, diagnostic,
                           "the program does not fit: its data end at 0x%llx, DTCM at 0x%llx",
                           (unsigned long long)end, (unsigned long long)dtcm_end);
    }
    return file_refuse(program->path, HINT, diagnostic,
                       "the segment at 0x%08x lies neither in ITCM nor in DTCM", segment->address);
}

enum status machine_check_program(const struct machine_parameters *parameters,
                                  const struct elf_image *program, struct diagnostic *diagnostic)
{
    for (size_t i = 0; i < program->segment_count; i++) {
        TRY(check_segment(parameters, program, &program->segment[i], diagnostic));
    }
    return STATUS_OK;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

enum status machine_load_program(struct machine *machine, struct machine_core core,
                                 const struct elf_image *program,
                                 const struct program_options *options,
                                 struct diagnostic *diagnostic)
{
    for (size_t i = 0; i < program->segment_count; i++) {
        const struct elf_segment *segment = &program->segment[i];
        uint8_t *bytes = calloc(1, segment->memory_bytes);
        if (bytes == NULL) {
            return no_memory(diagnostic);
        }
        memcpy(bytes, segment->bytes, segment->file_bytes);
        for (uint32_t at = segment->file_bytes;
             segment->fill != 0 && at + sizeof segment->fill <= segment->memory_bytes;
             at += sizeof segment->fill) {
            memcpy(bytes + at, &segment->fill, sizeof segment->fill);
        }
        const enum status status =
            machine_write(machine, core, segment->address, bytes, segment->memory_bytes);
        free(bytes);
        if (status != STATUS_OK) {
            return diagnose(diagnostic, status, "%s: a segment does not fit", program->path);
        }
    }
    const uint32_t block = block_of(machine, core);
    char name[VCPU_APP_NAME_BYTES] = {0};
    (void)snprintf(name, sizeof name, "%s", base_name(program->path));
    (void)machine_write(machine, core, block + VCPU_APP_NAME, name, sizeof name);
    const struct view view = {machine, core};
    put(view, block + VCPU_APP_ID, options->app_id, 1);
    put(view, block + VCPU_CPU_STATE, CPU_STATE_WAIT, 1);
    put(view, block + VCPU_USER0, options->user0, 4);
    return STATUS_OK;
}

enum status machine_start_program(struct machine *machine, struct machine_core core,
                                  const struct elf_image *program, uint8_t app_id)
{
    return machine_start_core(machine, core, program->entry, app_id);
}

uint32_t machine_call_before(uint32_t return_address)
{
    static const uint32_t CALL_BYTES = 4; /* BL, in both states */
    return (return_address & ~1u) - CALL_BYTES;
}

struct program_state machine_program_state(const struct machine *machine, struct machine_core core)
{
    const uint32_t block = block_of(machine, core);
    const uint8_t rt_code = (uint8_t)get(machine, core, block + VCPU_RT_CODE, 1);
    const uint32_t lr = get(machine, core, block + VCPU_LR, 4);
    const bool fault = rt_code >= RTE_UNDEF && rt_code <= RTE_DABT;
    return (struct program_state){
        .cpu_state = (uint8_t)get(machine, core, block + VCPU_CPU_STATE, 1),
        .rt_code = rt_code,
        .app_id = (uint8_t)get(machine, core, block + VCPU_APP_ID, 1),
        .error_pc = fault ? lr : machine_call_before(lr),
        .user1 = get(machine, core, block + VCPU_USER1, 4),
    };
}

/* ---- console ---- */

void machine_print_console(const struct machine *machine, struct machine_core core, FILE *out)
{
    uint32_t buffer = get(machine, core, block_of(machine, core) + VCPU_IOBUF, 4);
    bool at_start = true;
    /* guest data: a cyclic chain must not make this loop endless */
    for (unsigned links = 0; buffer != 0 && links < LONGEST_CHAIN; links++) {
        uint32_t used = get(machine, core, buffer + IOBUF_USED, 4);
        used = used > IOBUF_SIZE ? IOBUF_SIZE : used;
        for (uint32_t i = 0; i < used; i++) {
            const int c = (int)get(machine, core, buffer + IOBUF_TEXT + i, 1);
            if (at_start) {
                (void)fprintf(out, "%u,%u,%u ", core.x, core.y, core.p);
            }
            (void)fputc(c, out);
            at_start = c == '\n';
        }
        buffer = get(machine, core, buffer + IOBUF_NEXT, 4);
    }
    if (!at_start) {
        (void)fputc('\n', out);
    }
}
