/* joules.h - energy of this computer: measured by RAPL counters of the processors' packages, where
 * the kernel shows them, otherwise assumed watts of a core. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
C_LINKAGE_BEGIN

enum { JOULE_PACKAGES = 16, JOULE_PATH_CHARS = 512 };

/* Adds up what the packages' counters grow by; they wrap. */
struct joule_meter {
    size_t packages; /* 0: there is nothing to measure with */
    struct {
        char path[JOULE_PATH_CHARS]; /* energy_uj */
        uint64_t last_uj, wraps_at_uj;
    } package[JOULE_PACKAGES];
    double joules;
};

#define JOULE_FOLDER "/sys/class/powercap"

/* Finds the packages that can be read in a folder like /sys/class/powercap. */
void joule_meter_open(struct joule_meter *meter, const char *folder);

/* Forgets what was before. */
void joule_meter_begin(struct joule_meter *meter);

/* Adds what has been used since the last call: call it more often than the counters wrap, which
 * takes some minutes at least. */
void joule_meter_read(struct joule_meter *meter);

/* Watts of a core at work: the row JOULE_CORE of a table of devices with the columns device,
 * watts_low and watts_high (configs/baselines/watts.csv), and their geometric mean. */
#define JOULE_CORE "CPU core, range to compare with"
struct assumed_watts {
    double low, value, high;
};
enum status assumed_watts_read(struct assumed_watts *watts, const char *path,
                               struct diagnostic *diagnostic);

C_LINKAGE_END
