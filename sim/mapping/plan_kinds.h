/* plan_kinds.h - what the kinds of mappings share, and what each does.  Private to sim/mapping. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/mapping/load_plan.h"
C_LINKAGE_BEGIN

struct plan_request {
    const struct sim_config *config;
    const struct elf_image *program;
    bool table_in_program; /* a network's own is compiled in */
};

/* What a program's own stacks take: app.ld's __stack_bytes and the heap's own blocks. */
enum { PLAN_STACK_BYTES = 4992, PLAN_HEAP_BLOCK_BYTES = 16 };

/* ---- steps that all kinds take ---- */

/* Chooses chips and cores, and deals images to the chips (plan_chips.c). */
enum status plan_chips_choose(struct load_plan *plan, const struct sim_config *config,
                              struct diagnostic *diagnostic);

/* Room in SDRAM: the next place, moved on behind `bytes`. */
uint32_t plan_take(uint32_t *next, uint64_t bytes);

/* Begins the run plan, at the start of what is free in SDRAM, and places images and results from
 * *next on.  `others` bytes are for what the kind itself places. */
enum status plan_begin_memory(struct load_plan *plan, const struct plan_request *request,
                              uint64_t others, uint32_t *next, struct diagnostic *diagnostic);
void plan_place_images(struct load_plan *plan, uint32_t *next);

/* ITCM and DTCM that the program takes before it allocates. */
void plan_program_bytes(const struct elf_image *program, uint32_t *itcm, uint32_t *dtcm);

enum status plan_refuse_dtcm(const struct load_plan *plan, const struct plan_request *request,
                             uint32_t needed, uint32_t parameters, const char *hint,
                             struct diagnostic *diagnostic);

/* Weights or biases that begin at an address.  `part` follows the name. */
void plan_add_tensor(struct load_plan *plan, struct machine_core core,
                     const struct network_layer *layer, const char *what, const char *part,
                     uint32_t address, uint32_t rank, const uint32_t *shape);

/* ---- replica_per_core (plan_replicas.c) ---- */

enum status plan_replicas_make(struct load_plan *plan, const struct plan_request *request,
                               struct diagnostic *diagnostic);
enum status plan_replicas_write(const struct load_plan *plan, const struct load_plan_chip *chip,
                                struct machine *machine);

/* ---- feature_maps_per_core (plan_maps.c) ---- */

enum status plan_maps_make(struct load_plan *plan, const struct plan_request *request,
                           struct diagnostic *diagnostic);
void plan_maps_deinit(struct load_plan *plan);
enum status plan_maps_write(const struct load_plan *plan, const struct load_plan_chip *chip,
                            struct machine *machine);

/* ---- training (plan_train.c, plan_train_data.c) ---- */

enum status plan_train_make(struct load_plan *plan, const struct plan_request *request,
                            struct diagnostic *diagnostic);
void plan_train_deinit(struct load_plan *plan);
enum status plan_train_write(const struct load_plan *plan, const struct load_plan_chip *chip,
                             struct machine *machine);

C_LINKAGE_END
