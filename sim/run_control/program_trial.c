/* program_trial.c - see program_trial.h. */
#include "sim/run_control/program_trial.h"

#include "sim/steps.h"

enum status program_trial_make(struct program_trial *trial, const struct sim_config *config,
                               const struct topology *topology, struct diagnostic *diagnostic)
{
    *trial = (struct program_trial){.rings = {.end = 0}};
    if (config_has_exchange(config) && config_has_collectives(config)) {
        return config_refuse(config, "collectives", "leave out one of them", diagnostic,
                             "the groups exchange and collectives belong to different programs");
    }
    TRY(ring_trial_make(&trial->rings, config, topology, diagnostic));
    return collectives_trials_make(&trial->collectives, config, topology, diagnostic);
}

void program_trial_deinit(struct program_trial *trial)
{
    ring_trial_deinit(&trial->rings);
    collectives_trials_deinit(&trial->collectives);
}

enum status program_trial_write(const struct program_trial *trial, struct machine *machine,
                                struct diagnostic *diagnostic)
{
    TRY(ring_trial_write(&trial->rings, machine, diagnostic));
    return collectives_trials_write(&trial->collectives, machine, diagnostic);
}

uint32_t program_trial_argument(const struct program_trial *trial, uint32_t chip, uint32_t core)
{
    return trial->rings.config != NULL
               ? ring_trial_argument(&trial->rings, chip, core)
               : collectives_trials_argument(&trial->collectives, chip, core);
}

uint32_t program_trial_end(const struct program_trial *trial)
{
    return trial->rings.config != NULL ? trial->rings.end : trial->collectives.end;
}

struct routing program_trial_take_routing(struct program_trial *trial)
{
    struct routing *from =
        trial->rings.config != NULL ? &trial->rings.routing : &trial->collectives.routing;
    const struct routing taken = *from;
    *from = (struct routing){0};
    return taken;
}
