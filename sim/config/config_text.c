/* config_text.c - see config_text.h. */
#include "sim/config/config_text.h"

/* Unicode, table 3-7. */
size_t config_text_character(const char *text, size_t bytes, size_t at, uint32_t *code)
{
    const unsigned first = (unsigned char)text[at];
    if (first < 0x80) {
        *code = first;
        return 1;
    }
    const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    static const uint32_t LEAST[] = {0, 0, 0x80, 0x800, 0x10000};
    if (first < 0xc2 || first > 0xf4 || bytes - at < length) {
        return 0;
    }
    uint32_t value = first & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        const unsigned next = (unsigned char)text[at + i];
        if ((next & 0xc0u) != 0x80u) {
            return 0;
        }
        value = value << 6 | (next & 0x3fu);
    }
    const bool surrogate = value >= 0xd800 && value <= 0xdfff;
    if (value < LEAST[length] || value > 0x10ffff || surrogate) {
        return 0;
    }
    *code = value;
    return length;
}

bool config_text_is_control(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

/* The first tab in the indentation of the line at `start`; false for empty lines and comments. */
static bool tab_in_indentation(const char *text, size_t bytes, size_t start, size_t *column)
{
    bool found = false;
    size_t at = start;
    while (at < bytes && (text[at] == ' ' || text[at] == '\t')) {
        if (text[at] == '\t' && !found) {
            found = true;
            *column = at - start + 1;
        }
        at++;
    }
    return found && at < bytes && text[at] != '\r' && text[at] != '\n' && text[at] != '#';
}

enum status config_text_check(const char *file, const char *text, size_t bytes,
                              struct diagnostic *diagnostic)
{
    int line = 1;
    size_t line_start = 0;
    size_t at = 0;
    const char *wrong = NULL;
    while (at < bytes) {
        size_t column = at - line_start + 1;
        uint32_t code = 0;
        const size_t length = config_text_character(text, bytes, at, &code);
        const bool line_end = code == '\r' && at + 1 < bytes && text[at + 1] == '\n';
        if (at == line_start && tab_in_indentation(text, bytes, at, &column)) {
            wrong = "a tab in the indentation\vYAML is indented with spaces";
        } else if (length == 0) {
            wrong = "not a text file: a byte is no UTF-8\vsave the file as UTF-8";
        } else if (config_text_is_control(code) && code != '\n' && code != '\t' && !line_end) {
            wrong = "not a text file: a control character\vremove it";
        }
        if (wrong != NULL) {
            (void)diagnose(diagnostic, STATUS_CONFIGURATION, "%s", wrong);
            diagnostic_at(diagnostic, file, line, (int)column);
            return STATUS_CONFIGURATION;
        }
        at += length;
        if (code == '\n') {
            line++;
            line_start = at;
        }
    }
    return STATUS_OK;
}

bool config_text_quote_closed(const char *text, size_t bytes, size_t at)
{
    const char quote = text[at];
    for (size_t i = at + 1; i < bytes; i++) {
        if (quote == '"' && text[i] == '\\') {
            i++;
        } else if (text[i] == quote) {
            if (quote == '"' || i + 1 >= bytes || text[i + 1] != quote) {
                return true;
            }
            i++; /* '' stands for ' */
        }
    }
    return false;
}

/* Whether a text is UTF-8, with or without control characters. */
static bool is_text(const char *text, size_t bytes, bool controls)
{
    size_t length = 0;
    for (size_t at = 0; at < bytes; at += length) {
        uint32_t code = 0;
        length = config_text_character(text, bytes, at, &code);
        if (length == 0 || (!controls && config_text_is_control(code))) {
            return false;
        }
    }
    return true;
}

bool config_text_printable(const char *text, size_t bytes)
{
    return is_text(text, bytes, false);
}

bool config_text_is_utf8(const char *text, size_t bytes)
{
    return is_text(text, bytes, true);
}
