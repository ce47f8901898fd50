/* config_program.h - the configuration of a program alone: core 1 of one chip. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/config/config_tree.h"
C_LINKAGE_BEGIN

/* As a document that includes the rest.  `file` is the program as the user names it; its real path
 * becomes app[0].file, its name, in the letters that a name may have, the run's. */
enum status config_program_document(struct config_arena *arena, const char *file,
                                    const char *configs_folder, const struct config_node **root,
                                    struct diagnostic *diagnostic);

C_LINKAGE_END
