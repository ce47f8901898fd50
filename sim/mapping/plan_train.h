/* plan_train.h - mappings of training (workloads/nn/train_plan.h).
 *
 * replica_per_core, replica_per_chip: groups of cores that share an image, each core with its piece
 * of the network.  Positions of an epoch's order go around the chips, so that a chip needs only its
 * own images; of a chip's images the groups take one each in turn.
 *
 * neuron_blocks: each chip has a piece, some hidden units, and all images; its cores share the
 * images of a batch (plan_blocks.c, workloads/nn/block_plan.h).
 *
 * neuron_per_core: each core has a piece, one neuron, and each chip all images (plan_neurons.c,
 * workloads/nn/neuron_plan.h). */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include "sim/mapping/train_piece.h"
#include "sim/mapping/trees.h"
#include "sim/networks/learning.h"
#include "workloads/nn/train_plan.h"
#include <stdbool.h>
C_LINKAGE_BEGIN

struct load_plan;
struct plan_blocks;
struct machine;

struct plan_train {
    bool blocks;               /* neuron_blocks */
    bool neurons;              /* neuron_per_core */
    uint32_t slot_cycles;      /* neuron_per_core: of a neuron's turn to send */
    uint32_t cores;            /* of a chip */
    uint32_t members, groups;  /* cores of a group; groups of a chip */
    uint32_t pieces;           /* of the network: one for each member, chip or core */
    uint32_t value_bytes;      /* of a parameter in the machine */
    struct train_piece *piece; /* `pieces` */
    uint32_t *bounds;
    uint32_t stages;
    struct nn_train_core *record; /* beside the plan's cores */
    uint32_t *record_address;     /* of them */
    uint32_t command;             /* address, on every chip */
    struct trees trees;           /* train.exchange: tree, else none */
    uint32_t nodes;               /* address of a chip's nodes in them */
    struct learning learning;
    struct plan_blocks *block; /* neuron_blocks, else NULL */
    uint32_t state_bytes;      /* of a core, at most */
    uint32_t commands;         /* given until now */
};

/* Each chip has all images; else they are dealt to the chips. */
static inline bool plan_train_copies_images(const struct plan_train *train)
{
    return train->blocks || train->neurons;
}

/* The piece of a core of the plan. */
static inline uint32_t plan_train_piece_of(const struct plan_train *train, size_t core)
{
    return (uint32_t)(train->neurons  ? core
                      : train->blocks ? core / train->cores
                                      : core % train->members);
}

/* Training images that a chip has. */
size_t plan_train_images_of(const struct load_plan *plan, size_t chip);

/* What the machine is to do next: written, and its cores woken. */
enum status plan_train_command(const struct load_plan *plan, struct machine *machine,
                               enum nn_train_what what, uint32_t epoch);

/* Whether all cores have done the last command; before the first, whether they are ready for it. */
bool plan_train_is_done(const struct load_plan *plan, const struct machine *machine);

/* The parameters as they are in the machine's SDRAM, laid out as the network's layer table does.
 * STATUS_INTERNAL when chips or groups do not agree. */
enum status plan_train_read_parameters(const struct load_plan *plan, const struct machine *machine,
                                       int32_t *parameters, struct diagnostic *diagnostic);

/* One update of an epoch, the last that was commanded, over all cores: records added up; false when
 * it is not done. */
bool plan_train_read_record(const struct load_plan *plan, const struct machine *machine,
                            uint32_t epoch, uint32_t update, struct nn_train_record *sum);

/* Whether the last epoch has used each image exactly once: by the hashes that cores have logged. */
enum status plan_train_check_log(const struct load_plan *plan, const struct machine *machine,
                                 struct diagnostic *diagnostic);

/* What owners keep from update to update besides the parameters (plan_train_state.c):
 * nn_rule_state_words() for each value of the layer table's block, one after the other; 0 for what
 * is no parameter.  Reading: STATUS_INTERNAL when owners of the same parameter do not agree. */
enum status plan_train_read_state(const struct load_plan *plan, const struct machine *machine,
                                  int32_t *state, struct diagnostic *diagnostic);
enum status plan_train_write_state(const struct load_plan *plan, struct machine *machine,
                                   const int32_t *state);
enum status plan_train_write_parameters(const struct load_plan *plan, struct machine *machine,
                                        const int32_t *parameters);

C_LINKAGE_END
