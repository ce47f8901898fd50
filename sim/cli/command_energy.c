/* command_energy.c - `spinnsim energy`: joules from recorded counters, with other coefficients. */
#include "sim/cli/command.h"
#include "sim/cli/message.h"
#include "sim/config/config.h"
#include "sim/file.h"
#include "sim/results/energy_account.h"

#include <stdlib.h>

struct arguments {
    const char *folder;
    struct argument_list sets;
    unsigned csv;
};

#define AT(field) offsetof(struct arguments, field)

static const struct command_option OPTIONS[] = {
    {"set", ARGUMENT_LIST, AT(sets), "energy.KEY=VALUE", "another coefficient; may be repeated", 0,
     0},
    {"format", ARGUMENT_CHOICE, AT(csv), "text|csv", "a table for people, or as energy.csv", 0, 0},
    {0}};

/* The coefficients of the run, with the overrides. */
static enum status load_config(const struct arguments *arguments, const char *path,
                               struct sim_config *config, struct diagnostic *diagnostic)
{
    const struct config_request request = {.path = path};
    enum status status = config_load(&request, config, diagnostic);
    if (status == STATUS_OK) {
        status = config_set_energy(config, arguments->sets.text, arguments->sets.count, diagnostic);
    }
    return status;
}

static int run(int argc, char **argv, const struct folders *folders)
{
    (void)folders;
    struct arguments arguments = {0};
    struct sim_config config = {0};
    struct tally tally = {0};
    struct diagnostic diagnostic = {0};
    command_parse(&COMMAND_energy, argc, argv, &arguments);
    char *yaml = file_join(arguments.folder, "config.yaml");
    char *counters = file_join(arguments.folder, "counters.csv");
    enum status status = STATUS_INTERNAL; /* out of memory */
    if (yaml != NULL && counters != NULL) {
        status = load_config(&arguments, yaml, &config, &diagnostic);
    }
    if (status == STATUS_OK) {
        status = tally_read(&tally, counters, &diagnostic);
    }
    if (status == STATUS_OK) {
        (arguments.csv ? energy_write_terms : energy_print)(stdout, &config.energy, &tally);
        tally_deinit(&tally);
    }
    free(yaml);
    free(counters);
    config_deinit(&config);
    return message_error(status, &diagnostic);
}

const struct command COMMAND_energy = {
    .name = "energy",
    .summary = "compute joules again from recorded counters",
    .operands = "DIR",
    .noun = "folder",
    .wanted = "name a result folder",
    .operand_at = AT(folder),
    .text = "Computes the joules of a run again from its recorded counters; nothing is simulated "
            "and no file is changed."
            "\vExample:\n  spinnsim energy out/lenet1_inference-01234567 --set "
            "'energy.core_cycle.value=170 pJ'",
    .options = OPTIONS,
    .run = run};
