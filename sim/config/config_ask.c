/* config_ask.c - see config.h: answers questions about a loaded configuration. */
#include "sim/config/config_include.h"
#include "sim/steps.h"

#include <stdarg.h>

struct config_place config_place_of(const struct sim_config *config, const char *key)
{
    const struct config_node *node = config_node_find(config->tree, key);
    return node == NULL ? (struct config_place){"default", 0, 0} : node->place;
}

bool config_gives(const struct sim_config *config, const char *key)
{
    return config_node_find(config->tree, key) != NULL;
}

void config_locate(const struct sim_config *config, const char *key, struct diagnostic *diagnostic)
{
    if (diagnostic != NULL) {
        if (key != NULL) {
            diagnostic_key(diagnostic, key);
        }
        const struct config_place place = config_place_of(config, diagnostic->key);
        diagnostic_at(diagnostic, place.file, place.line, place.column);
    }
}

enum status(config_refuse)(const struct sim_config *config, const char *key, const char *hint,
                           struct diagnostic *diagnostic, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)diagnose_list(diagnostic, STATUS_CONFIGURATION, format, arguments);
    va_end(arguments);
    config_locate(config, key, diagnostic);
    if (hint != NULL) {
        diagnostic_hint(diagnostic, "%s", hint);
    }
    return STATUS_CONFIGURATION;
}

enum status config_find_file(const struct sim_config *config, const char *key, const char *file,
                             char **path, struct diagnostic *diagnostic)
{
    const struct config_place place = config_place_of(config, key);
    const char *folder = config->configs_folder;
    *path = NULL;
    ARENA struct config_arena *arena = config_arena_create();
    if (arena == NULL) {
        return no_memory(diagnostic);
    }
    const bool of_set = place.file == CONFIG_SET_FILE;
    const char *found = of_set ? config_find(arena, "", NULL, file) : NULL;
    if (found == NULL) {
        found = config_find(arena, of_set ? config->file : place.file, folder, file);
    }
    if (found == NULL) {
        return config_refuse(config, key, NULL, diagnostic,
                             "cannot find %s\vlooked %sbeside %s and in %s",
                             config_show_text(file).text, of_set ? "in this folder, " : "",
                             of_set ? config->file : place.file,
                             folder == NULL ? "no configuration folder" : folder);
    }
    *path = strdup(found);
    return *path == NULL ? no_memory(diagnostic) : STATUS_OK;
}
