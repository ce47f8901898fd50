/* function_map.c - see function_map.h. */
#include "sim/profile/function_map.h"

#include "sim/grow.h"

#include <inttypes.h>
#include <stdio.h>

/* The index of the first range that begins after an address. */
static size_t place_behind(const struct function_map *map, uint32_t address)
{
    size_t low = 0;
    size_t high = map->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (map->range[middle].first <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool insert(struct function_map *map, size_t place, struct function_range range)
{
    struct function_range *grown = grow(map->range, &map->capacity, map->count, sizeof *map->range);
    if (grown == NULL) {
        return false;
    }
    map->range = grown;
    memmove(map->range + place + 1, map->range + place, (map->count - place) * sizeof *map->range);
    map->range[place] = range;
    map->range[place].function = map->functions++;
    map->count++;
    return true;
}

/* Last address of the segment that holds an address; the address itself when none does. */
static uint32_t segment_last(const struct elf_image *image, uint32_t address)
{
    for (size_t i = 0; i < image->segment_count; i++) {
        const struct elf_segment *segment = &image->segment[i];
        if (segment->file_bytes != 0 && address - segment->address < segment->file_bytes) {
            return segment->address + (segment->file_bytes - 1);
        }
    }
    return address;
}

static uint32_t symbol_last(const struct elf_image *image, const struct elf_symbol *symbol)
{
    if (symbol->size == 0) {
        return segment_last(image, symbol->address);
    }
    const uint32_t last = symbol->address + (symbol->size - 1);
    return last < symbol->address ? UINT32_MAX : last;
}

/* Selects one of the symbols at an address: the last function, or else the last label.  Symbols are
 * sorted by name, so that of two names the one without underscores is selected.  *next gets the
 * first symbol after them. */
static const struct elf_symbol *best_at(const struct elf_image *image, size_t first, size_t *next)
{
    const struct elf_symbol *best = &image->symbol[first];
    size_t i = first + 1;
    for (; i < image->symbol_count && image->symbol[i].address == best->address; i++) {
        if (image->symbol[i].function || !best->function) {
            best = &image->symbol[i];
        }
    }
    *next = i;
    return best;
}

enum status function_map_init(struct function_map *map, const struct elf_image *image)
{
    *map = (struct function_map){0};
    bool in_function = false; /* the range before is one */
    for (size_t i = 0; i < image->symbol_count;) {
        const struct elf_symbol *symbol = best_at(image, i, &i);
        struct function_range *before = map->count == 0 ? NULL : &map->range[map->count - 1];
        if (before != NULL && before->last >= symbol->address) {
            if (in_function && !symbol->function) {
                continue; /* a label inside a function */
            }
            before->last = symbol->address - 1;
        }
        in_function = symbol->function;
        const struct function_range range = {
            .first = symbol->address, .last = symbol_last(image, symbol), .symbol = symbol->name};
        if (!insert(map, map->count, range)) {
            function_map_deinit(map);
            return STATUS_INTERNAL;
        }
    }
    return STATUS_OK;
}

void function_map_deinit(struct function_map *map)
{
    free(map->range);
    *map = (struct function_map){0};
}

const struct function_range *function_map_at(struct function_map *map, uint32_t address)
{
    const size_t place = place_behind(map, address);
    struct function_range range = {.first = address & ~(FUNCTION_MAP_RANGE - 1u),
                                   .last = address | (FUNCTION_MAP_RANGE - 1u)};
    if (place > 0) {
        const struct function_range *before = &map->range[place - 1];
        if (before->last >= address) {
            return before;
        }
        range.first = before->last >= range.first ? before->last + 1 : range.first;
    }
    if (place < map->count && map->range[place].first <= range.last) {
        range.last = map->range[place].first - 1;
    }
    return insert(map, place, range) ? &map->range[place] : NULL;
}

const struct function_range *function_map_find(const struct function_map *map, uint32_t address)
{
    const size_t place = place_behind(map, address);
    const struct function_range *before = place == 0 ? NULL : &map->range[place - 1];
    return before != NULL && before->last >= address && before->symbol != NULL ? before : NULL;
}

const char *function_name(const struct function_range *range, char *room)
{
    if (range->symbol != NULL) {
        return range->symbol;
    }
    (void)snprintf(room, FUNCTION_NAME_CHARS, "0x%08" PRIx32, range->first);
    return room;
}
