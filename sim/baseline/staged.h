/* staged.h - an experiment of several stages (sim/stages) trained with a program: each stage's
 * network on its stream, deformed and filtered as the experiment says, then the vote.
 *
 * What counts as training is what counts on the machine: deforming, looking at a stream with the
 * networks that filter it, and the updates; not the tests. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/baseline/program.h"
#include "sim/baseline/training.h"
C_LINKAGE_BEGIN

/* STATUS_CONFIGURATION when the program cannot. */
enum status baseline_check_stages(const struct baseline_program *program, const struct job *whole,
                                  unsigned processes, struct diagnostic *diagnostic);

/* In one process; accuracy and loss (of the probabilities' mean) are those of the vote's sum. */
enum status baseline_train_stages(const struct baseline_program *program, const struct job *whole,
                                  struct joule_meter *meter, struct baseline_measured *measured,
                                  struct diagnostic *diagnostic);

C_LINKAGE_END
