/* config_text.h - texts as UTF-8, and what is checked in the bytes of a YAML document before a
 * parser sees them. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
C_LINKAGE_BEGIN

/* Length of the UTF-8 character at `at`, 0 when there is none; *code gets it. */
size_t config_text_character(const char *text, size_t bytes, size_t at, uint32_t *code);

/* C0, DEL and C1. */
bool config_text_is_control(uint32_t code);

/* Refuses, with line and column, bytes that are no UTF-8, control characters, and tabs in the
 * indentation of a line that is not empty. */
enum status config_text_check(const char *file, const char *text, size_t bytes,
                              struct diagnostic *diagnostic);

/* Whether the quote at `at` (' or ") is closed before the end of the text. */
bool config_text_quote_closed(const char *text, size_t bytes, size_t at);

/* Whether all of a text is printable: no control character in it. */
bool config_text_printable(const char *text, size_t bytes);

C_LINKAGE_END
