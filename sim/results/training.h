/* training.h - what a training on the machine has come to: its epochs, and where their time went.
 */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/results/recorder.h"
C_LINKAGE_BEGIN

/* Whether this run has trained an epoch on the machine. */
bool training_has_epochs(const struct outcome *outcome);

/* Means over the epochs; NAN without any.  Tests are not part of them. */
double training_epoch_seconds(const struct outcome *outcome);
struct energy_joules training_epoch_joules(const struct outcome *outcome);

/* What the cores did in the stage `train`, by the phases that they were in. */
enum training_part {
    TRAINING_COMPUTE,   /* layers forward and backward, the update, its record */
    TRAINING_EXCHANGE,  /* between chips: words sent and awaited */
    TRAINING_SDRAM,     /* waiting for bursts */
    TRAINING_IMBALANCE, /* waiting for other cores of the chip, or for a command */
    TRAINING_PARTS
};

/* Core time of each part over cores: they add up to the stage's duration. */
struct training_time {
    double seconds[TRAINING_PARTS], sum;
};
struct training_time training_time_of(const struct outcome *outcome);

/* Of the images that were trained in this run: not those before a checkpoint. */
double training_images_per_second(const struct outcome *outcome);

/* Lines for a terminal. */
void training_print(FILE *stream, const struct record *record);

C_LINKAGE_END
