/* code_probe.h - the cache of blocks by itself (models/arm968/code.h, which C++ cannot read): a
 * code of one's own for a memory of the test's, at address 0. */
#pragma once
#include "models/arm968/arm968.h"
#include "models/common/c_linkage.h"
C_LINKAGE_BEGIN

struct code;

/* The memory is the caller's and outlives it; its size is a multiple of 4096.  To be destroyed. */
struct code *code_probe_create(uint8_t *memory, uint32_t size);
void code_probe_destroy(struct code *code);

/* Builds the block of an address, in ARM state; the number of instructions in it. */
unsigned code_probe_build(struct code *code, const uint8_t *memory, uint32_t pc);
bool code_probe_has(struct code *code, uint32_t pc);

/* As code_written(): true when blocks have been dropped. */
bool code_probe_written(struct code *code, const uint8_t *memory, uint32_t address, uint32_t bytes);

/* As code_end(), code_bytes(), code_is_full(), code_is_due() and code_collect(). */
uint32_t code_probe_end(const struct code *code);
size_t code_probe_bytes(const struct code *code);
bool code_probe_is_full(const struct code *code);
bool code_probe_is_due(const struct code *code);
void code_probe_collect(struct code *code);

/* Whether two cores share their code at the moment, and how long one that does not waits before it
 * looks for one to share: 0, it has never left. */
bool code_probe_shared(const struct arm968 *one, const struct arm968 *other);
uint64_t code_probe_share_wait(const struct arm968 *cpu);

/* What the code of a core takes of the host's memory, and may take. */
size_t code_probe_bytes_of(const struct arm968 *cpu);
size_t code_probe_bytes_most(void);

C_LINKAGE_END
