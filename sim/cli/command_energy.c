/* command_energy.c - `spinnsim energy`: joules from recorded counters, with other coefficients. */
#include "sim/cli/arguments.h"
#include "sim/cli/command.h"
#include "sim/cli/message.h"
#include "sim/config/config.h"
#include "sim/file.h"
#include "sim/results/energy_account.h"

#include <stdlib.h>
#include <string.h>

enum { KEY_SET = 1, KEY_FORMAT };

struct energy_arguments {
    const char *folder;
    struct argument_list sets;
    bool csv;
};

static const char DOCUMENTATION[] =
    "Computes the joules of a run again from its recorded counters; nothing is simulated and no "
    "file is changed."
    "\vExample:\n  spinnsim energy out/lenet1_inference-01234567 --set "
    "'energy.core_cycle.value=170 pJ'";

static const struct argp_option OPTIONS[] = {
    {"set", KEY_SET, "energy.KEY=VALUE", 0, "another coefficient; may be repeated", 0},
    {"format", KEY_FORMAT, "text|csv", 0, "a table for people, or as energy.csv", 0},
    {0}};

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct energy_arguments *arguments = state->input;
    switch (key) {
    case KEY_SET:
        argument_add(&arguments->sets, "--set", text, state);
        return 0;
    case KEY_FORMAT:
        if (strcmp(text, "text") != 0 && strcmp(text, "csv") != 0) {
            argp_error(state, "--format: %s is none of text, csv", text);
        }
        arguments->csv = strcmp(text, "csv") == 0;
        return 0;
    case ARGP_KEY_ARG:
        if (arguments->folder != NULL) {
            argp_error(state, "more than one folder: %s and %s", arguments->folder, text);
        }
        arguments->folder = text;
        return 0;
    case ARGP_KEY_END:
        if (arguments->folder == NULL) {
            argp_error(state, "no folder: name a result folder");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* The coefficients of the run, with the overrides. */
static enum status load_config(const struct energy_arguments *arguments, struct sim_config *config,
                               struct diagnostic *diagnostic)
{
    char *path = file_join(arguments->folder, "config.yaml");
    if (path == NULL) {
        return diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
    }
    const struct config_request request = {.path = path};
    enum status status = config_load(&request, config, diagnostic);
    if (status == STATUS_OK) {
        status = config_set_energy(config, arguments->sets.text, arguments->sets.count, diagnostic);
        if (status != STATUS_OK) {
            config_deinit(config);
        }
    }
    free(path);
    return status;
}

static enum status load_counters(const struct energy_arguments *arguments, struct tally *tally,
                                 struct diagnostic *diagnostic)
{
    char *path = file_join(arguments->folder, "counters.csv");
    if (path == NULL) {
        return diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
    }
    const enum status status = tally_read(tally, path, diagnostic);
    free(path);
    return status;
}

int command_energy(int argc, char **argv, const struct folders *folders)
{
    static const struct argp PARSER = {OPTIONS, parse, "DIR", DOCUMENTATION, NULL, NULL, NULL};
    (void)folders;
    struct energy_arguments arguments = {0};
    struct sim_config config;
    struct diagnostic diagnostic = {0};
    arguments_parse(&PARSER, "spinnsim energy", argc, argv, &arguments);
    enum status status = load_config(&arguments, &config, &diagnostic);
    if (status != STATUS_OK) {
        return message_error(status, &diagnostic);
    }
    struct tally *tally = calloc(1, sizeof *tally);
    status = tally == NULL ? diagnose(&diagnostic, STATUS_INTERNAL, "out of memory")
                           : load_counters(&arguments, tally, &diagnostic);
    if (status == STATUS_OK) {
        (arguments.csv ? energy_write_terms : energy_print)(stdout, &config.energy, tally);
        tally_deinit(tally);
    }
    free(tally);
    config_deinit(&config);
    return status == STATUS_OK ? 0 : message_error(status, &diagnostic);
}
