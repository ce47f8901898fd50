/* verdict.h - checks a run's results against the bounds of `accept`. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/config/config.h"
#include "sim/results/energy_account.h"
#include "sim/run_control/outcome.h"
C_LINKAGE_BEGIN

struct verdict {
    double value[CONFIG_METRICS]; /* NAN: the run has no such value */
    bool good;                    /* every bound of `accept` holds */
};

struct verdict verdict_of(const struct sim_config *config, const struct outcome *outcome,
                          const struct energy_account *energy);

/* Reports the first bound that does not hold; STATUS_OK when all hold. */
enum status verdict_explain(const struct verdict *verdict, const struct sim_config *config,
                            struct diagnostic *diagnostic);

/* Whether the bound of a metric holds; one that is not given does. */
bool verdict_holds(const struct verdict *verdict, const struct sim_config *config,
                   enum config_metric metric);

/* Whether a test has begun.  Without one the run has neither accuracy nor images per second. */
bool verdict_was_tested(const struct outcome *outcome);

/* In all tests of the run, validation included; on the machine: a sampled run tests on the host. */
double verdict_images_tested(const struct outcome *outcome);
double verdict_images_per_second(const struct outcome *outcome);

C_LINKAGE_END
