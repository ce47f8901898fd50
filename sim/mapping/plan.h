/* plan.h - what a load plan is made of: which core does what, what lies where in SDRAM, who sends
 * to whom; and the steps that all mappings take.  Who wants a plan includes load_plan.h. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/machine/machine.h"
#include "sim/config/config.h"
#include "sim/data/dataset.h"
#include "sim/load/elf_image.h"
#include "sim/networks/network.h"
#include "sim/routing/routing.h"
#include "sim/steps.h"
#include "workloads/nn/layer_table.h"
#include "workloads/nn/run_plan.h"
C_LINKAGE_BEGIN

struct mapping;
struct plan_maps;
struct plan_train;

/* What is to be planned; all of it is the caller's, and outlives the plan. */
struct plan_request {
    const struct sim_config *config;
    const struct network *network;
    const struct nn_table *table;
    const uint8_t *parameters;          /* table->parameter_bytes; a training has none */
    const struct dataset *images;       /* those that are classified */
    const struct dataset *train_images; /* NULL: nothing is trained */
    const struct elf_image *program;
    bool table_in_program; /* a network's own is compiled in */
    bool trial;            /* only whether all fits: chips and cores need not exist, no routes */
};

/* A core's part. */
struct load_plan_core {
    struct machine_core core;
    uint32_t virtual_core;
    const char *role;         /* "replica_infer", "maps_infer" */
    char layer[64];           /* "all", "conv1 maps 0-1" */
    uint32_t argument;        /* for the program: address of its plan or its part */
    uint32_t parameter_bytes; /* that it holds */
    uint32_t itcm_bytes;      /* of the program */
    uint32_t dtcm_bytes;      /* of the program's data, its stacks, and what it will allocate */
    uint64_t macs;            /* for one image */
};

/* A tensor that can be fetched from the running machine, or fed. */
struct load_plan_tensor {
    char name[64];     /* "conv1.weights" */
    const char *type;  /* "int8", "int16", "int32", "float32" */
    uint32_t fraction; /* fractional bits */
    uint32_t shape[4];
    uint32_t rank;
    struct machine_core core; /* whose view of the address */
    uint32_t address;
    uint32_t stride_bytes; /* from one value of the first dimension to the next */
};

/* A chip's part: a run of images.  What lies in its SDRAM lies at the same addresses on all chips.
 */
struct load_plan_chip {
    struct machine_core core; /* its first core in use: whose view of the memory */
    uint32_t first_image, image_count;
};

struct load_plan {
    const struct mapping *mapping;
    /* As requested */
    const struct network *network;
    const struct nn_table *table;
    const uint8_t *parameters;
    const struct dataset *images, *train_images;
    struct nn_plan run; /* as written to SDRAM of the first chip; others have their own
                           number of images, none more */
    uint32_t plan_address;
    uint64_t end; /* address behind the SDRAM in use */
    struct load_plan_chip *chip;
    size_t chip_count;
    struct load_plan_core *core; /* chip by chip */
    size_t core_count;
    struct load_plan_tensor *tensor;
    size_t tensor_count;
    struct plan_maps *maps;   /* of feature_maps_per_core, else NULL */
    struct plan_train *train; /* mode: train, else NULL */
    struct routing routing;   /* of the packets that programs send; empty if none */
};

/* ---- steps ---- */

enum { PLAN_HEAP_BLOCK_BYTES = 16 /* what an allocation in DTCM takes besides */ };

/* Chooses chips and cores, and deals the images to the chips, or gives all to each. */
enum status plan_chips_choose(struct load_plan *plan, const struct plan_request *request,
                              bool all_images, struct diagnostic *diagnostic);

/* Room in SDRAM, on 64 bytes: its address.  Whether there is so much is seen at the end. */
uint32_t plan_take(struct load_plan *plan, uint64_t bytes);

/* Room for the images of run.image_bytes that are classified, and for their results. */
void plan_take_images(struct load_plan *plan);

/* Lists the weights and biases of a layer whose parameters lie at `base`; `row` has their places
 * there.  `part` follows the names. */
void plan_add_tensors(struct load_plan *plan, struct machine_core core,
                      const struct network_layer *layer, const struct nn_layer *row,
                      const char *part, uint32_t base);

/* Maps, units or images number i of `count` among `among`: the first shares have one more. */
struct plan_slice {
    uint32_t first, count;
};
struct plan_slice plan_share(uint32_t count, uint32_t among, uint32_t index);

C_LINKAGE_END
