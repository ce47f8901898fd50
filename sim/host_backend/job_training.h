/* job_training.h - what the host's trainer does for a job: format, initial parameters, numbers of
 * the training. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/host_backend/trainer.h"
#include "sim/run_control/job.h"
C_LINKAGE_BEGIN

/* The format of the job's network.number_format. */
const struct host_format *host_format_of(const struct job *job);

/* Parameters of a format as doubles, see weights_place(). */
void host_doubles(const struct job *job, const struct host_format *format, const void *parameters,
                  double *doubles);

/* The malloc'ed parameters of a format from weights: their doubles, or else their integers. */
enum status host_parameters(const struct job *job, const struct host_format *format,
                            const struct weights *weights, void **parameters,
                            struct diagnostic *diagnostic);

/* The malloc'ed parameters with which a training in this format
 * begins: the configuration's weights, or drawn ones. */
enum status host_training_initial(const struct job *job, const struct host_format *format,
                                  void **initial, struct diagnostic *diagnostic);

/* Describes the job's training in this format, without a listener.  `learning` and `initial` must
 * outlive the training. */
struct host_training host_training_of(const struct job *job, const struct host_format *format,
                                      const struct learning *learning, const void *initial);

C_LINKAGE_END
