/* symbols.h - the function, file and line of an address of a program, and who has called whom.
 *
 * Functions are those of the symbol table (sim/profile/function_map.h).  Lines and frames are those
 * of DWARF, which a program has that was compiled with -g: sections .debug_line, .debug_line_str,
 * .debug_str and .debug_frame, not compressed.  A program without them has functions only, and
 * callers as far as the link register tells them.
 *
 * All functions take what any file has: damaged sections give fewer lines and frames.  Results
 * depend on the file's bytes only. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/load/elf_image.h"
C_LINKAGE_BEGIN

struct symbols;

/* Reads an image's tables.  The image must outlive them.  NULL: out of memory.  Free with
 * symbols_close(). */
struct symbols *symbols_open(const struct elf_image *image);
void symbols_close(struct symbols *symbols); /* NULL: nothing */

/* Whether the program has been compiled with lines. */
bool symbols_have_lines(const struct symbols *symbols);

/* Long names of files lose their beginning. */
enum { SYMBOLS_FILE_CHARS = 128 };

struct symbols_place {
    const char *function;          /* in the image; NULL: no symbol has the address */
    uint32_t offset;               /* of the address in the function, bytes */
    uint32_t line;                 /* from 1; 0: not known */
    char file[SYMBOLS_FILE_CHARS]; /* as the compiler was given it, without a leading "./"; "":
                                      not known */
};

struct symbols_place symbols_find(const struct symbols *symbols, uint32_t address);

/* A place as text: "function+0x1c  folder/file.c:12", as much of it as is known; without a function
 * the address.  Returns `text`. */
enum { SYMBOLS_TEXT_CHARS = 256 };
const char *symbols_text(const struct symbols_place *place, uint32_t address,
                         char text[SYMBOLS_TEXT_CHARS]);

/* ---- who has called whom ---- */

/* Reads a core's memory as the core sees it; false: a part of it is no memory. */
typedef bool (*symbols_read)(const void *context, uint32_t address, uint8_t *bytes, uint32_t count);

enum symbols_how {
    SYMBOLS_GIVEN,    /* the first frame: by the registers */
    SYMBOLS_BY_FRAME, /* by the frame information of the function that was called */
    SYMBOLS_BY_LINK   /* that function has none: by the link register, behind a call instruction; a
                         guess, as the function may have changed the register since */
};

struct symbols_frame {
    uint32_t pc; /* the first frame: of the instruction; others: where the call returns to */
    uint32_t sp;
    enum symbols_how how;
    struct symbols_place place; /* others: the line of the call, the offset of pc */
};

/* Why there is no further frame. */
enum symbols_end {
    SYMBOLS_NO_RULES, /* the last function has no frame information: start-up code, for instance */
    SYMBOLS_OUTSIDE,  /* the address to return to belongs to no code of the program */
    SYMBOLS_UNREAD,   /* the stack is no memory, or a register that is needed is lost */
    SYMBOLS_STUCK,    /* the stack does not shrink: it is damaged */
    SYMBOLS_ROOM      /* there may be more */
};

/* Frames of r0 to r15, the innermost first, at most `room`; returns how many, at least one if there
 * is room.  registers[15] is the address of the next instruction to be executed. */
unsigned symbols_backtrace(const struct symbols *symbols, const uint32_t registers[16],
                           symbols_read read, const void *context, struct symbols_frame *frame,
                           unsigned room, enum symbols_end *end);

C_LINKAGE_END
