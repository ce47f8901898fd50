/* ram.h - a memory that uses host memory only for pages that have been written.  Untouched pages
 * read as zero.  Guest writes are recorded per page, so that the result of a run can be hashed
 * without reading gigabytes of untouched memory. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include <stdbool.h>
#include <stdint.h>
C_LINKAGE_BEGIN

enum { RAM_PAGE_BYTES = 4096 };

struct ram {
    uint8_t *bytes; /* `size` bytes, zero until written */
    uint32_t size;  /* a multiple of RAM_PAGE_BYTES */
    uint8_t *page;  /* a byte for each page, behind them: what has happened to it, RAM_* */
};

/* RAM_BY_GUEST: the guest has written the page.  RAM_TOUCHED: anybody has; other pages are zero.
 * RAM_CHANGED: anybody has since the owner cleared the bit. */
enum { RAM_BY_GUEST = 1, RAM_TOUCHED = 2, RAM_CHANGED = 4 };

/* Maps zeroed memory that uses host memory only where it is touched; NULL if the host has no
 * address space left.  The size is any number of bytes; ram_unmap(NULL, ...) does nothing. */
uint8_t *ram_map(uint64_t size);
void ram_unmap(uint8_t *bytes, uint64_t size);

/* STATUS_INTERNAL: the host has no address space left. */
enum status ram_init(struct ram *ram, uint64_t size);
void ram_deinit(struct ram *ram);

/* Offsets wrap at the size, since the chip's memories repeat within their regions. size: 1, 2 or 4,
 * aligned. */
uint32_t ram_read(const struct ram *ram, uint32_t offset, unsigned size);
void ram_write(struct ram *ram, uint32_t offset, unsigned size, uint32_t value);

/* Copies any number of bytes, wrapping in the same way; by_guest: the guest has written them. */
void ram_copy_out(const struct ram *ram, uint32_t offset, void *to, uint32_t bytes);
void ram_copy_in(struct ram *ram, uint32_t offset, const void *from, uint32_t bytes, bool by_guest);

C_LINKAGE_END
