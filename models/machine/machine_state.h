/* machine_state.h - what a machine is made of.  Private to models/machine. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/machine/chip.h"
#include "models/machine/machine.h"
#include "models/machine/schedule.h"
C_LINKAGE_BEGIN

struct machine {
    struct machine_config config;
    struct topology topology;
    struct chip *chip; /* in the topology's order: by x, then y */
    unsigned chip_count;
    struct arm968_translator *translator; /* NULL: cores are interpreted */
    struct arm968_code_library *library;  /* of all cores: equal programs are decoded once */
    struct schedule schedule;
    uint64_t time_ps;
    struct purposes purposes;
};

/* NULL when there is no such core. */
struct core *machine_find_core(const struct machine *machine, struct machine_core core);

C_LINKAGE_END
