/* code_probe.c - see code_probe.h. */
#include "tests/support/code_probe.h"

#include "models/arm968/arm968_state.h"
#include "models/arm968/interpreter.h"

struct code *code_probe_create(uint8_t *memory, uint32_t size)
{
    const struct arm968_timing timing = arm968_timing_default();
    const struct code_config config = {
        .timing = &timing, .labels = interpreter_labels(), .memory = {0, size, memory}};
    return code_acquire(NULL, &config);
}

void code_probe_destroy(struct code *code)
{
    code_release(code);
}

unsigned code_probe_build(struct code *code, const uint8_t *memory, uint32_t pc)
{
    return code_block(code, memory, pc, false, NULL)->insn_count;
}

bool code_probe_has(struct code *code, uint32_t pc)
{
    return code_find(code, pc, false, NULL) != NULL;
}

bool code_probe_written(struct code *code, const uint8_t *memory, uint32_t address, uint32_t bytes)
{
    return code_written(code, memory, address, bytes) == CODE_CHANGED;
}

uint32_t code_probe_end(const struct code *code)
{
    return code_end(code);
}

size_t code_probe_bytes(const struct code *code)
{
    return code_bytes(code);
}

bool code_probe_is_full(const struct code *code)
{
    return code_is_full(code);
}

bool code_probe_is_due(const struct code *code)
{
    return code_is_due(code);
}

void code_probe_collect(struct code *code)
{
    code_collect(code);
}

bool code_probe_shared(const struct arm968 *one, const struct arm968 *other)
{
    return one->code != NULL && one->code == other->code;
}

uint64_t code_probe_share_wait(const struct arm968 *cpu)
{
    return cpu->share_wait;
}

size_t code_probe_bytes_of(const struct arm968 *cpu)
{
    return cpu->code == NULL ? 0 : code_bytes(cpu->code);
}

size_t code_probe_bytes_most(void)
{
    return CODE_BYTES;
}
