/* mapping.h - the ways to lay a network over cores, as a table (rows.h).
 *
 * A mapping is a descriptor: its role, the networks that it can lay out, and callbacks that make
 * its part of a load plan. load_plan.c calls them without knowing any particular mapping; a
 * mapping's file uses the shared steps (plan.h; for training also plan_train.h), and no other
 * mapping. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/mapping/plan.h"
#include <stdio.h>
C_LINKAGE_BEGIN

struct mapping {
    const char *role; /* of its cores in result files; also the name of the program's source file */
    const char *networks; /* networks that it can lay out, as text for users: "any" */
    bool all_images;      /* each chip has all images; else they are dealt to the chips */

    /* ---- making a plan: called in this order, up to the first that fails ---- */

    /* Divides the network among cores.  STATUS_CONFIGURATION where it cannot be divided;
     * load_plan.c adds a hint if the message has none.  NULL: each core has the whole network. */
    enum status (*divide)(struct load_plan *plan, const struct plan_request *request,
                          struct diagnostic *diagnostic);

    /* Allocates SDRAM for its own data by plan_take(), for images and results by
     * plan_take_images(). */
    void (*place)(struct load_plan *plan, const struct plan_request *request);

    /* Sets a core's layer, argument, parameter_bytes and macs; sets dtcm_bytes to what the core's
     * program will allocate. */
    void (*describe)(const struct load_plan *plan, size_t core, struct load_plan_core *described);

    /* Lists parameters, at most two tensors for each core and layer, by plan_add_tensors(). */
    void (*add_tensors)(struct load_plan *plan);

    /* Makes plan->routing.  NULL: cores send no packets. */
    enum status (*route)(struct load_plan *plan, const struct plan_request *request,
                         struct diagnostic *diagnostic);

    /* ---- a plan that is made ---- */

    /* Writes a chip's memory, except the run plan, the images and the router tables. */
    enum status (*write)(const struct load_plan *plan, size_t chip, struct machine *machine);

    /* Reads the results of all images.  NULL: each chip holds the results of its own images. */
    enum status (*read_results)(const struct load_plan *plan, const struct machine *machine,
                                struct nn_result *results);

    /* Adds what programs have counted outside the results of images.  NULL: nothing. */
    enum status (*read_numerics)(const struct load_plan *plan, const struct machine *machine,
                                 uint64_t *saturations, uint64_t *overflows);

    /* Frees what divide() has made; also called after divide() has failed.  NULL: nothing to free.
     */
    void (*deinit)(struct load_plan *plan);

    const struct mapping_training *training; /* callbacks for plan_train.h; NULL: only classifies */
};

#define MAPPING(KIND, MODE, descriptor, lever) extern const struct mapping descriptor;
#include "tables/mappings.def"

/* A row of the table: the mapping for a mapping.kind and a mode. */
struct mapping_row {
    enum config_mapping_kind kind;
    enum config_mode mode;
    const struct mapping *mapping;
    const char *lever; /* configuration key whose larger value gives each core less of the network;
                          "": none */
};

/* The row for a configuration.  NULL, with a diagnostic, when mapping.kind does not support the
 * mode. */
const struct mapping_row *mapping_of(const struct sim_config *config,
                                     struct diagnostic *diagnostic);

/* The program for a network in the configured mapping, mode, format and exchange: a row PROGRAM
 * (rows.h). */
struct mapping_program {
    const char *name;    /* "train" */
    const char *sources; /* "lenet/roles/train_group.c exchange/exchange.c ..." */
    bool tight;          /* of the plan (struct plan_request): mapping_program() sets false */
};

/* STATUS_CONFIGURATION when there is none: the diagnostic names the key to change, its hint the
 * values that work. */
enum status mapping_program(const struct sim_config *config, const struct network *network,
                            struct mapping_program *program, struct diagnostic *diagnostic);

/* Row number `index` of the other mappings that support the configured mode and have a program for
 * the rest of the configuration; NULL after the last. */
const struct mapping_row *mapping_alternative(const struct sim_config *config,
                                              const struct network *network, size_t index);

/* Writes which formats and networks each mode, mapping and exchange supports, as a Markdown table.
 */
void mapping_matrix(FILE *stream);

C_LINKAGE_END
