/* program_trial.h - what programs without a network are given to work on by the configuration: the
 * groups `exchange` (ring_trial.h) and `collectives` (collectives_trial.h), one at most. */
#pragma once
#include "sim/run_control/collectives_trial.h"
#include "sim/run_control/ring_trial.h"
C_LINKAGE_BEGIN

struct program_trial {
    struct ring_trial rings;
    struct collectives_trials collectives;
};

/* STATUS_CONFIGURATION when both groups are given, or the programs are not what a group needs. */
enum status program_trial_make(struct program_trial *trial, const struct sim_config *config,
                               const struct topology *topology, struct diagnostic *diagnostic);
void program_trial_deinit(struct program_trial *trial);

/* Writes records into SDRAM and routes into the routers. */
enum status program_trial_write(const struct program_trial *trial, struct machine *machine,
                                struct diagnostic *diagnostic);

/* Argument for a core's block: the address of its record; 0 when there is none. */
uint32_t program_trial_argument(const struct program_trial *trial, uint32_t chip, uint32_t core);

/* End of the SDRAM in use; 0: none. */
uint32_t program_trial_end(const struct program_trial *trial);

/* The routing becomes the caller's. */
struct routing program_trial_take_routing(struct program_trial *trial);

C_LINKAGE_END
