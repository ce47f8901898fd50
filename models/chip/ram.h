/* ram.h - a memory that takes host memory only for the pages that are written.
 * Reads of untouched pages give zero.  The guest's writes are remembered by page, so that a run's
 * result can be hashed without looking at gigabytes of nothing. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include <stdbool.h>
#include <stdint.h>
C_LINKAGE_BEGIN

enum { RAM_PAGE_BYTES = 4096 };

struct ram {
    uint8_t *bytes;   /* `size`, zero when never written */
    uint32_t size;    /* a multiple of RAM_PAGE_BYTES */
    uint8_t *written; /* a byte for each page: 1 once the guest has written it */
};

/* Zeros that take up the host's memory only where they are touched; NULL when it has no address
 * space left.  The size is any number of bytes; ram_unmap(NULL, ...) does nothing. */
uint8_t *ram_map(uint64_t size);
void ram_unmap(uint8_t *bytes, uint64_t size);

/* The same for what is wanted often and everywhere: in large pages where the host has them. */
uint8_t *ram_map_dense(uint64_t size);

/* STATUS_INTERNAL when the host has no address space left. */
enum status ram_init(struct ram *ram, uint64_t size);
void ram_deinit(struct ram *ram);

/* Offsets wrap at the size, as the chip's memories repeat in their regions.  size: 1, 2 or 4,
 * aligned. */
uint32_t ram_read(const struct ram *ram, uint32_t offset, unsigned size);
void ram_write(struct ram *ram, uint32_t offset, unsigned size, uint32_t value);

/* Any number of bytes, wrapping likewise; by_guest marks the pages. */
void ram_copy_out(const struct ram *ram, uint32_t offset, void *to, uint32_t bytes);
void ram_copy_in(struct ram *ram, uint32_t offset, const void *from, uint32_t bytes, bool by_guest);

C_LINKAGE_END
