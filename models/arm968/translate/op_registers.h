/* op_registers.h - the registers that an operation of ops.def uses; for a transfer of one register,
 * also the type of its datum and its address form.  Private to models/arm968. */
#pragma once
#include "models/arm968/block.h"
#include "models/common/c_linkage.h"
C_LINKAGE_BEGIN

enum { OP_REGISTERS_ALL = 0x7fff /* r0 .. r14 */ };

/* Registers r0..r14 that an operation reads or writes, and those that it writes. */
uint16_t op_registers_used(const struct op *op, enum op_code code);
uint16_t op_registers_written(const struct op *op, enum op_code code);

/* Registers that an operation writes, including the scratch registers 15 to 17 of ops.def. */
uint32_t op_registers_set(const struct op *op, enum op_code code);

bool op_is_load(enum op_code code);  /* of one word, half-word or byte */
bool op_is_store(enum op_code code); /* the same */

/* The address form of such a load or store. */
enum op_form op_form_of(enum op_code code);
const char *op_type_of(enum op_code code); /* "u32", "s16" ... */
unsigned op_bytes_of(enum op_code code);   /* 4, 2 or 1 */

C_LINKAGE_END
