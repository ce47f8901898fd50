/* config.c - loads a configuration, and answers queries about a loaded one. */
#include "sim/config/config.h"

#include "sim/config/config_include.h"
#include "sim/config/config_read.h"
#include "sim/steps.h"

#include <stdarg.h>

/* ---- loading ---- */

/* Checks each document separately by reading it into a scratch config. */
static enum status check_document(void *context, const struct config_node *tree,
                                  struct diagnostic *diagnostic)
{
    struct sim_config scratch = {.fragment = true};
    config_set_defaults(&scratch, config_rows());
    const struct config_reader reader = {
        .arena = context, .config = &scratch, .partial = true, .diagnostic = diagnostic};
    return config_read(&reader, tree);
}

static enum status fill(struct sim_config *config, struct diagnostic *diagnostic)
{
    const struct config_reader reader = {
        .arena = config->arena, .config = config, .diagnostic = diagnostic};
    config_set_defaults(config, config_rows());
    TRY(config_read(&reader, config->tree));
    config->has_app = config->app != NULL;
    config_finish_board(config);
    TRY(config_check(config, diagnostic));
    TRY(config_finish_stages(&reader));
    return config_finish_app(&reader);
}

static const char *keep(const struct sim_config *config, const char *text)
{
    return config_arena_text(config->arena, text, strlen(text));
}

static enum status load(const struct config_request *request, struct sim_config *config,
                        struct diagnostic *diagnostic)
{
    const struct config_checker checker = {check_document, config->arena};
    const char **sets = config_arena_take(config->arena, (request->set_count + 1) * sizeof *sets);
    config->file = keep(config, request->path == NULL ? "configuration" : request->path);
    config->configs_folder =
        request->configs_folder == NULL ? NULL : keep(config, request->configs_folder);
    for (size_t i = 0; i < request->set_count; i++) {
        sets[i] = keep(config, request->sets[i]);
    }
    config->sets = sets;
    config->set_count = request->set_count;
    size_t done = 0;
    if (request->base != NULL) {
        config->tree = request->base->tree;
        done = request->base->set_count;
    } else {
        TRY(config_gather(request, &checker, config->arena, &config->tree, diagnostic));
    }
    TRY(config_override(request->sets + done, request->set_count - done, "", &checker,
                        config->arena, &config->tree, diagnostic));
    return fill(config, diagnostic);
}

enum status config_load(const struct config_request *request, struct sim_config *config,
                        struct diagnostic *diagnostic)
{
    *config = (struct sim_config){.fragment = request->fragment};
    config->arena = config_arena_create();
    const enum status status =
        config->arena == NULL ? no_memory(diagnostic) : load(request, config, diagnostic);
    if (status != STATUS_OK) {
        config_deinit(config);
    }
    return status;
}

void config_deinit(struct sim_config *config)
{
    config_arena_destroy(config->arena);
    *config = (struct sim_config){0};
}

enum status config_set_energy(struct sim_config *config, const char *const *sets, size_t set_count,
                              struct diagnostic *diagnostic)
{
    const struct config_checker checker = {check_document, config->arena};
    struct sim_config changed = *config;
    TRY(config_override(sets, set_count, "energy.", &checker, config->arena, &changed.tree,
                        diagnostic));
    const struct config_node *energy = config_node_given(changed.tree, "energy");
    const struct config_reader reader = {
        .arena = config->arena, .config = &changed, .diagnostic = diagnostic};
    changed.energy = (struct energy_table){.board_profile = "none"};
    if (energy != NULL) {
        TRY(config_map_read(&reader, energy, config_rows(), "energy.", &changed));
    }
    if (!config->fragment) {
        TRY(config_check_energy(&changed, diagnostic));
    }
    *config = changed;
    return STATUS_OK;
}

/* ---- asking ---- */

/* A null value is checked by its name alone. */
enum status config_check_key(const char *key, struct config_place place,
                             struct diagnostic *diagnostic)
{
    ARENA struct config_arena *arena = config_arena_create();
    if (arena == NULL) {
        return no_memory(diagnostic);
    }
    const struct config_checker checker = {check_document, arena};
    const struct config_node *tree = NULL;
    const char *set = config_arena_print(arena, "%s=null", key);
    const enum status status =
        set == NULL ? no_memory(diagnostic)
                    : config_override(&set, 1, "", &checker, arena, &tree, diagnostic);
    if (status == STATUS_CONFIGURATION) {
        diagnostic_at(diagnostic, place.file, place.line, place.column);
        diagnostic_key(diagnostic, key);
    }
    return status;
}

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
