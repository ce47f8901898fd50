/* machine_visit.c - see machine_visit.h. */
#include "models/machine/machine_visit.h"

#include "models/machine/link_devices.h"

#include <string.h>

static void visit(struct state_visitor *visitor, void *data, size_t size)
{
    if (!visitor->failed) {
        visitor->data(visitor, data, size);
    }
}

static void visit_core(struct state_visitor *visitor, struct core *core)
{
    const struct machine_parameters *parameters = core->on.parameters;
    struct arm968_snapshot snapshot;
    if (!visitor->loads) {
        memset(&snapshot, 0,
               sizeof snapshot); /* including the padding: equal states are equal bytes */
        arm968_save(core->cpu, &snapshot);
    }
    visit(visitor, &snapshot, sizeof snapshot);
    visit(visitor, &core->d, sizeof core->d);
    visit(visitor, core->queues, sizeof *core->queues);
    if (!visitor->failed) {
        visitor->tcm(visitor, core, core->itcm, parameters->chip_itcm_bytes);
        visitor->tcm(visitor, core, core->dtcm, parameters->chip_dtcm_bytes);
    }
    if (visitor->loads && !visitor->failed) {
        arm968_load(core->cpu, &snapshot);
    }
}

static void visit_drops(struct state_visitor *visitor, struct drops *drops)
{
    uint64_t count = drops->count;
    visit(visitor, &drops->unrecorded, sizeof drops->unrecorded);
    visit(visitor, &count, sizeof count);
    if (visitor->loads) {
        const bool fits = !visitor->failed && count <= UINT32_MAX &&
                          visitor->holds(visitor, count * sizeof *drops->record) &&
                          drops_reserve(drops, (uint32_t)count);
        visitor->failed = !fits;
        drops->count = fits ? (uint32_t)count : 0;
    }
    if (drops->count > 0) {
        visit(visitor, drops->record, drops->count * sizeof *drops->record);
    }
}

static void visit_ram(struct state_visitor *visitor, struct ram *ram)
{
    if (!visitor->failed) {
        visitor->ram(visitor, ram);
    }
}

static void visit_chip(struct state_visitor *visitor, struct chip *chip)
{
    uint8_t place[2] = {chip->x, chip->y};
    visit(visitor, place, sizeof place);
    visitor->failed = visitor->failed || place[0] != chip->x || place[1] != chip->y;
    visit(visitor, &chip->d, sizeof chip->d);
    visit(visitor, chip->blocks.memory, chip->blocks.bytes);
    visit_drops(visitor, &chip->drops);
    visit_ram(visitor, &chip->sdram_content);
    visit_ram(visitor, &chip->system_ram);
    for (unsigned p = 0; p < chip->core_count; p++) {
        visit_core(visitor, &chip->core[p]);
    }
}

/* What is on its way between chips and devices.  A machine without devices has nothing here. */
static void visit_devices(struct state_visitor *visitor, const struct machine *machine)
{
    struct devices *devices = machine->devices;
    for (unsigned i = 0; devices != NULL && i < devices->count; i++) {
        visit(visitor, &devices->end[i]->d, sizeof devices->end[i]->d);
    }
    if (devices != NULL) {
        visit(visitor, &devices->last_event_ps, sizeof devices->last_event_ps);
        devices->now_ps = machine->time_ps;
    }
}

void machine_visit(struct machine *machine, struct state_visitor *visitor)
{
    visit(visitor, &machine->time_ps, sizeof machine->time_ps);
    for (unsigned i = 0; i < machine->chip_count; i++) {
        visit_chip(visitor, &machine->chip[i]);
    }
    visit_devices(visitor, machine);
}
