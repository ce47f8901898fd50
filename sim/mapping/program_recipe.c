/* program_recipe.c - see program_recipe.h. */
#include "sim/mapping/program_recipe.h"

#include "sim/mapping/program_table.h"
#include "sim/mapping/train_piece.h"
#include "sim/networks/activation.h"
#include "sim/networks/optimizer.h"
#include "workloads/nn/framed.h"
#include "workloads/nn/layers/layer_kernels.h"
#include "workloads/nn/loss.h"

#include <stdio.h>
#include <string.h>

enum { PROGRAM_FORMAT_CHARS = 16 };

struct need {
    const struct sim_config *config;
    const struct network *network;
    const struct nn_table *table;
    const char *format; /* as in names of symbols */
    bool trains;
    bool tight; /* struct mapping_program */
};

/* ---- what a network needs ---- */

static bool has_kind(const struct need *need, enum nn_layer_kind kind)
{
    bool has = false;
    for (uint32_t i = 0; i < need->table->layers; i++) {
        has |= need->table->layer[i].kind == kind;
    }
    return has;
}

static bool needs_convolutions(const struct need *need)
{
    return has_kind(need, NN_CONV2D);
}

/* They go through those of int16. */
static bool needs_convolutions_in_int8(const struct need *need)
{
    return needs_convolutions(need) &&
           need->config->network_number_format == CONFIG_NUMBER_FORMAT_INT8;
}

static bool needs_convolutions_back(const struct need *need)
{
    return need->trains && needs_convolutions(need);
}

static bool needs_pools(const struct need *need)
{
    return !need->trains && has_kind(need, NN_MAX_POOL2D);
}

/* Training remembers which value was the largest, also in a test. */
static bool needs_choices(const struct need *need)
{
    return need->trains && has_kind(need, NN_MAX_POOL2D);
}

static bool needs_averages(const struct need *need)
{
    return has_kind(need, NN_AVERAGE_POOL2D);
}

static bool needs_averages_back(const struct need *need)
{
    return need->trains && needs_averages(need);
}

static bool needs_rbf(const struct need *need)
{
    return has_kind(need, NN_RBF);
}

static bool needs_links(const struct need *need)
{
    bool needs = false;
    for (uint32_t i = 0; i < need->table->layers; i++) {
        needs |= nn_links(&need->table->layer[i]) != NULL;
    }
    return needs;
}

static bool needs_dropout(const struct need *need)
{
    return need->trains && network_has_dropout(need->network);
}

static bool takes_few(const struct need *need)
{
    return need->trains && (need->tight || train_piece_takes_few(need->table));
}

/* %s: the number format. */
static const struct part {
    bool (*needed)(const struct need *need);
    const char *wanted;  /* symbol of a kernel, whose source has others, too; or NULL */
    const char *defined; /* definition, or NULL */
} PARTS[] = {
    {needs_convolutions, "nn_conv2d_%s", NULL},
    {needs_convolutions_in_int8, "nn_conv2d_int16", NULL},
    {needs_convolutions_back, "nn_conv2d_gradient_%s", NULL},
    {needs_convolutions_back, "nn_relu_events_%s", NULL},
    {needs_pools, "nn_max_pool2d_%s", NULL},
    {needs_choices, "nn_max_pool2d_choose_%s", NULL},
    {needs_averages, "nn_average_pool2d", NULL},
    {needs_averages_back, "nn_average_pool_events", NULL},
    {needs_dropout, "nn_dropout_%s", NULL},
    {needs_rbf, "nn_rbf", NULL},
    {takes_few, NULL, "NN_TAKES_FEW=1"},
};

enum { CONVOLUTIONS = 3 };

/* The kernels of convolutions with links do without them, too; they are smaller, and slower. */
static const char *const LINKED[CONVOLUTIONS] = {
    "nn_conv2d_%s=nn_conv2d_linked_%s", "nn_conv2d_gradient_%s=nn_conv2d_linked_gradient_%s",
    "nn_conv2d_input_sums_%s=nn_conv2d_linked_input_sums_%s"};

/* They look which kernels a row names. */
static const char *const CHOSEN[CONVOLUTIONS] = {
    "nn_conv2d_%s=nn_conv2d_chosen_%s", "nn_conv2d_gradient_%s=nn_conv2d_chosen_gradient_%s",
    "nn_conv2d_input_sums_%s=nn_conv2d_chosen_input_sums_%s"};

static const char *const KERNELS_NAME[] = {
#define KERNELS(NAME, name) [NN_KERNELS_##NAME] = #name,
#include "tables/layer_kernels.def"
    [NN_KERNELS_NONE] = ""};

static const char *const LOSS_KERNEL[] = {
#define LOSS(NAME, name, kernel, HAS) [NN_##NAME] = #kernel,
#include "workloads/nn/losses.def"
};

/* ---- the recipe ---- */

/* A text in which each %s stands for the number format. */
static void add(char list[][PROGRAM_TEXT_CHARS], const char *text, const char *format)
{
    const char *const mark = strstr(text, "%s");
    const char *const second = mark == NULL ? NULL : strstr(mark + 2, "%s");
    const int head = mark == NULL ? (int)strlen(text) : (int)(mark - text);
    if (second == NULL) {
        program_recipe_add(list, PROGRAM_SYMBOLS, "%.*s%s", head, text, mark == NULL ? "" : format);
    } else {
        program_recipe_add(list, PROGRAM_SYMBOLS, "%.*s%s%.*s%s", head, text, format,
                           (int)(second - mark - 2), mark + 2, format);
    }
}

/* The objects of a list "roles/a.c b.S". */
static void add_sources(struct program_recipe *recipe, const char *sources)
{
    const char *name = sources;
    for (const char *at = sources; *at != '\0'; at++) {
        if (*at == '/' || *at == ' ') {
            name = at + 1;
        } else if (*at == '.') {
            program_recipe_add(recipe->object, PROGRAM_OBJECTS, "%.*s", (int)(at - name), name);
        }
    }
}

/* At the places that tables of the program have for them: activations and kernels of layers that
 * not each program knows. */
static void add_places(struct program_recipe *recipe, const struct program_places *places)
{
    static const char *const PLACE[] = {"FIRST", "SECOND", "THIRD"};
    for (uint32_t i = 0; i < places->activations && i < NN_ACTIVATION_PLACES; i++) {
        const char *name = activation_of_row(places->activation[i])->name;
        program_recipe_add(recipe->wanted, PROGRAM_SYMBOLS, "nn_activation_%s", name);
        program_recipe_add(recipe->defined, PROGRAM_SYMBOLS, "NN_ACTIVATION_%s=nn_activation_%s",
                           PLACE[i], name);
    }
    for (uint32_t i = 0; i < places->kernel_count && i < NN_KERNEL_PLACES; i++) {
        const char *name = KERNELS_NAME[places->kernels[i]];
        program_recipe_add(recipe->wanted, PROGRAM_SYMBOLS, "nn_kernels_%s", name);
        program_recipe_add(recipe->defined, PROGRAM_SYMBOLS, "NN_KERNELS_%s=nn_kernels_%s",
                           PLACE[i], name);
    }
    if (places->activations > 0) {
        program_recipe_add(recipe->wanted, PROGRAM_SYMBOLS, "nn_activate");
    }
}

/* In inference: where rows are not those of conv2d_int16.c, which has windows of 5 x 5 alone. */
static const char FRAMED[] = "nn_conv2d_%s=nn_conv2d_framed_%s";

static bool needs_frames(const struct need *need)
{
    bool needs = false;
    for (uint32_t i = 0; i < need->table->layers; i++) {
        needs |= nn_is_unusual_convolution(&need->table->layer[i]);
    }
    return needs && !need->trains;
}

/* Of convolutions, the kernels that the network needs: see LINKED, CHOSEN and FRAMED. */
static void add_convolutions(struct program_recipe *recipe, const struct need *need,
                             const struct program_places *places)
{
    const bool has_others = need->config->network_number_format == CONFIG_NUMBER_FORMAT_INT16 &&
                            needs_convolutions(need);
    const char *const *names = places->kernel_count > 0 ? CHOSEN : LINKED;
    const bool must = places->kernel_count > 0 || needs_links(need);
    for (size_t i = 0; i < CONVOLUTIONS && has_others; i++) {
        add(must ? recipe->defined : recipe->smaller, names[i], need->format);
    }
    if (has_others && !must && needs_frames(need)) {
        add(recipe->defined, FRAMED, need->format);
    }
}

/* The marker of a layer by its number and, unless another symbol has it, its name. */
static void add_mark(struct program_recipe *recipe, const struct need *need, uint32_t layer,
                     const char *phase)
{
    char name[NN_NAME_CHARS + 1] = "";
    bool is_new = strncmp(need->table->layer[layer].name, "layer_", strlen("layer_")) != 0;
    for (uint32_t i = 0; i < NN_NAME_CHARS; i++) {
        const char c = need->table->layer[layer].name[i];
        name[i] = c;
        if (c == '-') {
            name[i] = '_';
            is_new = false; /* it may be that of another layer */
        }
    }
    program_recipe_add(recipe->wanted, PROGRAM_SYMBOLS, "layer_%02u_%s", layer, phase);
    if (is_new) {
        program_recipe_add(recipe->defined, PROGRAM_SYMBOLS, "%s_%s=layer_%02u_%s", name, phase,
                           layer, phase);
    }
}

static void add_training(struct program_recipe *recipe, const struct need *need)
{
    const char *kernel = LOSS_KERNEL[need->network->loss];
    (void)snprintf(recipe->update, sizeof recipe->update, "update_%s",
                   optimizer_of(need->config->train_optimizer)->name);
    program_recipe_add(recipe->wanted, PROGRAM_SYMBOLS, "%s_%s", kernel, need->format);
    program_recipe_add(recipe->defined, PROGRAM_SYMBOLS, "nn_loss_error=%s_%s", kernel,
                       need->format);
}

void program_recipe_make(const struct sim_config *config, const struct network *network,
                         const struct nn_table *table, const struct mapping_program *program,
                         struct program_recipe *recipe)
{
    const char *text = config_number_format_text(config->network_number_format);
    const size_t point = strcspn(text, "."); /* "s16.15": s1615 */
    const struct program_places places = program_places_of(table);
    char format[PROGRAM_FORMAT_CHARS];
    const bool trains = config->mode == CONFIG_MODE_TRAIN;
    const struct need need = {config, network, table, format, trains, program->tight};
    (void)snprintf(format, sizeof format, "%.*s%s", (int)point, text,
                   text[point] == '.' ? text + point + 1 : "");
    *recipe = (struct program_recipe){0};
    (void)snprintf(recipe->format, sizeof recipe->format, "%s%s", format,
                   table->classes > NN_FEW_CLASSES ? "_many" : "");
    add_sources(recipe, program->sources);
    for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS; i++) {
        if (PARTS[i].needed(&need) && PARTS[i].wanted != NULL) {
            add(recipe->wanted, PARTS[i].wanted, format);
        } else if (PARTS[i].needed(&need)) {
            add(recipe->defined, PARTS[i].defined, format);
        }
    }
    add_places(recipe, &places);
    for (uint32_t i = 0; i < table->layers; i++) {
        add_mark(recipe, &need, i, "forward");
        if (need.trains) {
            add_mark(recipe, &need, i, "backward");
        }
    }
    add_convolutions(recipe, &need, &places);
    if (need.trains) {
        add_training(recipe, &need);
    }
    (void)snprintf(recipe->name, sizeof recipe->name, "%.15s_%.12s_%.8s%s%s", network->name,
                   program->name, format, need.trains ? "_" : "",
                   need.trains ? optimizer_of(config->train_optimizer)->name : "");
}
