/* mapping.h - the ways to lay a network over cores, as a table (mappings.def).
 *
 * A mapping is a descriptor: what it is called, what it can lay out, and the steps by which it
 * makes its part of a load plan.  load_plan.c takes the steps and knows no mapping; a mapping's
 * file knows the steps that all share (plan.h; of trainings plan_train.h), and no other mapping. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/mapping/plan.h"
#include <stdio.h>
C_LINKAGE_BEGIN

struct mapping {
    const char *role;     /* of its cores in result files; the name of their program's source */
    const char *networks; /* that it can lay out, for people: "any" */
    bool all_images;      /* each chip has all images; else they are dealt to the chips */

    /* ---- making a plan: in this order; the first that fails ends it ---- */

    /* Gives each core its part of the network.  STATUS_CONFIGURATION where it cannot; a message
     * without a hint gets one.  NULL: all is in each. */
    enum status (*divide)(struct load_plan *plan, const struct plan_request *request,
                          struct diagnostic *diagnostic);

    /* Places what it needs in SDRAM by plan_take(), images and results by plan_take_images(). */
    void (*place)(struct load_plan *plan, const struct plan_request *request);

    /* Fills a core's layer, argument, parameter bytes, macs, and as dtcm_bytes what its program
     * will allocate. */
    void (*describe)(const struct load_plan *plan, size_t core, struct load_plan_core *described);

    /* Lists parameters, at most two tensors for each core and layer, by plan_add_tensors(). */
    void (*add_tensors)(struct load_plan *plan);

    /* Makes plan->routing; NULL: cores send no packets. */
    enum status (*route)(struct load_plan *plan, const struct plan_request *request,
                         struct diagnostic *diagnostic);

    /* ---- a plan that is made ---- */

    /* Writes a chip's memory, but for the run plan, the images and what is behind `routing`. */
    enum status (*write)(const struct load_plan *plan, size_t chip, struct machine *machine);

    /* Reads the results of all images; NULL: each chip has those of its own images. */
    enum status (*read_results)(const struct load_plan *plan, const struct machine *machine,
                                struct nn_result *results);

    /* Adds what programs have counted beside the results of images; NULL: nothing. */
    enum status (*read_numerics)(const struct load_plan *plan, const struct machine *machine,
                                 uint64_t *saturations, uint64_t *overflows);

    /* Frees what divide() has made; also after it failed.  NULL: nothing. */
    void (*deinit)(struct load_plan *plan);

    const struct mapping_training *training; /* what plan_train.h's steps ask; NULL: it only
                                                classifies */
};

#ifndef MAPPINGS_DEF /* a test has a table with a row more */
#define MAPPINGS_DEF "sim/mapping/mappings.def"
#endif
#define MAPPING(KIND, MODE, descriptor, lever) extern const struct mapping descriptor;
#include MAPPINGS_DEF

/* A row of the table: what mapping.kind and mode ask for. */
struct mapping_row {
    enum config_mapping_kind kind;
    enum config_mode mode;
    const struct mapping *mapping;
    const char *lever; /* the key of which a larger value leaves each core less, or "" */
};

/* What a configuration asks for.  NULL, with the message, when the kind does not do the mode. */
const struct mapping_row *mapping_of(const struct sim_config *config,
                                     struct diagnostic *diagnostic);

/* Name of the program for a network in the configured mapping, mode, format and exchange, behind
 * "lenet1_" or "any_" and before ".elf": "train_operators_s1615".  STATUS_CONFIGURATION when there
 * is none: the key is the one that can be changed, and the hint to what. */
enum status mapping_program(const struct sim_config *config, const struct network *network,
                            char *name, size_t size, struct diagnostic *diagnostic);

/* Other kinds that do the configured mode and have a program for all else that is configured:
 * number `index` of them, NULL behind the last. */
const struct mapping_row *mapping_alternative(const struct sim_config *config,
                                              const struct network *network, size_t index);

/* What goes with what, a row for each mode, mapping and exchange: as a table in Markdown. */
void mapping_matrix(FILE *stream);

C_LINKAGE_END
