/* verdict.h - whether a run's results are what its configuration accepts. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/config/config.h"
#include "sim/run_control/outcome.h"
C_LINKAGE_BEGIN

struct verdict {
    double value[CONFIG_METRICS]; /* NAN: the run has no such number */
    bool good;                    /* every bound of `accept` holds */
};

struct verdict verdict_of(const struct sim_config *config, const struct outcome *outcome);

/* The first bound that does not hold, as a message; STATUS_OK when all do. */
enum status verdict_explain(const struct verdict *verdict, const struct sim_config *config,
                            struct diagnostic *diagnostic);

bool verdict_holds(const struct verdict *verdict, const struct config_accept *bound);

/* Whether a test has begun: images that nobody has looked at have neither accuracy nor speed. */
bool verdict_was_tested(const struct outcome *outcome);

C_LINKAGE_END
