/* services.c - see services.h. */
#include "sim/run_control/services.h"

#include "models/common/bits.h"
#include "sim/load/machine_load.h"
#include "workloads/nn/reinjector_note.h"

enum {
    SERVICE_APP_ID = 0
}; /* of the system's own programs: no application's barrier counts them */

bool services_core(const struct topology_chip *chip, struct machine_core *core)
{
    if (chip->cores == 0) {
        return false;
    }
    *core = (struct machine_core){chip->x, chip->y, (uint8_t)bits_lowest(chip->cores)};
    return true;
}

enum status services_load(const struct job *job, struct machine *machine, struct machine_core core,
                          struct diagnostic *diagnostic)
{
    const struct elf_image *image = &job->reinjector.image;
    const struct program_options options = {SERVICE_APP_ID, 0};
    const enum status status = machine_load_program(machine, core, image, &options, diagnostic);
    return status == STATUS_OK ? machine_start_program(machine, core, image, SERVICE_APP_ID)
                               : status;
}

static void add_note(const struct machine *machine, struct machine_core core,
                     struct outcome_reinjector *sum)
{
    struct reinjector_note note;
    const uint32_t address = machine_program_state(machine, core).user1;
    if (machine_read(machine, core, address, &note, sizeof note) != STATUS_OK ||
        note.magic != REINJECTOR_MAGIC) {
        return;
    }
    sum->dropped += note.dropped;
    sum->missed += note.missed;
    sum->sent += note.sent;
    sum->partial += note.partial;
    sum->refused += note.refused;
    sum->queued += note.queued;
}

void services_take(const struct job *job, const struct machine *machine, struct outcome *outcome)
{
    const struct topology *topology = machine_topology(machine);
    outcome->has_reinjector = job->has_reinjector;
    for (size_t i = 0; i < topology->count && job->has_reinjector; i++) {
        struct machine_core core;
        if (services_core(&topology->chip[i], &core)) {
            add_note(machine, core, &outcome->reinjector);
        }
    }
}
