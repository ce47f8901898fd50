/* experiment.h - runs one experiment, from its file to its results in memory. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/results/recorder.h"
#include "sim/run_control/backend.h"
C_LINKAGE_BEGIN

struct experiment_request {
    const char *file; /* YAML, or an ELF program for core 1 of one chip */
    const char *configs_folder;
    const char *const *sets; /* "key=value" */
    size_t set_count;
    const struct sim_config *base; /* as config_request's; NULL: the file is read */
    struct job_options job; /* run_until NULL: without SystemC's kernel, which knows one machine */
};

struct experiment {
    struct sim_config config;
    struct job job;
    struct outcome outcome;
    struct record record;
};

/* Loads and checks everything; runs and writes nothing.  The experiment is empty unless the status
 * is STATUS_OK. */
enum status experiment_prepare(struct experiment *experiment,
                               const struct experiment_request *request,
                               struct diagnostic *diagnostic);

/* Whether a hook hears of events (sim/run_control/events.h): a training that is sampled or in
 * stages is several runs, none of which is the whole. */
bool experiment_has_events(const struct experiment *experiment);

/* Runs a prepared experiment.  STATUS_OK whenever there are results, even of a guest that failed.
 */
enum status experiment_execute(struct experiment *experiment, struct diagnostic *diagnostic);

/* The outcome of a run: STATUS_OK, or STATUS_GUEST, STATUS_LIMIT or STATUS_REJECTED with a
 * message. */
enum status experiment_verdict(const struct experiment *experiment, struct diagnostic *diagnostic);

/* Checks that the results may be written to `folder`, see result_folder_check().  A folder with
 * results of another simulation (sim_hash) is refused unless `replace` is set. */
enum status experiment_check_folder(const struct experiment *experiment, const char *folder,
                                    bool replace, struct diagnostic *diagnostic);

/* Runs a prepared experiment and writes its results to `folder`, which is checked before. */
enum status experiment_record(struct experiment *experiment, const char *folder, bool replace,
                              struct diagnostic *diagnostic);

/* IN/<name>-<8 hex of sim_hash>, in malloc'ed memory; NULL when out of memory. */
char *experiment_folder(const struct experiment *experiment, const char *in);

void experiment_deinit(struct experiment *experiment);

/* The same of one in malloc'ed memory, at this address; NULL: there is none. */
void experiment_destroy(struct experiment **experiment);

C_LINKAGE_END
