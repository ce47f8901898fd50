/* program_table.c - see program_table.h. */
#include "sim/mapping/program_table.h"

#include "sim/steps.h"
#include "workloads/nn/run_plan.h"

#include <stdlib.h>
#include <string.h>

static bool has_activation(const struct nn_table *table, uint32_t activation)
{
    bool has = false;
    for (uint32_t i = 0; i < table->layers; i++) {
        has |= table->layer[i].activation == activation;
    }
    return has;
}

uint32_t program_activations(const struct nn_table *table, uint8_t row[NN_ACTIVATION_PLACES])
{
    uint32_t count = 0;
    for (uint32_t a = NN_RELU + 1; a < NN_ACTIVATIONS; a++) {
        if (has_activation(table, a)) {
            if (count < NN_ACTIVATION_PLACES) {
                row[count] = (uint8_t)a;
            }
            count++;
        }
    }
    return count;
}

/* What a table of the program says for an activation. */
static uint8_t said_for(uint8_t activation, const uint8_t row[NN_ACTIVATION_PLACES])
{
    uint8_t place = 0;
    while (activation > NN_RELU && row[place] != activation) {
        place++;
    }
    return activation > NN_RELU ? (uint8_t)(NN_RELU + 1 + place) : activation;
}

enum status program_table_check(const struct nn_table *table, uint32_t *check,
                                struct diagnostic *diagnostic)
{
    uint8_t row[NN_ACTIVATION_PLACES];
    if (program_activations(table, row) > NN_ACTIVATION_PLACES) {
        (void)diagnose(diagnostic, STATUS_CONFIGURATION,
                       "network %.*s has more activations than a program has places for",
                       NN_NAME_CHARS, table->name);
        diagnostic_hint(diagnostic, "at most %d beside identity and relu; backend: host has all",
                        NN_ACTIVATION_PLACES);
        return STATUS_CONFIGURATION;
    }
    struct nn_table *made = malloc(table->bytes);
    if (made == NULL) {
        return no_memory(diagnostic);
    }
    memcpy(made, table, table->bytes);
    for (uint32_t i = 0; i < table->layers; i++) {
        made->layer[i].activation = said_for(table->layer[i].activation, row);
    }
    *check = nn_check(made, made->bytes);
    free(made);
    return STATUS_OK;
}

enum status program_table_write(const struct nn_table *whole, const struct nn_table *table,
                                struct machine *machine, struct machine_core core, uint32_t address)
{
    uint8_t row[NN_ACTIVATION_PLACES];
    (void)program_activations(whole, row);
    TRY(machine_write(machine, core, address, table, table->bytes));
    for (uint32_t i = 0; i < table->layers; i++) {
        const struct nn_layer *layer = &table->layer[i];
        const uint8_t said = said_for(layer->activation, row);
        const size_t at = (size_t)((const uint8_t *)&layer->activation - (const uint8_t *)table);
        if (said != layer->activation) {
            TRY(machine_write(machine, core, address + (uint32_t)at, &said, sizeof said));
        }
    }
    return STATUS_OK;
}
