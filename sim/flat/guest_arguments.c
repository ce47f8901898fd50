/* guest_arguments.c - see guest_arguments.h. */
#include "sim/flat/guest_arguments.h"

#include "sim/steps.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The quotation mark for a word; "": none needed; NULL: the word cannot be quoted. */
static const char *quotes_of(const char *word)
{
    static const char BLANK = ' ';
    const char *quotes = "\"";
    const size_t length = strcspn(word, quotes);
    const bool begins_with_mark = *word == '"' || *word == '\'';
    if (*word != '\0' && strchr(word, BLANK) == NULL && !begins_with_mark) {
        return "";
    }
    if (word[length] == '\0') {
        return quotes;
    }
    return strchr(word, '\'') == NULL ? "'" : NULL;
}

struct line {
    char *text;
    size_t used, room;
};

static enum status add_word(struct line *line, const char *word, struct diagnostic *diagnostic)
{
    const char *quotes = quotes_of(word);
    if (quotes == NULL) {
        const enum status status = diagnose(diagnostic, STATUS_CONFIGURATION,
                                            "no program can be given the argument %s", word);
        diagnostic_hint(diagnostic,
                        "newlib takes a command line apart at blanks; words with blanks "
                        "stand in ' or in \", so that both cannot be in one");
        return status;
    }
    const int length = snprintf(line->text + line->used, line->room - line->used, "%s%s%s%s",
                                line->used == 0 ? "" : " ", quotes, word, quotes);
    line->used += (size_t)length;
    return STATUS_OK;
}

enum status guest_command_line(const char *program, const char *const *argument, size_t count,
                               char **line, struct diagnostic *diagnostic)
{
    static const size_t AROUND = sizeof "'' " - 1;
    const char *name = strrchr(program, '/');
    name = name == NULL ? program : name + 1;
    struct line built = {.room = strlen(name) + AROUND + 1};
    for (size_t i = 0; i < count; i++) {
        built.room += strlen(argument[i]) + AROUND;
    }
    built.text = malloc(built.room);
    if (built.text == NULL) {
        return no_memory(diagnostic);
    }
    enum status status = add_word(&built, name, diagnostic);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        status = add_word(&built, argument[i], diagnostic);
    }
    if (status != STATUS_OK) {
        free(built.text);
        built.text = NULL;
    }
    *line = built.text;
    return status;
}
