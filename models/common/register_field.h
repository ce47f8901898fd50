/* register_field.h - registers that show a word of their block's state, one table row each.
 * Registers with further effects are implemented by the block itself. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/register_reply.h"
#include <stddef.h>
#include <stdint.h>
#include <string.h>
C_LINKAGE_BEGIN

/* The effect of a write on the word, limited to the bits that the register has. */
enum register_write {
    REGISTER_READ_ONLY, /* writes are ignored */
    REGISTER_STORES,
    REGISTER_SETS,  /* sets the bits written as 1 */
    REGISTER_CLEARS /* clears the bits written as 1 */
};

struct register_field {
    uint32_t offset; /* offset of the register in its block, in bytes */
    uint16_t member; /* offset of the word in the block's state; REGISTER_NO_WORD: reads as 0 */
    uint8_t write;   /* enum register_write */
    uint8_t tag;     /* for the block's own use */
    uint32_t mask;
};

enum { REGISTER_NO_WORD = UINT16_MAX };

/* The offset of a 32-bit member; a member of another size does not compile. */
#define REGISTER_MEMBER(type, member)                                                              \
    (uint16_t)(offsetof(struct type, member) *                                                     \
               sizeof(char[sizeof((struct type *)0)->member == 4 ? 1 : -1]))

/* The register's row; NULL: no such register. */
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

/* With row NULL: returns REGISTER_UNMODELLED, and the value 0. */
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
