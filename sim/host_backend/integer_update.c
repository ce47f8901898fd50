/* integer_update.c - see integer_update.h.  Compiled once for each row of formats.def that trains.
 */
#include "sim/host_backend/integer_update.h"

#include "sim/steps.h"

struct part {
    const char *what; /* "weight" or "bias" */
    uint32_t first, count, weights_end;
};

static enum status update_part(const struct host_training *training, const struct host_step *step,
                               const struct nn_layer *layer, const struct part *part,
                               struct nn_update_note *all, struct diagnostic *diagnostic)
{
    const struct nn_rule *rule = &training->learning->rule;
    const int32_t *gradients = step->gradients;
    struct nn_update_note note = {0};
    nn_update(rule, (uint32_t)step->number, step->rate, part->first, part->count, part->weights_end,
              gradients + part->first,
              (int32_t *)step->state + (size_t)part->first * nn_rule_state_words(rule),
              (nn_value *)step->parameters + part->first, &note);
    all->saturations += note.saturations;
    all->state_saturations += note.state_saturations;
    all->largest = note.largest > all->largest ? note.largest : all->largest;
    if (learning_has_room(note.largest)) {
        return STATUS_OK;
    }
    (void)diagnose(
        diagnostic, STATUS_CONFIGURATION,
        "layer %s, update %llu: the gradient of %s %u adds up to %d, which leaves less than half "
        "of 32 bits free",
        layer->name, (unsigned long long)step->number + 1, part->what,
        note.largest_at - part->first, gradients[note.largest_at]);
    diagnostic_key(diagnostic, "train.learning_rate");
    diagnostic_hint(diagnostic, "the training diverges: lower the rate or lengthen train.warm_up");
    return STATUS_CONFIGURATION;
}

enum status integer_update(const struct host_training *training, const struct host_step *step,
                           struct nn_update_note *note, struct diagnostic *diagnostic)
{
    const struct nn_table *table = training->table;
    const struct network *network = training->network;
    for (uint32_t i = 0; i < table->layers; i++) {
        const struct nn_layer *layer = &table->layer[i];
        const uint32_t first = layer->weights / (uint32_t)sizeof(int16_t);
        const uint32_t count = (uint32_t)network_layer_weights(&network->layer[i]);
        const struct part weights = {"weight", first, count, first + count};
        const struct part biases = {"bias", layer->biases / (uint32_t)sizeof(int16_t),
                                    network_layer_biases(&network->layer[i]), 0};
        TRY(update_part(training, step, layer, &weights, note, diagnostic));
        TRY(update_part(training, step, layer, &biases, note, diagnostic));
    }
    return STATUS_OK;
}
