/* shadow.h - which bytes of a memory have been written: a bit for each, in pages that exist once a
 * byte of them has been written.  So the host needs an eighth of the memory in use.  Ends the
 * process when out of memory. */
#pragma once
#include "models/common/c_linkage.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
C_LINKAGE_BEGIN

struct shadow_page;
struct shadow {
    struct shadow_page **page; /* NULL: nothing of the page has been written */
    uint32_t bytes;            /* of the memory, a multiple of 4096 */
};

void shadow_init(struct shadow *shadow, uint32_t bytes);
void shadow_deinit(struct shadow *shadow);

/* Ranges end where the memory ends. */
void shadow_set(struct shadow *shadow, uint32_t offset, uint32_t bytes, bool written);

/* How many bytes from `offset` on have been written, of `bytes`; what is behind the memory counts
 * as written. */
uint32_t shadow_written(const struct shadow *shadow, uint32_t offset, uint32_t bytes);

/* Bytes are copied: what has not been written there has not been written here. */
void shadow_copy(struct shadow *to, uint32_t to_offset, const struct shadow *from,
                 uint32_t from_offset, uint32_t bytes);

C_LINKAGE_END
