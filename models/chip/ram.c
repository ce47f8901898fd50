/* ram.c - see ram.h. */
#include "models/chip/ram.h"

#include <string.h>
#include <sys/mman.h>

uint8_t *ram_map(uint64_t size)
{
    void *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return bytes == MAP_FAILED ? NULL : bytes;
}

void ram_unmap(uint8_t *bytes, uint64_t size)
{
    if (bytes != NULL) {
        (void)munmap(bytes, size);
    }
}

/* The memory, and behind it a byte for each page. */
static uint64_t mapped_bytes(const struct ram *ram)
{
    return (uint64_t)ram->size + ram->size / RAM_PAGE_BYTES;
}

enum status ram_init(struct ram *ram, uint64_t size)
{
    *ram = (struct ram){.size = (uint32_t)size};
    ram->bytes = ram_map(mapped_bytes(ram));
    if (ram->bytes == NULL) {
        ram_deinit(ram);
        return STATUS_INTERNAL;
    }
    ram->page = ram->bytes + size;
    return STATUS_OK;
}

void ram_deinit(struct ram *ram)
{
    ram_unmap(ram->bytes, mapped_bytes(ram));
    *ram = (struct ram){0};
}

uint32_t ram_read(const struct ram *ram, uint32_t offset, unsigned size)
{
    uint32_t value = 0;
    memcpy(&value, ram->bytes + offset % ram->size, size);
    return value;
}

void ram_write(struct ram *ram, uint32_t offset, unsigned size, uint32_t value)
{
    const uint32_t at = offset % ram->size;
    memcpy(ram->bytes + at, &value, size);
    ram->page[at / RAM_PAGE_BYTES] = RAM_BY_GUEST | RAM_TOUCHED | RAM_CHANGED;
}

void ram_copy_out(const struct ram *ram, uint32_t offset, void *to, uint32_t bytes)
{
    uint8_t *out = to;
    while (bytes > 0) {
        const uint32_t at = offset % ram->size;
        const uint32_t part = bytes < ram->size - at ? bytes : ram->size - at;
        memcpy(out, ram->bytes + at, part);
        out += part;
        offset += part;
        bytes -= part;
    }
}

static void note_written(struct ram *ram, uint32_t at, uint32_t bytes, bool by_guest)
{
    const uint8_t what = RAM_TOUCHED | RAM_CHANGED | (by_guest ? RAM_BY_GUEST : 0);
    for (uint32_t page = at / RAM_PAGE_BYTES; page <= (at + bytes - 1) / RAM_PAGE_BYTES; page++) {
        ram->page[page] |= what;
    }
}

void ram_copy_in(struct ram *ram, uint32_t offset, const void *from, uint32_t bytes, bool by_guest)
{
    const uint8_t *in = from;
    while (bytes > 0) {
        const uint32_t at = offset % ram->size;
        const uint32_t part = bytes < ram->size - at ? bytes : ram->size - at;
        memcpy(ram->bytes + at, in, part);
        note_written(ram, at, part, by_guest);
        in += part;
        offset += part;
        bytes -= part;
    }
}
