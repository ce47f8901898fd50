/* tell.c - tells the owner of the data accesses that instructions have made (ports.accessed). */
#include "models/arm968/arm968_state.h"

void cpu_tell_access(struct arm968 *cpu, uint32_t pc, uint64_t cycle)
{
    const bool writes = cpu->told_kind != ARM968_READ;
    const struct arm968_data_access access = {
        .cycle = cycle,
        .pc = pc,
        .sp = cpu->r[REGISTER_SP],
        .address = cpu->told_address,
        .kind = cpu->told_kind,
        .bytes = cpu->told_bytes,
        .mode = cpu->mode,
        .words = writes && cpu->told_address > cpu->own_last ? cpu->access.data : NULL};
    cpu->told_bytes = 0;
    cpu->config.ports.accessed(cpu->config.ports.context, &access);
}
