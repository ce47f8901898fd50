/* plan_train.h - trainings (workloads/nn/train_plan.h): what their plans have beside those that
 * only classify, the steps that their mappings share, and what goes into a machine and comes out of
 * it.
 *
 * A piece (train_piece.h) is what a core, or all cores of a chip, have of the network.  Positions
 * of an epoch's order go around the chips, so that a chip needs only its own images, or each chip
 * has all images (struct mapping); of a chip's images its groups of cores take one each in turn. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/mapping/chip_orders.h"
#include "sim/mapping/plan.h"
#include "sim/mapping/train_piece.h"
#include "sim/networks/learning.h"
#include "workloads/nn/train_plan.h"
C_LINKAGE_BEGIN

struct plan_blocks;

struct plan_train {
    bool all_images;          /* each chip has all of them; else they are dealt to the chips */
    uint32_t cores;           /* of a chip */
    uint32_t members, groups; /* cores of a group; groups of a chip */
    uint32_t pieces;          /* of the network */
    uint32_t piece_cores;     /* cores beside each other that have the same piece */
    size_t logging_chips;     /* the first ones: their cores log the images that they use; 0 without
                                 train.log_images */
    uint32_t value_bytes;     /* of a parameter in the machine */
    struct train_piece *piece; /* `pieces` */
    uint32_t *bounds;
    uint32_t stages;
    struct nn_train_core *record; /* beside the plan's cores */
    uint32_t *record_address;     /* of them */
    uint32_t command;             /* address, on every chip */
    struct trees trees;           /* train.exchange: tree, else none */
    uint32_t nodes;               /* address of a chip's nodes in them; 0: there are none */
    struct learning learning;
    uint32_t commands;         /* given until now */
    struct plan_blocks *block; /* of neuron_blocks, else NULL */
    uint32_t slot_cycles;      /* of neuron_per_core: of a neuron's turn to send */
};

/* The piece of a core of the plan. */
static inline uint32_t plan_train_piece_of(const struct plan_train *train, size_t core)
{
    return (uint32_t)(core / train->piece_cores % train->pieces);
}

/* Whether a core is the first of its chip that has its piece. */
static inline bool plan_train_holds(const struct plan_train *train, size_t core)
{
    return core % train->piece_cores == 0 &&
           core % train->cores / train->piece_cores < train->pieces;
}

/* ---- steps of mappings (mapping.h) ---- */

/* What they ask of a mapping; functions may be NULL: nothing. */
struct mapping_training {
    const char *piece; /* its name in those of tensors: "member" */

    /* Completes what the records of all cores have in common. */
    void (*complete)(const struct load_plan *plan, struct nn_train_core *record);

    /* Places in SDRAM what the mapping has besides; the first chip's records then carry it. */
    void (*place)(struct load_plan *plan);

    /* What a core's program takes of DTCM besides what all trainings take. */
    uint32_t (*dtcm_bytes)(const struct load_plan *plan);

    /* A core's part, for people. */
    void (*describe)(const struct load_plan *plan, size_t core, char *text, size_t size);

    /* Core as whose view tensors of a piece are listed. */
    struct machine_core (*core_of)(const struct load_plan *plan, uint32_t piece);

    /* Words of a core that go between chips for each batch (plan_train_route). */
    uint32_t (*exchange_words)(const struct load_plan *plan, size_t core);

    /* Writes what place() has placed. */
    enum status (*write)(const struct load_plan *plan, size_t chip, struct machine *machine);
};

/* Begins divide(): a chip's cores are so many groups of `members`. */
enum status plan_train_begin(struct load_plan *plan, const struct plan_request *request,
                             uint32_t members, struct diagnostic *diagnostic);

/* Memory for `pieces` pieces, and for the cores' records. */
enum status plan_train_allocate(struct load_plan *plan, uint32_t pieces, uint32_t piece_cores,
                                struct diagnostic *diagnostic);

/* Makes the pieces: maps and units of the layers but the last divided by `pieces`, and of the last
 * its inputs, or, if `whole_last`, none.  `key`: of the number of pieces. */
enum status plan_train_share(struct load_plan *plan, const struct plan_request *request,
                             bool whole_last, const char *key, struct diagnostic *diagnostic);

/* Whether a network is two dense layers with ReLU between them, to be trained on rings or not at
 * all; else refused. */
enum status plan_train_two_dense(const struct load_plan *plan, const struct plan_request *request,
                                 struct diagnostic *diagnostic);

/* As in struct mapping; routes: signals between the cores of a chip, sums between chips. */
void plan_train_place(struct load_plan *plan, const struct plan_request *request);
void plan_train_describe(const struct load_plan *plan, size_t core,
                         struct load_plan_core *described);
void plan_train_add_tensors(struct load_plan *plan);
enum status plan_train_route(struct load_plan *plan, const struct plan_request *request,
                             struct diagnostic *diagnostic);
enum status plan_train_write(const struct load_plan *plan, size_t chip, struct machine *machine);
void plan_train_deinit(struct load_plan *plan);

/* ---- a plan that is made ---- */

/* Training images that a chip has. */
size_t plan_train_images_of(const struct load_plan *plan, size_t chip);

/* What the machine is to do next: written, and its cores woken. */
enum status plan_train_command(const struct load_plan *plan, struct machine *machine,
                               enum nn_train_what what, uint32_t epoch);

/* Whether all cores have done the last command; before the first, whether they are ready for it. */
bool plan_train_is_done(const struct load_plan *plan, const struct machine *machine);

/* One update of an epoch, the last that was commanded, over all cores: records added up; false when
 * it is not done. */
bool plan_train_read_record(const struct load_plan *plan, const struct machine *machine,
                            uint32_t epoch, uint32_t update, struct nn_train_record *sum);

/* Whether the last epoch has used each image exactly once: by the hashes that cores have logged, if
 * they have (train.log_images). */
enum status plan_train_check_log(const struct load_plan *plan, const struct machine *machine,
                                 struct diagnostic *diagnostic);

/* Parameters, laid out as the network's layer table does, or what their owners keep beside them
 * from update to update: nn_rule_state_words() for each value of the table's block, one after the
 * other; 0 for what is no parameter.  Reading: STATUS_INTERNAL when two who have the same do not
 * agree. */
enum plan_train_values { PLAN_TRAIN_PARAMETERS, PLAN_TRAIN_STATE };
enum status plan_train_read_values(const struct load_plan *plan, const struct machine *machine,
                                   enum plan_train_values what, int32_t *values,
                                   struct diagnostic *diagnostic);
enum status plan_train_write_values(const struct load_plan *plan, struct machine *machine,
                                    enum plan_train_values what, const int32_t *values);

C_LINKAGE_END
