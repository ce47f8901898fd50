/* function_map.h - which function of a program an address belongs to.
 *
 * Functions are those of the symbol table.  Code without one, of a stripped program or an assembly
 * file, belongs to the label before it, and code without any symbol to an aligned range of
 * FUNCTION_MAP_RANGE bytes that bears its address as a name; such ranges are added when somebody
 * asks for them. */
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

/* The symbols are the image's, which is to outlive the map.  STATUS_INTERNAL: out of memory. */
enum status function_map_init(struct function_map *map, const struct elf_image *image);
void function_map_deinit(struct function_map *map);

/* The range of an address, added if there is none; NULL: out of memory.  It is valid until the next
 * call. */
const struct function_range *function_map_at(struct function_map *map, uint32_t address);

/* The name of a range; `room` has FUNCTION_NAME_CHARS and is used for ranges of addresses. */
const char *function_name(const struct function_range *range, char *room);

C_LINKAGE_END
