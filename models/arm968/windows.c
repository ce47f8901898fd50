/* windows.c - the windows: the parts of a core's memories that loads and stores reach directly. */
#include "models/arm968/ahead.h"
#include "models/arm968/arm968_state.h"

static struct window window_of(struct arm968_memory memory, uint32_t from)
{
    struct window window = {.bytes = memory.bytes, .base = memory.base, .size = memory.size};
    if (from > memory.base) {
        const uint32_t skipped = from - memory.base;
        window.bytes += skipped;
        window.base += skipped;
        window.size -= skipped;
    }
    window.words = window.size / 4;
    window.halves = window.size / 2;
    return window;
}

/* If the core is ahead, all stores must be logged; watched bytes are compared with all stores, and
 * somebody may be told of them. */
void memory_set_store_window(struct arm968 *cpu)
{
    cpu->store = cpu->load;
    cpu->sees_stores = cpu->watch_count > 0 || cpu->tells;
    if (ahead_is(cpu) || cpu->sees_stores) {
        cpu->store = (struct window){0};
    } else if (cpu->flat && cpu->code != NULL) { /* stores into code must be detected */
        cpu->store = window_of(cpu->config.data, (code_end(cpu->code) + 3) & ~3u);
    }
}

void memory_set_windows(struct arm968 *cpu)
{
    const struct window nothing = {0};
    const bool data = cpu->flat || (cpu->cp15_control & CONTROL_DTCM) != 0;
    cpu->data = data ? window_of(cpu->config.data, 0) : nothing;
    cpu->load = cpu->tells ? nothing : cpu->data;
    memory_set_store_window(cpu);
}
