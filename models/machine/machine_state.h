/* machine_state.h - what a machine is made of.  Private to models/machine. */
#ifndef MODELS_MACHINE_MACHINE_STATE_H
#define MODELS_MACHINE_MACHINE_STATE_H
#include "models/machine/chip.h"
#include "models/machine/machine.h"
#ifdef __cplusplus
extern "C" {
#endif

/* A chip and when it will next do something. */
struct machine_turn {
    uint64_t next_ps;
    unsigned chip;
};

struct machine {
    struct machine_config config;
    struct topology topology;
    struct chip *chip; /* in the topology's order: by x, then y */
    unsigned chip_count;
    struct arm968_code_library *library; /* of all cores: equal programs are decoded once */
    struct machine_turn *turn;           /* heap, the earliest first; made anew by each run */
    unsigned *turn_of;                   /* where each chip stands in it */
    uint64_t time_ps;
};

/* How long the chip whose turn it is may go on before it is another one's. */
uint64_t machine_turn_ends_ps(const struct machine *machine);

/* A chip, not the one whose turn it is, will do something at a time, perhaps earlier than was
 * known. */
void machine_wake(struct machine *machine, const struct chip *chip, uint64_t time_ps);

/* NULL when there is no such core. */
struct core *machine_find_core(const struct machine *machine, struct machine_core core);

#ifdef __cplusplus
}
#endif
#endif
