/* config_stages.c - the list `stages`: networks trained one after the other, each on a stream of
 * images; and `vote`, what they say together. */
#include "sim/config/config_read.h"
#include "sim/config/config_value.h"
#include "sim/steps.h"

/* ---- forms ---- */

/* [first, second] */
const char *config_text_stages(const struct config_writing *of)
{
    uint32_t bits;
    const char *text = "";
    memcpy(&bits, (const unsigned char *)of->fields + of->key->count, sizeof bits);
    for (size_t i = 0; i < of->config->stage_count; i++) {
        if ((bits >> i & 1u) != 0 && text != NULL) {
            text = config_arena_print(of->arena, "%s%s%s", text, text[0] == '\0' ? "" : ", ",
                                      of->config->stage[i].name);
        }
    }
    return text == NULL ? NULL : config_arena_print(of->arena, "[%s]", text);
}

enum status config_read_fractions(const struct config_reading *from)
{
    TRY(config_expect(from->node, CONFIG_LIST, from->reader->diagnostic));
    double *fraction =
        config_arena_take(from->reader->arena, (from->node->count + 1) * sizeof *fraction);
    config_set_items(from->key, from->fields, (struct config_items){fraction, from->node->count});
    for (const struct config_node *at = from->node->first; at != NULL; at = at->next) {
        TRY(config_real_read(at, UNITS_FRACTION, 0, 1, fraction++, from->reader->diagnostic));
    }
    return STATUS_OK;
}

static const char *fraction_text(struct config_arena *arena, const void *items, size_t i,
                                 const void *about)
{
    (void)about;
    return config_arena_print(arena, "%s",
                              units_write_real(UNITS_FRACTION, ((const double *)items)[i]).text);
}

const char *config_text_fractions(const struct config_writing *of)
{
    return config_items_text(of->arena, config_items_of(of->key, of->fields), fraction_text, NULL);
}

/* ---- of all stages together ---- */

/* Refuses the key `part` of stage i. */
#define refuse(config, i, part, to, ...) /* NOLINT(readability-identifier-naming) */               \
    config_refuse(config, config_item_key("stages", i, part).text, NULL, to, __VA_ARGS__)

/* The number of the stage of that name among the first `count`; `count` if there is none. */
static size_t stage_named(const struct config_stage *stage, size_t count, const char *name)
{
    size_t i = 0;
    while (i < count && strcmp(stage[i].name, name) != 0) {
        i++;
    }
    return i;
}

/* Turns a list of names of the first `count` stages into bits. */
static enum status read_names(const struct config_reader *reader, const struct config_node *node,
                              size_t count, uint32_t *bits)
{
    struct config_items names;
    *bits = 0;
    if (node == NULL) {
        return STATUS_OK;
    }
    TRY(config_read_texts(reader, node, true, &names));
    for (size_t i = 0; i < names.count; i++) {
        const char *name = ((const char *const *)names.item)[i];
        const size_t stage = stage_named(reader->config->stage, count, name);
        if (stage == count) {
            return config_refuse_value(reader->diagnostic, node,
                                       "%s is not a stage before\vthe names of earlier stages",
                                       config_show_text(name).text);
        }
        *bits |= UINT32_C(1) << stage;
    }
    return STATUS_OK;
}

static enum status check_filter(const struct config_reader *reader, size_t i)
{
    const struct sim_config *config = reader->config;
    const struct config_stage *stage = &config->stage[i];
    const bool many = (stage->of_bits & (stage->of_bits - 1)) != 0;
    struct diagnostic *to = reader->diagnostic;
    if (stage->filter == CONFIG_FILTER_NONE) {
        return stage->of_bits == 0 && stage->keep == 0
                   ? STATUS_OK
                   : refuse(config, i, ".filter", to,
                            "no effect without a kind\vkind: errors or kind: disagreement");
    }
    if (stage->of_bits == 0) {
        return refuse(config, i, ".filter", to,
                      "of is missing\vof: the earlier stages that look at the stream");
    }
    if (stage->filter == CONFIG_FILTER_DISAGREEMENT && !many) {
        return refuse(config, i, ".filter.of", to,
                      "one alone does not disagree\vtwo stages at least, [first, second]");
    }
    if (stage->keep == 0 || (stage->filter == CONFIG_FILTER_ERRORS && stage->keep % 2 != 0)) {
        return refuse(config, i, ".filter", to,
                      "keep is missing, or half of it no whole number\v"
                      "keep: the images to train with; for errors an even number");
    }
    return STATUS_OK;
}

static enum status check_stage(const struct config_reader *reader, size_t i,
                               struct config_stage *stage)
{
    const struct sim_config *config = reader->config;
    struct diagnostic *to = reader->diagnostic;
    if (stage_named(config->stage, i, stage->name) < i) {
        return refuse(config, i, ".name", to, "two stages of one name\vnames must differ");
    }
    if (stage->scale + stage->squeeze >= 1) {
        return refuse(config, i, ".stream.squeeze", to,
                      "an image would shrink to nothing\vscale and squeeze below 1 together");
    }
    stage->network = stage->network[0] == '\0' ? config->network_name : stage->network;
    stage->epochs = stage->epochs == 0 ? config->train_epochs : stage->epochs;
    stage->images = stage->images == 0 ? config->data_train_images : stage->images;
    stage->learning_rate =
        stage->learning_rate > 0 ? stage->learning_rate : config->train_learning_rate;
    const size_t from = stage_named(config->stage, i, stage->from);
    if (stage->from[0] != '\0' && from == i) {
        return refuse(config, i, ".from", to, "there is no such stage before\vits name");
    }
    if (stage->from[0] != '\0' && strcmp(config->stage[from].network, stage->network) != 0) {
        return refuse(config, i, ".from", to,
                      "that stage trains another network, %s\vbegin with a stage of network %s",
                      config->stage[from].network, stage->network);
    }
    TRY(read_names(reader, stage->of, i, &stage->of_bits));
    return check_filter(reader, i);
}

static enum status check_run(const struct sim_config *config, const char *key,
                             struct diagnostic *diagnostic)
{
    if (config->has_app || config->mode != CONFIG_MODE_TRAIN) {
        return config_refuse(config, key, "mode: train", diagnostic,
                             "no effect without a training");
    }
    if (config->network_number_format != CONFIG_NUMBER_FORMAT_INT16) {
        return config_refuse(config, "network.number_format", "int16", diagnostic,
                             "stages are trained in int16 only");
    }
    return STATUS_OK;
}

enum status config_finish_stages(const struct config_reader *reader)
{
    struct sim_config *config = reader->config;
    struct diagnostic *to = reader->diagnostic;
    if (config->fragment || config->stage_count == 0) {
        return STATUS_OK;
    }
    TRY(check_run(config, "stages", to));
    for (size_t i = 0; i < config->stage_count; i++) {
        TRY(check_stage(reader, i, &config->stage[i]));
    }
    TRY(read_names(reader, config->vote.of, config->stage_count, &config->vote.of_bits));
    if (config->vote.of_bits == 0) {
        config->vote.of_bits = UINT32_C(1) << (config->stage_count - 1);
    }
    return STATUS_OK;
}
