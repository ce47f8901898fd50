/* exception_return.h - the instructions by which a program returns from an exception: they go on at
 * another address, and take the CPSR from the SPSR (ARM DDI 0100I, A2.6).  ARM state only; Thumb
 * state has none. */
#pragma once
#include "models/common/c_linkage.h"
#include <stdbool.h>
#include <stdint.h>
C_LINKAGE_BEGIN

bool exception_return_is(uint32_t instruction);

/* Whether an instruction's condition holds with this CPSR. */
bool exception_return_holds(uint32_t instruction, uint32_t cpsr);

C_LINKAGE_END
