/* symbols.c - see symbols.h. */
#include "sim/symbols/symbols.h"

#include "sim/profile/function_map.h"
#include "sim/symbols/frame_rules.h"
#include "sim/symbols/line_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct symbols {
    const struct elf_image *image;
    struct function_map functions;
    struct line_table lines;
    struct dwarf_bytes frames; /* .debug_frame */
};

static struct dwarf_bytes section_of(const struct elf_image *image, const char *name)
{
    struct dwarf_bytes section = {.left = 0};
    size_t bytes = 0;
    section.at = elf_image_section(image, name, &bytes);
    section.left = section.at == NULL ? 0 : bytes;
    return section;
}

struct symbols *symbols_open(const struct elf_image *image)
{
    struct symbols *symbols = calloc(1, sizeof *symbols);
    if (symbols == NULL) {
        return NULL;
    }
    const struct line_sections sections = {.line = section_of(image, ".debug_line"),
                                           .line_str = section_of(image, ".debug_line_str"),
                                           .str = section_of(image, ".debug_str")};
    symbols->image = image;
    symbols->frames = section_of(image, ".debug_frame");
    if (function_map_init(&symbols->functions, image) != STATUS_OK ||
        line_table_init(&symbols->lines, &sections) != STATUS_OK) {
        symbols_close(symbols);
        return NULL;
    }
    return symbols;
}

void symbols_close(struct symbols *symbols)
{
    if (symbols != NULL) {
        function_map_deinit(&symbols->functions);
        line_table_deinit(&symbols->lines);
        free(symbols);
    }
}

bool symbols_have_lines(const struct symbols *symbols)
{
    return symbols->lines.sequences > 0;
}

/* ---- places ---- */

/* What the symbol table says of an address, if it says a size. */
static struct code_span span_of(const struct symbols *symbols, const struct function_range *range)
{
    const struct elf_symbol *function =
        range == NULL ? NULL : elf_image_at(symbols->image, range->first);
    return function == NULL || !function->function || function->size == 0 ||
                   function->address != range->first
               ? (struct code_span){0, 0}
               : (struct code_span){range->first, range->last + 1};
}

static const char *without_here(const char *path)
{
    return strncmp(path, "./", 2) == 0 ? path + 2 : path;
}

/* Folder and name, or the end of them that has room. */
static void join_file(const struct line_file *file, char text[SYMBOLS_FILE_CHARS])
{
    const char *folder = without_here(file->folder);
    const char *name = without_here(file->name);
    const bool alone = folder[0] == '\0' || strcmp(folder, ".") == 0 || name[0] == '/';
    const size_t folder_chars = alone ? 0 : strlen(folder) + 1;
    const size_t chars = folder_chars + strlen(name);
    const size_t cut = chars < SYMBOLS_FILE_CHARS ? 0 : chars - (SYMBOLS_FILE_CHARS - 1);
    const size_t kept_folder = cut < folder_chars ? folder_chars - cut : 0;
    if (kept_folder > 0) {
        memcpy(text, folder + cut, kept_folder - 1);
        text[kept_folder - 1] = '/';
    }
    name += cut < folder_chars ? 0 : cut - folder_chars;
    memcpy(text + kept_folder, name, strlen(name) + 1);
}

struct symbols_place symbols_find(const struct symbols *symbols, uint32_t address)
{
    struct symbols_place place = {.line = 0};
    const struct function_range *function = function_map_find(&symbols->functions, address);
    const struct code_span span = span_of(symbols, function);
    if (function != NULL) {
        place.function = function->symbol;
        place.offset = address - function->first;
    }
    const struct line_row *row = line_table_find(&symbols->lines, address, span);
    if (row != NULL && row->file != LINE_NO_FILE) {
        place.line = row->line;
        join_file(&symbols->lines.file[row->file], place.file);
    }
    return place;
}

const char *symbols_text(const struct symbols_place *place, uint32_t address,
                         char text[SYMBOLS_TEXT_CHARS])
{
    enum { NAME_CHARS = 96 }; /* of a function: longer ones are cut */
    char line[SYMBOLS_FILE_CHARS + 16] = "";
    if (place->line > 0) {
        (void)snprintf(line, sizeof line, "  %s:%" PRIu32, place->file, place->line);
    }
    if (place->function == NULL) {
        (void)snprintf(text, SYMBOLS_TEXT_CHARS, "0x%08" PRIx32 "%s", address, line);
    } else if (place->offset == 0) {
        (void)snprintf(text, SYMBOLS_TEXT_CHARS, "%.*s%s", NAME_CHARS, place->function, line);
    } else {
        (void)snprintf(text, SYMBOLS_TEXT_CHARS, "%.*s+0x%" PRIx32 "%s", NAME_CHARS,
                       place->function, place->offset, line);
    }
    return text;
}

/* ---- who has called whom ---- */

/* The registers of a frame; known: a bit for each that has not been lost. */
struct frame_state {
    uint32_t r[FRAME_REGISTERS];
    uint32_t known;
};

struct walk {
    const struct symbols *symbols;
    symbols_read read;
    const void *context;
};

/* In a call's address to return to: bit 0 tells Thumb code.  The call before it lies 2 bytes
 * before, or ends there. */
enum { THUMB_BIT = 1, CALL_INSIDE = 2 };

static bool read_word(const struct walk *walk, uint32_t address, uint32_t *word)
{
    uint8_t byte[4];
    if (!walk->read(walk->context, address, byte, sizeof byte)) {
        return false;
    }
    *word = byte[0] | (uint32_t)byte[1] << 8 | (uint32_t)byte[2] << 16 | (uint32_t)byte[3] << 24;
    return true;
}

static bool knows(const struct frame_state *state, unsigned number)
{
    return (state->known >> number & 1) != 0;
}

static bool is_code(const struct symbols *symbols, uint32_t address)
{
    return elf_image_bytes(symbols->image, address, 1) != NULL;
}

/* The value of a register in the calling function; false: it is lost. */
static bool caller_value(const struct walk *walk, const struct frame_state *state,
                         struct frame_rule rule, unsigned number, uint32_t frame, uint32_t *value)
{
    const uint32_t place = frame + (uint32_t)rule.offset;
    switch (rule.kind) {
    case FRAME_SAME:
        *value = state->r[number];
        return knows(state, number);
    case FRAME_STORED:
        return read_word(walk, place, value);
    case FRAME_COMPUTED:
        *value = place;
        return true;
    case FRAME_IN_REGISTER:
        *value = state->r[rule.offset];
        return knows(state, (unsigned)rule.offset);
    case FRAME_LOST:
        break;
    }
    return false;
}

static bool go_by_rules(const struct walk *walk, const struct frame_rules *rules,
                        struct frame_state *state)
{
    if (!knows(state, rules->address_register)) {
        return false;
    }
    const uint32_t frame = state->r[rules->address_register] + (uint32_t)rules->address_offset;
    struct frame_state caller = {.known = 0};
    for (unsigned i = 0; i < FRAME_PC; i++) {
        if (caller_value(walk, state, rules->of[i], i, frame, &caller.r[i])) {
            caller.known |= 1u << i;
        }
    }
    const unsigned back = rules->return_register;
    if (!caller_value(walk, state, rules->of[back], back, frame, &caller.r[FRAME_PC])) {
        return false;
    }
    caller.known |= 1u << FRAME_PC;
    *state = caller;
    return true;
}

/* Whether an instruction that calls stands before an address to return to (ARM DDI 0100I, A4.1.5,
 * A4.1.8, A7.1.17, A7.1.18): BL, BLX, or MOV LR, PC two instructions before. */
static bool is_behind_call(const struct walk *walk, uint32_t address)
{
    enum { ARM_BYTES = 4 };
    const uint32_t at = address & ~(uint32_t)THUMB_BIT;
    uint32_t word;
    if (!is_code(walk->symbols, at) || !read_word(walk, at - ARM_BYTES, &word)) {
        return false;
    }
    if ((address & THUMB_BIT) != 0) {
        const uint32_t half = word >> 16;
        return (half & 0xff87) == 0x4780 ||
               ((word & 0xf800) == 0xf000 && (half & 0xe800) == 0xe800);
    }
    uint32_t before = 0;
    return (word & 0x0f000000) == 0x0b000000 || (word & 0xfe000000) == 0xfa000000 ||
           (word & 0x0ffffff0) == 0x012fff30 ||
           (read_word(walk, at - 2 * ARM_BYTES, &before) && before == 0xe1a0e00f);
}

static bool go_by_link(const struct walk *walk, const struct function_range *function,
                       struct frame_state *state)
{
    const uint32_t link = state->r[FRAME_LR];
    const bool own = function != NULL && link >= function->first && link <= function->last;
    if (!knows(state, FRAME_LR) || own || !is_behind_call(walk, link)) {
        return false;
    }
    state->r[FRAME_PC] = link;
    state->known &= ~(1u << FRAME_LR);
    return true;
}

/* Goes to the caller; false, and *end: there is none that can be found. */
static bool go_to_caller(const struct walk *walk, bool innermost, struct frame_state *state,
                         enum symbols_how *how, enum symbols_end *end)
{
    const struct symbols *symbols = walk->symbols;
    const uint32_t pc = state->r[FRAME_PC] - (innermost ? 0 : CALL_INSIDE);
    const uint32_t sp = state->r[FRAME_SP];
    const struct function_range *function = function_map_find(&symbols->functions, pc);
    struct frame_rules rules;
    if (!frame_rules_find(symbols->frames, pc, span_of(symbols, function), &rules)) {
        *end = SYMBOLS_NO_RULES;
        *how = SYMBOLS_BY_LINK;
        return innermost && go_by_link(walk, function, state);
    }
    *how = SYMBOLS_BY_FRAME;
    if (!go_by_rules(walk, &rules, state) || !knows(state, FRAME_SP)) {
        *end = SYMBOLS_UNREAD;
        return false;
    }
    if (state->r[FRAME_SP] < sp || (state->r[FRAME_SP] == sp && !innermost)) {
        *end = SYMBOLS_STUCK;
        return false;
    }
    *end = SYMBOLS_OUTSIDE;
    return is_code(symbols, (state->r[FRAME_PC] & ~(uint32_t)THUMB_BIT) - CALL_INSIDE);
}

unsigned symbols_backtrace(const struct symbols *symbols, const uint32_t registers[16],
                           symbols_read read, const void *context, struct symbols_frame *frame,
                           unsigned room, enum symbols_end *end)
{
    const struct walk walk = {symbols, read, context};
    struct frame_state state = {.known = (1u << FRAME_REGISTERS) - 1};
    enum symbols_how how = SYMBOLS_GIVEN;
    memcpy(state.r, registers, sizeof state.r);
    *end = SYMBOLS_ROOM;
    unsigned count = 0;
    while (count < room) {
        const uint32_t pc = state.r[FRAME_PC] & ~(uint32_t)(count > 0 ? THUMB_BIT : 0);
        state.r[FRAME_PC] = pc;
        const uint32_t inside = count > 0 ? CALL_INSIDE : 0;
        frame[count] =
            (struct symbols_frame){pc, state.r[FRAME_SP], how, symbols_find(symbols, pc - inside)};
        frame[count].place.offset += frame[count].place.function == NULL ? 0 : inside;
        count++;
        if (!go_to_caller(&walk, count == 1, &state, &how, end)) {
            return count;
        }
    }
    *end = SYMBOLS_ROOM;
    return count;
}
