/* elf_image.h - reads a 32-bit little-endian ARM executable: segments to load, entry, symbols.
 * The file is read once and checked; nothing of it is trusted.  Debug information is not read. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
C_LINKAGE_BEGIN

struct elf_segment {
    uint32_t address;      /* physical */
    uint32_t file_bytes;   /* copied from the file */
    uint32_t memory_bytes; /* at least file_bytes; the rest is zero */
    const uint8_t *bytes;  /* inside the image */
};

struct elf_symbol {
    uint32_t address; /* bit 0 cleared */
    uint32_t size;    /* bytes, 0 when unknown */
    bool function;
    const char *name; /* inside the image */
};

struct elf_image {
    char *path;
    uint8_t *file;
    size_t file_size;
    uint32_t entry; /* bit 0: Thumb */
    struct elf_segment *segment;
    size_t segment_count;
    struct elf_symbol *symbol; /* sorted by address, then name; mapping symbols left out */
    size_t symbol_count;
    const char *compiler; /* as it names itself in .comment; "unknown" */
};

/* Reads a file.  STATUS_CONFIGURATION with a message, the offset at fault and a hint when it is not
 * such an executable; the image is then empty.  Free a good one with elf_image_deinit(). */
enum status elf_image_read(struct elf_image *image, const char *path,
                           struct diagnostic *diagnostic);
void elf_image_deinit(struct elf_image *image);

/* The symbol of this name, or NULL. */
const struct elf_symbol *elf_image_find(const struct elf_image *image, const char *name);

/* The function, or else the symbol, at or before an address, and inside its size where that is
 * known; NULL if there is none. */
const struct elf_symbol *elf_image_at(const struct elf_image *image, uint32_t address);

/* SHA-256, in hexadecimal, over what is loaded: entry, and address, size and bytes of each segment.
 * Symbols and debug information do not enter. */
void elf_image_digest(const struct elf_image *image, char *hex);

/* The bytes that a program holds at an address from the start; NULL when a part of the range is not
 * in the file. */
const uint8_t *elf_image_bytes(const struct elf_image *image, uint32_t address, uint32_t count);

C_LINKAGE_END
