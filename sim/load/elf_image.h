/* elf_image.h - reads a 32-bit little-endian ARM executable, or an APLX file (aplx.h): segments to
 * load, entry, symbols (APLX has none).  The file is read once; all fields are checked before use.
 * Debug information is not read. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
API_BEGIN

extern const char ELF_COMPILER_UNKNOWN[];

struct elf_segment {
    uint32_t address;      /* physical */
    uint32_t file_bytes;   /* number of bytes copied from the file */
    uint32_t memory_bytes; /* at least file_bytes; the rest is `fill` */
    uint32_t fill;         /* a word; ELF: 0 */
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
    struct elf_symbol *symbol; /* sorted by address, then name; without ARM's mapping symbols */
    size_t symbol_count;
    const char *compiler; /* its name as in .comment, or ELF_COMPILER_UNKNOWN */
    bool is_aplx;
    bool borrowed; /* all memory belongs to another image */
};

/* Reads a file.  STATUS_CONFIGURATION with a message, the offset at fault and a hint when the file
 * is not such an executable; the image is then empty.  On success, free the image with
 * elf_image_deinit(). */
enum status elf_image_read(struct elf_image *image, const char *path,
                           struct diagnostic *diagnostic);
void elf_image_deinit(struct elf_image *image);

/* The same image without memory of its own; `image` must outlive it. */
struct elf_image elf_image_borrow(const struct elf_image *image);

/* The symbol of this name, or NULL. */
const struct elf_symbol *elf_image_find(const struct elf_image *image, const char *name);

/* The function, or if there is none the symbol, that contains an address; if its size is unknown,
 * the nearest at or before the address.  NULL: none. */
const struct elf_symbol *elf_image_at(const struct elf_image *image, uint32_t address);

/* The object or function whose size covers an address; memory that the file only reserves counts,
 * too.  NULL: none. */
const struct elf_symbol *elf_image_covering(const struct elf_image *image, uint32_t address);

/* SHA-256, in hexadecimal, of what is loaded: the entry, and address, size and bytes of each
 * segment.  It does not cover symbols and debug information. */
void elf_image_digest(const struct elf_image *image, char *hex);

/* Initial contents of `count` bytes at an address; NULL when part of the range is not in the file.
 */
const uint8_t *elf_image_bytes(const struct elf_image *image, uint32_t address, uint32_t count);

API_END
