/* config_tree.c - see config_tree.h. */
#include "sim/config/config_tree.h"

#include "models/common/memory.h"

#include <stdarg.h>

const char CONFIG_SET_FILE[] = "--set";

static const char *make_path(struct config_arena *arena, const struct config_node *parent,
                             const char *name)
{
    if (parent == NULL) {
        return "";
    }
    const char *path = parent->shape == CONFIG_LIST
                           ? config_arena_print(arena, "%s[%zu]", parent->path, parent->count)
                           : config_arena_print(arena, "%s%s%s", parent->path,
                                                parent->path[0] == '\0' ? "" : ".", name);
    memory_need(path);
    return path;
}

static void append(struct config_node *parent, struct config_node *child)
{
    *(parent->last == NULL ? &parent->first : &parent->last->next) = child;
    parent->last = child;
    parent->count++;
}

struct config_node *config_node_add(struct config_arena *arena, struct config_node *parent,
                                    const char *name, enum config_shape shape,
                                    struct config_place place)
{
    struct config_node *node = config_arena_take(arena, sizeof *node);
    *node = (struct config_node){.shape = shape,
                                 .name = config_arena_text(arena, name, strlen(name)),
                                 .path = make_path(arena, parent, name),
                                 .text = "",
                                 .place = place,
                                 .name_place = place};
    if (parent != NULL) {
        append(parent, node);
    }
    return node;
}

const struct config_node *config_node_child(const struct config_node *map, const char *name)
{
    if (map == NULL || map->shape != CONFIG_MAP) {
        return NULL;
    }
    for (const struct config_node *child = map->first; child != NULL; child = child->next) {
        if (strcmp(child->name, name) == 0) {
            return child;
        }
    }
    return NULL;
}

const struct config_node *config_node_given(const struct config_node *map, const char *name)
{
    const struct config_node *child = config_node_child(map, name);
    return child == NULL || child->shape == CONFIG_NULL ? NULL : child;
}

const struct config_node *config_node_find(const struct config_node *root, const char *path)
{
    if (root == NULL || root->shape == CONFIG_NULL || strcmp(root->path, path) == 0) {
        return root == NULL || root->shape == CONFIG_NULL ? NULL : root;
    }
    for (const struct config_node *child = root->first; child != NULL; child = child->next) {
        const struct config_node *found = config_node_find(child, path);
        if (found != NULL) {
            return found;
        }
    }
    return NULL;
}

/* A shallow copy for another place in a tree; shares the children. */
static struct config_node *share(struct config_arena *arena, const struct config_node *node)
{
    struct config_node *twin = config_arena_take(arena, sizeof *twin);
    *twin = *node;
    twin->next = NULL;
    return twin;
}

/* The same without children. */
static struct config_node *bare(struct config_arena *arena, const struct config_node *node)
{
    struct config_node *twin = share(arena, node);
    twin->first = twin->last = NULL;
    twin->count = 0;
    return twin;
}

struct config_node *config_node_without(struct config_arena *arena, const struct config_node *map,
                                        const char *name)
{
    struct config_node *rest = bare(arena, map);
    for (const struct config_node *child = map->first; child != NULL; child = child->next) {
        if (strcmp(child->name, name) != 0) {
            append(rest, share(arena, child));
        }
    }
    return rest;
}

static struct config_node *merge(struct config_arena *arena, const struct config_node *base,
                                 const struct config_node *over)
{
    if (over == NULL || base == NULL) {
        return share(arena, over == NULL ? base : over);
    }
    const bool maps = base->shape == CONFIG_MAP && over->shape == CONFIG_MAP;
    struct config_node *merged = maps ? bare(arena, over) : share(arena, over);
    if (base->shape == CONFIG_MAP && over->place.file == CONFIG_SET_FILE) {
        merged->place =
            base->place; /* the group was given before; only keys in it are overridden */
        merged->name_place = base->name_place;
    }
    for (const struct config_node *child = base->first; maps && child != NULL;
         child = child->next) {
        append(merged, merge(arena, child, config_node_child(over, child->name)));
    }
    for (const struct config_node *child = over->first; maps && child != NULL;
         child = child->next) {
        if (config_node_child(base, child->name) == NULL) {
            append(merged, share(arena, child));
        }
    }
    return merged;
}

const struct config_node *config_node_merge(struct config_arena *arena,
                                            const struct config_node *base,
                                            const struct config_node *over)
{
    return base == NULL && over == NULL ? NULL : merge(arena, base, over);
}

struct config_shown config_show_text(const char *text)
{
    static const char CUT[] = "...\"";
    struct config_shown shown = {{'"'}};
    size_t to = 1;
    size_t from = 0;
    while (text[from] != '\0' && to < sizeof shown.text - sizeof CUT) {
        const bool control = (unsigned char)text[from] < ' ' || text[from] == 0x7f;
        shown.text[to++] = control ? '?' : text[from];
        from++;
    }
    if (text[from] == '\0') {
        shown.text[to] = '"';
        return shown;
    }
    while (to > 1 && ((unsigned char)text[from] & 0xc0u) == 0x80u) { /* not within a character */
        from--;
        to--;
    }
    memcpy(shown.text + to, CUT, sizeof CUT);
    return shown;
}

struct config_shown config_show(const struct config_node *node)
{
    switch (node->shape) {
    case CONFIG_LIST:
        return (struct config_shown){"a list"};
    case CONFIG_MAP:
        return (struct config_shown){"a group of keys"};
    case CONFIG_NULL:
        return (struct config_shown){"nothing"};
    case CONFIG_SCALAR:
    default:
        return config_show_text(node->text);
    }
}

static enum status refuse(struct diagnostic *diagnostic, const struct config_node *node,
                          const struct config_place *place, const char *format, va_list arguments)
{
    (void)diagnose_list(diagnostic, STATUS_CONFIGURATION, format, arguments);
    diagnostic_at(diagnostic, place->file, place->line, place->column);
    diagnostic_key(diagnostic, node->path);
    return STATUS_CONFIGURATION;
}

enum status config_refuse_value(struct diagnostic *diagnostic, const struct config_node *node,
                                const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const enum status status = refuse(diagnostic, node, &node->place, format, arguments);
    va_end(arguments);
    return status;
}

enum status config_refuse_key(struct diagnostic *diagnostic, const struct config_node *node,
                              const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const enum status status = refuse(diagnostic, node, &node->name_place, format, arguments);
    va_end(arguments);
    return status;
}
