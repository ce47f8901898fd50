/* line_table.h - the source lines of a program's instructions, from the section .debug_line in the
 * versions 2 to 5 of DWARF (DWARF 5, 6.2). */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include "sim/symbols/code_span.h"
#include "sim/symbols/dwarf_bytes.h"
C_LINKAGE_BEGIN

/* Bounds.  What lies beyond them is left out. */
enum { LINE_ROWS_MOST = 1 << 22, LINE_FILES_MOST = 1 << 18 };

struct line_row {
    uint32_t address;
    uint32_t line;
    uint32_t file; /* into `file`; LINE_NO_FILE */
};
#define LINE_NO_FILE UINT32_MAX

/* Both lie in the sections. */
struct line_file {
    const char *folder; /* "": unknown */
    const char *name;
};

/* Code that lies together, as one object file had it. */
struct line_sequence {
    struct code_span span;
    uint32_t row, rows; /* by address */
};

struct line_table {
    struct line_sequence *sequence;
    struct line_row *row;
    struct line_file *file;
    size_t sequences, rows, files;
    size_t sequence_room, row_room, file_room;
    size_t at_zero; /* sequences that begin at address 0 */
};

/* The sections; one that is missing is empty. */
struct line_sections {
    struct dwarf_bytes line;     /* .debug_line */
    struct dwarf_bytes line_str; /* .debug_line_str */
    struct dwarf_bytes str;      /* .debug_str */
};

/* Reads all that can be read; the rest of a damaged section is left out.  The sections must outlive
 * the table.  STATUS_INTERNAL: out of memory; the table is then empty. */
enum status line_table_init(struct line_table *table, const struct line_sections *sections);
void line_table_deinit(struct line_table *table);

/* The row of an instruction; NULL: its line is not known.  function: what the symbol table says of
 * the address, to choose between several sequences that have it. */
const struct line_row *line_table_find(const struct line_table *table, uint32_t address,
                                       struct code_span function);

C_LINKAGE_END
