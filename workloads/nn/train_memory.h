/* train_memory.h - the memory of a training program in DTCM besides its own data: one block;
 * program and host compute the same layout.
 *
 * A stage is a layer with weights and the pooling layer behind it, if there is one.  Of every stage
 * but the last, a core computes some maps or units from all values of the previous stage.  Of the
 * last stage it computes all outputs, but only over the inputs that it has computed itself: the
 * group adds these sums up.  All places are bytes from the start of the block, which is aligned to
 * 8 bytes. */
#pragma once
#include "backward.h"
#include "kernels.h"
#include "run_plan.h"
#include "train_plan.h"

#include <stddef.h>

enum { NN_TRAIN_STAGES = 8, NN_TRAIN_SLOTS = 2 };

/* Whether values before pooling share their memory with data of the backward pass and the update:
 * LeNet-1 in 32 bits would not fit a core otherwise. */
enum { NN_TRAIN_SHARES = NN_WIDE };

/* Floats have an exponential without a table. */
enum { NN_TRAIN_EXP_WORDS = NN_FLOATS ? 0 : NN_EXP_STEPS + 1 };

struct nn_train_stage {
    const struct nn_layer *layer;
    const struct nn_layer *pool; /* NULL: none */
    uint32_t row;                /* of the layer in the table */
    uint32_t inputs;             /* values that it takes */
    uint32_t outputs;            /* values that this core makes, pooled */
    uint32_t places;             /* values of the layer itself, before pooling */
    uint32_t input, output, result, choice, errors;
};

struct nn_train_memory {
    struct nn_train_stage stage[NN_TRAIN_STAGES];
    uint32_t stages;
    uint32_t parameters, gradients, state, taken, sums, events, counts, logits, exp_table, record;
    uint32_t image[NN_TRAIN_SLOTS];
    uint32_t state_words;
    uint32_t total;
};

static inline uint32_t nn_train_take(uint32_t *next, uint32_t bytes)
{
    const uint32_t at = *next;
    *next += (bytes + 7u) & ~7u;
    return at;
}

static inline uint32_t nn_larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static inline uint32_t nn_smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Finds the stages of a piece's table; 0 stages when there are too many or none. */
static inline void nn_train_find_stages(const struct nn_table *table,
                                        struct nn_train_memory *memory)
{
    memory->stages = 0;
    for (uint32_t i = 0; i < table->layers; i++) {
        const struct nn_layer *layer = &table->layer[i];
        if (nn_is_pool(layer) && memory->stages > 0) {
            struct nn_train_stage *stage = &memory->stage[memory->stages - 1];
            stage->pool = layer;
            stage->outputs = nn_values(layer->output);
            continue;
        }
        if (memory->stages == NN_TRAIN_STAGES) {
            memory->stages = 0;
            return;
        }
        const uint32_t places = nn_values(layer->output);
        memory->stage[memory->stages++] = (struct nn_train_stage){
            .layer = layer,
            .row = i,
            .inputs = nn_values(layer->input),
            .outputs = places,
            .places = places,
        };
    }
}

/* Gives all values before pooling the same place and returns its end.  Where they have places of
 * their own, does nothing and returns 0. */
static inline uint32_t nn_train_share(struct nn_train_memory *memory, uint32_t at, uint32_t bytes)
{
    if (!NN_TRAIN_SHARES) {
        return 0;
    }
    for (uint32_t k = 0; k < memory->stages; k++) {
        struct nn_train_stage *stage = &memory->stage[k];
        stage->output = stage->pool == NULL ? stage->output : at;
    }
    (void)nn_train_take(&at, bytes);
    return at;
}

/* Maximum number of events of a stage behind an average pool: each value of its windows has an
 * error. */
static inline uint32_t nn_train_averaged(const struct nn_train_stage *stage)
{
    return stage->pool != NULL && nn_averages(stage->pool) ? stage->places : 0;
}

/* Computes the whole layout.  `bounds` as in the plan; owned: words that this core updates. */
static inline void nn_train_place(const struct nn_train_core *core, const struct nn_table *table,
                                  const uint32_t *bounds, uint32_t owned,
                                  struct nn_train_memory *memory)
{
    enum { WORD = 4 };
    const uint32_t value = core->value_bytes;
    uint32_t next = 0;
    uint32_t sums = 0;
    uint32_t events = 0;
    uint32_t maps = 0;
    uint32_t part = 0;
    uint32_t unpooled = 0;
    *memory = (struct nn_train_memory){0};
    nn_train_find_stages(table, memory);
    if (memory->stages == 0) {
        return;
    }
    const uint32_t last = memory->stages - 1;
    memory->parameters = nn_train_take(&next, core->parameter_count * value);
    memory->gradients = nn_train_take(&next, core->parameter_count * WORD);
    memory->state_words = owned * nn_rule_state_words(&core->rule);
    memory->state = nn_train_take(&next, memory->state_words * WORD);
    for (uint32_t k = 0; k <= last; k++) {
        struct nn_train_stage *stage = &memory->stage[k];
        stage->input = nn_train_take(&next, stage->inputs * value);
        sums = nn_larger(sums, k > 0 ? stage->inputs : 0);
        if (k < last) {
            const uint32_t convolved = stage->layer->kind == NN_CONV2D ? stage->outputs : 0;
            events = nn_larger(events, convolved);
            events = nn_larger(events, nn_train_averaged(stage));
            maps = nn_larger(maps, stage->layer->output.channels);
            part = nn_larger(part, stage->outputs);
            stage->errors = nn_train_take(&next, stage->outputs * value);
        } else {
            stage->errors = nn_train_take(&next, table->classes * value);
        }
        if (stage->pool != NULL) {
            unpooled = nn_larger(unpooled, stage->places * value);
            stage->output = nn_train_take(&next, NN_TRAIN_SHARES ? 0 : stage->places * value);
            stage->choice = nn_train_take(&next, stage->outputs);
        }
    }
    for (uint32_t k = 0; k < last; k++) {
        struct nn_train_stage *stage = &memory->stage[k];
        const uint32_t mine = k + 1 == last ? 0 : bounds[k * (core->members + 1) + core->member];
        stage->result = memory->stage[k + 1].input + mine * value;
        stage->output = stage->pool == NULL ? stage->result : stage->output;
    }
    const uint32_t others = core->members > 1 ? (core->members - 1) * part : 0;
    const uint32_t sums_of_others = (core->members - 1) * ((table->classes + 1u) & ~1u);
    const uint32_t peers = nn_smaller(core->groups - 1, NN_TRAIN_AT_ONCE) * core->slice_count;
    const uint32_t unpooled_end = nn_train_share(memory, next, unpooled);
    memory->taken =
        nn_train_take(&next, WORD * nn_larger(nn_larger(others, sums_of_others), peers));
    memory->sums = nn_train_take(&next, sums * WORD);
    memory->events = nn_train_take(&next, events * (uint32_t)sizeof(struct nn_event));
    next = nn_larger(next, unpooled_end);
    memory->counts = nn_train_take(&next, maps * 2);
    memory->logits = nn_train_take(&next, (table->classes + 1u) / 2 * 2 * WORD);
    memory->exp_table = nn_train_take(&next, NN_TRAIN_EXP_WORDS * WORD);
    memory->record =
        nn_train_take(&next, nn_larger(sizeof(struct nn_train_record), sizeof(struct nn_result)));
    for (uint32_t i = 0; i < NN_TRAIN_SLOTS; i++) {
        memory->image[i] = nn_train_take(&next, core->image_bytes);
    }
    memory->total = next;
}
