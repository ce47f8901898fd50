/* translate_probe.h - what the translator makes of single blocks (models/arm968/translate, which
 * C++ cannot read), as text: one line of words, so that tests can say exactly what they expect. */
#pragma once
#include "models/arm968/arm968.h"
#include "models/common/c_linkage.h"
C_LINKAGE_BEGIN

enum { TRANSLATE_PROBE_CHARS = 1024 };

struct code;
struct insn_op;

/* leaving_of() of the block at pc: how it is left, then "lr <return address, bit 0 the state>" of a
 * call, "by link" of a return that is to the link register's value, "in this state" of a jump
 * whose target's bit 0 does not choose the state, and of a jump by a table its kind, address and
 * last entry ("any": not known).  Numbers are hexadecimal. */
void translate_probe_leaving(struct code *code, const uint8_t *memory, uint32_t pc, bool thumb,
                             char text[TRANSLATE_PROBE_CHARS]);

/* emit_accesses_find() of the block at pc: of each access that is checked with others
 * "<instruction>:<group>+<bytes behind the group's first>", then of each group
 * "<group>=<first>,<bytes>,<alignment>" and "s" when one of them stores.  Numbers are decimal. */
void translate_probe_accesses(struct code *code, const uint8_t *memory, uint32_t pc, bool flat,
                              uint32_t asks, char text[TRANSLATE_PROBE_CHARS]);

/* How many instructions the function has that begins at pc, when all blocks that follow each other
 * from there, so many, are known. */
unsigned translate_probe_function(struct code *code, const uint8_t *memory, uint32_t pc,
                                  unsigned blocks);

/* op_registers_set() of an operation with these fields; it has no others. */
uint32_t translate_probe_set(const struct insn_op *op);

C_LINKAGE_END
