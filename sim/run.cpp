/* run.cpp - `spinnsim run`.  run_experiment() executes a run in order: configuration,
 * network, mapping and programs (experiment_prepare); machine, simulation, counters, joules
 * (experiment_execute); result folder.  The SystemC kernel drives the machine. */
#include "models/systemc/simulation.h"
#include "sim/cli/message.h"
#include "sim/cli/run_options.h"
#include "sim/debug/board.h"
#include "sim/experiment/experiment.h"
#include "sim/experiment/listener.h"
#include "sim/results/incidents.h"
#include "sim/results/remarks.h"
#include "sim/results/summary.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>

namespace
{

/* The kernel's view of the machine is made when the machine has been made. */
struct kernel_view {
    std::unique_ptr<spinn::Simulation> simulation;
};

machine_stop run_under_kernel(void *context, machine *machine, uint64_t time_ps)
{
    auto *kernel = static_cast<kernel_view *>(context);
    try {
        if (!kernel->simulation) {
            kernel->simulation = std::make_unique<spinn::Simulation>(machine);
        }
        return kernel->simulation->run_until(time_ps);
    } catch (const std::exception &problem) { /* the caller is C; nothing has been written */
        (void)std::fprintf(stderr, "spinnsim: %s\n", problem.what());
        std::_Exit(1);
    }
}

experiment_request request_of(const run_options &options, kernel_view &kernel,
                              struct progress &progress)
{
    experiment_request request = {};
    request.file = options.file;
    request.configs_folder = options.configs;
    request.sets = options.sets.text;
    request.set_count = options.sets.count;
    request.job.data_dir = options.data_dir;
    request.job.workloads_folder = options.workloads;
    request.job.threads = static_cast<unsigned>(options.threads);
    request.job.tier = options.tier;
    request.job.run_ahead = options.run_ahead;
    request.job.resume = options.resume;
    request.job.restore = options.restore;
    request.job.run_until = run_under_kernel;
    request.job.run_context = &kernel;
    request.job.progress = progress_tell;
    request.job.progress_context = &progress;
    return request;
}

void warn_of_data(const job &job)
{
    struct diagnostic warning = {};
    for (const dataset *images : {&job.train, &job.test, &job.validation}) {
        if (dataset_warning(images, &warning)) {
            message_warning(&warning);
        }
    }
}

void warn_of_remarks(const record &record)
{
    struct remarks remarks;
    remarks_of_run(&remarks, &record);
    for (size_t i = 0; i < remarks.count; i++) {
        message_warning(&remarks.of[i]);
    }
}

/* --out, or the usual name. */
std::string folder_of(const run_options &options, const experiment &experiment)
{
    if (options.out != nullptr) {
        return options.out;
    }
    char *usual = experiment_folder(&experiment, "out");
    std::string folder = usual == nullptr ? "out/run" : usual;
    free(usual);
    return folder;
}

struct debugger_destroyer {
    void operator()(board_debugger *debugger) const
    {
        board_debugger_destroy(debugger);
    }
};
using owned_debugger = std::unique_ptr<board_debugger, debugger_destroyer>;

/* With --gdb, GDB lets the machine run; nullptr without. */
status begin_debugger(const run_options &options, experiment *experiment, owned_debugger *debugger,
                      struct diagnostic *diagnostic)
{
    const auto port = static_cast<uint16_t>(options.gdb_port);
    board_debugger *made = nullptr;
    if (port == 0) {
        return STATUS_OK;
    }
    status status = board_debugger_check(&experiment->job, diagnostic);
    if (status == STATUS_OK) {
        status =
            board_debugger_create(port, &experiment->job, &experiment->outcome, &made, diagnostic);
    }
    if (status != STATUS_OK) {
        return status;
    }
    debugger->reset(made);
    experiment->job.options.run_until = board_debugger_run_until;
    experiment->job.options.run_context = made;
    (void)std::fprintf(stderr, "waiting for GDB at 127.0.0.1:%u: target extended-remote :%u\n",
                       static_cast<unsigned>(port), static_cast<unsigned>(port));
    return STATUS_OK;
}

} // namespace

int run_experiment(const run_options *options)
{
    owned_debugger debugger;
    kernel_view kernel;
    struct progress progress;
    struct listener listener = {};
    struct diagnostic diagnostic = {};
    struct experiment experiment;
    progress_begin(&progress, static_cast<progress_mode>(options->progress));
    const experiment_request request = request_of(*options, kernel, progress);

    enum status status = experiment_prepare(&experiment, &request, &diagnostic);
    if (status != STATUS_OK) {
        return message_error(status, &diagnostic);
    }
    warn_of_data(experiment.job);
    const std::string folder = folder_of(*options, experiment);
    experiment.job.options.results = folder.c_str();
    status = experiment_check_folder(&experiment, folder.c_str(), options->force, &diagnostic);
    if (status == STATUS_OK) {
        status = begin_debugger(*options, &experiment, &debugger, &diagnostic);
    }
    if (status == STATUS_OK) {
        status = listener_begin(&listener, options->events, &experiment, &diagnostic);
    }
    if (status == STATUS_OK) {
        status = experiment_execute(&experiment, &diagnostic);
        progress_end(&progress);
    }
    listener_end(&listener);
    if (status == STATUS_OK) {
        status = record_write(&experiment.record, folder.c_str(), &diagnostic);
    }
    if (status == STATUS_OK) {
        summary_print(stdout, &experiment.record);
        (void)std::printf("results         %s\n", folder.c_str());
        incidents_print_waits(stderr, &experiment.record);
        warn_of_remarks(experiment.record);
        status = experiment_verdict(&experiment, &diagnostic);
    }
    const int exit_status = message_error(status, &diagnostic);
    board_debugger_end(debugger.get(), exit_status);
    experiment_deinit(&experiment);
    return exit_status;
}
