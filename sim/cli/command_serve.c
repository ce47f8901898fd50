/* command_serve.c - `spinnsim serve`: boards behind UDP sockets. */
#include "sim/cli/message.h"
#include "sim/cli/run_options.h"
#include "sim/experiment/experiment.h"
#include "sim/results/remarks.h"
#include "sim/results/summary.h"
#include "sim/serve/address.h"
#include "sim/serve/serve.h"
#include "sim/steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The board's own address, when --bind names none: SpiNNMan takes 127.0.0.1 for its virtual board.
 */
static const char FIRST_ADDRESS[] = "127.0.0.2";

enum { HOLD_S_MAX = 3600 };

struct arguments {
    const char *file, *out, *image, *bind, *bmp, *pace, *record, *replay;
    struct argument_list sets;
    bool force;
    uint64_t hold_s;
    uint64_t threads;
    enum tier tier;
    uint64_t run_ahead;
    uint32_t address, bmp_address; /* as `check` has read them */
    enum pace_mode pace_mode;
    uint32_t slower;
};

#define AT(field) offsetof(struct arguments, field)

static const struct command_option OPTIONS[] = {
    {"scamp", ARGUMENT_TEXT, AT(image), "FILE",
     "a boot image (scamp.boot) with which the boards are found running; without it they wait for "
     "a "
     "boot over UDP port 54321",
     0, 0},
    {"bind", ARGUMENT_TEXT, AT(bind), "ADDRESS",
     "the first board's IP address, an address of this computer; further boards have the next "
     "ones. "
     "With it, boards may send to other computers.  Default 127.0.0.2",
     0, 0},
    {"bmp", ARGUMENT_TEXT, AT(bmp), "ADDRESS",
     "the IP address of a board management processor; default: there is none", 0, 0},
    {"pace", ARGUMENT_TEXT, AT(pace), "real|max|N",
     "how fast the boards run: never faster than the wall clock, as fast as they can, or N times "
     "slower than the wall clock; default real",
     0, 0},
    {"hold", ARGUMENT_WHOLE, AT(hold_s), "SECONDS",
     "a datagram waits at most so long for a slow board, which keeps its client's pause; default 1",
     HOLD_S_MAX, 0},
    {"record", ARGUMENT_TEXT, AT(record), "FILE",
     "write all datagrams of clients, with their board times, to a file", 0, 0},
    {"replay", ARGUMENT_TEXT, AT(replay), "FILE",
     "give the boards the datagrams of a recording, without any socket: the results are the same",
     0, 0},
    {"set", ARGUMENT_LIST, AT(sets), "KEY=VALUE",
     "override a value of the configuration; may be repeated", 0, 0},
    {"out", ARGUMENT_TEXT, AT(out), "DIR", "the result folder (default: out/NAME-HASH)", 0, 0},
    {"force", ARGUMENT_FLAG, AT(force), NULL,
     "replace results of another configuration that are in the result folder", 0, 0},
    {"threads", ARGUMENT_WHOLE, AT(threads), "N",
     "threads of this computer; results do not depend on it", RUN_THREADS_MAX, 0},
    OPTION_TIER(AT(tier)),
    {0}};

static void check(void *context, struct argp_state *state)
{
    struct arguments *arguments = context;
    (void)address_read(FIRST_ADDRESS, &arguments->address);
    if (arguments->bind != NULL && !address_read(arguments->bind, &arguments->address)) {
        argp_error(state, "--bind %s: not an IPv4 address, like 127.0.0.2", arguments->bind);
    }
    if (arguments->bmp != NULL && !address_read(arguments->bmp, &arguments->bmp_address)) {
        argp_error(state, "--bmp %s: not an IPv4 address, like 127.0.0.128", arguments->bmp);
    }
    if (arguments->pace != NULL &&
        !pace_read(arguments->pace, &arguments->pace_mode, &arguments->slower)) {
        argp_error(state, "--pace %s: neither real, max, nor a whole number from 1 to 1000000",
                   arguments->pace);
    }
    if (arguments->replay != NULL && (arguments->bind != NULL || arguments->bmp != NULL ||
                                      arguments->pace != NULL || arguments->hold_s != 0)) {
        argp_error(state,
                   "--replay opens no sockets and keeps no pace: leave out --bind, --bmp, --pace "
                   "and --hold");
    }
}

static enum status check_config(const struct arguments *arguments, const struct sim_config *config,
                                struct diagnostic *diagnostic)
{
    if (config->run_boot == CONFIG_BOOT_DIRECT || config->backend != CONFIG_BACKEND_SPINNAKER) {
        return config_refuse(config, "run.boot",
                             "run: {boot: handover}, as in configs/experiments/serve_spin3.yaml",
                             diagnostic, "serve is for boards that are booted over Ethernet");
    }
    return config->run_boot != CONFIG_BOOT_ROM || arguments->image == NULL
               ? STATUS_OK
               : config_refuse(config, "run.boot", "leave out --scamp", diagnostic,
                               "a boot ROM takes its image from a client");
}

static struct experiment_request request_of(const struct arguments *arguments, struct serve *serve,
                                            const struct folders *folders)
{
    struct experiment_request request = {.file = arguments->file,
                                         .configs_folder = folders->configs,
                                         .sets = arguments->sets.text,
                                         .set_count = arguments->sets.count,
                                         .job = {.workloads_folder = folders->workloads,
                                                 .threads = (unsigned)arguments->threads,
                                                 .tier = arguments->tier,
                                                 .run_ahead = arguments->run_ahead}};
    serve_follow(serve, &request.job);
    return request;
}

static enum status open_boards(struct serve *serve, const struct arguments *arguments,
                               const struct experiment *experiment, struct diagnostic *diagnostic)
{
    const struct serve_options options = {.topology = &experiment->config.topology,
                                          .simulation = experiment->job.identity.sim_hash,
                                          .address = arguments->address,
                                          .rom = experiment->config.run_boot == CONFIG_BOOT_ROM,
                                          .leaves_computer = arguments->bind != NULL,
                                          .bmp_address = arguments->bmp_address,
                                          .pace = arguments->pace_mode,
                                          .slower = arguments->slower,
                                          .hold_s = (uint32_t)arguments->hold_s,
                                          .image = arguments->image,
                                          .record = arguments->record,
                                          .replay = arguments->replay,
                                          .terminal = isatty(STDERR_FILENO) != 0 ? stderr : NULL};
    TRY(serve_open(serve, &options, diagnostic));
    if (arguments->replay == NULL) {
        serve_print_boards(serve, stdout);
    }
    return STATUS_OK;
}

static void print_results(const struct experiment *experiment, const struct serve *serve,
                          const char *folder)
{
    struct remarks remarks;
    summary_print(stdout, &experiment->record);
    (void)printf("results         %s\n", folder);
    serve_print_counts(serve, stdout);
    remarks_of_run(&remarks, &experiment->record);
    for (size_t i = 0; i < remarks.count; i++) {
        message_warning(&remarks.of[i]);
    }
}

static enum status serve_boards(const struct arguments *arguments, struct serve *serve,
                                struct experiment *experiment, struct diagnostic *diagnostic)
{
    FREED char *usual = experiment_folder(experiment, "out");
    if (usual == NULL) {
        return no_memory(diagnostic);
    }
    const char *folder = arguments->out != NULL ? arguments->out : usual;
    TRY(check_config(arguments, &experiment->config, diagnostic));
    TRY(experiment_check_folder(experiment, folder, arguments->force, diagnostic));
    TRY(open_boards(serve, arguments, experiment, diagnostic));
    TRY(experiment_execute(experiment, diagnostic));
    TRY(serve_end(serve, diagnostic));
    TRY(record_write(&experiment->record, folder, diagnostic));
    print_results(experiment, serve, folder);
    return experiment_verdict(experiment, diagnostic);
}

static enum status prepare_and_serve(const struct arguments *arguments,
                                     const struct folders *folders, struct diagnostic *diagnostic)
{
    RELEASED(serve_destroy) struct serve *serve = serve_create();
    RELEASED(experiment_destroy) struct experiment *experiment = calloc(1, sizeof *experiment);
    if (serve == NULL || experiment == NULL) {
        return no_memory(diagnostic);
    }
    const struct experiment_request request = request_of(arguments, serve, folders);
    TRY(experiment_prepare(experiment, &request, diagnostic));
    return serve_boards(arguments, serve, experiment, diagnostic);
}

static int run(int argc, char **argv, const struct folders *folders)
{
    struct diagnostic diagnostic = {.line = 0};
    struct arguments arguments = {.threads = 1,
                                  .tier = command_default_tier(),
                                  .run_ahead = command_default_run_ahead(),
                                  .slower = 1};
    command_parse(&COMMAND_serve, argc, argv, &arguments);
    const enum status status = prepare_and_serve(&arguments, folders, &diagnostic);
    return message_error(status, &diagnostic);
}

const struct command COMMAND_serve = {
    .name = "serve",
    .summary = "put simulated boards behind UDP sockets, for SpiNNaker host software",
    .operands = "CONFIG.yaml",
    .noun = "file",
    .wanted = "name a configuration, like configs/experiments/serve_spin3.yaml",
    .operand_at = AT(file),
    .text =
        "Lets host software boot and use simulated boards as if they were on the desk: each board "
        "listens on its own address at UDP ports 17893 (SCP, SDP) and 54321 (boot).  Ctrl-C or "
        "SIGTERM ends the run, which then writes a result folder."
        "\vExit status: 0 done, 2 usage or configuration (a port is in use), 3 the guest failed, 4 "
        "a limit was reached.\n\nExample:\n"
        "  spinnsim serve configs/experiments/serve_spin3.yaml --scamp scamp.boot",
    .options = OPTIONS,
    .check = check,
    .run = run};
