/* accesses.c - what machine_observer.access is told.  See chip.h. */
#include "models/machine/machine_state.h"

_Static_assert((int)MACHINE_ACCESS_READ == (int)ARM968_READ &&
                   (int)MACHINE_ACCESS_WRITE == (int)ARM968_WRITE &&
                   (int)MACHINE_ACCESS_SWAP == (int)ARM968_SWAP,
               "one list in two places");

enum { WORD_BYTES = 4 };

/* ---- memories ---- */

static struct machine_range range_of(uint32_t address, enum machine_memory memory, uint32_t offset)
{
    return (struct machine_range){.address = address, .offset = offset, .memory = (uint8_t)memory};
}

static struct machine_range tcm_range(const struct core *core, uint32_t address)
{
    if (address < core->on.parameters->chip_itcm_bytes) {
        return range_of(address, MACHINE_MEMORY_ITCM, address);
    }
    const uint32_t offset = address - CORE_DTCM_BASE;
    return offset < core->on.parameters->chip_dtcm_bytes
               ? range_of(address, MACHINE_MEMORY_DTCM, offset)
               : range_of(address, MACHINE_MEMORY_NONE, 0);
}

/* Memories repeat in their regions. */
static struct machine_range system_range(const struct chip *chip, uint32_t address,
                                         struct memory_place place)
{
    if (place.block == MEMORY_SDRAM) {
        return range_of(address, MACHINE_MEMORY_SDRAM, place.offset % chip->sdram_content.size);
    }
    if (place.block == MEMORY_SYSRAM) {
        return range_of(address, MACHINE_MEMORY_SYSTEM_RAM, place.offset % chip->system_ram.size);
    }
    return range_of(address, MACHINE_MEMORY_NONE, 0);
}

static struct machine_range core_range(const struct chip *chip, const struct core *core,
                                       uint32_t address)
{
    const struct machine_range tcm = tcm_range(core, address);
    return tcm.memory != MACHINE_MEMORY_NONE
               ? tcm
               : system_range(chip, address, memory_map_find(address));
}

struct machine_range machine_find_memory(const struct machine *machine, struct machine_core core,
                                         uint32_t address)
{
    const struct core *at = machine_find_core(machine, core);
    return at == NULL ? range_of(address, MACHINE_MEMORY_NONE, 0)
                      : core_range(at->on.chip, at, address);
}

/* ---- telling ---- */

static void tell(const struct chip *chip, const struct core *core, struct machine_access access)
{
    const struct machine_observer *observer = &chip->config->observer;
    access.core = (struct machine_core){chip->x, chip->y, (uint8_t)core->on.index};
    observer->access(observer->context, &access);
}

/* Stores to the registers of the core's DMA controller: one may start a transfer. */
static void tell_transfers(struct chip *chip, struct core *core,
                           const struct arm968_data_access *access)
{
    const uint32_t offset = memory_map_find(access->address).offset;
    for (uint32_t at = 0; at < access->bytes; at += WORD_BYTES) {
        struct dma_transfer transfer;
        if (!core_accesses_transfer(core, offset + at, access->words[at / WORD_BYTES], &transfer)) {
            continue;
        }
        tell(chip, core,
             (struct machine_access){
                 .time_ps = pace_ps(core_pace(core), access->cycle),
                 .kind = MACHINE_ACCESS_TRANSFER,
                 .to_system = dma_transfer_is_to_system(&transfer),
                 .has_tcm = true,
                 .bytes = dma_transfer_bytes(&transfer),
                 .pc = access->pc,
                 .sp = access->sp,
                 .mode = access->mode,
                 .range = system_range(chip, transfer.system_address,
                                       memory_map_find_system(transfer.system_address)),
                 .tcm = tcm_range(core, transfer.tcm_address)});
    }
}

void chip_tell_access(struct chip *chip, struct core *core, const struct arm968_data_access *access)
{
    const struct machine_range range = core_range(chip, core, access->address);
    if (range.memory != MACHINE_MEMORY_NONE) {
        tell(chip, core,
             (struct machine_access){.time_ps = pace_ps(core_pace(core), access->cycle),
                                     .kind = access->kind,
                                     .bytes = access->bytes,
                                     .pc = access->pc,
                                     .sp = access->sp,
                                     .mode = access->mode,
                                     .range = range});
    } else if (access->words != NULL && memory_map_find(access->address).block == MEMORY_DMA) {
        tell_transfers(chip, core, access);
    }
}

void chip_tell_copy(struct chip *chip, const struct core *core, uint64_t now_ps)
{
    const struct dma_burst *burst = &core->d.burst;
    tell(chip, core,
         (struct machine_access){.time_ps = now_ps,
                                 .kind = MACHINE_ACCESS_COPY,
                                 .to_system = burst->to_system,
                                 .has_tcm = !burst->check_word,
                                 .bytes = burst->bytes,
                                 .range =
                                     system_range(chip, burst->system_address,
                                                  memory_map_find_system(burst->system_address)),
                                 .tcm = tcm_range(core, burst->tcm_address)});
}

static void tell_written(const struct chip *chip, const struct core *core,
                         struct machine_range range, uint32_t bytes, uint64_t now_ps)
{
    if (range.memory != MACHINE_MEMORY_NONE) {
        tell(chip, core,
             (struct machine_access){
                 .time_ps = now_ps, .kind = MACHINE_ACCESS_HOST, .bytes = bytes, .range = range});
    }
}

void chip_tell_host(const struct chip *chip, const struct core *core, uint32_t address,
                    uint32_t bytes, uint64_t now_ps)
{
    if (chip->config->observer.access != NULL) {
        tell_written(chip, core, core_range(chip, core, address), bytes, now_ps);
    }
}

void chip_tell_neighbour(const struct chip *chip, uint32_t address, uint64_t now_ps)
{
    if (chip->config->observer.access != NULL) {
        tell_written(chip, &chip->core[0],
                     system_range(chip, address, memory_map_find_system(address)), WORD_BYTES,
                     now_ps);
    }
}
