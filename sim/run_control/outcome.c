/* outcome.c - see outcome.h. */
#include "sim/run_control/outcome.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *outcome_end_text(enum outcome_end end)
{
    static const char *const TEXT[] = {"done", "guest_failed", "limit"};
    return TEXT[end];
}

void outcome_deinit(struct outcome *outcome)
{
    free(outcome->counter);
    free(outcome->core);
    free(outcome->result);
    free(outcome->learning);
    free(outcome->parameters);
    free(outcome->epoch);
    free(outcome->unmodelled);
    free(outcome->drop);
    free(outcome->wait);
    free(outcome->console);
    free(outcome->tensor);
    routing_deinit(&outcome->routing);
    free(outcome->traffic);
    weights_deinit(&outcome->trained);
    memset(outcome, 0, sizeof *outcome);
}

bool outcome_add_learning(struct outcome *outcome, const struct outcome_learning *row)
{
    struct outcome_learning *larger =
        realloc(outcome->learning, (outcome->learning_count + 1) * sizeof *larger);
    if (larger == NULL) {
        return false;
    }
    outcome->learning = larger;
    larger[outcome->learning_count++] = *row;
    return true;
}

struct energy_joules outcome_no_joules(void)
{
    return (struct energy_joules){NAN, NAN, NAN};
}

uint64_t outcome_sum(const struct outcome *outcome, const char *component, const char *counter)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < outcome->counter_count; i++) {
        const struct outcome_counter *at = &outcome->counter[i];
        if (strcmp(at->component, component) == 0 && strcmp(at->info->name, counter) == 0) {
            sum += at->value;
        }
    }
    return sum;
}

uint64_t outcome_dropped_packets(const struct outcome *outcome)
{
    static const char *const DUMPED[] = {"dumped_mc", "dumped_p2p", "dumped_nn", "dumped_fr"};
    uint64_t dropped = 0;
    for (size_t i = 0; i < sizeof DUMPED / sizeof *DUMPED; i++) {
        dropped += outcome_sum(outcome, "router", DUMPED[i]);
    }
    return dropped;
}
