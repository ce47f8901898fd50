/* config_stages.c - the list `stages`: networks trained one after the other, each on a stream of
 * images; and `vote`, what they say together. */
#include "sim/config/config_read.h"
#include "sim/config/config_table.h"
#include "sim/config/config_value.h"
#include "sim/steps.h"

#include <stdarg.h>

/* ---- keys ---- */

#define STAGE(member) CONFIG_FIELD(struct config_stage, member)

enum {
    NAME_CHARS = 64,
    MOST_SEED = UINT32_MAX,
    MOST_IMAGES = 10000000,
    MOST_EPOCHS = 1000,
    MOST_SHIFT = 8
};

static const struct config_key STREAM_KEYS[] = {
    {.name = "images",
     .kind = KIND_COUNT,
     .whole = {0, 0, MOST_IMAGES},
     .help = "of the stream at most: the training images again and again; 0: data.train_images",
     STAGE(images)},
    {.name = "seed",
     .kind = KIND_COUNT,
     .whole = {1, 0, MOST_SEED},
     .help = "of the deformations",
     STAGE(stream_seed)},
    {.name = "part",
     .kind = KIND_COUNT,
     .whole = {1000, 1, MOST_IMAGES},
     .help = "images that are made and looked at at a time: on the machine one job each",
     STAGE(part)},
    {.name = "shift",
     .kind = KIND_FRACTION,
     .real = {0, 0, MOST_SHIFT},
     .help = "pixels by which an image moves at most, in each direction",
     STAGE(shift)},
    {.name = "scale",
     .kind = KIND_FRACTION,
     .real = {0, 0, 1},
     .help = "share by which it grows or shrinks at most",
     STAGE(scale)},
    {.name = "squeeze",
     .kind = KIND_FRACTION,
     .real = {0, 0, 1},
     .help = "share by which its width grows and its height shrinks at most, or the other way",
     STAGE(squeeze)},
    {.name = "shear",
     .kind = KIND_FRACTION,
     .real = {0, 0, 1},
     .help = "pixels by which a row moves sideways at most, for each from the centre",
     STAGE(shear)},
    {.name = NULL}};

static const struct config_key FILTER_KEYS[] = {
    {.name = "kind",
     .kind = KIND_CHOICE,
     .text = "none",
     .choices = config_filter_choices,
     .help = "which images of the stream are kept: all; half of them errors of the stages in `of`; "
             "those that these do not agree on",
     STAGE(filter)},
    {.name = "of", .raw = true, .help = "earlier stages, [first, second]", STAGE(of)},
    {.name = "keep",
     .kind = KIND_COUNT,
     .whole = {0, 0, MOST_IMAGES},
     .help = "images to keep; the stream ends when there are as many",
     STAGE(keep)},
    {.name = NULL}};

static const struct config_key STAGE_KEYS[] = {
    {.name = "name",
     .kind = KIND_NAME,
     .text = "",
     .whole = {0, 1, NAME_CHARS},
     .required = true,
     .help = "of the stage",
     STAGE(name)},
    {.name = "network",
     .kind = KIND_NAME,
     .text = "",
     .whole = {0, 0, NAME_CHARS},
     .help = "networks/NAME.yaml; empty: network.name",
     STAGE(network)},
    {.name = "from",
     .kind = KIND_NAME,
     .text = "",
     .whole = {0, 0, NAME_CHARS},
     .help = "an earlier stage, with whose weights this one begins; empty: drawn from the seed",
     STAGE(from)},
    {.name = "seed",
     .kind = KIND_COUNT,
     .whole = {0, 0, MOST_SEED},
     .required = true,
     .help = "of the initial weights and the order of images",
     STAGE(seed)},
    {.name = "epochs",
     .kind = KIND_COUNT,
     .whole = {0, 0, MOST_EPOCHS},
     .help = "passes over the images that were kept; 0: train.epochs",
     STAGE(epochs)},
    {.name = "learning_rate",
     .kind = KIND_FRACTION,
     .real = {0, 0, 1},
     .help = "0: train.learning_rate",
     STAGE(learning_rate)},
    {.name = "stream", .group_keys = STREAM_KEYS},
    {.name = "filter", .group_keys = FILTER_KEYS},
    {.name = NULL}};

const struct config_stage_part CONFIG_STAGE_PARTS[] = {
    {"", STAGE_KEYS}, {"stream.", STREAM_KEYS}, {"filter.", FILTER_KEYS}, {NULL, NULL}};

struct vote_nodes {
    const struct config_node *of, *confidence;
};

static const struct config_key VOTE_KEYS[] = {
    {.name = "of", .raw = true, CONFIG_FIELD(struct vote_nodes, of)},
    {.name = "confidence", .raw = true, CONFIG_FIELD(struct vote_nodes, confidence)},
    {.name = NULL}};

/* ---- reading ---- */

enum status config_read_stages(const struct config_reader *reader, const struct config_node *node)
{
    TRY(config_expect(node, CONFIG_LIST, reader->diagnostic));
    if (node->count == 0 || node->count > CONFIG_STAGES) {
        return config_refuse_value(reader->diagnostic, node,
                                   "%zu stages\v1 to %d; without stages, leave the key out",
                                   node->count, CONFIG_STAGES);
    }
    struct config_stage *stage = config_arena_take(reader->arena, node->count * sizeof *stage);
    reader->config->stage = stage;
    reader->config->stage_count = node->count;
    for (const struct config_node *at = node->first; at != NULL; at = at->next) {
        TRY(config_table_read(at, STAGE_KEYS, stage++, reader->arena, reader->diagnostic));
    }
    return STATUS_OK;
}

enum status config_read_vote(const struct config_reader *reader, const struct config_node *node)
{
    struct config_vote *vote = &reader->config->vote;
    struct vote_nodes nodes;
    TRY(config_table_read(node, VOTE_KEYS, &nodes, reader->arena, reader->diagnostic));
    vote->of = nodes.of;
    if (nodes.confidence == NULL) {
        return STATUS_OK;
    }
    TRY(config_expect(nodes.confidence, CONFIG_LIST, reader->diagnostic));
    double *confidence =
        config_arena_take(reader->arena, (nodes.confidence->count + 1) * sizeof *confidence);
    vote->confidence = confidence;
    vote->confidences = nodes.confidence->count;
    for (const struct config_node *at = nodes.confidence->first; at != NULL; at = at->next) {
        TRY(config_real_read(at, UNITS_FRACTION, 0, 1, confidence++, reader->diagnostic));
    }
    return STATUS_OK;
}

/* ---- of all stages together ---- */

/* Refuses the key `part` of stage i. */
static enum status refuse(const struct sim_config *config, size_t i, const char *part,
                          struct diagnostic *diagnostic, const char *format, ...) PRINTF_LIKE(5, 6);
static enum status refuse(const struct sim_config *config, size_t i, const char *part,
                          struct diagnostic *diagnostic, const char *format, ...)
{
    char key[DIAGNOSTIC_KEY_CHARS];
    va_list arguments;
    va_start(arguments, format);
    (void)diagnose_list(diagnostic, STATUS_CONFIGURATION, format, arguments);
    va_end(arguments);
    (void)snprintf(key, sizeof key, "stages[%zu]%s", i, part);
    config_locate(config, key, diagnostic);
    return STATUS_CONFIGURATION;
}

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
    const char *const *names;
    size_t number;
    *bits = 0;
    if (node == NULL) {
        return STATUS_OK;
    }
    TRY(config_read_texts(reader, node, true, &names, &number));
    for (size_t i = 0; i < number; i++) {
        const size_t stage = stage_named(reader->config->stage, count, names[i]);
        if (stage == count) {
            return config_refuse_value(reader->diagnostic, node,
                                       "%s is not a stage before\vthe names of earlier stages",
                                       config_show_text(names[i]).text);
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
    if (config->fragment) {
        return STATUS_OK;
    }
    if (config->stage_count == 0) {
        return config_node_given(config->tree, "vote") == NULL
                   ? STATUS_OK
                   : config_refuse(config, "vote", "stages: the networks that vote", to,
                                   "no effect without stages");
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
