/* guest_arguments.h - the words of a command line as one text, for SYS_GET_CMDLINE.
 *
 * As newlib's start-up code takes it apart again: at blanks; a word that begins with ' or " goes on
 * to the next such character, and nothing else is special. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include <stddef.h>
C_LINKAGE_BEGIN

/* The program's name and its arguments into *line, malloc'ed.  STATUS_CONFIGURATION: a word with a
 * blank, or with a quotation mark at its begin, that has both kinds of quotation marks. */
enum status guest_command_line(const char *program, const char *const *argument, size_t count,
                               char **line, struct diagnostic *diagnostic);

C_LINKAGE_END
