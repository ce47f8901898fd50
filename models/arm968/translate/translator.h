/* translator.h - native code made in the background.  Private to models/arm968; its public face is
 * in arm968.h.
 *
 * Cores say now and then where they are.  When one code has been sampled often enough, its busiest
 * functions are written as C (emit.h), compiled by the host's compiler on a thread of the
 * translator's own, loaded, and put in place of the blocks' operations.  Results are the same
 * before, after and without. */
#pragma once
#include "models/arm968/arm968_state.h"
#include "models/common/c_linkage.h"
C_LINKAGE_BEGIN

/* The core has come to its code: what earlier runs have had compiled of it is put in place. */
void translator_begin(struct arm968 *cpu);

/* The core stands at a block; also sets when it wants to know again. */
void translator_sample(struct arm968 *cpu, struct block *block);

C_LINKAGE_END
