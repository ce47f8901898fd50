/* machine_load.c - see machine_load.h. */
#include "sim/load/machine_load.h"

#include "models/common/units.h"
#include "sim/load/sark_layout.h"

#include <stdlib.h>
#include <string.h>

enum { MONITOR = 0, LONGEST_CHAIN = 4096 };

static const struct machine_core ORIGIN = {0, 0, MONITOR};

/* ---- words in guest memory ---- */

static void put(struct machine *machine, uint32_t address, uint64_t value, uint32_t bytes)
{
    (void)machine_write(machine, ORIGIN, address, &value, bytes);
}

static uint32_t get(const struct machine *machine, struct machine_core core, uint32_t address,
                    uint32_t bytes)
{
    uint32_t value = 0;
    (void)machine_read(machine, core, address, &value, bytes);
    return value;
}

/* An empty heap from first to end: one free block and the last one, which has no room. */
static void put_heap(struct machine *machine, uint32_t first, uint32_t end)
{
    const uint32_t block = first + HEAP_BUFFER;
    const uint32_t last = (end & ~7u) - HEAP_BLOCK_BYTES;
    put(machine, first + HEAP_FREE, block, 4);
    put(machine, first + HEAP_FIRST, block, 4);
    put(machine, first + HEAP_LAST, last, 4);
    put(machine, block, last, 4);
    put(machine, block + 4, last, 4);
    put(machine, last, 0, 4);
    put(machine, last + 4, 0, 4);
}

/* ---- boot ---- */

static void put_core_maps(struct machine *machine, const struct machine_parameters *parameters)
{
    for (unsigned i = 0; i < SARK_CORES; i++) {
        put(machine, SARK_SV_BASE + SV_P2V_MAP + i, 0xff, 1);
        put(machine, SARK_SV_BASE + SV_V2P_MAP + i, 0xff, 1);
    }
    for (unsigned p = 0; p < parameters->chip_cores;
         p++) { /* no core is faulty: virtual is physical */
        put(machine, SARK_SV_BASE + SV_P2V_MAP + p, p, 1);
        put(machine, SARK_SV_BASE + SV_V2P_MAP + p, p, 1);
        put(machine, SARK_VCPU_BASE + p * SARK_VCPU_BYTES + VCPU_PHYS_CPU, p, 1);
    }
    put(machine, SARK_SV_BASE + SV_NUM_CPUS, parameters->chip_cores, 1);
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
        const enum status status =
            diagnose(diagnostic, STATUS_CONFIGURATION,
                     "the SDRAM is too small for the program's data and the system's heap");
        diagnostic_key(diagnostic, "sdram.size");
        return status;
    }
    put(machine, SARK_SV_BASE + SV_P2P_ADDR, 0, 2);
    put(machine, SARK_SV_BASE + SV_P2P_DIMS, 0x0101, 2);
    put(machine, SARK_SV_BASE + SV_CLK_DIV,
        parameters->clock_system_divider << 4 | parameters->clock_router_divider, 1);
    put(machine, SARK_SV_BASE + SV_CPU_CLK, parameters->clock_cpu_hz / HZ_PER_MHZ, 2);
    put(machine, SARK_SV_BASE + SV_MEM_CLK, parameters->clock_sdram_hz / HZ_PER_MHZ, 2);
    put(machine, SARK_SV_BASE + SV_SYSRAM_HEAP, SARK_SYSRAM_HEAP, 4);
    put(machine, SARK_SV_BASE + SV_SDRAM_HEAP, user_heap, 4);
    put(machine, SARK_SV_BASE + SV_IOBUF_SIZE, IOBUF_SIZE, 4);
    put(machine, SARK_SV_BASE + SV_SDRAM_BASE, SARK_SDRAM_BASE, 4);
    put(machine, SARK_SV_BASE + SV_SYSRAM_BASE, SARK_SYSRAM_HEAP & ~0xfffu, 4);
    put(machine, SARK_SV_BASE + SV_VCPU_BASE, SARK_VCPU_BASE, 4);
    put(machine, SARK_SV_BASE + SV_SYS_HEAP, system_heap, 4);
    put_core_maps(machine, parameters);
    put_heap(machine, SARK_SYSRAM_HEAP, SARK_SYSRAM_HEAP_END);
    put_heap(machine, user_heap, system_heap);
    put_heap(machine, system_heap, sdram_end);
    return STATUS_OK;
}

/* ---- programs ---- */

static uint32_t block_of(const struct machine *machine, struct machine_core core)
{
    const uint32_t v = get(machine, core, SARK_SV_BASE + SV_P2V_MAP + core.p, 1);
    return SARK_VCPU_BASE + v * SARK_VCPU_BYTES;
}

static enum status check_segment(const struct machine_parameters *parameters,
                                 const struct elf_image *program, const struct elf_segment *segment,
                                 struct diagnostic *diagnostic)
{
    static const uint32_t DTCM = 0x00400000u;
    const uint64_t end = (uint64_t)segment->address + segment->memory_bytes;
    const uint64_t itcm_end = parameters->chip_itcm_bytes;
    const uint64_t dtcm_end = DTCM + parameters->chip_dtcm_bytes;
    const bool in_itcm = end <= itcm_end;
    const bool in_dtcm = segment->address >= DTCM && end <= dtcm_end;
    if (in_itcm || in_dtcm) {
        return STATUS_OK;
    }
    enum status status;
    if (segment->address < itcm_end) {
        status = diagnose(diagnostic, STATUS_CONFIGURATION,
                          "the program does not fit: its code ends at 0x%llx, ITCM has %llu bytes",
                          (unsigned long long)end, (unsigned long long)itcm_end);
    } else if (segment->address >= DTCM && segment->address < dtcm_end) {
        status = diagnose(diagnostic, STATUS_CONFIGURATION,
                          "the program does not fit: its data end at 0x%llx, DTCM at 0x%llx",
                          (unsigned long long)end, (unsigned long long)dtcm_end);
    } else {
        status =
            diagnose(diagnostic, STATUS_CONFIGURATION,
                     "the segment at 0x%08x lies neither in ITCM nor in DTCM", segment->address);
    }
    diagnostic_at(diagnostic, program->path, 0, 0);
    diagnostic_hint(diagnostic, "link it with workloads/runtime/link/app.ld, or enlarge chip.itcm "
                                "and chip.dtcm");
    return status;
}

enum status machine_check_program(const struct machine_parameters *parameters,
                                  const struct elf_image *program, struct diagnostic *diagnostic)
{
    for (size_t i = 0; i < program->segment_count; i++) {
        const enum status status =
            check_segment(parameters, program, &program->segment[i], diagnostic);
        if (status != STATUS_OK) {
            return status;
        }
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
            return diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
        }
        memcpy(bytes, segment->bytes, segment->file_bytes);
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
    put(machine, block + VCPU_APP_ID, options->app_id, 1);
    put(machine, block + VCPU_CPU_STATE, CPU_STATE_WAIT, 1);
    put(machine, block + VCPU_USER0, options->user0, 4);
    return STATUS_OK;
}

enum status machine_start_program(struct machine *machine, struct machine_core core,
                                  const struct elf_image *program, uint8_t app_id)
{
    return machine_start_core(machine, core, program->entry, app_id);
}

struct program_state machine_program_state(const struct machine *machine, struct machine_core core)
{
    const uint32_t block = block_of(machine, core);
    return (struct program_state){
        .cpu_state = (uint8_t)get(machine, core, block + VCPU_CPU_STATE, 1),
        .rt_code = (uint8_t)get(machine, core, block + VCPU_RT_CODE, 1),
        .lr = get(machine, core, block + VCPU_LR, 4),
    };
}

/* ---- console ---- */

void machine_print_console(const struct machine *machine, struct machine_core core, FILE *out)
{
    uint32_t buffer = get(machine, core, block_of(machine, core) + VCPU_IOBUF, 4);
    bool at_start = true;
    /* the chain is the guest's: a loop in it must not be ours */
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
