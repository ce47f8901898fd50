/* command_config.c - `spinnsim config`: a configuration as it is resolved. */
#include "sim/cli/arguments.h"
#include "sim/cli/command.h"
#include "sim/cli/message.h"
#include "sim/config/config.h"

enum { KEY_EXPLAIN = 1, KEY_SET };

struct config_arguments {
    const char *file;
    struct argument_list sets;
    bool explain;
};

static const char DOCUMENTATION[] =
    "Prints a configuration with all that it includes, as one YAML file that loads to the same "
    "values.";

static const struct argp_option OPTIONS[] = {
    {"explain", KEY_EXPLAIN, NULL, 0,
     "say where each value was written, what it means and where its figure comes from", 0},
    {"set", KEY_SET, "KEY=VALUE", 0, "override a value; may be repeated", 0},
    {0}};

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct config_arguments *arguments = state->input;
    switch (key) {
    case KEY_EXPLAIN:
        arguments->explain = true;
        return 0;
    case KEY_SET:
        argument_add(&arguments->sets, "--set", text, state);
        return 0;
    case ARGP_KEY_ARG:
        if (arguments->file != NULL) {
            argp_error(state, "more than one file: %s and %s", arguments->file, text);
        }
        arguments->file = text;
        return 0;
    case ARGP_KEY_END:
        if (arguments->file == NULL) {
            argp_error(state, "no file: name a configuration");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int command_config(int argc, char **argv, const struct folders *folders)
{
    static const struct argp PARSER = {OPTIONS, parse, "CONFIG.yaml", DOCUMENTATION,
                                       NULL,    NULL,  NULL};
    struct config_arguments arguments = {0};
    struct diagnostic diagnostic = {0};
    struct sim_config config;
    arguments_parse(&PARSER, "spinnsim config", argc, argv, &arguments);
    const struct config_request request = {.path = arguments.file,
                                           .configs_folder = folders->configs,
                                           .sets = arguments.sets.text,
                                           .set_count = arguments.sets.count};
    enum status status = config_load(&request, &config, &diagnostic);
    if (status == STATUS_OK) {
        (void)(arguments.explain ? config_explain : config_dump)(&config, stdout);
        config_deinit(&config);
    }
    return status == STATUS_OK ? 0 : message_error(status, &diagnostic);
}
