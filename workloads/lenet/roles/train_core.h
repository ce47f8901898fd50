/* train_core.h - what all training programs share, in every mapping: memory, transfers, signals,
 * the order of images, sums and updates within a chip and between chips, and the host's commands.
 * A role adds what one epoch and one test do. */
#pragma once
#include <kernels.h>
#include <run_plan.h>
#include <spin1_api.h>
#include <train_memory.h>
#include <train_plan.h>

/* Functions that run once an update or less: Thumb code is smaller. */
#define TRAIN_SELDOM __attribute__((target("thumb"), noinline))

enum { TRAIN_NO_IMAGE = 0xffffffff, TRAIN_WORD = 4 };

/* A core's position in an epoch. */
struct train_cursor {
    uint32_t update;   /* number in this epoch */
    uint32_t position; /* in the epoch's order; TRAIN_NO_IMAGE: no more for this core */
};

struct train_state {
    struct nn_train_core core;
    struct nn_train_command command;
    const struct nn_table *table; /* of the piece */
    uint32_t team, mate;          /* this core's team in its group, and its number there */
    uint32_t turn, turns;         /* of the chip's teams: number of this core's, and how many */
    const uint32_t *bounds;
    struct nn_train_memory at;
    uint8_t *memory;
    uint32_t state_words;
    uint32_t owned_first, owned_count; /* parameters of the piece that this core updates */
    struct nn_numerics numerics;
    struct nn_train_record *record; /* of this update; a test's result */
};
extern struct train_state train;

/* The functions of a role.  The program ends after the host's last command. */
struct train_role {
    void (*listen)(void); /* starts receiving packets; includes a barrier of the chip */
    void (*epoch)(void);
    void (*test)(void);
    void (*signal)(uint32_t key);          /* sends a packet that its receivers count ... */
    const volatile uint32_t *signal_count; /* ... by the last bits of its key */
    /* reduce() sums the slice over all chips; give() sends its new parameters to all chips.  NULL:
     * the sums of one chip are complete. */
    void (*reduce)(int32_t *sums, nn_value *parameters);
    void (*give)(nn_value *parameters);
    void (*owned)(uint32_t *first,
                  uint32_t *count); /* parameters of the slice that this core updates */
};

/* Leaves the sums over the chip in the core's slice of the gradients.  A role without room for the
 * gradients of its whole piece defines it itself. */
void train_add_peers(void);

/* Copies plan, table, parameters and state into DTCM.  The role owns `extra` bytes behind
 * train.at.total. */
__attribute__((cold)) void train_set_up(const struct train_role *role, uint32_t extra);
void train_run(void);

/* ---- places in DTCM: bytes from train.memory ---- */

static inline nn_value *train_values(uint32_t offset)
{
    return (nn_value *)(void *)(train.memory + offset);
}

/* Logits, or sums of the backward pass. */
static inline nn_total *train_totals(uint32_t offset)
{
    return (nn_total *)(void *)(train.memory + offset);
}

static inline int32_t *train_words(uint32_t offset)
{
    return (int32_t *)(void *)(train.memory + offset);
}

/* The weights or biases of a layer (offset from its row of the table), and their gradients. */
static inline nn_value *train_parameters(uint32_t row_offset)
{
    return train_values(train.at.parameters + row_offset);
}

static inline int32_t *train_gradients(uint32_t row_offset)
{
    return train_words(train.at.gradients) + row_offset / sizeof(nn_value);
}

static inline const struct nn_layer *train_layer(const struct nn_train_stage *stage)
{
    return (const struct nn_layer *)(const void *)((const uint8_t *)train.table + stage->layer);
}

/* Of a stage that has one. */
static inline const struct nn_layer *train_pool(const struct nn_train_stage *stage)
{
    return (const struct nn_layer *)(const void *)((const uint8_t *)train.table + stage->pool);
}

static inline const struct nn_layer *train_last_layer(void)
{
    return train_layer(&train.at.stage[train.at.stages - 1]);
}

/* Fractional bits of the logits. */
static inline uint32_t train_logit_fraction(void)
{
    const struct nn_layer *layer = train_last_layer();
    return (uint32_t)layer->weight_fraction + layer->input_fraction;
}

/* ---- transfers ---- */

void train_read(uint32_t address, void *tcm, uint32_t bytes);
void train_write(uint32_t address, void *tcm, uint32_t bytes);
void train_finish_transfers(void);

/* Number of transfers started so far; waits until that many have finished. */
uint32_t train_transfers(void);
void train_await_transfers(uint32_t count);

/* ---- signals ---- */

/* Sleeps until a counter of signals (train_role.signal_count) has reached `count`. */
void train_await(uint32_t counter, uint32_t count);

/* Waits until all cores of the chip with the same piece have come here; what they have written is
 * then in SDRAM. */
void train_meet_peers(void);

/* ---- images ---- */

/* The first and the next image of this core, or of its team.  The images of a batch are dealt to
 * the chips in turn, and a chip's images to its groups, and a group's to its teams, in turn. */
struct train_cursor train_first_image(uint32_t update);
struct train_cursor train_next_image(struct train_cursor cursor);

/* The chip's images of an update: position of the first, and how many. */
uint32_t train_first_position(uint32_t update);
uint32_t train_image_count(uint32_t update);

/* train_image_address() returns a training image's address; train_log_image() adds the image to the
 * log of images that were used. */
uint32_t train_image_address(uint32_t position);
void train_log_image(const void *image, uint32_t position);

/* An image's number in the training set. */
uint32_t train_image_number(uint32_t position);

/* Applies dropout (dropout.h) to `count` outputs of a stage's layer, or to their errors.  The first
 * of them is unit `first` of the whole layer; the image's number decides which are dropped. */
void train_drop_out(const struct nn_train_stage *stage, uint32_t image_number, uint32_t first,
                    uint32_t count, nn_value *values, uint32_t *cuts);

/* ---- layers ---- */

void train_begin_layer(uint32_t row);
void train_end_layer(void);

/* Computes the errors of the logits; if `counts`, adds loss and predicted class to the record. */
void train_count_loss(const nn_total *logits, uint32_t label, nn_value *errors, bool counts);

/* ---- an update ---- */

void train_begin_epoch(void);

/* Call when all gradients of the batch are computed: sums them, updates, distributes the new
 * parameters, stores the record. */
void train_update(uint32_t update);

void train_end_epoch(void);

/* ---- a test ---- */

/* Writes a test image's result, computed from its logits, to SDRAM. */
void train_store_result(const nn_total *logits, uint32_t image);
