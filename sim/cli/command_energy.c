/* command_energy.c - `spinnsim energy`: joules from recorded counters, with other coefficients. */
#include "sim/cli/command.h"
#include "sim/cli/message.h"
#include "sim/config/config.h"
#include "sim/results/manifest.h"
#include "sim/results/recorder.h"
#include "sim/results/remarks.h"
#include "sim/results/result_files.h"
#include "sim/results/results.h"
#include "sim/steps.h"

struct arguments {
    const char *folder;
    struct argument_list sets;
    unsigned csv;
    const char *against;
};

#define AT(field) offsetof(struct arguments, field)

static const struct command_option OPTIONS[] = {
    {"set", ARGUMENT_LIST, AT(sets), "energy.KEY=VALUE", "another coefficient; may be repeated", 0,
     0},
    {"against", ARGUMENT_TEXT, AT(against), "FILE",
     "compare with the coefficients of another file, as configs/energy/spinntools.yaml", 0, 0},
    {"format", ARGUMENT_CHOICE, AT(csv), "text|csv", "a table for people, or as energy.csv", 0, 0},
    {0}};

static enum status print_against(const struct arguments *arguments, const struct folders *folders,
                                 const struct sim_config *config, const struct record *record,
                                 struct diagnostic *diagnostic)
{
    RELEASED(config_deinit) struct sim_config other = {0};
    RELEASED(energy_account_deinit) struct energy_account account = {.row = NULL};
    const char *const names[] = {arguments->folder, arguments->against};
    TRY(energy_load_other(arguments->against, folders->configs, config, &other, diagnostic));
    TRY(energy_account_of(&account, &other.energy, &record->tally, diagnostic));
    energy_print_against(stdout, &record->energy, &account, names, arguments->csv != 0);
    return STATUS_OK;
}

/* With these coefficients, from the counters of the folder. */
static enum status print(const struct arguments *arguments, const struct folders *folders,
                         const struct sim_config *config, struct diagnostic *diagnostic)
{
    RELEASED(record_deinit) struct record record = {.job = NULL};
    TRY(tally_read(&record.tally, arguments->folder, diagnostic));
    TRY(energy_account_of(&record.energy, &config->energy, &record.tally, diagnostic));
    if (arguments->against != NULL) {
        return print_against(arguments, folders, config, &record, diagnostic);
    }
    if (arguments->csv != 0) {
        (void)result_file_write(result_file_find("energy.csv"), stdout, &record);
    } else {
        energy_print(stdout, &record.energy);
    }
    return STATUS_OK;
}

/* The coefficients are those of the run, with the overrides. */
static enum status energy(const struct arguments *arguments, const struct folders *folders,
                          struct diagnostic *diagnostic)
{
    RELEASED(config_deinit) struct sim_config config = {0};
    struct remarks remarks;
    TRY(manifest_check(arguments->folder, diagnostic));
    TRY(results_load_config(arguments->folder, &config, diagnostic));
    TRY(config_set_energy(&config, arguments->sets.text, arguments->sets.count, diagnostic));
    TRY(print(arguments, folders, &config, diagnostic));
    remarks_of_energy(&remarks, &config);
    for (size_t i = 0; i < remarks.count; i++) {
        message_warning(&remarks.of[i]);
    }
    return STATUS_OK;
}

static int run(int argc, char **argv, const struct folders *folders)
{
    struct arguments arguments = {0};
    struct diagnostic diagnostic = {0};
    command_parse(&COMMAND_energy, argc, argv, &arguments);
    return message_error(energy(&arguments, folders, &diagnostic), &diagnostic);
}

const struct command COMMAND_energy = {
    .name = "energy",
    .summary = "compute joules again from recorded counters",
    .operands = "DIR",
    .noun = "folder",
    .wanted = "name a result folder",
    .operand_at = AT(folder),
    .text = "Computes the joules of a run again from its recorded counters; nothing is simulated "
            "and no file is changed. After a training also those of an epoch; with a board's "
            "profile, what chips alone, the wall socket and the rack have (energy.scopes)."
            "\vExample:\n  spinnsim energy out/lenet1_inference-01234567 --set "
            "'energy.core_cycle.value=170 pJ'\n  spinnsim energy out/lenet1_inference-01234567 "
            "--against configs/energy/spinntools.yaml",
    .options = OPTIONS,
    .run = run};
