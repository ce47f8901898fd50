/* program_table.c - see program_table.h. */
#include "sim/mapping/program_table.h"

#include "sim/steps.h"
#include "workloads/nn/layers/layer_kernels.h"
#include "workloads/nn/run_plan.h"

#include <stdlib.h>
#include <string.h>

static uint32_t activation_of_layer(const struct nn_layer *layer)
{
    return layer->activation;
}

/* Lists the numbers from `first` to `end` that a layer has; returns how many there are. */
static uint32_t list(const struct nn_table *table, uint32_t (*number)(const struct nn_layer *),
                     uint32_t first, uint32_t end, uint8_t *places, uint32_t room)
{
    uint32_t count = 0;
    for (uint32_t n = first; n < end; n++) {
        bool has = false;
        for (uint32_t i = 0; i < table->layers; i++) {
            has |= number(&table->layer[i]) == n;
        }
        if (has && count < room) {
            places[count] = (uint8_t)n;
        }
        count += has;
    }
    return count;
}

struct program_places program_places_of(const struct nn_table *table)
{
    struct program_places places = {0};
    places.activations = list(table, activation_of_layer, NN_RELU + 1, NN_ACTIVATIONS,
                              places.activation, NN_ACTIVATION_PLACES);
    places.kernel_count = list(table, nn_kernels_of, NN_KERNELS_NONE + 1, NN_KERNELS_COUNT,
                               places.kernels, NN_KERNEL_PLACES);
    return places;
}

/* What a table of the program says for a number: from `first` on, its place. */
static uint8_t said_for(uint32_t number, uint32_t first, const uint8_t *places)
{
    uint32_t place = first;
    while (number >= first && places[place - first] != number) {
        place++;
    }
    return (uint8_t)(number >= first ? place : number);
}

static struct nn_layer said_of(const struct nn_layer *layer, const struct program_places *places)
{
    struct nn_layer said = *layer;
    said.activation = said_for(layer->activation, NN_RELU + 1, places->activation);
    said.input.links = said_for(nn_kernels_of(layer), NN_KERNELS_NONE + 1, places->kernels);
    return said;
}

static enum status refuse(const struct nn_table *table, const char *what, int most,
                          struct diagnostic *diagnostic)
{
    (void)diagnose(diagnostic, STATUS_CONFIGURATION,
                   "network %.*s has more %s than a program has places for", NN_NAME_CHARS,
                   table->name, what);
    diagnostic_hint(diagnostic, "at most %d; backend: host has room for all", most);
    return STATUS_CONFIGURATION;
}

enum status program_table_check(const struct nn_table *table, uint32_t *check,
                                struct diagnostic *diagnostic)
{
    const struct program_places places = program_places_of(table);
    if (places.activations > NN_ACTIVATION_PLACES) {
        return refuse(table, "activations beside identity and relu", NN_ACTIVATION_PLACES,
                      diagnostic);
    }
    if (places.kernel_count > NN_KERNEL_PLACES) {
        return refuse(table, "types of layers with kernels of their own", NN_KERNEL_PLACES,
                      diagnostic);
    }
    struct nn_table *made = malloc(table->bytes);
    if (made == NULL) {
        return no_memory(diagnostic);
    }
    memcpy(made, table, table->bytes);
    for (uint32_t i = 0; i < table->layers; i++) {
        made->layer[i] = said_of(&table->layer[i], &places);
    }
    *check = nn_check(made, made->bytes);
    free(made);
    return STATUS_OK;
}

enum status program_table_write(const struct nn_table *whole, const struct nn_table *table,
                                struct machine *machine, struct machine_core core, uint32_t address)
{
    const struct program_places places = program_places_of(whole);
    TRY(machine_write(machine, core, address, table, table->bytes));
    for (uint32_t i = 0; i < table->layers; i++) {
        const struct nn_layer said = said_of(&table->layer[i], &places);
        const size_t at = offsetof(struct nn_table, layer) + i * sizeof said;
        if (memcmp(&said, &table->layer[i], sizeof said) != 0) {
            TRY(machine_write(machine, core, address + (uint32_t)at, &said, sizeof said));
        }
    }
    return STATUS_OK;
}
