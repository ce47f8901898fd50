/* guest_arguments.h - joins command-line arguments into one text, for SYS_GET_CMDLINE.
 *
 * Quoting matches the way newlib's start-up code splits the text: at blanks; a word that begins
 * with ' or " extends to the next such character; no other character is special. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include <stddef.h>
C_LINKAGE_BEGIN

/* Joins the program's name and its arguments into *line, malloc'ed.  STATUS_CONFIGURATION: a word
 * that needs quoting (a blank, or a leading quotation mark) and contains both kinds of quotation
 * marks. */
enum status guest_command_line(const char *program, const char *const *argument, size_t count,
                               char **line, struct diagnostic *diagnostic);

C_LINKAGE_END
