/* plan.h - what a load plan is made of: which core does what, what lies where in SDRAM, who sends
 * to whom; and the steps that all mappings share.  To make a plan, include load_plan.h. */
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

/* Memory that a plan which does not fit needs, and what there is of it, in bytes; 0: something else
 * is in the way. */
struct plan_shortage {
    uint64_t needed, available;
};

/* What is to be planned.  The caller owns all of it, and keeps it until the plan has been freed. */
struct plan_request {
    const struct sim_config *config;
    const struct network *network;
    const struct nn_table *table;
    const uint8_t *parameters;          /* table->parameter_bytes; unused by trainings */
    const struct dataset *images;       /* images to classify */
    const struct dataset *train_images; /* images to train on; NULL: no training */
    const struct elf_image *program;
    struct plan_shortage *shortage; /* NULL: not wanted */
    bool trial; /* only check whether the plan fits: chips and cores need not exist, no routes */
    bool equal; /* a training's pieces have equal sizes, though the rings carry unequal ones then */
    bool tight; /* a training's pieces are tight (train_piece.h), and its program takes few words of
                   other members at a time (struct mapping_program) */
};

/* A core's part. */
struct load_plan_core {
    struct machine_core core;
    uint32_t virtual_core;
    const char *role;         /* "replica_infer", "maps_infer" */
    char layer[64];           /* "all", "conv1 maps 0-1" */
    uint32_t argument;        /* for the program: address of its plan or its part */
    uint32_t parameter_bytes; /* parameters that the core holds */
    uint32_t itcm_bytes;      /* of the program */
    uint32_t dtcm_bytes;      /* of the program's data, its stacks, and what it will allocate */
    uint64_t macs;            /* for one image */
};

/* A tensor that can be read from the running machine, or written to it. */
struct load_plan_tensor {
    char name[64];     /* "conv1.weights" */
    const char *type;  /* "int8", "int16", "int32", "float32" */
    uint32_t fraction; /* fractional bits */
    uint32_t shape[4];
    uint32_t rank;
    struct machine_core core; /* the address is as this core sees it */
    uint32_t address;
    uint32_t stride_bytes; /* from one value of the first dimension to the next */
};

/* A chip's part: consecutive images.  SDRAM has the same layout on all chips. */
struct load_plan_chip {
    struct machine_core core; /* its first core in use; addresses are as this core sees them */
    uint32_t first_image, image_count;
};

/* A part of SDRAM that the plan has taken, at the same address of each of its chips. */
enum { PLAN_BLOCK_OF_ALL = -1, PLAN_BLOCK_OF_HOST = -2 };
struct load_plan_block {
    const char *name; /* "images" */
    uint32_t address;
    uint64_t bytes;
    int32_t owner; /* who writes it: the chip's core with this number in the plan; all of its cores;
                      the host alone */
    bool zeros;    /* programs take what nobody has written there as 0, as it is in a new machine */
};

struct load_plan {
    const struct mapping *mapping;
    /* As requested */
    const struct network *network;
    const struct nn_table *table;
    const uint8_t *parameters;
    const struct dataset *images, *train_images;
    struct nn_plan run; /* as written to the first chip's SDRAM; other chips have their own number
                           of images, never more than the first */
    uint32_t plan_address;
    uint64_t end;                  /* address behind the SDRAM in use */
    struct load_plan_block *block; /* in the order of their addresses */
    size_t block_count, block_room;
    struct load_plan_chip *chip;
    size_t chip_count;
    struct load_plan_core *core; /* chip by chip */
    size_t core_count;
    struct load_plan_tensor *tensor;
    size_t tensor_count;
    struct plan_maps *maps;   /* of feature_maps_per_core, else NULL */
    struct plan_train *train; /* mode: train, else NULL */
    bool by_rings;            /* its pieces differ in size, so that all rings carry as many words */
    struct routing routing;   /* of the packets that programs send; empty if none */
};

/* ---- steps ---- */

enum {
    PLAN_HEAP_BLOCK_BYTES = 16, /* overhead of an allocation in DTCM */
    PLAN_STACK_BYTES = 4992 /* of a program: __stack_bytes in app.ld plus the heap's own blocks */
};

/* ITCM and DTCM that the program uses before it allocates memory, in bytes. */
struct plan_program_bytes {
    uint32_t itcm, dtcm;
};
struct plan_program_bytes plan_program_bytes(const struct elf_image *program);

/* Bytes from one image to the next. */
static inline uint32_t plan_image_bytes(const struct nn_table *table)
{
    return (table->image_pixels + 3) & ~UINT32_C(3);
}

/* Chooses chips and cores, and deals the images to the chips or, if `all_images`, gives each chip
 * all of them. */
enum status plan_chips_choose(struct load_plan *plan, const struct plan_request *request,
                              bool all_images, struct diagnostic *diagnostic);

/* Reserves SDRAM, aligned to 64 bytes, and returns its address.  Whether the SDRAM suffices is
 * checked when the plan is complete.  The name must outlive the plan.  plan_take(): for all cores
 * of a chip; plan_take_zeros(): the same, and taken as 0 until it is written; plan_take_read():
 * which only the host writes; plan_take_for(): which one core writes, and takes as 0 until then. */
uint32_t plan_take(struct load_plan *plan, const char *name, uint64_t bytes);
uint32_t plan_take_zeros(struct load_plan *plan, const char *name, uint64_t bytes);
uint32_t plan_take_read(struct load_plan *plan, const char *name, uint64_t bytes);
uint32_t plan_take_for(struct load_plan *plan, uint32_t core, const char *name, uint64_t bytes);

/* Reserves SDRAM for the images to classify (run.image_bytes each) and for their results. */
void plan_take_images(struct load_plan *plan);

/* Adds a layer's weights and biases to the list of tensors.  The parameters lie at `base`, at the
 * offsets in `weights` and `biases`, which have their shapes.  `part` is appended to the tensors'
 * names. */
void plan_add_tensors(struct load_plan *plan, struct machine_core core,
                      const struct network_layer *layer, const struct nn_layer *weights,
                      const struct nn_layer *biases, const char *part, uint32_t base);

/* Splits `count` maps, units or images evenly into `among` slices and returns slice `index`; the
 * first slices have one more where it does not divide. */
struct plan_slice {
    uint32_t first, count;
};
struct plan_slice plan_share(uint32_t count, uint32_t among, uint32_t index);

/* Reads the results of these images from where a core's chip has them, into results[0] and on. */
enum status plan_read_results(const struct load_plan *plan, const struct machine *machine,
                              struct machine_core core, struct plan_slice images,
                              struct nn_result *results);

C_LINKAGE_END
