/* line_table.c - see line_table.h. */
#include "sim/symbols/line_table.h"

#include "sim/grow.h"

/* DWARF 5, 7.22: line number information; 7.5.6: forms. */
enum { VERSION_FIRST = 2, VERSION_OPERATIONS = 4, VERSION_FORMATS = 5 };
enum standard_opcode {
    LNS_EXTENDED,
    LNS_COPY,
    LNS_ADVANCE_PC,
    LNS_ADVANCE_LINE,
    LNS_SET_FILE,
    LNS_SET_COLUMN,
    LNS_NEGATE_STMT,
    LNS_BASIC_BLOCK,
    LNS_CONST_ADD_PC,
    LNS_FIXED_ADVANCE_PC
};
enum extended_opcode { LNE_END_SEQUENCE = 1, LNE_SET_ADDRESS = 2, LNE_DEFINE_FILE = 3 };
enum content { LNCT_PATH = 1, LNCT_DIRECTORY_INDEX = 2 };
enum form {
    FORM_DATA2 = 0x05,
    FORM_DATA4 = 0x06,
    FORM_DATA8 = 0x07,
    FORM_STRING = 0x08,
    FORM_BLOCK = 0x09,
    FORM_DATA1 = 0x0b,
    FORM_STRP = 0x0e,
    FORM_UDATA = 0x0f,
    FORM_DATA16 = 0x1e,
    FORM_LINE_STRP = 0x1f
};
enum { ADDRESS_BYTES = 4, OPCODES = 256, FORMATS_MOST = 16 };

/* A unit: what one compilation has contributed. */
struct unit {
    struct line_table *table;
    const struct line_sections *sections;
    struct dwarf_bytes header, program;
    unsigned version;
    uint8_t instruction_bytes, line_range, opcode_base;
    int8_t line_base;
    uint8_t operands[OPCODES];
    const char **folder; /* by the unit's own numbers */
    size_t folders, folder_room;
    size_t file_first;  /* in the table, of the unit's first file */
    uint32_t file_base; /* the number of the unit's first file */
    bool full;          /* out of memory */
};

static bool add_folder(struct unit *unit, const char *name)
{
    const char **grown = grow(unit->folder, &unit->folder_room, unit->folders, sizeof *grown);
    if (grown == NULL) {
        unit->full = true;
        return false;
    }
    unit->folder = grown;
    unit->folder[unit->folders++] = name;
    return unit->folders < LINE_FILES_MOST;
}

static bool add_file(struct unit *unit, const char *name, uint64_t folder)
{
    struct line_table *table = unit->table;
    if (table->files >= LINE_FILES_MOST) {
        return false;
    }
    struct line_file *grown = grow(table->file, &table->file_room, table->files, sizeof *grown);
    if (grown == NULL) {
        unit->full = true;
        return false;
    }
    table->file = grown;
    table->file[table->files++] =
        (struct line_file){folder < unit->folders ? unit->folder[folder] : "", name};
    return true;
}

/* ---- the header ---- */

/* Folders and files before version 5: texts, ended by an empty one; the first has number 1. */
static bool read_texts(struct unit *unit)
{
    unit->file_base = 1;
    bool good = add_folder(unit, "");
    const char *name = dwarf_text(&unit->header);
    for (; good && name[0] != '\0'; name = dwarf_text(&unit->header)) {
        good = add_folder(unit, name);
    }
    name = dwarf_text(&unit->header);
    for (; good && name[0] != '\0'; name = dwarf_text(&unit->header)) {
        good = add_file(unit, name, dwarf_unsigned(&unit->header));
        (void)dwarf_unsigned(&unit->header); /* when it was changed */
        (void)dwarf_unsigned(&unit->header); /* its size */
    }
    return good && !unit->header.failed;
}

/* A text that stands in another section. */
static const char *text_at(struct dwarf_bytes section, uint32_t offset)
{
    return dwarf_skip(&section, offset) == NULL ? "" : dwarf_text(&section);
}

/* One member of an entry: *text gets a text, *number a number. */
static bool read_form(struct unit *unit, uint64_t form, const char **text, uint64_t *number)
{
    struct dwarf_bytes *header = &unit->header;
    switch (form) {
    case FORM_STRING:
        *text = dwarf_text(header);
        break;
    case FORM_LINE_STRP:
        *text = text_at(unit->sections->line_str, dwarf_u32(header));
        break;
    case FORM_STRP:
        *text = text_at(unit->sections->str, dwarf_u32(header));
        break;
    case FORM_UDATA:
        *number = dwarf_unsigned(header);
        break;
    case FORM_DATA1:
        *number = dwarf_u8(header);
        break;
    case FORM_DATA2:
        *number = dwarf_u16(header);
        break;
    case FORM_DATA4:
        *number = dwarf_u32(header);
        break;
    case FORM_DATA8:
        *number = dwarf_number(header, 8);
        break;
    case FORM_DATA16:
        (void)dwarf_skip(header, 16);
        break;
    case FORM_BLOCK:
        (void)dwarf_skip(header, dwarf_unsigned(header));
        break;
    default:
        return false;
    }
    return !header->failed;
}

/* A list of version 5: what its entries consist of, then the entries. */
static bool read_list(struct unit *unit, bool of_files)
{
    uint64_t content[FORMATS_MOST];
    uint64_t form[FORMATS_MOST];
    const unsigned formats = dwarf_u8(&unit->header);
    if (formats > FORMATS_MOST) {
        return false;
    }
    for (unsigned i = 0; i < formats; i++) {
        content[i] = dwarf_unsigned(&unit->header);
        form[i] = dwarf_unsigned(&unit->header);
    }
    const uint64_t count = dwarf_unsigned(&unit->header);
    if (unit->header.failed || (formats == 0 && count > 0)) {
        return false;
    }
    for (uint64_t k = 0; k < count; k++) {
        const char *path = "";
        uint64_t folder = 0;
        for (unsigned i = 0; i < formats; i++) {
            const char *text = "";
            uint64_t number = 0;
            if (!read_form(unit, form[i], &text, &number)) {
                return false;
            }
            path = content[i] == LNCT_PATH ? text : path;
            folder = content[i] == LNCT_DIRECTORY_INDEX ? number : folder;
        }
        if (of_files ? !add_file(unit, path, folder) : !add_folder(unit, path)) {
            return false;
        }
    }
    return true;
}

/* False: the unit is of a kind that is not read, or damaged. */
static bool read_header(struct unit *unit, struct dwarf_bytes *bytes)
{
    unit->version = dwarf_u16(bytes);
    if (unit->version < VERSION_FIRST || unit->version > VERSION_FORMATS) {
        return false;
    }
    if (unit->version >= VERSION_FORMATS &&
        (dwarf_u8(bytes) != ADDRESS_BYTES || dwarf_u8(bytes) != 0)) {
        return false;
    }
    unit->header = dwarf_part(bytes, dwarf_u32(bytes));
    unit->program = *bytes;
    struct dwarf_bytes *header = &unit->header;
    unit->instruction_bytes = dwarf_u8(header);
    if (unit->version >= VERSION_OPERATIONS && dwarf_u8(header) != 1) {
        return false; /* several operations in an instruction: no ARM */
    }
    (void)dwarf_u8(header); /* whether rows are statements at first */
    unit->line_base = (int8_t)dwarf_u8(header);
    unit->line_range = dwarf_u8(header);
    unit->opcode_base = dwarf_u8(header);
    if (header->failed || unit->line_range == 0 || unit->opcode_base == 0) {
        return false;
    }
    for (unsigned i = 1; i < unit->opcode_base; i++) {
        unit->operands[i] = dwarf_u8(header);
    }
    unit->file_first = unit->table->files;
    if (unit->version < VERSION_FORMATS) {
        return read_texts(unit);
    }
    return read_list(unit, false) && read_list(unit, true);
}

/* ---- the program, which makes the rows ---- */

struct registers {
    uint32_t address, line;
    uint64_t file;
    size_t row_first; /* of the sequence */
    bool disorder;    /* addresses have gone backwards */
};

static void begin_sequence(const struct unit *unit, struct registers *now)
{
    *now = (struct registers){.line = 1, .file = 1, .row_first = unit->table->rows};
}

static bool add_row(struct unit *unit, struct registers *now)
{
    struct line_table *table = unit->table;
    if (table->rows >= LINE_ROWS_MOST) {
        return false;
    }
    struct line_row *grown = grow(table->row, &table->row_room, table->rows, sizeof *grown);
    if (grown == NULL) {
        unit->full = true;
        return false;
    }
    table->row = grown;
    const uint64_t index = now->file - unit->file_base;
    const size_t files = table->files - unit->file_first;
    if (table->rows > now->row_first && table->row[table->rows - 1].address > now->address) {
        now->disorder = true;
    }
    table->row[table->rows++] =
        (struct line_row){now->address, now->line,
                          index < files ? (uint32_t)(unit->file_first + index) : LINE_NO_FILE};
    return true;
}

static bool end_sequence(struct unit *unit, struct registers *now)
{
    struct line_table *table = unit->table;
    const size_t rows = table->rows - now->row_first;
    const bool good = rows > 0 && !now->disorder &&
                      now->address > table->row[now->row_first].address &&
                      now->address >= table->row[table->rows - 1].address;
    if (!good) {
        table->rows = now->row_first; /* nothing, or no order in which it can be searched */
        begin_sequence(unit, now);
        return true;
    }
    struct line_sequence *grown =
        grow(table->sequence, &table->sequence_room, table->sequences, sizeof *grown);
    if (grown == NULL) {
        unit->full = true;
        return false;
    }
    table->sequence = grown;
    const uint32_t first = table->row[now->row_first].address;
    table->sequence[table->sequences++] =
        (struct line_sequence){{first, now->address}, (uint32_t)now->row_first, (uint32_t)rows};
    table->at_zero += first == 0;
    begin_sequence(unit, now);
    return true;
}

static bool run_extended(struct unit *unit, struct registers *now)
{
    struct dwarf_bytes part = dwarf_part(&unit->program, dwarf_unsigned(&unit->program));
    switch (dwarf_u8(&part)) {
    case LNE_END_SEQUENCE:
        return end_sequence(unit, now);
    case LNE_SET_ADDRESS:
        now->address = dwarf_u32(&part);
        break;
    case LNE_DEFINE_FILE: {
        const char *name = dwarf_text(&part);
        return add_file(unit, name, dwarf_unsigned(&part));
    }
    default: /* nothing that moves a row */
        break;
    }
    return !part.failed;
}

static void advance(const struct unit *unit, struct registers *now, uint64_t operations)
{
    now->address += (uint32_t)operations * unit->instruction_bytes;
}

static bool run_special(struct unit *unit, struct registers *now, unsigned opcode)
{
    const unsigned adjusted = opcode - unit->opcode_base;
    advance(unit, now, adjusted / unit->line_range);
    now->line += (uint32_t)(unit->line_base + (int)(adjusted % unit->line_range));
    return add_row(unit, now);
}

static bool run_standard(struct unit *unit, struct registers *now, unsigned opcode)
{
    enum { SPECIAL_LAST = 255 };
    struct dwarf_bytes *program = &unit->program;
    switch (opcode) {
    case LNS_EXTENDED:
        return run_extended(unit, now);
    case LNS_COPY:
        return add_row(unit, now);
    case LNS_ADVANCE_PC:
        advance(unit, now, dwarf_unsigned(program));
        break;
    case LNS_ADVANCE_LINE:
        now->line += (uint32_t)dwarf_signed(program);
        break;
    case LNS_SET_FILE:
        now->file = dwarf_unsigned(program);
        break;
    case LNS_CONST_ADD_PC:
        advance(unit, now, (uint64_t)(SPECIAL_LAST - unit->opcode_base) / unit->line_range);
        break;
    case LNS_FIXED_ADVANCE_PC:
        now->address += dwarf_u16(program);
        break;
    default: /* what no line depends on */
        for (unsigned i = 0; i < unit->operands[opcode]; i++) {
            (void)dwarf_unsigned(program);
        }
        break;
    }
    return true;
}

static void run_program(struct unit *unit)
{
    struct registers now;
    bool good = true;
    begin_sequence(unit, &now);
    while (good && unit->program.left > 0) {
        const unsigned opcode = dwarf_u8(&unit->program);
        good = opcode < unit->opcode_base ? run_standard(unit, &now, opcode)
                                          : run_special(unit, &now, opcode);
        good = good && !unit->program.failed;
    }
    unit->table->rows = now.row_first; /* of a sequence without an end */
}

enum status line_table_init(struct line_table *table, const struct line_sections *sections)
{
    *table = (struct line_table){0};
    struct dwarf_bytes rest = sections->line;
    bool full = false;
    while (rest.left > 0 && !full) {
        const uint32_t length = dwarf_u32(&rest);
        struct dwarf_bytes bytes = dwarf_part(&rest, length);
        struct unit unit = {.table = table, .sections = sections};
        if (!bytes.failed && read_header(&unit, &bytes)) {
            run_program(&unit);
        }
        full = unit.full;
        free(unit.folder);
    }
    if (full) {
        line_table_deinit(table);
        return STATUS_INTERNAL;
    }
    return STATUS_OK;
}

void line_table_deinit(struct line_table *table)
{
    free(table->sequence);
    free(table->row);
    free(table->file);
    *table = (struct line_table){0};
}

/* ---- search ---- */

static const struct line_sequence *sequence_at(const struct line_table *table, uint32_t address,
                                               struct code_span function)
{
    const struct line_sequence *found = NULL;
    enum code_fit best = CODE_FIT_NONE;
    for (size_t i = 0; i < table->sequences && best != CODE_FIT_BEST; i++) {
        const struct line_sequence *at = &table->sequence[i];
        const enum code_fit fit = code_span_fit(at->span, function, address, table->at_zero == 1);
        if (fit > best) {
            best = fit;
            found = at;
        }
    }
    return found;
}

const struct line_row *line_table_find(const struct line_table *table, uint32_t address,
                                       struct code_span function)
{
    const struct line_sequence *at = sequence_at(table, address, function);
    if (at == NULL) {
        return NULL;
    }
    size_t low = at->row; /* the first row is at or before the address */
    size_t high = (size_t)at->row + at->rows;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (table->row[middle].address <= address) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return table->row[low].line == 0 ? NULL : &table->row[low];
}
