/* reading.c - see reading.h: for those who read. */
#include "sim/compare/reading.h"

#include "models/common/memory.h"
#include "sim/config/config_arena.h"
#include "sim/file.h"
#include "sim/steps.h"

const char READING_CUT_OFF[] = "the file ends within a line";

enum status reading_refuse(const struct reading *reading, const char *file, const char *what)
{
    FREED char *path = file_join(reading->folder, file);
    return path == NULL
               ? no_memory(reading->diagnostic)
               : file_refuse(path,
                             "the results are incomplete or were changed: run the experiment again",
                             reading->diagnostic, "%s", what);
}

const char *reading_join(const struct reading *reading, const char *first, const char *between,
                         const char *second)
{
    const char *text =
        config_arena_print(reading->comparison->arena, "%s%s%s", first, between, second);
    memory_need(text);
    return text;
}

bool reading_is_count(const char *text)
{
    enum { MOST_DIGITS = 19 };
    const size_t length = strlen(text);
    return length > 0 && length <= MOST_DIGITS && strspn(text, "0123456789") == length;
}
