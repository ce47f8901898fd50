/* machine_counters.c - names and values of all that is counted. */
#include "models/common/check.h"
#include "models/machine/machine_state.h"

#include <string.h>

/* The counters of one kind of part. */
struct counter_part {
    const char *component;
    const struct counter_info *info;
    size_t count;
};

enum { CHIP_PARTS = 4, LINK_PARTS = 1, CORE_PARTS = 4 };

/* Parts that a chip has once. */
static void list_chip_parts(struct counter_part *part)
{
    part[0].component = "chip";
    part[0].info = chip_counter_info(&part[0].count);
    part[1].component = "sdram";
    part[1].info = sdram_counter_info(&part[1].count);
    part[2].component = "ahb";
    part[2].info = ahb_counter_info(&part[2].count);
    part[3].component = "router";
    part[3].info = router_counter_info(&part[3].count);
}

/* Parts that every link has. */
static void list_link_parts(struct counter_part *part)
{
    part[0].component = "link";
    part[0].info = link_counter_info(&part[0].count);
}

/* Parts that every core has. */
static void list_core_parts(struct counter_part *part)
{
    part[0].component = "core";
    part[0].info = arm968_counter_info(&part[0].count);
    part[1].component = "dma";
    part[1].info = dma_counter_info(&part[1].count);
    part[2].component = "write_buffer";
    part[2].info = write_buffer_counter_info(&part[2].count);
    part[3].component = "comms";
    part[3].info = comms_counter_info(&part[3].count);
}

/* ---- all counters ---- */

void machine_each_counter_name(void (*each)(void *context, const char *component,
                                            const struct counter_info *info),
                               void *context)
{
    struct counter_part part[CHIP_PARTS + LINK_PARTS + CORE_PARTS];
    list_chip_parts(part);
    list_link_parts(part + CHIP_PARTS);
    list_core_parts(part + CHIP_PARTS + LINK_PARTS);
    for (unsigned i = 0; i < CHIP_PARTS + LINK_PARTS + CORE_PARTS; i++) {
        for (size_t c = 0; c < part[i].count; c++) {
            each(context, part[i].component, &part[i].info[c]);
        }
    }
}

struct counter_sink {
    void (*each)(void *context, const struct machine_counter *counter);
    void *context;
    const struct chip *chip;
};

static void emit(const struct counter_sink *sink, const struct counter_part *part, int instance,
                 const void *counters)
{
    for (size_t i = 0; i < part->count; i++) {
        const struct machine_counter counter = {.component = part->component,
                                                .x = sink->chip->x,
                                                .y = sink->chip->y,
                                                .instance = (int16_t)instance,
                                                .info = &part->info[i],
                                                .value = counter_value(counters, i)};
        sink->each(sink->context, &counter);
    }
}

static void emit_chip(const struct counter_sink *sink)
{
    const struct chip *chip = sink->chip;
    struct counter_part part[CHIP_PARTS];
    struct counter_part link_part[LINK_PARTS];
    struct counter_part core_part[CORE_PARTS];
    list_chip_parts(part);
    list_link_parts(link_part);
    list_core_parts(core_part);
    emit(sink, &part[0], -1, &chip->d.counters);
    emit(sink, &part[1], -1, &chip->d.sdram.counters);
    emit(sink, &part[2], -1, &chip->d.ahb.counters);
    emit(sink, &part[3], -1, &chip->d.fabric.router.counters);
    for (unsigned link = 0; link < TOPOLOGY_LINKS; link++) {
        emit(sink, &link_part[0], (int)link, &chip->d.fabric.tx[link].counters);
    }
    for (unsigned p = 0; p < chip->core_count; p++) {
        const struct core *core = &chip->core[p];
        emit(sink, &core_part[0], (int)p, arm968_counters(core->cpu));
        emit(sink, &core_part[1], (int)p, &core->d.dma.counters);
        emit(sink, &core_part[2], (int)p, &core->d.buffer.counters);
        emit(sink, &core_part[3], (int)p, &core->d.comms.counters);
    }
}

void machine_each_counter(const struct machine *machine,
                          void (*each)(void *context, const struct machine_counter *counter),
                          void *context)
{
    for (unsigned i = 0; i < machine->chip_count; i++) {
        const struct counter_sink sink = {each, context, &machine->chip[i]};
        emit_chip(&sink);
    }
}

/* ---- a core's share ---- */

static const struct counter_info TRAFFIC_INFO[] = {
    {"bytes_read", "byte", "bytes read for this core"},
    {"bytes_written", "byte", "bytes written for this core"}};

enum { SHARE_PARTS = CORE_PARTS + 1 };

static void list_share_parts(struct counter_part *part)
{
    list_core_parts(part);
    part[CORE_PARTS] =
        (struct counter_part){"sdram", TRAFFIC_INFO, sizeof TRAFFIC_INFO / sizeof *TRAFFIC_INFO};
}

size_t machine_share_count(void)
{
    struct counter_part part[SHARE_PARTS];
    size_t count = 0;
    list_share_parts(part);
    for (unsigned i = 0; i < SHARE_PARTS; i++) {
        count += part[i].count;
    }
    CHECK(count <= MACHINE_SHARES_MAX, "more shares than machine.h promises room for");
    return count;
}

struct machine_share_name machine_share_name(size_t index)
{
    struct counter_part part[SHARE_PARTS];
    unsigned i = 0;
    list_share_parts(part);
    for (; index >= part[i].count; i++) {
        index -= part[i].count;
    }
    return (struct machine_share_name){part[i].component, &part[i].info[index]};
}

void machine_core_shares(const struct machine *machine, struct machine_core core, uint64_t *values)
{
    const struct core *at = machine_find_core(machine, core);
    struct counter_part part[SHARE_PARTS];
    const void *const from[SHARE_PARTS] = {arm968_counters(at->cpu), &at->d.dma.counters,
                                           &at->d.buffer.counters, &at->d.comms.counters,
                                           &at->d.traffic};
    list_share_parts(part);
    for (unsigned i = 0; i < SHARE_PARTS; i++) {
        memcpy(values, from[i], part[i].count * sizeof *values);
        values += part[i].count;
    }
}
