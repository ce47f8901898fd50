/* config_read.h - reads a tree into the fields of struct sim_config and checks keys, shapes and
 * values.  config_read.c reads the keys of the table; each hand-written group has a file of its
 * own. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/config/config_schema.h"
#include "sim/config/config_tree.h"
C_LINKAGE_BEGIN

struct config_reader {
    struct config_arena *arena;
    struct sim_config *config;
    /* One document of several: its keys are checked, missing keys may be in another document. */
    bool partial;
    struct diagnostic *diagnostic;
};

/* Reads the whole tree into fields that already hold the defaults. */
enum status config_read(const struct config_reader *reader, const struct config_node *tree);

/* Read the hand-written groups.  `node` is the group's node and not null. */
enum status config_read_accept(const struct config_reader *reader, const struct config_node *node);
enum status config_read_app(const struct config_reader *reader, const struct config_node *node);
enum status config_read_stages(const struct config_reader *reader, const struct config_node *node);
enum status config_read_vote(const struct config_reader *reader, const struct config_node *node);
enum status config_read_sweep(const struct config_reader *reader, const struct config_node *node);
enum status config_read_energy(const struct config_reader *reader, const struct config_node *node);
enum status config_read_faults(const struct config_reader *reader, const struct config_node *node);

/* Sets shape and size of the topology request; call after all keys have been read. */
void config_finish_board(struct sim_config *config);

/* Sets the cores of `app` entries that name none, and checks that the machine has the chips and
 * cores that entries name.  Call after all keys have been read. */
enum status config_finish_app(const struct config_reader *reader);

/* Fills in what stages leave out, and checks that they go together.  Call after all keys have been
 * read. */
enum status config_finish_stages(const struct config_reader *reader);

/* The keys of a stage and of its groups; a row without keys ends them. */
extern const struct config_stage_part {
    const char *before; /* the group's name and a dot, or "" */
    const struct config_key *keys;
} CONFIG_STAGE_PARTS[];

/* Checks a whole configuration across keys: missing keys, keys without effect, contradictions. */
enum status config_check(const struct sim_config *config, struct diagnostic *diagnostic);

/* Checks the group energy alone: board_profile must name an existing term. */
enum status config_check_energy(const struct sim_config *config, struct diagnostic *diagnostic);

/* Parses a decimal number without leading zeros at *text and advances *text past it.  False when
 * there is no number or it is not less than `below`. */
bool config_take_number(const char **text, uint32_t below, uint32_t *number);

/* The same for a chip, "x,y" or "x, y". */
bool config_take_chip(const char **at, uint32_t *x, uint32_t *y);

/* The lists of the group faults; a row whose key has no name ends them. */
extern const struct config_fault_list {
    struct config_key key; /* its name and help; raw */
    const char *what, *hint;
    uint32_t numbers;    /* of cores or links; 0: a chip alone; or CONFIG_FAULT_KEY */
    const char *format;  /* how an item is written: x, y, number */
    size_t items, count; /* offsets in struct sim_config */
} CONFIG_FAULT_LISTS[];
#define CONFIG_FAULT_KEY UINT32_MAX /* a routing key, in hexadecimal */

/* Index of a key in `names` (NULL-terminated); -1 after reporting "unknown key" with the nearest of
 * them, or with all when none is near. */
int config_name_index(const struct config_node *key, const char *const *names,
                      struct diagnostic *diagnostic);

/* A list that is sorted after reading, so that the order of writing has no effect.  Duplicates are
 * rejected. */
struct config_list {
    size_t item_bytes;
    const void *about; /* for `read` */
    enum status (*read)(const struct config_reader *reader, const struct config_node *entry,
                        const void *about, void *item);
    int (*compare)(const void *a, const void *b);
    bool single; /* accepts a scalar as a list of one */
};
enum status config_read_list(const struct config_reader *reader, const struct config_node *node,
                             const struct config_list *list, const void **items, size_t *count);

/* Checks that the node is a map, or a list. */
enum status config_expect(const struct config_node *node, enum config_shape shape,
                          struct diagnostic *diagnostic);

/* Reads a list of non-empty texts. */
enum status config_read_texts(const struct config_reader *reader, const struct config_node *node,
                              bool single, const char *const **texts, size_t *count);

C_LINKAGE_END
