/* program_recipe.h - what the program of an experiment is linked from
 * (sim/load/program_link.h): its role, the kernels that its network needs and no others, the rule
 * and the loss of its training. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/config/config.h"
#include "sim/load/program_link.h"
#include "sim/mapping/mapping.h"
#include "sim/networks/network.h"
#include "workloads/nn/layer_table.h"
C_LINKAGE_BEGIN

/* `program`: as mapping_program() has found it. */
void program_recipe_make(const struct sim_config *config, const struct network *network,
                         const struct nn_table *table, const struct mapping_program *program,
                         struct program_recipe *recipe);

C_LINKAGE_END
