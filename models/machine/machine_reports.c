/* machine_reports.c - counters and records of a machine.  See machine.h. */
#include "models/common/check.h"
#include "models/machine/machine_state.h"

#include <stdlib.h>
#include <string.h>

/* ---- counters: a counting part is a row here, or a row of the register blocks ---- */

enum scope {
    OF_CHIP, /* one per chip ... */
    OF_LINK, /* ... or per link ... */
    OF_CORE, /* ... or per core */
    OF_SHARE /* a core's share of the counts of a part of the chip */
};

struct counter_part {
    const char *component;
    const struct counter_info *(*info)(size_t *count);
    enum scope scope;
    const void *(*counters)(const struct chip *chip, unsigned instance);
};

#define COUNTERS_OF(part, place)                                                                   \
    static const void *part##_counters(const struct chip *chip, unsigned instance)                 \
    {                                                                                              \
        (void)instance;                                                                            \
        return place;                                                                              \
    }
COUNTERS_OF(chip, &chip->d.counters)
COUNTERS_OF(sdram, &chip->d.sdram.counters)
COUNTERS_OF(ahb, &chip->d.ahb.counters)
COUNTERS_OF(link, &chip->d.fabric.tx[instance].counters)
COUNTERS_OF(processor, arm968_counters(chip->core[instance].cpu))
COUNTERS_OF(dma, &chip->core[instance].d.dma.counters)
COUNTERS_OF(write_buffer, &chip->core[instance].d.buffer.counters)
COUNTERS_OF(comms, &chip->core[instance].d.comms.counters)
COUNTERS_OF(traffic, &chip->core[instance].d.traffic)

static const struct counter_info *traffic_counter_info(size_t *count)
{
    static const struct counter_info INFO[] = {
        {"bytes_read", "byte", "bytes read for this core"},
        {"bytes_written", "byte", "bytes written for this core"}};
    *count = sizeof INFO / sizeof *INFO;
    return INFO;
}

static const struct counter_part PARTS[] = {
    {"chip", chip_counter_info, OF_CHIP, chip_counters},
    {"sdram", sdram_counter_info, OF_CHIP, sdram_counters},
    {"ahb", ahb_counter_info, OF_CHIP, ahb_counters}, /* the register blocks come after it */
    {"link", link_counter_info, OF_LINK, link_counters},
    {"core", arm968_counter_info, OF_CORE, processor_counters},
    {"dma", dma_counter_info, OF_CORE, dma_counters},
    {"write_buffer", write_buffer_counter_info, OF_CORE, write_buffer_counters},
    {"comms", comms_counter_info, OF_CORE, comms_counters},
    {"sdram", traffic_counter_info, OF_SHARE, traffic_counters},
};
enum { PART_COUNT = sizeof PARTS / sizeof *PARTS };

/* The receiver of a part's counters; chip NULL: names only. */
struct counter_sink {
    void (*each)(void *context, const struct machine_counter *counter);
    void *context;
    const struct chip *chip;
};

static void emit(const struct counter_sink *sink, const char *component,
                 const struct counter_info *info, size_t count, int instance, const void *counters)
{
    for (size_t i = 0; i < count; i++) {
        struct machine_counter counter = {
            .component = component, .instance = (int16_t)instance, .info = &info[i]};
        if (sink->chip != NULL) {
            counter.x = sink->chip->x;
            counter.y = sink->chip->y;
            counter.value = counter_value(counters, i);
        }
        sink->each(sink->context, &counter);
    }
}

static void emit_blocks(const struct counter_sink *sink)
{
    const struct chip *chip = sink->chip;
    for (unsigned i = 0; REGISTER_BLOCKS[i] != NULL; i++) {
        const struct register_block *block = REGISTER_BLOCKS[i];
        size_t count = 0;
        const bool here = chip == NULL || blocks_have(&chip->blocks, block);
        if (block->component != NULL && here) {
            const struct counter_info *info = block->counter_info(&count);
            emit(sink, block->component, info, count, -1,
                 chip == NULL ? NULL : block->counters(chip, chip->blocks.state[block->place]));
        }
    }
}

/* All counters of one scope; instance is -1 for a chip. */
static void emit_scope(const struct counter_sink *sink, enum scope scope, int instance)
{
    for (unsigned i = 0; i < PART_COUNT; i++) {
        const struct counter_part *part = &PARTS[i];
        size_t count = 0;
        if (part->scope == scope) {
            const struct counter_info *info = part->info(&count);
            emit(sink, part->component, info, count, instance,
                 sink->chip == NULL ? NULL : part->counters(sink->chip, (unsigned)instance));
        }
    }
    if (scope == OF_CHIP) {
        emit_blocks(sink);
    }
}

void machine_each_counter(const struct machine *machine,
                          void (*each)(void *context, const struct machine_counter *counter),
                          void *context)
{
    for (unsigned i = 0; i < machine->chip_count; i++) {
        const struct counter_sink sink = {each, context, &machine->chip[i]};
        emit_scope(&sink, OF_CHIP, -1);
        for (int link = 0; link < TOPOLOGY_LINKS; link++) {
            emit_scope(&sink, OF_LINK, link);
        }
        for (unsigned p = 0; p < machine->chip[i].core_count; p++) {
            emit_scope(&sink, OF_CORE, (int)p);
        }
    }
}

struct name_sink {
    void (*each)(void *context, const char *component, const struct counter_info *info);
    void *context;
};

static void pass_name(void *context, const struct machine_counter *counter)
{
    const struct name_sink *sink = context;
    sink->each(sink->context, counter->component, counter->info);
}

void machine_each_counter_name(void (*each)(void *context, const char *component,
                                            const struct counter_info *info),
                               void *context)
{
    struct name_sink names = {each, context};
    const struct counter_sink sink = {pass_name, &names, NULL};
    emit_scope(&sink, OF_CHIP, -1);
    emit_scope(&sink, OF_LINK, 0);
    emit_scope(&sink, OF_CORE, 0);
}

/* ---- a core's share ---- */

static bool is_shared(const struct counter_part *part)
{
    return part->scope == OF_CORE || part->scope == OF_SHARE;
}

size_t machine_share_count(void)
{
    size_t all = 0;
    size_t count;
    for (unsigned i = 0; i < PART_COUNT; i++) {
        (void)PARTS[i].info(&count);
        all += is_shared(&PARTS[i]) ? count : 0;
    }
    CHECK(all <= MACHINE_SHARES_MAX, "more shares than machine.h promises room for");
    return all;
}

struct machine_share_name machine_share_name(size_t index)
{
    size_t count = 0;
    for (const struct counter_part *part = PARTS;; part++) {
        const struct counter_info *info = part->info(&count);
        if (is_shared(part) && index < count) {
            return (struct machine_share_name){part->component, &info[index]};
        }
        index -= is_shared(part) ? count : 0;
    }
}

void machine_core_shares(const struct machine *machine, struct machine_core core, uint64_t *values)
{
    const struct core *at = machine_find_core(machine, core);
    for (unsigned i = 0; i < PART_COUNT; i++) {
        size_t count;
        (void)PARTS[i].info(&count);
        if (is_shared(&PARTS[i])) {
            memcpy(values, PARTS[i].counters(at->on.chip, at->on.index), count * sizeof *values);
            values += count;
        }
    }
}

/* ---- what is not modelled, what has been written ---- */

size_t machine_unmodelled_count(const struct machine *machine)
{
    size_t count = 0;
    for (unsigned i = 0; i < machine->chip_count; i++) {
        count += machine->chip[i].d.unmodelled_count;
    }
    return count;
}

struct machine_unmodelled machine_unmodelled(const struct machine *machine, size_t index)
{
    unsigned i = 0;
    while (index >= machine->chip[i].d.unmodelled_count) {
        index -= machine->chip[i++].d.unmodelled_count;
    }
    const struct chip *chip = &machine->chip[i];
    const struct unmodelled_place *place = &chip->d.unmodelled[index];
    return (struct machine_unmodelled){.x = chip->x,
                                       .y = chip->y,
                                       .block = memory_block_name(place->block),
                                       .offset = place->offset,
                                       .write = place->write,
                                       .count = place->count,
                                       .first_core = place->first_core};
}

struct written_sink {
    void (*each)(void *context, uint8_t x, uint8_t y, uint32_t address, int instance,
                 const uint8_t *bytes, uint32_t count);
    void *context;
};

static void written_pages(const struct written_sink *sink, const struct chip *chip,
                          const struct ram *ram, uint32_t base)
{
    for (uint32_t page = 0; page < ram->size / RAM_PAGE_BYTES; page++) {
        if ((ram->page[page] & RAM_BY_GUEST) != 0) {
            const uint32_t offset = page * RAM_PAGE_BYTES;
            sink->each(sink->context, chip->x, chip->y, base + offset, -1, ram->bytes + offset,
                       RAM_PAGE_BYTES);
        }
    }
}

void machine_each_written(const struct machine *machine,
                          void (*each)(void *context, uint8_t x, uint8_t y, uint32_t address,
                                       int instance, const uint8_t *bytes, uint32_t count),
                          void *context)
{
    const struct written_sink sink = {each, context};
    for (unsigned i = 0; i < machine->chip_count; i++) {
        const struct chip *chip = &machine->chip[i];
        written_pages(&sink, chip, &chip->sdram_content, CHIP_SDRAM_BASE);
        written_pages(&sink, chip, &chip->system_ram, CHIP_SYSTEM_RAM_BASE);
        for (unsigned p = 0; p < chip->core_count; p++) {
            const struct core *core = &chip->core[p];
            if (core->d.started) {
                each(context, chip->x, chip->y, 0, (int)p, core->itcm,
                     (uint32_t)chip->parameters.chip_itcm_bytes);
                each(context, chip->x, chip->y, CORE_DTCM_BASE, (int)p, core->dtcm,
                     (uint32_t)chip->parameters.chip_dtcm_bytes);
            }
        }
    }
}

/* ---- traffic ---- */

static void each_of_side(const struct chip *chip, unsigned side,
                         void (*each)(void *context, const struct machine_traffic *row),
                         void *context)
{
    for (unsigned kind = 0; kind < TRAFFIC_KINDS; kind++) {
        const struct traffic_count *count = &chip->d.fabric.traffic.count[kind][side];
        const bool multicast = kind < MACHINE_PURPOSES;
        const struct machine_traffic row = {
            .x = chip->x,
            .y = chip->y,
            .link = (uint8_t)side,
            .type = (uint8_t)(multicast ? PACKET_MC : kind - MACHINE_PURPOSES + 1),
            .purpose = (uint8_t)(multicast ? kind : 0),
            .sent = count->sent,
            .received = count->received,
            .dropped = count->dropped,
            .refused = count->refused,
            .busy_ps = count->busy_ps};
        if ((row.sent | row.received | row.dropped | row.refused) != 0) {
            each(context, &row);
        }
    }
}

void machine_each_traffic(const struct machine *machine,
                          void (*each)(void *context, const struct machine_traffic *row),
                          void *context)
{
    for (unsigned i = 0; i < machine->chip_count; i++) {
        for (unsigned side = 0; side < TRAFFIC_SIDES; side++) {
            each_of_side(&machine->chip[i], side, each, context);
        }
    }
}

/* ---- packets that were lost ---- */

size_t machine_drop_count(const struct machine *machine)
{
    size_t count = 0;
    for (unsigned i = 0; i < machine->chip_count; i++) {
        count += machine->chip[i].drops.count;
    }
    return count;
}

uint64_t machine_drops_unrecorded(const struct machine *machine)
{
    uint64_t count = 0;
    for (unsigned i = 0; i < machine->chip_count; i++) {
        count += machine->chip[i].drops.unrecorded;
    }
    return count;
}

static int compare_drops(const void *a, const void *b)
{
    const struct machine_drop *first = a;
    const struct machine_drop *second = b;
    if (first->time_ps != second->time_ps) {
        return first->time_ps < second->time_ps ? -1 : 1;
    }
    int order = first->x - second->x;
    order = order != 0 ? order : first->y - second->y;
    order = order != 0 ? order : first->reason - second->reason;
    return order != 0 ? order : first->output - second->output;
}

void machine_drops(const struct machine *machine, struct machine_drop *drop)
{
    size_t count = 0;
    for (unsigned i = 0; i < machine->chip_count; i++) {
        const struct drops *drops = &machine->chip[i].drops;
        if (drops->count > 0) {
            memcpy(drop + count, drops->record, drops->count * sizeof *drop);
            count += drops->count;
        }
    }
    if (count > 0) {
        qsort(drop, count, sizeof *drop, compare_drops);
    }
}
