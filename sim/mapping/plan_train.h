/* plan_train.h - trainings (workloads/nn/train_plan.h): the additional parts of their plans, the
 * steps that their mappings share, and writing to and reading from a machine.
 *
 * A piece (train_piece.h) is the part of the network that a core, or a chip, holds.  Either the
 * positions of an epoch's order are dealt to the chips in turn, so that a chip needs only its own
 * images, or each chip has all images (struct mapping).  A chip's groups of cores take its images
 * in turn. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/mapping/chip_orders.h"
#include "sim/mapping/estimate.h"
#include "sim/mapping/exchange.h"
#include "sim/mapping/plan.h"
#include "sim/mapping/train_piece.h"
#include "sim/networks/learning.h"
#include "workloads/nn/block_plan.h"
C_LINKAGE_BEGIN

/* Of mappings neuron_blocks and neuron_columns. */
struct plan_blocks {
    struct nn_block_plan common;       /* fields that are the same in all cores' plans */
    uint32_t slices[NN_TRAIN_MEMBERS]; /* address of each core's slices, the same on every chip */
};

struct plan_train {
    bool all_images;          /* each chip has all images; else the images are dealt to the chips */
    uint32_t cores;           /* of a chip */
    uint32_t members, groups; /* cores of a group; groups of a chip */
    uint32_t at_once;         /* images that a group computes at a time */
    uint32_t pieces;          /* into which the network is divided */
    uint32_t piece_cores;     /* number of consecutive cores that hold the same piece */
    size_t logging_chips;     /* number of chips, from the first on, whose cores log the images that
                                 they use; 0 without train.log_images */
    uint32_t value_bytes;     /* of a parameter in the machine */
    struct train_piece *piece; /* `pieces` */
    uint32_t *bounds;
    uint32_t stages;
    struct nn_train_core *record; /* [core of the plan] */
    uint32_t *record_address;     /* [core of the plan] */
    uint32_t command;             /* address of the command, the same on every chip */
    const struct exchange_kind *exchange;
    struct exchange_data exchange_data;
    uint32_t exchange_address; /* of that data, the same on every chip; 0: there is none */
    struct learning learning;
    uint32_t commands;         /* number of commands given so far */
    uint32_t first_update;     /* of the last one, over the run */
    struct plan_blocks *block; /* of neuron_blocks and neuron_columns, else NULL */
    uint32_t slot_cycles;      /* of neuron_per_core: length of a neuron's turn to send */
};

/* Index of the piece that a core of the plan holds. */
static inline uint32_t plan_train_piece_of(const struct plan_train *train, size_t core)
{
    return (uint32_t)(core / train->piece_cores % train->pieces);
}

/* Whether a core is the first on its chip that holds its piece. */
static inline bool plan_train_holds(const struct plan_train *train, size_t core)
{
    return core % train->piece_cores == 0 &&
           core % train->cores / train->piece_cores < train->pieces;
}

/* ---- steps of mappings (mapping.h) ---- */

/* A mapping's callbacks for these steps; NULL: nothing to do. */
struct mapping_training {
    const char *piece; /* what a piece is called in names of tensors: "member" */

    /* Completes the fields that are the same in all cores' records. */
    void (*complete)(const struct load_plan *plan, struct nn_train_core *record);

    /* Allocates SDRAM for further data of the mapping, and enters the addresses in the first chip's
     * records. */
    void (*place)(struct load_plan *plan);

    /* DTCM bytes that a core's program needs beyond what all trainings need. */
    uint32_t (*dtcm_bytes)(const struct load_plan *plan);

    /* Describes a core's part in text for users. */
    void (*describe)(const struct load_plan *plan, size_t core, char *text, size_t size);

    /* Core whose view of memory gives the addresses of a piece's tensors. */
    struct machine_core (*core_of)(const struct load_plan *plan, uint32_t piece);

    /* Its programs can add up by board (struct exchange_request). */
    bool by_board;

    /* Words that a core exchanges with other chips for each batch (plan_train_route). */
    uint32_t (*exchange_words)(const struct load_plan *plan, size_t core);

    /* Adds up what an update is made of.  NULL: mapping.kind: auto does not choose the mapping. */
    void (*estimate)(const struct load_plan *plan, const struct exchange_pace *rings,
                     struct estimate_sum *sum);

    /* Writes the data that place() has allocated. */
    enum status (*write)(const struct load_plan *plan, size_t chip, struct machine *machine);
};

/* First step of divide(): makes groups of `members` of a chip's cores. */
enum status plan_train_begin(struct load_plan *plan, const struct plan_request *request,
                             uint32_t members, struct diagnostic *diagnostic);

/* Allocates host memory for `pieces` pieces and for the cores' records. */
enum status plan_train_allocate(struct load_plan *plan, uint32_t pieces, uint32_t piece_cores,
                                struct diagnostic *diagnostic);

/* Makes the pieces, blocks or columns (train_piece.h).  `key`: configuration key of their number.
 */
enum plan_train_parts { PLAN_TRAIN_MEMBERS, PLAN_TRAIN_BLOCKS, PLAN_TRAIN_COLUMNS };
enum status plan_train_share(struct load_plan *plan, const struct plan_request *request,
                             enum plan_train_parts parts, const char *key,
                             struct diagnostic *diagnostic);

/* Refuses a network that is not 2 to `most` dense layers with ReLU between them. */
enum status plan_train_dense(const struct load_plan *plan, const struct plan_request *request,
                             uint32_t most, struct diagnostic *diagnostic);

/* Lays out a core's data in DTCM.  `blocks`: the common plan of a mapping with blocks, with this
 * core's layout; of other mappings unchanged. */
void plan_train_layout(const struct load_plan *plan, size_t core, struct nn_train_memory *memory,
                       struct nn_block_plan *blocks);

/* Shared implementations of callbacks in struct mapping. plan_train_route() makes routes for
 * signals between the cores of a chip and for sums between chips. */
void plan_train_place(struct load_plan *plan, const struct plan_request *request);
void plan_train_describe(const struct load_plan *plan, size_t core,
                         struct load_plan_core *described);
void plan_train_add_tensors(struct load_plan *plan);
enum status plan_train_route(struct load_plan *plan, const struct plan_request *request,
                             struct diagnostic *diagnostic);
enum status plan_train_write(const struct load_plan *plan, size_t chip, struct machine *machine);
void plan_train_deinit(struct load_plan *plan);

/* ---- a plan that is made ---- */

/* Number of training images on a chip. */
size_t plan_train_images_of(const struct load_plan *plan, size_t chip);

/* Writes the machine's next command and wakes its cores: all of an epoch, a test, or the end. */
enum status plan_train_command(const struct load_plan *plan, struct machine *machine,
                               enum nn_train_what what, uint32_t epoch);

/* Some updates of a run, numbered from 0, all in one epoch. */
struct plan_train_part {
    uint32_t first, updates;
};

/* The same for a part of an epoch.  Its images must have been placed. */
enum status plan_train_command_part(const struct load_plan *plan, struct machine *machine,
                                    struct plan_train_part part);

/* Programs begin every command with the first image of the epoch's order.  This writes the images
 * of a part to where its command will look for them; an epoch's end that is smaller than a batch
 * must be a part of its own, with the images that are left, placed before the programs start. */
enum status plan_train_place_part(const struct load_plan *plan, struct machine *machine,
                                  struct plan_train_part part);

/* Whether all cores have completed the last command; before the first command, whether they are
 * ready for it. */
bool plan_train_is_done(const struct load_plan *plan, const struct machine *machine);

/* Adds up the records of all cores for one update of the last command, from 0.  False while the
 * update is not complete. */
bool plan_train_read_record(const struct load_plan *plan, const struct machine *machine,
                            uint32_t update, struct nn_train_record *sum);

/* Whether the last epoch has used each image exactly once: checked by the hashes that cores have
 * logged, if there are any (train.log_images). */
enum status plan_train_check_log(const struct load_plan *plan, const struct machine *machine,
                                 struct diagnostic *diagnostic);

/* Read or write the parameters, laid out as in the network's layer table, or the optimizer state:
 * nn_rule_state_words() words for each value of the table's block, in order; 0 for values that are
 * no parameter.  Reading returns STATUS_INTERNAL when two cores hold different copies of the same
 * value; of replicas that differ (struct exchange_kind) it reads the first chip's. */
enum plan_train_values { PLAN_TRAIN_PARAMETERS, PLAN_TRAIN_STATE };
enum status plan_train_read_values(const struct load_plan *plan, const struct machine *machine,
                                   enum plan_train_values what, int32_t *values,
                                   struct diagnostic *diagnostic);
enum status plan_train_write_values(const struct load_plan *plan, struct machine *machine,
                                    enum plan_train_values what, const int32_t *values);

C_LINKAGE_END
