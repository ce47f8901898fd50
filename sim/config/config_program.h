/* config_program.h - the configuration of `run FILE.elf`: one program on core 1 of one chip. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/config/config_tree.h"
C_LINKAGE_BEGIN

/* Builds the document, which includes the files for board, timing and energy.  `file` is the
 * program as the user names it; its real path becomes app[0].file, its base name (characters that a
 * name may not have replaced) the name of the run. */
enum status config_program_document(struct config_arena *arena, const char *file,
                                    const char *configs_folder, const struct config_node **root,
                                    struct diagnostic *diagnostic);

C_LINKAGE_END
