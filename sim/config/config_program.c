/* config_program.c - see config_program.h.  A path may hold every character, so that no YAML is
 * written and read again: the tree is made as it is. */
#include "sim/config/config_program.h"

#include "models/common/memory.h"
#include "sim/config/config_text.h"
#include "sim/file.h"

#include <stdlib.h>

enum { NAME_CHARS = 64 };

struct maker {
    struct config_arena *arena;
    struct config_place place;
};

static struct config_node *add(const struct maker *maker, struct config_node *parent,
                               const char *name, enum config_shape shape)
{
    return config_node_add(maker->arena, parent, name, shape, maker->place);
}

static void add_text(const struct maker *maker, struct config_node *parent, const char *name,
                     const char *text)
{
    struct config_node *node = add(maker, parent, name, CONFIG_SCALAR);
    node->text = config_arena_text(maker->arena, text, strlen(text));
    node->quoted = true;
}

/* Includes are given as full paths, so that files in the program's folder are not found instead. */
static void add_includes(const struct maker *maker, struct config_node *root,
                         const char *configs_folder)
{
    static const char *const FILES[] = {"boards/one_chip.yaml", "timing/arm968.yaml",
                                        "energy/spinnaker1.yaml"};
    struct config_node *list = add(maker, root, "include", CONFIG_LIST);
    for (size_t i = 0; i < sizeof FILES / sizeof *FILES; i++) {
        const char *path = config_arena_print(maker->arena, "%s/%s", configs_folder, FILES[i]);
        memory_need(path);
        add_text(maker, list, "", path);
    }
}

static void add_program(const struct maker *maker, struct config_node *root, const char *path)
{
    struct config_node *list = add(maker, root, "app", CONFIG_LIST);
    struct config_node *app = add(maker, list, "", CONFIG_MAP);
    add_text(maker, app, "file", path);
    add_text(maker, app, "cores", "1");
}

static void name_of(const char *file, char *name)
{
    (void)snprintf(name, NAME_CHARS, "%s", file_name_of(file));
    char *dot = strrchr(name, '.');
    if (dot != NULL && dot != name) {
        *dot = '\0';
    }
    for (char *c = name; *c != '\0'; c++) {
        const bool upper = *c >= 'A' && *c <= 'Z';
        const bool good = (*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9') || *c == '-';
        *c = upper ? (char)(*c - 'A' + 'a') : good ? *c : '_';
    }
}

enum status config_program_document(struct config_arena *arena, const char *file,
                                    const char *configs_folder, const struct config_node **root,
                                    struct diagnostic *diagnostic)
{
    const struct maker maker = {.arena = arena, .place = {file, 0, 0}};
    char name[NAME_CHARS];
    FREED char *path = realpath(file, NULL);
    if (path == NULL) {
        return file_cannot("read", file, diagnostic);
    }
    if (!config_text_is_utf8(path, strlen(path))) { /* the config.yaml of the results has it */
        return file_refuse(file, NULL, diagnostic,
                           "the program's path is not UTF-8, and results could not name it");
    }
    name_of(file, name);
    struct config_node *made = add(&maker, NULL, "", CONFIG_MAP);
    add_includes(&maker, made, configs_folder == NULL ? "." : configs_folder);
    add_text(&maker, made, "name", name);
    add_program(&maker, made, path);
    *root = made;
    return STATUS_OK;
}
