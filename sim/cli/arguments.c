/* arguments.c - the rows of a command's options, as glibc's argp reads them. */
#include "models/common/memory.h"
#include "models/common/run_ahead.h"
#include "sim/cli/command.h"
#include "sim/cli/message.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPTIONS_MAX = 32, NAME_CHARS = 64, FIRST_KEY = 256 }; /* keys from there have no letter */

struct parsing {
    const struct command *command;
    char *arguments;
};

enum tier command_default_tier(void)
{
    const char *text = getenv("SPINNSIM_TIER");
    enum tier tier = TIER_AUTO;
    return text != NULL && tier_of(text, &tier) ? tier : TIER_AUTO;
}

uint64_t command_default_run_ahead(void)
{
    const char *text = getenv("SPINNSIM_RUN_AHEAD");
    uint64_t run_ahead = RUN_AHEAD_AUTO;
    return text != NULL && run_ahead_of(text, &run_ahead) ? run_ahead : RUN_AHEAD_AUTO;
}

static void add(struct argument_list *list, const char *what, const char *text,
                struct argp_state *state)
{
    if (list->count == ARGUMENTS_MAX) {
        argp_error(state, "more than %d of %s", ARGUMENTS_MAX, what);
    }
    list->text[list->count++] = text;
}

/* The index of the text in "a|b|c"; the number of choices if it is none of them. */
static unsigned choice_of(const char *choices, const char *text)
{
    const size_t length = strlen(text);
    unsigned at = 0;
    for (const char *from = choices; from != NULL; at++) {
        const char *end = strchr(from, '|');
        if (strncmp(from, text, length) == 0 && (from[length] == '|' || from[length] == '\0')) {
            return at;
        }
        from = end == NULL ? NULL : end + 1;
    }
    return at;
}

static void refuse(const struct command_option *option, const char *text, struct argp_state *state)
{
    char known[NAME_CHARS * 2] = "";
    size_t length = 0;
    for (const char *from = option->value; *from != '\0' && length + 3 < sizeof known; from++) {
        known[length++] = *from == '|' ? ',' : *from;
        if (*from == '|') {
            known[length++] = ' ';
        }
    }
    argp_error(state, "--%s: %s is none of %s", option->name, text, known);
}

static void take_whole(const struct command_option *option, const char *text, uint64_t *value,
                       struct argp_state *state)
{
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || errno != 0 || *value < 1 ||
        *value > option->most) {
        argp_error(state, "--%s: %s is not a number from 1 to %" PRIu64, option->name, text,
                   option->most);
    }
}

static void take(const struct command_option *option, char *field, char *text,
                 struct argp_state *state)
{
    bool known = true;
    switch (option->kind) {
    case ARGUMENT_TEXT:
        *(const char **)(void *)field = text;
        break;
    case ARGUMENT_LIST:
        add((struct argument_list *)(void *)field, option->name, text, state);
        break;
    case ARGUMENT_FLAG:
        *(bool *)field = true;
        break;
    case ARGUMENT_WHOLE:
        take_whole(option, text, (uint64_t *)(void *)field, state);
        break;
    case ARGUMENT_CHOICE: {
        unsigned *choice = (unsigned *)(void *)field;
        *choice = choice_of(option->value, text);
        known = *choice < choice_of(option->value, "|");
        break;
    }
    case ARGUMENT_TIER:
        known = tier_of(text, (enum tier *)(void *)field);
        break;
    case ARGUMENT_RUN_AHEAD:
        known = run_ahead_of(text, (uint64_t *)(void *)field);
        break;
    }
    if (!known) {
        refuse(option, text, state);
    }
}

static bool takes_many(const struct command *command)
{
    return command->operands != NULL && strstr(command->operands, "...") != NULL &&
           strchr(command->operands, ' ') == NULL;
}

static void take_operand(const struct parsing *parsing, char *text, struct argp_state *state)
{
    const struct command *command = parsing->command;
    void *field = parsing->arguments + command->operand_at;
    if (takes_many(command)) {
        add(field, command->noun, text, state);
        return;
    }
    const char **one = field;
    if (*one != NULL) {
        argp_error(state, "more than one %s: %s and %s", command->noun, *one, text);
    }
    *one = text;
}

static void check(const struct parsing *parsing, struct argp_state *state)
{
    const struct command *command = parsing->command;
    const void *field = parsing->arguments + command->operand_at;
    if (command->wanted != NULL &&
        (takes_many(command) ? ((const struct argument_list *)field)->count == 0
                             : *(const char *const *)field == NULL)) {
        argp_error(state, "no %s: %s", command->noun, command->wanted);
    }
    if (command->check != NULL) {
        command->check(parsing->arguments, state);
    }
}

static error_t parse(int key, char *text, struct argp_state *state)
{
    const struct parsing *parsing = state->input;
    const struct command *command = parsing->command;
    if (key == ARGP_KEY_ARG && command->operands != NULL) {
        take_operand(parsing, text, state);
        return 0;
    }
    if (key == ARGP_KEY_END) {
        check(parsing, state);
        return 0;
    }
    const struct command_option *option = command->options;
    for (int i = 0; option != NULL && option->name != NULL; i++, option++) {
        if (key == (option->letter != 0 ? option->letter : FIRST_KEY + i)) {
            take(option, parsing->arguments + option->at, text, state);
            return 0;
        }
    }
    return ARGP_ERR_UNKNOWN;
}

void command_parse(const struct command *command, int argc, char **argv, void *arguments)
{
    struct argp_option options[OPTIONS_MAX + 1] = {0};
    const struct command_option *row = command->options;
    for (int i = 0; row != NULL && row->name != NULL && i < OPTIONS_MAX; i++, row++) {
        options[i] = (struct argp_option){.name = row->name,
                                          .key = row->letter != 0 ? row->letter : FIRST_KEY + i,
                                          .arg = row->value,
                                          .doc = row->help};
    }
    const struct argp parser = {options, parse, command->operands, command->text, NULL, NULL, NULL};
    struct parsing parsing = {command, arguments};
    char name[NAME_CHARS];
    (void)snprintf(name, sizeof name, "spinnsim %s", command->name);
    argv[0] = name;                                                /* stands in messages */
    if (argp_parse(&parser, argc, argv, 0, NULL, &parsing) != 0) { /* usage errors end there */
        memory_exhausted();
    }
}
