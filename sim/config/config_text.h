/* config_text.h - UTF-8 decoding, and checks on the bytes of a YAML document before parsing. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
C_LINKAGE_BEGIN

/* Length in bytes of the UTF-8 character at offset `at`, 0 if it is invalid; *code gets its code
 * point. */
size_t config_text_character(const char *text, size_t bytes, size_t at, uint32_t *code);

/* Whether a code point is a control character: C0, DEL or C1. */
bool config_text_is_control(uint32_t code);

/* Rejects, with line and column, invalid UTF-8, control characters, and tabs in the indentation of
 * a non-empty line. */
enum status config_text_check(const char *file, const char *text, size_t bytes,
                              struct diagnostic *diagnostic);

/* Whether the quote at `at` (' or ") is closed before the end of the text. */
bool config_text_quote_closed(const char *text, size_t bytes, size_t at);

/* Whether a text is UTF-8; and has no control characters. */
bool config_text_is_utf8(const char *text, size_t bytes);
bool config_text_printable(const char *text, size_t bytes);

C_LINKAGE_END
