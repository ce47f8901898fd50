/* config_read.h - reads a tree into the fields of a struct by the rows of a table: unknown keys,
 * shapes, values, what is missing.  The table of all keys fills struct sim_config; others read a
 * layer of a network, for example:
 *
 *     static const struct config_key SHAPE_KEYS[] = {
 *         {.name = "width", .kind = KIND_COUNT, .need = NEED_REQUIRED, .whole = {0, 1, 1024},
 *          CONFIG_FIELD(struct shape, width)},
 *         {.name = NULL}}; */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/config/config_schema.h"
#include "sim/config/config_tree.h"
C_LINKAGE_BEGIN

struct config_reader {
    struct config_arena *arena;
    struct sim_config *config; /* NULL: another struct is read */
    /* One document of several: its keys are checked, missing keys may be in another document. */
    bool partial;
    struct diagnostic *diagnostic;
    const struct config_node *map;   /* the map whose keys are read */
    const struct config_key *rows;   /* of all keys; NULL: another struct is read */
    const struct config_form *forms; /* CONFIG_FORMS */
};

/* The field that a row's value goes to. */
#define CONFIG_FIELD(type, member)                                                                 \
    .offset = offsetof(type, member), .bytes = sizeof(((type *)0)->member)

/* Reads a map into fields that already hold the defaults, with those rows that begin with `before`
 * ("energy."; "": with all). */
enum status config_map_read(const struct config_reader *reader, const struct config_node *map,
                            const struct config_key *rows, const char *before, void *fields);

/* Reads a map into a struct.  Each field gets its key's value, or the default when the key is
 * absent.  Texts live in the arena.  STATUS_CONFIGURATION with place, key and hint: not a map, an
 * unknown key (with the nearest name), a bad value, a missing required key. */
enum status config_table_read(const struct config_node *map, const struct config_key *keys,
                              void *fields, struct config_arena *arena,
                              struct diagnostic *diagnostic);

/* Reads the key of one row; ignores the other keys of the map. */
enum status config_table_read_key(const struct config_node *map, const struct config_key *key,
                                  void *fields, struct config_arena *arena,
                                  struct diagnostic *diagnostic);

/* A key's value that is read into its field of a struct, and one that is written as text. */
struct config_reading {
    const struct config_reader *reader;
    const struct config_key *key;
    const struct config_node *node;
    void *fields;
};
struct config_writing {
    const struct sim_config *config;
    struct config_arena *arena;
    const struct config_key *key;
    const void *fields;
};

/* How values of each kind are read into a field, where texts are copied into the arena, and written
 * (NULL: they are not). */
struct config_form {
    enum status (*read)(const struct config_reading *from);
    const char *(*text)(const struct config_writing *of);
};
extern const struct config_form CONFIG_FORMS[KINDS];

/* The kinds with a form of their own; the text lives in the arena, NULL: out of memory. */
enum status config_read_amount(const struct config_reading *from);
enum status config_read_per(const struct config_reading *from);
enum status config_read_free(const struct config_reading *from);
enum status config_read_chips(const struct config_reading *from);
enum status config_read_cores(const struct config_reading *from);
enum status config_read_faults(const struct config_reading *from);
enum status config_read_fractions(const struct config_reading *from);
enum status config_read_axes(const struct config_reading *from);
enum status config_read_map(const struct config_reading *from);
enum status config_read_list(const struct config_reading *from);
const char *config_text_amount(const struct config_writing *of);
const char *config_text_per(const struct config_writing *of);
const char *config_text_free(const struct config_writing *of);
const char *config_text_chips(const struct config_writing *of);
const char *config_text_cores(const struct config_writing *of);
const char *config_text_faults(const struct config_writing *of);
const char *config_text_stages(const struct config_writing *of);
const char *config_text_fractions(const struct config_writing *of);

/* Before and after a group's keys are read: see struct config_group. */
#define CONFIG_HOOK(name)                                                                          \
    enum status config_##name(const struct config_reader *reader, const struct config_node *node,  \
                              void *item);
CONFIG_HOOK(begin_app)
CONFIG_HOOK(begin_term)
CONFIG_HOOK(begin_clock)
CONFIG_HOOK(finish_bounds)
CONFIG_HOOK(finish_term)
CONFIG_HOOK(finish_wall)
CONFIG_HOOK(finish_power)
CONFIG_HOOK(finish_clock)
#undef CONFIG_HOOK

/* Sets shape and size of the topology request; call after all keys have been read. */
void config_finish_board(struct sim_config *config);

/* Sets the cores of `app` entries that name none, and checks that the machine has the chips and
 * cores that entries name.  Call after all keys have been read. */
enum status config_finish_app(const struct config_reader *reader);

/* Fills in what stages leave out, and checks that they go together.  Call after all keys have been
 * read. */
enum status config_finish_stages(const struct config_reader *reader);

/* Checks a whole configuration across keys: missing keys, keys without effect, contradictions. */
enum status config_check(const struct sim_config *config, struct diagnostic *diagnostic);

/* Checks the group energy alone: board_profile must name an existing term. */
enum status config_check_energy(const struct sim_config *config, struct diagnostic *diagnostic);

/* Parses a decimal number without leading zeros at *text and advances *text past it.  False when
 * there is no number or it is not less than `below`. */
bool config_take_number(const char **text, uint32_t below, uint32_t *number);

/* The same for a chip, "x,y" or "x, y". */
bool config_take_chip(const char **at, uint32_t *x, uint32_t *y);

/* app[1].cores; `part` is ".cores", or "" for the item itself. */
struct config_item_key {
    char text[DIAGNOSTIC_KEY_CHARS];
};
struct config_item_key config_item_key(const char *list, size_t i, const char *part);

/* What a list of faults names. */
extern const struct config_fault_kind CONFIG_DOWN_CHIPS, CONFIG_DOWN_CORES, CONFIG_DOWN_LINKS,
    CONFIG_DELETED_ROUTES;

/* The items of a list: how the field and its count are read, written, and shown, [a, b]. */
struct config_items {
    const void *item;
    size_t count;
};
struct config_items config_items_of(const struct config_key *key, const void *fields);
void config_set_items(const struct config_key *key, void *fields, struct config_items items);
const char *config_items_text(struct config_arena *arena, struct config_items items,
                              const char *(*text)(struct config_arena *arena, const void *items,
                                                  size_t i, const void *about),
                              const void *about);

/* A list of scalars that is sorted after reading, so that the order of writing has no effect.
 * Duplicates are rejected. */
struct config_list {
    size_t item_bytes;
    const void *about; /* for `read` */
    enum status (*read)(const struct config_reader *reader, const struct config_node *entry,
                        const void *about, void *item);
    int (*compare)(const void *a, const void *b);
    bool single; /* accepts a scalar as a list of one */
};
enum status config_read_items(const struct config_reader *reader, const struct config_node *node,
                              const struct config_list *list, struct config_items *items);

/* The same of non-empty texts; their items are const char *. */
enum status config_read_texts(const struct config_reader *reader, const struct config_node *node,
                              bool single, struct config_items *texts);

/* Reads a group's keys into its struct. */
enum status config_item_read(const struct config_reader *reader, const struct config_group *group,
                             const struct config_node *node, void *item);

/* Rejects a map that lacks a key. */
enum status config_refuse_missing(const struct config_reader *reader, const struct config_node *map,
                                  const struct config_key *key);

/* Checks that the node is a map, or a list. */
enum status config_expect(const struct config_node *node, enum config_shape shape,
                          struct diagnostic *diagnostic);

C_LINKAGE_END
