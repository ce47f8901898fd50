/* choose.h - mapping.kind: auto.  Of all mappings whose time can be estimated (estimate.h), and all
 * ways to use a chip's cores, the one with the shortest update, or that classifies soonest, among
 * those that fit. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/mapping/plan.h"
C_LINKAGE_BEGIN

/* The program of a configuration's mapping; NULL: there is none. */
typedef const struct elf_image *choose_program(void *context, const struct sim_config *config);

/* Sets in `chosen`, a copy of the request's configuration, the keys of the group mapping; the
 * number of chips only if the file does not say it.  The request's program is not used.
 * STATUS_CONFIGURATION when nothing fits: the message says what comes nearest, and what is short.
 */
enum status choose_mapping(const struct plan_request *request, choose_program *program_of,
                           void *context, struct sim_config *chosen, struct diagnostic *diagnostic);

C_LINKAGE_END
