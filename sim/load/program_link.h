/* program_link.h - links the program of an experiment from compiled parts, and keeps it.
 *
 * The build compiles the parts (scripts/cmake/AddWorkload.cmake, spinn_add_parts()) in several
 * ways: for speed, for size, to Thumb code.  A program is linked in the fastest way in which it
 * fits the code memory.  It is kept in the user's cache (models/common/user_cache.h) under the
 * digest of all that it was linked from. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"

#include <stdbool.h>
#include <stddef.h>
C_LINKAGE_BEGIN

enum { PROGRAM_OBJECTS = 8, PROGRAM_SYMBOLS = 96, PROGRAM_TEXT_CHARS = 64 };

/* Names are texts of PROGRAM_TEXT_CHARS. */
struct program_recipe {
    char name[PROGRAM_TEXT_CHARS];                     /* of the program: letters, digits, '_' */
    char format[PROGRAM_TEXT_CHARS];                   /* folder of the parts */
    char update[PROGRAM_TEXT_CHARS];                   /* object of the update; "": none */
    char object[PROGRAM_OBJECTS][PROGRAM_TEXT_CHARS];  /* others, in the order of linking */
    char wanted[PROGRAM_SYMBOLS][PROGRAM_TEXT_CHARS];  /* symbols of parts that are linked in */
    char defined[PROGRAM_SYMBOLS][PROGRAM_TEXT_CHARS]; /* "symbol=value" */
    /* The same, if the program fits in no other way. */
    char smaller[PROGRAM_SYMBOLS][PROGRAM_TEXT_CHARS];
};

/* Adds a text to one of these lists; printf format. */
void program_recipe_add(char list[][PROGRAM_TEXT_CHARS], size_t most, const char *format, ...)
    PRINTF_LIKE(3, 4);

/* Whether the folder has parts of a number format. */
bool program_has_parts(const char *folder, const char *format);

/* Links a program from the parts in `folder`/parts, or finds it.  *path: of the ELF file,
 * malloc'ed. STATUS_CONFIGURATION when there are no parts, no linker or no cache, or when the
 * program does not fit: the message has the bytes that are missing and the largest part. */
enum status program_link(const struct program_recipe *recipe, const char *folder, char **path,
                         struct diagnostic *diagnostic);

/* The same, but the program is kept in `folder`/programs, where program_link() finds it before it
 * looks into the cache: for machines without a linker. */
enum status program_ship(const struct program_recipe *recipe, const char *folder, char **path,
                         struct diagnostic *diagnostic);

/* The way in which a linked program fitted: "fast", or NULL if it is no such program. */
struct elf_image;
const char *program_way(const struct elf_image *program);

C_LINKAGE_END
