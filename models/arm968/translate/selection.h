/* selection.h - branches over a few instructions that only compute: Thumb code has them where ARM
 * code has conditional instructions.  Private to models/arm968.
 *
 * Both outcomes are computed, and selected from, so that the host has no branch to guess. */
#pragma once
#include "models/arm968/translate/region.h"
#include "models/common/c_linkage.h"
C_LINKAGE_BEGIN

/* Makes a selection of what a block's branch leads over, if it can be one: `selected` and the edges
 * of struct region_block. */
void selection_find(struct region *region, int index);

/* What the selected instructions take, and registers r0..r14 that they write; of a block without
 * any: 0. */
int64_t selection_cycles(const struct region_block *block);
uint16_t selection_written(const struct region_block *block);

/* Whether a block may ask for the flags that it begins with, or leave them to others. */
bool selection_wants_flags(const struct block *block);

C_LINKAGE_END
