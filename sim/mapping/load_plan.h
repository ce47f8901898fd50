/* load_plan.h - where everything of a network's run goes: which core does what, and what lies where
 * in SDRAM.
 *
 * Mapping replica_per_core: every application core that is used holds the whole network; the cores
 * of a chip take images from its counter.  Mapping feature_maps_per_core: the cores of a chip share
 * one network and send each other values as packets.  Images are dealt to chips in equal parts
 * before the run. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/machine/machine.h"
#include "sim/config/config.h"
#include "sim/data/dataset.h"
#include "sim/load/elf_image.h"
#include "sim/mapping/plan_maps.h"
#include "sim/mapping/plan_train.h"
#include "sim/networks/network.h"
#include "sim/routing/routing.h"
#include "workloads/nn/layer_table.h"
#include "workloads/nn/run_plan.h"
C_LINKAGE_BEGIN

/* A core's part. */
struct load_plan_core {
    struct machine_core core;
    uint32_t virtual_core;
    const char *role;    /* "replica_infer", "maps_infer" */
    char layer[64];      /* "all", "conv1 maps 0-1" */
    uint32_t argument;   /* for the program: address of its plan or its part */
    uint32_t itcm_bytes; /* of the program */
    uint32_t dtcm_bytes; /* of the program's data, its stacks, and what it will allocate */
    uint64_t macs;       /* for one image */
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
    const struct network *network;      /* the caller's */
    const struct nn_table *table;       /* the caller's */
    const uint8_t *parameters;          /* the caller's: table->parameter_bytes */
    const struct dataset *images;       /* the caller's: those that are classified */
    const struct dataset *train_images; /* the caller's; NULL: nothing is trained */
    struct nn_plan run; /* as written to SDRAM of the first chip; others have their own
                           number of images, none more */
    uint32_t plan_address;
    uint32_t end; /* of the SDRAM in use */
    struct load_plan_chip *chip;
    size_t chip_count;
    struct load_plan_core *core; /* chip by chip */
    size_t core_count;
    struct load_plan_tensor *tensor;
    size_t tensor_count;
    struct plan_maps *maps;   /* feature_maps_per_core, else NULL */
    struct plan_train *train; /* mode: train, else NULL */
    struct routing routing;   /* of the packets that programs send; empty if none */
};

/* Makes the plan.  STATUS_CONFIGURATION when cores, ITCM, DTCM or SDRAM are too small: the message
 * names the shortage. */
enum status load_plan_make(const struct sim_config *config, const struct network *network,
                           const struct nn_table *table, const uint8_t *parameters,
                           const struct dataset *images, const struct dataset *train_images,
                           const struct elf_image *program, bool table_in_program,
                           struct load_plan *plan, struct diagnostic *diagnostic);
void load_plan_deinit(struct load_plan *plan);

/* Writes images, parameters, tables and plan into the machine's memory, routes into its routers. */
enum status load_plan_write(const struct load_plan *plan, struct machine *machine,
                            struct diagnostic *diagnostic);

/* Images that cores have taken, or that are done, of all chips. */
uint64_t load_plan_dealt(const struct load_plan *plan, const struct machine *machine);

/* Reads the results of all images, in the images' order; `results` has room for as many. */
enum status load_plan_read_results(const struct load_plan *plan, const struct machine *machine,
                                   struct nn_result *results);

/* Adds what programs have counted beside the results of images. */
enum status load_plan_read_numerics(const struct load_plan *plan, const struct machine *machine,
                                    uint64_t *saturations, uint64_t *overflows);

C_LINKAGE_END
