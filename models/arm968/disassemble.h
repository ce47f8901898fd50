/* disassemble.h - an instruction as text, from the decode tables and isa/text.def. */
#pragma once
#include "models/common/c_linkage.h"
#include <stdbool.h>
#include <stdint.h>
API_BEGIN

enum { ARM968_TEXT_CHARS = 96 };

/* The instruction at pc in unified assembly language; "undefined" if it takes the Undefined
 * exception.  Bits that should be 0 or 1 are ignored, as the core ignores them.  Thumb: `word`
 * holds the half-word and, in its high half, the next one, which the first half of BL and BLX
 * needs.  `text` has room for ARM968_TEXT_CHARS. */
void arm968_disassemble(uint32_t word, uint32_t pc, bool thumb, char *text);

API_END
