/* function_map.h - maps an address to a function of a program.
 *
 * Functions are those of the symbol table.  Code outside them (in a stripped program or an assembly
 * file) belongs to the preceding label; code without any symbol to an aligned range of
 * FUNCTION_MAP_RANGE bytes whose name is its address.  Such ranges are added at the first lookup.
 */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/load/elf_image.h"
C_LINKAGE_BEGIN

enum { FUNCTION_MAP_RANGE = 256, FUNCTION_NAME_CHARS = 64 };

struct function_range {
    uint32_t first, last; /* addresses, both inside */
    uint32_t function;    /* dense from 0, in the order of appearance */
    const char *symbol;   /* NULL: a range of addresses */
};

struct function_map {
    struct function_range *range; /* by address, disjoint */
    size_t count, capacity;
    uint32_t functions;
};

/* The map points to the image's symbols, so the image must outlive it.  STATUS_INTERNAL: out of
 * memory. */
enum status function_map_init(struct function_map *map, const struct elf_image *image);
void function_map_deinit(struct function_map *map);

/* The range of an address, added if there is none; NULL: out of memory.  The pointer is valid until
 * the next call. */
const struct function_range *function_map_at(struct function_map *map, uint32_t address);

/* The range of an address among those of the symbols; NULL: there is none. */
const struct function_range *function_map_find(const struct function_map *map, uint32_t address);

/* The name of a range.  `room` has FUNCTION_NAME_CHARS characters and holds the name of a range
 * without a symbol. */
const char *function_name(const struct function_range *range, char *room);

C_LINKAGE_END
