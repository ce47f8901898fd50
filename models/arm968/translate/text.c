/* text.c - see text.h. */
#include "models/arm968/translate/text.h"

#include "models/common/check.h"
#include "models/common/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 1 << 16, SPARE = 512 };

static void make_room(struct text *text)
{
    if (text->capacity - text->size < SPARE) {
        text->capacity = text->capacity == 0 ? FIRST_CAPACITY : 2 * text->capacity;
        text->at = realloc(text->at, text->capacity);
        memory_need(text->at);
    }
}

void text_add(struct text *text, const char *format, ...)
{
    make_room(text);
    va_list arguments;
    va_start(arguments, format);
    /* The analyzer does not know va_start() here.
     * NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized) */
    (void)vsnprintf(text->at + text->size, SPARE, format, arguments);
    va_end(arguments);
    const size_t length = strlen(text->at + text->size);
    CHECK(length + 1 < SPARE, "a line of generated code is too long");
    text->size += length;
}
