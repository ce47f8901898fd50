/* training.h - results of a training on the machine: its epochs, and how their time was spent. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/results/recorder.h"
C_LINKAGE_BEGIN

/* Whether this run has trained an epoch on the machine. */
bool training_has_epochs(const struct outcome *outcome);

/* Means over the epochs, without tests; NAN if there are no epochs. */
double training_epoch_seconds(const struct outcome *outcome);
struct energy_joules training_epoch_joules(const struct outcome *outcome);

/* Machine time of an update, the mean over the epochs; NAN if there are no epochs. */
double training_update_seconds(const struct record *record);

/* The same by its estimate; NAN: there is none. */
double training_estimated_seconds(const struct outcome *outcome);

/* Parts of the cores' time in the stage `train`, derived from its phases. */
enum training_part {
    TRAINING_COMPUTE,   /* layers forward and backward, the update, the record of the update */
    TRAINING_EXCHANGE,  /* sending words to other chips and waiting for theirs */
    TRAINING_SDRAM,     /* waiting for SDRAM bursts */
    TRAINING_IMBALANCE, /* waiting for other cores of the chip, or for a command */
    TRAINING_PARTS
};

/* Core time of each part divided by the number of cores; the parts add up to the stage's
 * duration. */
struct training_time {
    double seconds[TRAINING_PARTS], sum;
};
struct training_time training_time_of(const struct outcome *outcome);

/* Counts only images trained in this run, not those before a checkpoint. */
double training_images_per_second(const struct record *record);

/* Prints these values on a terminal. */
void training_print(FILE *stream, const struct record *record);

C_LINKAGE_END
