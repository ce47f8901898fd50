/* config_walk.c - see config_walk.h. */
#include "sim/config/config_walk.h"

#include "sim/config/config_read.h"
#include "sim/config/config_value.h"

struct walk {
    const struct sim_config *config;
    struct config_arena *arena;
    const struct config_visitor *visitor;
    enum status status; /* of the walk so far: STATUS_INTERNAL once memory has run out */
};

/* Whether a text is that of the value that a quiet key has when it is not given. */
static bool is_default(const struct config_key *key, const void *fields, const char *text)
{
    return key->kind < KIND_FRACTION
               ? config_field_whole(fields, key) == key->whole.standard
               : strcmp(text, key->kind == KIND_CHOICE ? key->text : "[]") == 0;
}

/* Passes one value to the visitor; a NULL value means out of memory, "" that it is absent. */
static void visit(struct walk *walk, const char *path, const struct config_key *key,
                  const void *fields, const char *value)
{
    if (value == NULL) {
        walk->status = STATUS_INTERNAL;
        return;
    }
    const bool quiet = key->need == NEED_QUIET && !walk->visitor->quiet_keys;
    if (walk->status == STATUS_OK && value[0] != '\0' &&
        !(quiet && is_default(key, fields, value))) {
        walk->visitor->visit(walk->visitor->context, &(struct config_entry){path, value, key});
    }
}

/* A map that needs all its keys is there if it has the last one, its source. */
static bool is_given(const struct config_group *group, const void *fields)
{
    const struct config_key *source = config_row_find(group->rows, "", "source");
    return source == NULL || config_field_text(fields, source) != NULL;
}

static void walk_rows(struct walk *walk, const struct config_key *rows, const char *before,
                      const void *fields);

/* The rows of an item of a group; `before` is NULL when memory has run out. */
static void walk_item(struct walk *walk, const struct config_group *group, const char *before,
                      const void *item)
{
    if (before == NULL) {
        walk->status = STATUS_INTERNAL;
    } else if (is_given(group, item)) {
        walk_rows(walk, group->rows, before, item);
    }
}

static void walk_group(struct walk *walk, const struct config_key *key, const char *path,
                       const void *fields)
{
    if (key->kind == KIND_MAP) {
        walk_item(walk, key->group, config_arena_print(walk->arena, "%s.", path),
                  (const unsigned char *)fields + key->offset);
        return;
    }
    const struct config_items items = config_items_of(key, fields);
    const char *item = items.item;
    for (size_t i = 0; i < items.count; i++, item += key->group->bytes) {
        const char *const *name = (const void *)item;
        const char *before =
            key->kind == KIND_LIST
                ? config_arena_print(walk->arena, "%s[%zu].", path, i)
                : config_arena_print(walk->arena, "%.*s%s.", (int)strlen(path) - 1, path, *name);
        walk_item(walk, key->group, before, item);
    }
    if (key->kind == KIND_LIST && items.item != NULL && items.count == 0) {
        visit(walk, path, key, fields, "[]");
    }
}

static bool is_in_part(const struct config_visitor *visitor, const char *path)
{
    const bool energy = strncmp(path, "energy.", strlen("energy.")) == 0;
    return visitor->part != (energy ? CONFIG_WALK_REST : CONFIG_WALK_ENERGY);
}

static void walk_rows(struct walk *walk, const struct config_key *rows, const char *before,
                      const void *fields)
{
    for (const struct config_key *key = rows; key->name != NULL && walk->status == STATUS_OK;
         key++) {
        const char *path = config_arena_print(walk->arena, "%s%s", before, key->name);
        if (path == NULL) {
            walk->status = STATUS_INTERNAL;
        } else if (!is_in_part(walk->visitor, path) || !config_key_applies(walk->config, key)) {
            continue;
        } else if (key->group != NULL) {
            walk_group(walk, key, path, fields);
        } else {
            visit(walk, path, key, fields,
                  config_value_text(
                      &(struct config_writing){walk->config, walk->arena, key, fields}));
        }
    }
}

enum status config_walk(const struct sim_config *config, struct config_arena *arena,
                        const struct config_visitor *visitor)
{
    struct walk walk = {config, arena, visitor, STATUS_OK};
    walk_rows(&walk, config_rows(), "", config);
    return walk.status;
}
