/* history_points.c - breakpoints and watched bytes.  See history.h. */
#include "models/machine/history_state.h"

#include <stdlib.h>

enum { FIRST_BREAKS = 8 };

bool history_has_break(const struct machine_history *history, struct machine_core core,
                       uint32_t address)
{
    for (size_t i = 0; i < history->break_count; i++) {
        const struct history_breakpoint *at = &history->breaks[i];
        if (at->address == address && at->core.x == core.x && at->core.y == core.y &&
            at->core.p == core.p) {
            return true;
        }
    }
    return false;
}

enum status machine_history_break(struct machine_history *history, struct machine_core core,
                                  uint32_t address)
{
    if (history_has_break(history, core, address)) {
        return STATUS_OK;
    }
    if (history->break_count == history->break_room) {
        const size_t room = history->break_room == 0 ? FIRST_BREAKS : 2 * history->break_room;
        struct history_breakpoint *grown = realloc(history->breaks, room * sizeof *grown);
        if (grown == NULL) {
            return STATUS_INTERNAL;
        }
        history->breaks = grown;
        history->break_room = room;
    }
    const enum status status = machine_add_mark(history->machine, core, address);
    if (status == STATUS_OK) {
        history->breaks[history->break_count++] = (struct history_breakpoint){core, address};
    }
    return status;
}

enum status machine_history_unbreak(struct machine_history *history, struct machine_core core,
                                    uint32_t address)
{
    if (!history_has_break(history, core, address)) {
        return STATUS_CONFIGURATION;
    }
    size_t kept = 0;
    for (size_t i = 0; i < history->break_count; i++) {
        const struct history_breakpoint *at = &history->breaks[i];
        const bool same = at->core.x == core.x && at->core.y == core.y && at->core.p == core.p;
        if (!same || at->address != address) {
            history->breaks[kept++] = *at;
        }
    }
    history->break_count = kept; /* the core's mark stays: the observer may have set it, too */
    return STATUS_OK;
}

enum status machine_history_watch(struct machine_history *history, struct machine_core core,
                                  uint32_t address, uint32_t bytes)
{
    return machine_add_watch(history->machine, core, address, bytes);
}

enum status machine_history_unwatch(struct machine_history *history, struct machine_core core,
                                    uint32_t address, uint32_t bytes)
{
    return machine_remove_watch(history->machine, core, address, bytes);
}

void machine_history_clear(struct machine_history *history)
{
    history->break_count = 0; /* as in machine_history_unbreak() */
    for (unsigned i = 0; i < history->machine->chip_count; i++) {
        for (unsigned p = 0; p < history->machine->chip[i].core_count; p++) {
            arm968_clear_watches(history->machine->chip[i].core[p].cpu);
        }
    }
}
