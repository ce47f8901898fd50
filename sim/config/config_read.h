/* config_read.h - from a tree to the fields: known keys, shapes, values.  The table's keys are read
 * here, each hand-written group in the file of its name. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/config/config_schema.h"
#include "sim/config/config_tree.h"
C_LINKAGE_BEGIN

struct config_reader {
    struct config_arena *arena;
    struct sim_config *config;
    /* One document of several: what is there is checked, what is missing may be elsewhere. */
    bool partial;
    struct diagnostic *diagnostic;
};

/* Reads all of it, over the defaults that the fields hold. */
enum status config_read(const struct config_reader *reader, const struct config_node *tree);

/* The hand-written groups.  The node is the group's, not null. */
enum status config_read_accept(const struct config_reader *reader, const struct config_node *node);
enum status config_read_app(const struct config_reader *reader, const struct config_node *node);
enum status config_read_energy(const struct config_reader *reader, const struct config_node *node);
enum status config_read_faults(const struct config_reader *reader, const struct config_node *node);

/* After all has been read: the shape and size of the topology's request. */
void config_finish_board(struct sim_config *config);

/* After all has been read: the cores of entries that name none, and whether the machine has what
 * they name. */
enum status config_finish_app(const struct config_reader *reader);

/* What must hold between keys of a whole configuration: what is missing, without effect,
 * contradictory. */
enum status config_check(const struct sim_config *config, struct diagnostic *diagnostic);

/* energy alone, over what the config has: board_profile names a term that exists. */
enum status config_check_energy(const struct sim_config *config, struct diagnostic *diagnostic);

/* A decimal number without leading zeros at the front of a text; *text moves behind it.  False when
 * there is none, or it is not below the bound. */
bool config_take_number(const char **text, uint32_t below, uint32_t *number);

/* "unknown key", with the nearest of the names (NULL ends the list), else all of them. */
enum status config_refuse_unknown(const struct config_node *node, const char *const *names,
                                  struct diagnostic *diagnostic);

/* Which of the names a key is; -1: none, and it is refused as unknown. */
int config_name_index(const struct config_node *key, const char *const *names,
                      struct diagnostic *diagnostic);

/* A list, sorted: the order of writing changes nothing.  No duplicates. */
struct config_list {
    size_t item_bytes;
    const void *about; /* for `read` */
    enum status (*read)(const struct config_reader *reader, const struct config_node *entry,
                        const void *about, void *item);
    int (*compare)(const void *a, const void *b);
    bool single; /* one scalar is a list of one */
};
enum status config_read_list(const struct config_reader *reader, const struct config_node *node,
                             const struct config_list *list, const void **items, size_t *count);

/* STATUS_OK when the node has the shape. */
enum status config_expect(const struct config_node *node, enum config_shape shape,
                          struct diagnostic *diagnostic);

/* A list of texts that are not empty. */
enum status config_read_texts(const struct config_reader *reader, const struct config_node *node,
                              bool single, const char *const **texts, size_t *count);

C_LINKAGE_END
