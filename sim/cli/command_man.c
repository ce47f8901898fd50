/* command_man.c - the manual page of `spinnsim man`, from what --help knows. */
#include "sim/cli/command.h"
#include "sim/version.h"

#include <stdio.h>
#include <string.h>

/* Text in roff: hyphens, backslashes and a dot in front are themselves. */
static void put(const char *text, size_t length)
{
    (void)fputs(length > 0 && (text[0] == '.' || text[0] == '\'') ? "\\&" : "", stdout);
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '-' || text[i] == '\\') {
            (void)fputs(text[i] == '-' ? "\\-" : "\\e", stdout);
        } else {
            (void)fputc(text[i], stdout);
        }
    }
}

static void put_line(const char *text, size_t length)
{
    put(text, length);
    (void)fputc('\n', stdout);
}

/* Converts a text of --help: an empty line separates paragraphs, a line that begins with a space is
 * literal, \v separates the text before the options from the text after them. */
static void put_text(const char *text, size_t length)
{
    while (length > 0) {
        const char *end = memchr(text, '\n', length);
        const size_t line = end == NULL ? length : (size_t)(end - text);
        if (line == 0) {
            (void)puts(".PP");
        } else if (text[0] == ' ') {
            (void)puts(".br");
        }
        if (line > 0) {
            put_line(text + strspn(text, " "), line - strspn(text, " "));
        }
        length -= end == NULL ? length : line + 1;
        text += line + 1;
    }
}

static void put_option(const struct command_option *option)
{
    (void)puts(".TP");
    if (option->letter != 0) {
        (void)printf("\\fB\\-%c\\fR, ", option->letter);
    }
    (void)fputs("\\fB\\-\\-", stdout);
    put(option->name, strlen(option->name));
    (void)printf("\\fR%s%s\n", option->value == NULL ? "" : "=",
                 option->value == NULL ? "" : option->value);
    put_line(option->help, strlen(option->help));
}

static void put_command(const struct command *command)
{
    const char *behind = strchr(command->text, '\v');
    const size_t before = behind == NULL ? strlen(command->text) : (size_t)(behind - command->text);
    (void)printf(".SS spinnsim %s %s\n", command->name,
                 command->operands == NULL ? "" : command->operands);
    put_text(command->text, before);
    for (const struct command_option *option = command->options;
         option != NULL && option->name != NULL; option++) {
        put_option(option);
    }
    if (behind != NULL) {
        (void)puts(".PP");
        put_text(behind + 1, strlen(behind + 1));
    }
}

void command_print_man(const struct command *const *commands, const char *const *exit_status)
{
    (void)printf(".TH SPINNSIM 1 \"\" \"spinnsim %s\" \"User Commands\"\n"
                 ".SH NAME\nspinnsim \\- a cycle\\-approximate simulator of SpiNNaker boards\n"
                 ".SH SYNOPSIS\n.B spinnsim\nCOMMAND ...\n.SH DESCRIPTION\n"
                 "Loads ARM programs into the cores of modelled SpiNNaker chips, executes every "
                 "instruction of theirs, and writes cycles, traffic and modelled joules into a "
                 "result folder.  Every key of a configuration, with unit, range and source: "
                 "spinnsim config FILE \\-\\-explain.\n.SH COMMANDS\n",
                 SPINNSIM_VERSION);
    for (; *commands != NULL; commands++) {
        put_command(*commands);
    }
    (void)puts(".SH EXIT STATUS");
    for (int i = 0; exit_status[i] != NULL; i++) {
        (void)printf(".TP\n.B %d\n", i);
        put_line(exit_status[i], strlen(exit_status[i]));
    }
    (void)puts(".SH ENVIRONMENT\n.TP\n.B SPINNSIM_TIER\nthe default of \\-\\-tier\n"
               ".TP\n.B SPINNSIM_RUN_AHEAD\nthe default of \\-\\-run\\-ahead\n"
               ".TP\n.B SPINNSIM_NATIVE\nthe folder of native code that was made when spinnsim was "
               "built\n"
               ".TP\n.B SPINNSIM_DATA\nthe default of \\-\\-data");
}
