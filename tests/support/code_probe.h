/* code_probe.h - C++ access to the cache of decoded blocks (models/arm968/code.h, which C++ cannot
 * include) without a core.  The test provides the memory, at address 0. */
#pragma once
#include "models/arm968/arm968.h"
#include "models/common/c_linkage.h"
C_LINKAGE_BEGIN

struct code;

/* The caller owns the memory, which must outlive the result; `size` is a multiple of 4096.  Free
 * with code_probe_destroy(). */
struct code *code_probe_create(uint8_t *memory, uint32_t size);
void code_probe_destroy(struct code *code);

/* Builds the block at an address, in ARM state; returns its number of instructions. */
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

/* Whether two cores share their code at the moment; how long a core that does not share waits
 * before it looks for a core to share with (0: it has never stopped sharing). */
bool code_probe_shared(const struct arm968 *one, const struct arm968 *other);
uint64_t code_probe_share_wait(const struct arm968 *cpu);

/* Bytes of the host's memory that a core's code takes, and the most that it may take. */
size_t code_probe_bytes_of(const struct arm968 *cpu);
size_t code_probe_bytes_most(void);

C_LINKAGE_END
