/* config_program.h - the configuration of a program alone: core 1 of one chip. */
#ifndef SIM_CONFIG_CONFIG_PROGRAM_H
#define SIM_CONFIG_CONFIG_PROGRAM_H
#include "sim/config/config_tree.h"
#ifdef __cplusplus
extern "C" {
#endif

/* As a document that includes the rest.  `file` is the program as the user names it; its real path
 * becomes app[0].file, its name, in the letters that a name may have, the run's. */
enum status config_program_document(struct config_arena *arena, const char *file,
                                    const char *configs_folder, const struct config_node **root,
                                    struct diagnostic *diagnostic);

#ifdef __cplusplus
}
#endif
#endif
