/* core_port.h - what a core reaches outside its TCMs.  Its timers, its VIC and, as long as nobody
 * can have changed what it shows, its communications controller answer at once; stores that may be
 * posted go into the write buffer; everything else is an act in its turn.  Private to
 * models/machine. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/machine/core.h"
C_LINKAGE_BEGIN

/* struct arm968_ports: context is the core. */
enum arm968_reply core_port_access(void *context, struct arm968_access *access, uint64_t cycle);

/* Posts a store if it is one that may be posted and there is room for it. */
bool core_post(struct core *core, const struct arm968_access *access, uint64_t now_ps);

/* Can a store there change the core's own interrupt lines? */
bool core_store_comes_back(uint32_t address);

C_LINKAGE_END
