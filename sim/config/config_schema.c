/* config_schema.c - see config_schema.h. */
#include "sim/config/config_schema.h"

#include "models/common/units.h"
#include "sim/config/config_read.h"

#include <math.h>

/* ---- choices ---- */

#define CHOICES_BEGIN(list)      const char *const config_##list##_choices[] = {
#define CHOICE(LIST, NAME, text) text,
#define CHOICES_END(list)                                                                          \
    NULL                                                                                           \
    }                                                                                              \
    ;                                                                                              \
    const char *config_##list##_text(enum config_##list value)                                     \
    {                                                                                              \
        return config_##list##_choices[value];                                                     \
    }
#include "sim/config/config_schema.def"

static const char *const config_energy_kind_choices[] = {"measured", "datasheet", "derived",
                                                         "assumed", NULL};

/* ---- rows ---- */

/* Initialisers for the columns default, minimum and maximum, by kind. */
#define WHOLE(standard, minimum, maximum)              .whole = {standard, minimum, maximum}
#define REAL(standard, minimum, maximum)               .real = {standard, minimum, maximum}
#define LENGTH(standard, minimum, maximum)             WHOLE(0, minimum, maximum), .text = (standard)
#define COUNTED(type, counter)                         .count = offsetof(struct type, counter)
#define COLUMNS_COUNT(type, standard, least, most)     WHOLE(standard, least, most)
#define COLUMNS_CYCLES(type, standard, least, most)    WHOLE(standard, least, most)
#define COLUMNS_FREQUENCY(type, standard, least, most) WHOLE(standard, least, most)
#define COLUMNS_TIME(type, standard, least, most)      WHOLE(standard, least, most)
#define COLUMNS_RATE(type, standard, least, most)      WHOLE(standard, least, most)
#define COLUMNS_SIZE(type, standard, least, most)      WHOLE(standard, least, most)
#define COLUMNS_SHARE(type, standard, least, most)     WHOLE(standard, least, most)
#define COLUMNS_FLAG(type, standard, least, most)      WHOLE(standard, least, most)
#define COLUMNS_FRACTION(type, standard, least, most)  REAL(standard, least, most)
#define COLUMNS_POWER(type, standard, least, most)     REAL(standard, least, most)
#define COLUMNS_NAME(type, standard, least, most)      LENGTH(standard, least, most)
#define COLUMNS_TEXT(type, standard, least, most)      LENGTH(standard, least, most)
#define COLUMNS_LINE(type, standard, least, most)      .text = (standard)
#define COLUMNS_CHOICE(type, standard, list, LIST)                                                 \
    .text = (standard), .choices = config_##list##_choices
#define COLUMNS_SET(type, standard, list, LIST)                                                    \
    WHOLE(standard, 0, 0), .choices = config_##list##_choices
#define COLUMNS_AMOUNT(type, standard, least, most)    WHOLE(standard, least, most)
#define COLUMNS_CHIPS(type, standard, least, most)     WHOLE(standard, least, most)
#define COLUMNS_CORES(type, standard, least, most)     WHOLE(standard, least, most)
#define COLUMNS_PER(type, standard, least, counter)    COUNTED(type, counter)
#define COLUMNS_FREE(type, standard, least, counter)   COUNTED(type, counter)
#define COLUMNS_STAGES(type, standard, least, counter) COUNTED(type, counter)
#define COLUMNS_FRACTIONS(type, none, least, counter)  COUNTED(type, counter)
#define COLUMNS_AXES(type, standard, least, counter)   COUNTED(type, counter)
#define COLUMNS_FAULTS(type, standard, which, counter) .about = &(which), COUNTED(type, counter)
#define COLUMNS_MAP(type, standard, group_, most)      .group = &(group_)
#define COLUMNS_LIST(type, standard, group_, counter)  .group = &(group_), COUNTED(type, counter)
#define COLUMNS_EACH(type, standard, group_, counter)  .group = &(group_), COUNTED(type, counter)

#define ROW(type, name_, field, kind_, standard, least, most, use_, need_, help_, source_)         \
    {.name = (name_),                                                                              \
     .kind = KIND_##kind_,                                                                         \
     .use = USE_##use_,                                                                            \
     .need = NEED_##need_,                                                                         \
     .help = (help_),                                                                              \
     .source = (source_),                                                                          \
     COLUMNS_##kind_(type, standard, least, most),                                                 \
     .offset = offsetof(struct type, field),                                                       \
     .bytes = sizeof((struct type *)0)->field},

/* group.key, or key alone. */
#define PATH(group, key) (&#group "." #key[sizeof #group == 1 ? 1 : 0])

/* The groups of a table of their own. */
#define GROUP_BEGIN(NAME) static const struct config_key NAME##_ROWS[] = {
#define ITEM(type, key, field, KIND, standard, least, most, need, help)                            \
    ROW(type, #key, field, KIND, standard, least, most, ANY, need, help, NULL)
#define GROUP_END(NAME, type, most, noun, begin, finish)                                           \
    {                                                                                              \
        .name = NULL                                                                               \
    }                                                                                              \
    }                                                                                              \
    ;                                                                                              \
    static const struct config_group NAME = {NAME##_ROWS, sizeof(struct type), most, noun, begin,  \
                                             finish};
#include "sim/config/config_schema.def"

#define METRIC(name_, NAME, least, most, use, help)                                                \
    static const struct config_key NAME##_ROWS[] = {                                               \
        ROW(config_accept, "min", min, FRACTION, -INFINITY, least, most, ANY, ANY, help, NULL)     \
            ROW(config_accept, "max", max, FRACTION, INFINITY, least, most, ANY, ANY, help,        \
                NULL){.name = NULL}};                                                              \
    static const struct config_group NAME = {NAME##_ROWS, sizeof(struct config_accept), 0, NULL,   \
                                             NULL,        config_finish_bounds};
#include "sim/config/config_schema.def"

static const struct config_key KEY_TABLE[] = {
#define KEY(group, key, field, kind, standard, least, most, use, help)                             \
    ROW(sim_config, PATH(group, key), field, kind, standard, least, most, use, ANY, help, NULL)
#include "sim/config/config_schema.def"
#define PARAMETER(group, key, field, kind, standard, least, most, help, source)                    \
    ROW(sim_config, PATH(group, key), machine.field, kind, standard, least, most, ANY, ANY, help,  \
        source)
#define CHOICE_PARAMETER(group, key, field, list, LIST, standard, help, source)                    \
    ROW(sim_config, PATH(group, key), machine.field, CHOICE, standard, list, LIST, ANY, ANY, help, \
        source)
#include "models/machine/parameters.def"
#undef PARAMETER
#define TIMING(row, standard, least, most, help, source)                                           \
    ROW(sim_config, PATH(timing, row), timing.row, COUNT, standard, least, most, ANY, ANY, help,   \
        source)
#define CLASS(...)
#include "models/arm968/isa/timing.def"
#undef TIMING
#undef CLASS
#define PART(group, key, field, kind, standard, least, most, use, need, help)                      \
    ROW(sim_config, PATH(group, key), field, kind, standard, least, most, use, need, help, NULL)
#define METRIC(name_, NAME, least, most, use, help)                                                \
    ROW(sim_config, "accept." #name_, accept[CONFIG_METRIC_##NAME], MAP, 0, NAME, 0, use, ANY,     \
        help, NULL)
#include "sim/config/config_schema.def"
    {.name = NULL}};

const struct config_key *config_rows(void)
{
    return KEY_TABLE;
}

const struct config_key *config_keys(size_t *count)
{
    for (*count = 0; KEY_TABLE[*count].kind < KIND_VALUES; (*count)++) {
    }
    return KEY_TABLE;
}

const struct config_key *config_key_find(const char *group, const char *name)
{
    char map[CONFIG_NAME_CHARS + 2];
    (void)snprintf(map, sizeof map, "%s.", group);
    return config_row_find(KEY_TABLE, map, name);
}

/* ---- what has an effect ---- */

bool config_has_exchange(const struct sim_config *config)
{
    return config->has_app && config_node_given(config->tree, "exchange") != NULL;
}

bool config_has_dataflow(const struct sim_config *config)
{
    return config->has_app && config_node_given(config->tree, "dataflow") != NULL;
}

/* Whether an optimizer is gradient descent, and whether it has a velocity. */
static const struct {
    bool descends, has_velocity;
} OPTIMIZER_USE[] = {
#define DESCENT(NAME, name, WORDS)   {true, (WORDS) > 0},
#define OPTIMIZER(NAME, name, WORDS) {false, false},
#include "workloads/nn/optimizers.def"
};

static const char *lacks_of(const struct sim_config *config, enum config_use use)
{
    const bool any = true;
    const struct {
        bool network, training; /* that it belongs to */
        bool holds;             /* and what else must */
        const char *lacks;
    } rows[] = {
        [USE_ANY] = {false, false, any, ""},
        [USE_NETWORK] = {true, false, any, ""},
        [USE_FILES] = {true, false, config->data_set == CONFIG_DATA_SET_FILES,
                       "no effect without data.set: files"},
        [USE_ETHERNET] = {true, false, config->data_input == CONFIG_DATA_INPUT_ETHERNET,
                          "no effect without data.input: ethernet"},
        [USE_TRAINING] = {true, true, any, ""},
        [USE_MOMENTUM] = {true, true, OPTIMIZER_USE[config->train_optimizer].has_velocity,
                          "no effect without train.optimizer: momentum"},
        [USE_DESCENT] = {true, true, OPTIMIZER_USE[config->train_optimizer].descends,
                         "no effect with this train.optimizer: gradient descent has it"},
        [USE_STEPS] = {true, true, config->train_decay == CONFIG_DECAY_STEP,
                       "no effect without train.decay: step"},
        [USE_INTEGERS] = {true, true, config->network_number_format != CONFIG_NUMBER_FORMAT_FLOAT64,
                          "no effect with network.number_format: float64"},
        [USE_LIBRARY] = {true, false, config->backend == CONFIG_BACKEND_LIBRARY,
                         "no effect without backend: library"},
        [USE_GROUPED] = {true, false, config->mapping_kind == CONFIG_MAPPING_KIND_REPLICA_PER_CHIP,
                         "no effect without mapping.kind: replica_per_chip"},
        [USE_PLACED] = {true, false, config->mapping_kind != CONFIG_MAPPING_KIND_AUTO,
                        "no effect with mapping.kind: auto, which chooses it"},
        [USE_RINGS] = {false, false, config_has_exchange(config),
                       "no effect without app: it belongs to programs"},
        [USE_GRAPHS] = {false, false, config_has_dataflow(config),
                        "no effect without app: it belongs to a program"},
        [USE_TIMELINE] = {false, false, config->record_timeline_what != 0,
                          "no effect without record.timeline.what"},
        [USE_TRACE] = {false, false, config->record_trace_core[0] != '\0',
                       "no effect without record.trace.core"},
        [USE_SWEEP] = {false, false, config->axis_count > 0, "no effect without sweep"},
        [USE_SAMPLED] = {true, true, config->run_sample_updates > 0,
                         "no effect without run.sample.updates"},
        [USE_STAGES] = {false, false, config->stage_count > 0, "no effect without stages"},
        [USE_SIZED] = {false, false,
                       config->board_shape != CONFIG_BOARD_SHAPE_SPIN3 &&
                           config->board_shape != CONFIG_BOARD_SHAPE_SPIN5,
                       "no effect: the board's shape says its size"},
        [USE_SPREAD] = {false, false, config->machine.link_spread_ppm > 0,
                        "no effect without link.spread"},
        [USE_OPEN_ROWS] = {false, false, config->machine.sdram_policy != CONFIG_SDRAM_POLICY_CLOSED,
                           "no effect with sdram.policy: closed, which keeps no row open"},
    };
    if (rows[use].network && config->has_app) {
        return "no effect beside app: it belongs to networks";
    }
    if (rows[use].training && config->mode != CONFIG_MODE_TRAIN) {
        return "no effect with mode: infer";
    }
    return rows[use].holds ? NULL : rows[use].lacks;
}

/* The hardware parameters that do not always have an effect. */
static const struct {
    const char *name;
    enum config_use use;
} PARAMETER_USE[] = {{"board.width", USE_SIZED},          {"board.height", USE_SIZED},
                     {"link.seed", USE_SPREAD},           {"sdram.banks", USE_OPEN_ROWS},
                     {"sdram.row_active", USE_OPEN_ROWS}, {"sdram.row_cycle", USE_OPEN_ROWS},
                     {"sdram.row_to_row", USE_OPEN_ROWS}, {"sdram.write_recovery", USE_OPEN_ROWS}};

static enum config_use use_of(const struct config_key *key)
{
    for (size_t i = 0; key->source != NULL && i < sizeof PARAMETER_USE / sizeof *PARAMETER_USE;
         i++) {
        if (strcmp(key->name, PARAMETER_USE[i].name) == 0) {
            return PARAMETER_USE[i].use;
        }
    }
    return key->use;
}

const char *config_key_lacks(const struct sim_config *config, const struct config_key *key)
{
    return lacks_of(config, use_of(key));
}

bool config_key_applies(const struct sim_config *config, const struct config_key *key)
{
    return config->fragment || config_key_lacks(config, key) == NULL;
}

const char *config_metric_text(enum config_metric metric)
{
    static const char *const NAMES[] = {
#define METRIC(name, NAME, least, most, use, help) #name,
#include "sim/config/config_schema.def"
    };
    return NAMES[metric];
}
