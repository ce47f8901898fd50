/* register_field.h - registers that show a word of their block's state: a row each.  Registers that
 * do more are the block's own. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/register_reply.h"
#include <stddef.h>
#include <stdint.h>
#include <string.h>
C_LINKAGE_BEGIN

/* What a write does to the word, with the bits of it that the register has. */
enum register_write {
    REGISTER_READ_ONLY, /* it is ignored */
    REGISTER_STORES,
    REGISTER_SETS,  /* bits that are 1 */
    REGISTER_CLEARS /* bits that are 1 */
};

struct register_field {
    uint32_t offset; /* of the register in its block, bytes */
    uint16_t member; /* where the word stands in the state; REGISTER_NO_WORD: it reads 0 */
    uint8_t write;   /* enum register_write */
    uint8_t tag;     /* the block's own */
    uint32_t mask;
};

enum { REGISTER_NO_WORD = UINT16_MAX };

/* The place of a member of 32 bits; others do not compile. */
#define REGISTER_MEMBER(type, member)                                                              \
    (uint16_t)(offsetof(struct type, member) *                                                     \
               sizeof(char[sizeof((struct type *)0)->member == 4 ? 1 : -1]))

/* The row of a register; NULL: there is none. */
static inline const struct register_field *register_find(const struct register_field *fields,
                                                         size_t count, uint32_t offset)
{
    for (size_t i = 0; i < count; i++) {
        if (fields[i].offset == offset) {
            return &fields[i];
        }
    }
    return NULL;
}

/* row NULL: REGISTER_UNMODELLED, and 0. */
static inline enum register_reply register_read(const struct register_field *row, const void *state,
                                                uint32_t *value)
{
    *value = 0;
    if (row != NULL && row->member != REGISTER_NO_WORD) {
        memcpy(value, (const char *)state + row->member, sizeof *value);
    }
    return row == NULL ? REGISTER_UNMODELLED : REGISTER_OK;
}

static inline enum register_reply register_write(const struct register_field *row, void *state,
                                                 uint32_t value)
{
    if (row == NULL) {
        return REGISTER_UNMODELLED;
    }
    if (row->write == REGISTER_READ_ONLY || row->member == REGISTER_NO_WORD) {
        return REGISTER_OK;
    }
    uint32_t word;
    memcpy(&word, (const char *)state + row->member, sizeof word);
    value &= row->mask;
    word = row->write == REGISTER_STORES ? value
           : row->write == REGISTER_SETS ? word | value
                                         : word & ~value;
    memcpy((char *)state + row->member, &word, sizeof word);
    return REGISTER_OK;
}

C_LINKAGE_END
