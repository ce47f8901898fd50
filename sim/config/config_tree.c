/* config_tree.c - see config_tree.h. */
#include "sim/config/config_tree.h"

#include "models/common/check.h"

#include <stdarg.h>

const char CONFIG_SET_FILE[] = "--set";

static const char *make_path(struct config_arena *arena, const struct config_node *parent,
                             const char *name)
{
    char path[CONFIG_PATH_CHARS];
    if (parent == NULL) {
        return "";
    }
    if (parent->shape == CONFIG_LIST) {
        (void)snprintf(path, sizeof path, "%s[%zu]", parent->path, parent->count);
    } else {
        (void)snprintf(path, sizeof path, "%s%s%s", parent->path,
                       parent->path[0] == '\0' ? "" : ".", name);
    }
    return config_arena_text(arena, path, strlen(path));
}

struct config_node *config_node_create(struct config_arena *arena, const struct config_node *parent,
                                       const char *name, enum config_shape shape)
{
    struct config_node *node = config_arena_take(arena, sizeof *node);
    node->shape = shape;
    node->name = config_arena_text(arena, name, strlen(name));
    node->path = make_path(arena, parent, name);
    node->text = "";
    return node;
}

void config_node_append(struct config_node *parent, struct config_node *child)
{
    if (parent->last == NULL) {
        parent->first = child;
    } else {
        parent->last->next = child;
    }
    parent->last = child;
    parent->count++;
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
static struct config_node *copy(struct config_arena *arena, const struct config_node *node)
{
    struct config_node *twin = config_arena_take(arena, sizeof *twin);
    *twin = *node;
    twin->next = NULL;
    return twin;
}

static struct config_node *merge(struct config_arena *arena, const struct config_node *base,
                                 const struct config_node *over)
{
    if (over == NULL) {
        CHECK(base != NULL, "one of the two is there");
        return copy(arena, base);
    }
    if (base == NULL) {
        return copy(arena, over);
    }
    struct config_node *merged = copy(arena, over);
    if (base->shape == CONFIG_MAP && over->place.file == CONFIG_SET_FILE) {
        merged->place =
            base->place; /* the group was given before; only keys in it are overridden */
        merged->name_place = base->name_place;
    }
    if (base->shape != CONFIG_MAP || over->shape != CONFIG_MAP) {
        return merged;
    }
    merged->first = NULL;
    merged->last = NULL;
    merged->count = 0;
    for (const struct config_node *child = base->first; child != NULL; child = child->next) {
        config_node_append(merged, merge(arena, child, config_node_child(over, child->name)));
    }
    for (const struct config_node *child = over->first; child != NULL; child = child->next) {
        if (config_node_child(base, child->name) == NULL) {
            config_node_append(merged, copy(arena, child));
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
                          const struct config_place *place, const char *hint, const char *format,
                          va_list arguments)
{
    char text[DIAGNOSTIC_TEXT_CHARS];
    (void)vsnprintf(text, sizeof text, format, arguments);
    (void)diagnose(diagnostic, STATUS_CONFIGURATION, "%s", text);
    diagnostic_at(diagnostic, place->file, place->line, place->column);
    diagnostic_key(diagnostic, node->path);
    diagnostic_hint(diagnostic, "%s", hint == NULL ? "" : hint);
    return STATUS_CONFIGURATION;
}

enum status config_refuse_value(struct diagnostic *diagnostic, const struct config_node *node,
                                const char *hint, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const enum status status = refuse(diagnostic, node, &node->place, hint, format, arguments);
    va_end(arguments);
    return status;
}

enum status config_refuse_key(struct diagnostic *diagnostic, const struct config_node *node,
                              const char *hint, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const enum status status = refuse(diagnostic, node, &node->name_place, hint, format, arguments);
    va_end(arguments);
    return status;
}
