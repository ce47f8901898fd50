/* memory.c - accesses outside the windows: misaligned ones, data in the code memory, stores into
 * code, and everything outside the core. */
#include "models/arm968/ahead.h"
#include "models/arm968/arm968_state.h"

#include <string.h>

static bool code_memory_enabled(const struct arm968 *cpu)
{
    return cpu->flat || (cpu->cp15_control & CONTROL_ITCM) != 0;
}

/* The host address of a datum in the core's memories, or NULL; sets *in_code if it is in the code
 * memory. */
static uint8_t *local(const struct arm968 *cpu, uint32_t address, uint32_t bytes, bool *in_code)
{
    *in_code = false;
    uint32_t offset = address - cpu->data.base;
    if (offset < cpu->data.size && cpu->data.size - offset >= bytes) {
        return cpu->data.bytes + offset;
    }
    const struct arm968_memory *code = &cpu->config.code;
    offset = address - code->base;
    if (code_memory_enabled(cpu) && offset < code->size && code->size - offset >= bytes) {
        *in_code = true;
        return code->bytes + offset;
    }
    return NULL;
}

static void charge_code_memory(struct arm968 *cpu, unsigned accesses)
{
    const uint32_t wait = accesses * cpu->config.timing.itcm_data;
    cpu->wait += wait;
    cpu->counters.itcm_wait_cycles += wait;
    cpu->counters.itcm_data_accesses += accesses;
}

/* ---- running ahead ---- */

/* Before a core that runs ahead stores to its own memories: false if the store cannot be rolled
 * back. */
static bool can_be_taken_back(struct arm968 *cpu, uint32_t address, bool in_code)
{
    cpu->ahead_ends = in_code || ahead_is_full(cpu);
    if (!cpu->ahead_ends) {
        ahead_log_word(cpu, address - cpu->config.data.base);
    }
    return !cpu->ahead_ends;
}

/* ---- faults ---- */

const char *arm968_access_name(enum arm968_access_kind kind)
{
    static const char *const NAME[] = {"read", "write", "swap", "fetch"};
    return NAME[kind];
}

static NOINLINE enum exec_result data_abort(struct arm968 *cpu, enum arm968_access_kind kind,
                                            uint32_t address, unsigned bytes, bool misaligned)
{
    cpu->fault = (struct arm968_fault){.address = address,
                                       .access = (uint8_t)kind,
                                       .bytes = (uint8_t)bytes,
                                       .misaligned = misaligned};
    return EXEC_DATA_ABORT;
}

ALWAYS_INLINE bool alignment_fault(const struct arm968 *cpu, uint32_t address, uint32_t alignment)
{
    return UNLIKELY((address & (alignment - 1)) != 0) &&
           (cpu->cp15_control & CONTROL_ALIGNMENT) != 0;
}

/* ---- outside ---- */

/* Requests an access, or takes its result once it has been made. */
static enum exec_result outside(struct arm968 *cpu, enum arm968_access_kind kind, uint32_t address,
                                unsigned size, unsigned words, uint32_t *data)
{
    struct arm968_access *access = &cpu->access;
    if (cpu->access_state != ACCESS_DONE) {
        access->kind = kind;
        access->address = address;
        access->size = (uint8_t)size;
        access->words = (uint8_t)words;
        access->privileged = cpu_privileged(cpu) && !cpu->user_access;
        access->buffered = kind == ARM968_WRITE && (address & (1u << 28)) == 0 &&
                           (cpu->cp15_control & CONTROL_WRITE_BUFFER) != 0;
        access->sequential = false;
        access->wait_cycles = 0;
        access->abort = false;
        if (kind != ARM968_READ) {
            memcpy(access->data, data, words * sizeof *data);
        }
        cpu->access_state = ACCESS_REQUESTED;
        return EXEC_BLOCKED;
    }
    cpu->access_state = ACCESS_NONE;
    cpu->wait += access->wait_cycles;
    cpu->counters.bus_wait_cycles += access->wait_cycles;
    cpu->counters.bus_reads += kind == ARM968_WRITE ? 0 : words;
    cpu->counters.bus_writes += kind == ARM968_READ ? 0 : words;
    if (access->abort) {
        return data_abort(cpu, kind, address, size * words, false);
    }
    if (kind != ARM968_WRITE) {
        memcpy(data, access->data, words * sizeof *data);
    }
    return EXEC_CHECK;
}

void cpu_ask_ports(struct arm968 *cpu, uint64_t cycle)
{
    const struct arm968_ports *ports = &cpu->config.ports;
    enum arm968_reply reply = ARM968_REPLY_DONE;
    cpu->cycle = cycle;
    if (ports->access == NULL) {
        cpu->access.abort = true;
    } else {
        reply = ports->access(ports->context, &cpu->access, cycle);
    }
    cpu->access_state = reply == ARM968_REPLY_DONE ? ACCESS_DONE : ACCESS_OUTSIDE;
}

int64_t memory_access_from_native(struct arm968 *cpu, uint32_t address, uint32_t *datum,
                                  int64_t left, uint32_t store)
{
    const enum arm968_access_kind kind = store != 0 ? ARM968_WRITE : ARM968_READ;
    if (address <= cpu->own_last || (address & 3) != 0) {
        return NATIVE_REFUSED;
    }
    const uint64_t cycle = cpu->native_end - (uint64_t)left;
    (void)outside(cpu, kind, address, 4, 1, datum);
    cpu_ask_ports(cpu, cycle);
    cpu->native_asked = true;
    if (cpu->access_state != ACCESS_DONE || cpu->access.abort) {
        return NATIVE_REFUSED;
    }
    (void)outside(cpu, kind, address, 4, 1, datum);
    const uint64_t wait_cycles = cpu->wait;
    const uint64_t end = cpu->look_cycle > cycle ? cpu->look_cycle : cycle;
    const uint64_t cut = end < cpu->native_end ? cpu->native_end - end : 0;
    cpu->wait = 0;
    cpu->native_end -= cut;
    cpu->native_cut += (int64_t)cut;
    return (int64_t)(wait_cycles + cut);
}

/* Notes an access that an instruction has made; the interpreter then tells of it. */
static enum exec_result note_access(struct arm968 *cpu, enum arm968_access_kind kind,
                                    uint32_t address, unsigned bytes, enum exec_result result)
{
    if (LIKELY(!cpu->tells) || result > EXEC_CHECK) {
        return result;
    }
    cpu->told_kind = (uint8_t)kind;
    cpu->told_bytes = (uint8_t)bytes;
    cpu->told_address = address;
    return EXEC_CHECK;
}

/* A misaligned half-word or double word is UNPREDICTABLE; counted after its access, which ignores
 * the low address bits. */
static enum exec_result noted(struct arm968 *cpu, bool misaligned, enum exec_result result)
{
    cpu->counters.unpredictable += misaligned && result <= EXEC_CHECK;
    return result;
}

static void copy_datum(void *to, const void *from, unsigned size)
{
    if (size == 4) {
        memcpy(to, from, 4);
    } else if (size == 2) {
        memcpy(to, from, 2);
    } else {
        memcpy(to, from, 1);
    }
}

static enum exec_result load_datum(struct arm968 *cpu, uint32_t address, unsigned size,
                                   uint32_t *value)
{
    *value = 0;
    if (alignment_fault(cpu, address, size)) {
        return data_abort(cpu, ARM968_READ, address, size, true);
    }
    const uint32_t aligned = address & ~(size - 1);
    bool in_code = false;
    const bool far = aligned > cpu->own_last;
    const uint8_t *bytes = far ? NULL : local(cpu, aligned, size, &in_code);
    enum exec_result result = EXEC_CHECK;
    if (bytes != NULL) {
        copy_datum(value, bytes, size);
        if (in_code) {
            charge_code_memory(cpu, 1);
        }
    } else {
        result = outside(cpu, ARM968_READ, aligned, size, 1, value);
    }
    if (size == 4 && address != aligned && result == EXEC_CHECK) {
        *value = bits_rotate_right(*value, 8 * (address & 3));
        cpu->rotated_load = true;
    }
    return noted(cpu, size == 2 && address != aligned, result);
}

enum exec_result memory_load(struct arm968 *cpu, uint32_t address, unsigned size, uint32_t *value)
{
    const enum exec_result result = load_datum(cpu, address, size, value);
    return note_access(cpu, ARM968_READ, address & ~(size - 1), size, result);
}

static NOINLINE enum exec_result store_elsewhere(struct arm968 *cpu, uint32_t address,
                                                 unsigned size, uint32_t value)
{
    if (alignment_fault(cpu, address, size)) {
        return data_abort(cpu, ARM968_WRITE, address, size, true);
    }
    const uint32_t aligned = address & ~(size - 1);
    bool in_code = false;
    const bool far = aligned > cpu->own_last;
    uint8_t *bytes = far ? NULL : local(cpu, aligned, size, &in_code);
    if (bytes == NULL) {
        return noted(cpu, size == 2 && address != aligned,
                     outside(cpu, ARM968_WRITE, aligned, size, 1, &value));
    }
    if (ahead_is(cpu) && !can_be_taken_back(cpu, aligned, in_code)) {
        return EXEC_BLOCKED;
    }
    copy_datum(bytes, &value, size);
    if (in_code) {
        charge_code_memory(cpu, 1);
    }
    if (in_code || cpu->flat) {
        arm968_code_written(cpu, aligned, size);
    }
    return noted(cpu, size == 2 && address != aligned,
                 in_code || cpu->code_changed ? EXEC_CHECK : EXEC_NEXT);
}

/* ---- stores ---- */

static enum exec_result store_datum(struct arm968 *cpu, uint32_t address, unsigned size,
                                    uint32_t value)
{
    const uint32_t offset = address - cpu->data.base;
    const bool inside = offset < cpu->data.size && (address & (size - 1)) == 0;
    if (!inside || ahead_is_full(cpu)) {
        return store_elsewhere(cpu, address, size, value);
    }
    ahead_log_word(cpu, offset);
    copy_datum(cpu->data.bytes + offset, &value, size);
    return EXEC_NEXT;
}

enum exec_result memory_store(struct arm968 *cpu, uint32_t address, unsigned size, uint32_t value)
{
    if (LIKELY(!cpu->sees_stores)) {
        return store_datum(cpu, address, size, value);
    }
    const uint32_t aligned = address & ~(size - 1);
    if (cpu_watch_waits(cpu, aligned, size)) {
        return EXEC_BLOCKED;
    }
    const enum exec_result result =
        cpu_watch_stored(cpu, aligned, size, store_datum(cpu, address, size, value));
    return note_access(cpu, ARM968_WRITE, aligned, size, result);
}

static enum exec_result swap_datum(struct arm968 *cpu, uint32_t address, unsigned size,
                                   uint32_t *value)
{
    if (alignment_fault(cpu, address, size)) {
        return data_abort(cpu, ARM968_SWAP, address, size, true);
    }
    const uint32_t aligned = address & ~(size - 1);
    bool in_code;
    uint8_t *bytes = local(cpu, aligned, size, &in_code);
    enum exec_result result = EXEC_NEXT;
    if (bytes != NULL) {
        uint32_t loaded = 0;
        copy_datum(&loaded, bytes, size);
        result = memory_store(cpu, aligned, size, *value);
        if (result == EXEC_BLOCKED) {
            return result;
        }
        if (in_code) {
            charge_code_memory(cpu, 1);
        }
        *value = loaded;
    } else {
        result = cpu_watch_stored(cpu, aligned, size,
                                  outside(cpu, ARM968_SWAP, aligned, size, 1, value));
    }
    if (size == 4 && address != aligned && result <= EXEC_CHECK) {
        *value = bits_rotate_right(*value, 8 * (address & 3));
        cpu->rotated_load = true;
        result = EXEC_CHECK;
    }
    return result;
}

enum exec_result memory_swap(struct arm968 *cpu, uint32_t address, unsigned size, uint32_t *value)
{
    const enum exec_result result = swap_datum(cpu, address, size, value);
    return note_access(cpu, ARM968_SWAP, address & ~(size - 1), size, result);
}

/* ---- bursts ---- */

/* The words of a burst outside the core's memories: they are consecutive, since the memories are
 * further apart than a burst is long. */
struct span {
    unsigned first, count;
};

static struct span outside_span(const struct arm968 *cpu, uint32_t address, unsigned count)
{
    struct span span = {count, 0};
    for (unsigned i = 0; i < count; i++) {
        bool in_code;
        if (local(cpu, address + 4 * i, 4, &in_code) == NULL) {
            span.first = span.count == 0 ? i : span.first;
            span.count++;
        }
    }
    return span;
}

static enum exec_result load_words(struct arm968 *cpu, uint32_t address, unsigned count,
                                   uint32_t *values)
{
    if (alignment_fault(cpu, address, 4)) {
        return data_abort(cpu, ARM968_READ, address, 4 * count, true);
    }
    address &= ~3u;
    const struct span span = outside_span(cpu, address, count);
    if (span.count != 0) {
        const enum exec_result result =
            outside(cpu, ARM968_READ, address + 4 * span.first, 4, span.count, values + span.first);
        if (result != EXEC_CHECK) {
            return result;
        }
    }
    for (unsigned i = 0; i < count; i++) {
        bool in_code;
        const uint8_t *bytes = local(cpu, address + 4 * i, 4, &in_code);
        if (bytes != NULL) {
            memcpy(&values[i], bytes, sizeof *values);
            if (in_code) {
                charge_code_memory(cpu, 1);
            }
        }
    }
    return EXEC_CHECK;
}

enum exec_result memory_load_words(struct arm968 *cpu, uint32_t address, unsigned count,
                                   uint32_t *values)
{
    const enum exec_result result = load_words(cpu, address, count, values);
    return note_access(cpu, ARM968_READ, address & ~3u, 4 * count, result);
}

/* The same for a burst.  Logging words that are then not stored does no harm. */
static bool words_can_be_taken_back(struct arm968 *cpu, uint32_t address, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        bool in_code;
        if (local(cpu, address + 4 * i, 4, &in_code) != NULL &&
            !can_be_taken_back(cpu, address + 4 * i, in_code)) {
            return false;
        }
    }
    return true;
}

uint8_t *memory_logged_words(struct arm968 *cpu, uint32_t address, unsigned count)
{
    const uint32_t offset = address - cpu->data.base;
    const bool inside = offset < cpu->data.size && cpu->data.size - offset >= 4 * count;
    if (!inside || (address & 3) != 0 || !ahead_has_room(cpu, count) || cpu->sees_stores) {
        return NULL;
    }
    ahead_log_words(cpu, offset, count);
    return cpu->data.bytes + offset;
}

static enum exec_result store_words(struct arm968 *cpu, uint32_t address, unsigned count,
                                    const uint32_t *values)
{
    if (alignment_fault(cpu, address, 4)) {
        return data_abort(cpu, ARM968_WRITE, address, 4 * count, true);
    }
    address &= ~3u;
    if (ahead_is(cpu) && !words_can_be_taken_back(cpu, address, count)) {
        return EXEC_BLOCKED;
    }
    const struct span span = outside_span(cpu, address, count);
    if (span.count != 0) {
        uint32_t data[ARM968_ACCESS_WORDS];
        memcpy(data, values + span.first, span.count * sizeof *data);
        const enum exec_result result =
            outside(cpu, ARM968_WRITE, address + 4 * span.first, 4, span.count, data);
        if (result != EXEC_CHECK) {
            return result;
        }
    }
    for (unsigned i = 0; i < count; i++) {
        bool in_code;
        uint8_t *bytes = local(cpu, address + 4 * i, 4, &in_code);
        if (bytes != NULL) {
            memcpy(bytes, &values[i], sizeof *values);
            if (in_code) {
                charge_code_memory(cpu, 1);
            }
            if (in_code || cpu->flat) {
                arm968_code_written(cpu, address + 4 * i, 4);
            }
        }
    }
    return EXEC_CHECK;
}

enum exec_result memory_store_words(struct arm968 *cpu, uint32_t address, unsigned count,
                                    const uint32_t *values)
{
    if (LIKELY(!cpu->sees_stores)) {
        return store_words(cpu, address, count, values);
    }
    const uint32_t aligned = address & ~3u;
    if (cpu_watch_waits(cpu, aligned, 4 * count)) {
        return EXEC_BLOCKED;
    }
    const enum exec_result result =
        cpu_watch_stored(cpu, aligned, 4 * count, store_words(cpu, address, count, values));
    return note_access(cpu, ARM968_WRITE, aligned, 4 * count, result);
}

enum exec_result memory_load_double(struct arm968 *cpu, uint32_t address, uint32_t *values)
{
    if (alignment_fault(cpu, address, 8)) {
        return data_abort(cpu, ARM968_READ, address, 8, true);
    }
    return noted(cpu, (address & 7) != 0, memory_load_words(cpu, address & ~3u, 2, values));
}

enum exec_result memory_store_double(struct arm968 *cpu, uint32_t address, const uint32_t *values)
{
    if (alignment_fault(cpu, address, 8)) {
        return data_abort(cpu, ARM968_WRITE, address, 8, true);
    }
    return noted(cpu, (address & 7) != 0, memory_store_words(cpu, address & ~3u, 2, values));
}
