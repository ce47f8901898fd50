/* training.h - one training with a program, on one process or several, with its times. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/baseline/joules.h"
#include "sim/baseline/stopwatch.h"
#include "sim/host_backend/trainer.h"
#include "sim/run_control/job.h"
C_LINKAGE_BEGIN

struct baseline_measured {
    uint64_t updates, images;
    uint64_t looks; /* images classified to choose those of a stage: baseline_train_stages() */
    uint32_t epochs;
    double setup_seconds; /* memory, threads, processes */
    double train_seconds; /* all updates, without tests */
    double cpu_seconds;   /* of all threads and processes in these updates */
    double test_seconds;  /* the last test of the test images */
    double accuracy, loss;
    double validation_accuracy; /* NaN: without validation images */
    double joules;              /* measured in these updates; NAN: not */
};

/* `training` is the job's, of the program's format; its listener and exchange are ignored.  meter
 * may be NULL. */
enum status baseline_train(const struct host_training *training, const struct job *job,
                           unsigned processes, struct joule_meter *meter,
                           struct baseline_measured *measured, struct diagnostic *diagnostic);

C_LINKAGE_END
