/* config.c - loads a configuration, and answers queries about a loaded one. */
#include "sim/config/config.h"

#include "sim/config/config_include.h"
#include "sim/config/config_read.h"
#include "sim/steps.h"

#include <stdarg.h>

/* ---- loading ---- */

/* A reader of all keys into `config`. */
static struct config_reader reader_of(struct sim_config *config, struct config_arena *arena,
                                      struct diagnostic *diagnostic)
{
    return (struct config_reader){.arena = arena,
                                  .config = config,
                                  .diagnostic = diagnostic,
                                  .rows = config_rows(),
                                  .forms = CONFIG_FORMS};
}

/* Checks each document separately by reading it into a scratch config. */
static enum status check_document(void *context, const struct config_node *tree,
                                  struct diagnostic *diagnostic)
{
    struct sim_config scratch = {.fragment = true};
    struct config_reader reader = reader_of(&scratch, context, diagnostic);
    reader.partial = true;
    config_set_defaults(&scratch, reader.rows);
    return config_map_read(&reader, tree, reader.rows, "", &scratch);
}

/* Links are drawn from the run's seed, unless they have a seed of their own. */
static void finish_links(struct sim_config *config)
{
    if (config->machine.link_spread_ppm > 0 && !config_gives(config, "link.seed")) {
        config->machine.link_seed = config->seed;
    }
}

/* Files have as many images as they have. */
static void finish_data(struct sim_config *config)
{
    if (config->data_set == CONFIG_DATA_SET_FILES) {
        config->data_train_images =
            config_gives(config, "data.train_images") ? config->data_train_images : 0;
        config->data_test_images =
            config_gives(config, "data.test_images") ? config->data_test_images : 0;
    }
}

static enum status fill(struct sim_config *config, struct diagnostic *diagnostic)
{
    const struct config_reader reader = reader_of(config, config->arena, diagnostic);
    config_set_defaults(config, reader.rows);
    TRY(config_map_read(&reader, config->tree, reader.rows, "", config));
    config->has_app = config->app != NULL;
    config_finish_board(config);
    finish_links(config);
    finish_data(config);
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
    const struct config_reader reader = reader_of(&changed, config->arena, diagnostic);
    changed.energy = (struct energy_table){.board_profile = "none"};
    if (energy != NULL) {
        TRY(config_map_read(&reader, energy, reader.rows, "energy.", &changed));
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
