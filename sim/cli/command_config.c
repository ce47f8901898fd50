/* command_config.c - `spinnsim config`: a configuration as it is resolved. */
#include "sim/cli/command.h"
#include "sim/cli/message.h"
#include "sim/config/config.h"
#include "sim/mapping/mapping.h"

struct arguments {
    const char *file;
    struct argument_list sets;
    bool explain, matrix;
};

#define AT(field) offsetof(struct arguments, field)

static const struct command_option OPTIONS[] = {
    {"explain", ARGUMENT_FLAG, AT(explain), NULL,
     "say where each value was written, what it means and where its figure comes from", 0, 0},
    {"matrix", ARGUMENT_FLAG, AT(matrix), NULL,
     "instead of a file: print which modes, mappings, exchanges, networks and number formats go "
     "together",
     0, 0},
    {"set", ARGUMENT_LIST, AT(sets), "KEY=VALUE", "override a value; may be repeated", 0, 0},
    {0}};

static void check(void *given, struct argp_state *state)
{
    const struct arguments *arguments = given;
    if (arguments->file == NULL && !arguments->matrix) {
        argp_error(state, "no file: name a configuration");
    }
}

static int run(int argc, char **argv, const struct folders *folders)
{
    struct arguments arguments = {0};
    struct diagnostic diagnostic = {0};
    struct sim_config config;
    command_parse(&COMMAND_config, argc, argv, &arguments);
    if (arguments.matrix) {
        mapping_matrix(stdout);
        return 0;
    }
    const struct config_request request = {.path = arguments.file,
                                           .configs_folder = folders->configs,
                                           .sets = arguments.sets.text,
                                           .set_count = arguments.sets.count};
    enum status status = config_load(&request, &config, &diagnostic);
    if (status == STATUS_OK) {
        (void)(arguments.explain ? config_explain : config_dump)(&config, stdout);
        config_deinit(&config);
    }
    return message_error(status, &diagnostic);
}

const struct command COMMAND_config = {
    .name = "config",
    .summary = "show a configuration as it is resolved; --explain: every key and its source",
    .operands = "[CONFIG.yaml]",
    .noun = "file",
    .operand_at = AT(file),
    .text = "Prints a configuration with all that it includes, as one YAML file that loads to the "
            "same values.",
    .options = OPTIONS,
    .check = check,
    .run = run};
