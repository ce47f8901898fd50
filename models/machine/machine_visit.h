/* machine_visit.h - the parts of a machine's state, one after the other, in a fixed order: to be
 * saved, loaded, or kept (machine_save.c, history.c).  Private to models/machine.
 *
 * A visitor that saves reads the parts, one that loads fills them in.  Derived data are made again
 * behind each core that has been loaded. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/machine/machine_state.h"
C_LINKAGE_BEGIN

struct state_visitor {
    bool loads;
    bool failed; /* nothing is visited any more */
    /* Data of a fixed size; equal states have equal bytes. */
    void (*data)(struct state_visitor *visitor, void *data, size_t size);
    /* A memory that is mostly zeros. */
    void (*ram)(struct state_visitor *visitor, struct ram *ram);
    /* One of a core's two memories. */
    void (*tcm)(struct state_visitor *visitor, struct core *core, uint8_t *bytes, size_t size);
    /* Whether so many bytes can follow when a state is loaded. */
    bool (*holds)(const struct state_visitor *visitor, uint64_t bytes);
};

/* `failed` is set if the parts that are loaded do not belong to the machine. */
void machine_visit(struct machine *machine, struct state_visitor *visitor);

C_LINKAGE_END
