/* config_schema.c - see config_schema.h. */
#include "sim/config/config_schema.h"

#include "models/common/units.h"
#include "sim/config/config_tree.h"

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

/* ---- keys ---- */

/* Initialisers for the columns default, minimum and maximum, by kind. */
#define WHOLE(standard, minimum, maximum)             .whole = {standard, minimum, maximum}
#define COLUMNS_COUNT(standard, minimum, maximum)     WHOLE(standard, minimum, maximum)
#define COLUMNS_CYCLES(standard, minimum, maximum)    WHOLE(standard, minimum, maximum)
#define COLUMNS_FREQUENCY(standard, minimum, maximum) WHOLE(standard, minimum, maximum)
#define COLUMNS_TIME(standard, minimum, maximum)      WHOLE(standard, minimum, maximum)
#define COLUMNS_RATE(standard, minimum, maximum)      WHOLE(standard, minimum, maximum)
#define COLUMNS_SIZE(standard, minimum, maximum)      WHOLE(standard, minimum, maximum)
#define COLUMNS_FLAG(standard, minimum, maximum)      WHOLE(standard, minimum, maximum)
#define COLUMNS_FRACTION(standard, minimum, maximum)  .real = {standard, minimum, maximum}
#define COLUMNS_NAME(standard, minimum, maximum)      WHOLE(0, minimum, maximum), .text = (standard)
#define COLUMNS_TEXT(standard, minimum, maximum)      WHOLE(0, minimum, maximum), .text = (standard)
#define COLUMNS_CHOICE(standard, list, upper_list)                                                 \
    .text = (standard), .choices = config_##list##_choices

#define FIELD(member)                                                                              \
    .offset = offsetof(struct sim_config, member), .bytes = sizeof((struct sim_config *)0)->member

#define ROW(group_, key, field, kind_, default_value, minimum, maximum, use_, help_, source_)      \
    {.group = #group_,                                                                             \
     .name = #key,                                                                                 \
     .dotted = #group_ "." #key,                                                                   \
     .kind = KIND_##kind_,                                                                         \
     .use = USE_##use_,                                                                            \
     .help = (help_),                                                                              \
     .source = (source_),                                                                          \
     COLUMNS_##kind_(default_value, minimum, maximum),                                             \
     FIELD(field)},

static const struct config_key KEY_TABLE[] = {
#define KEY(group_, key, field, kind_, default_value, minimum, maximum, use_, help_)               \
    ROW(group_, key, field, kind_, default_value, minimum, maximum, use_, help_, NULL)
#include "sim/config/config_schema.def"
#define PARAMETER(group_, key, field, kind_, default_value, minimum, maximum, help_, source_)      \
    ROW(group_, key, machine.field, kind_, default_value, minimum, maximum, ANY, help_, source_)
#include "models/machine/parameters.def"
#undef PARAMETER
#define TIMING(row, default_value, minimum, maximum, help_, source_)                               \
    ROW(timing, row, timing.row, COUNT, default_value, minimum, maximum, ANY, help_, source_)
#define CLASS(...)
#include "models/arm968/isa/timing.def"
#undef TIMING
#undef CLASS
};

enum { KEY_COUNT = sizeof KEY_TABLE / sizeof KEY_TABLE[0] };

const struct config_key *config_keys(size_t *count)
{
    *count = KEY_COUNT;
    return KEY_TABLE;
}

const char *config_key_path(const struct config_key *key)
{
    return key->group[0] == '\0' ? key->name : key->dotted;
}

const struct config_key *config_key_find(const char *group, const char *name)
{
    return strchr(name, '.') == NULL ? config_key_find_in(group, "", name) : NULL;
}

const char *config_key_name_in(const struct config_key *key, const char *group, const char *map)
{
    const size_t length = strlen(map);
    if (strcmp(key->group, group) != 0) {
        return NULL;
    }
    if (length == 0) {
        return key->name;
    }
    return strncmp(key->name, map, length) == 0 && key->name[length] == '.' ? key->name + length + 1
                                                                            : NULL;
}

const struct config_key *config_key_find_in(const char *group, const char *map, const char *name)
{
    for (size_t i = 0; i < KEY_COUNT; i++) {
        if (KEY_TABLE[i].group[0] != group[0]) {
            continue; /* most keys: for speed */
        }
        const char *here = config_key_name_in(&KEY_TABLE[i], group, map);
        if (here != NULL && strcmp(here, name) == 0) {
            return &KEY_TABLE[i];
        }
    }
    return NULL;
}

bool config_map_exists(const char *group, const char *map)
{
    for (size_t i = 0; i < KEY_COUNT && map[0] != '\0'; i++) {
        if (config_key_name_in(&KEY_TABLE[i], group, map) != NULL) {
            return true;
        }
    }
    return false;
}

bool config_group_exists(const char *group)
{
    for (size_t i = 0; i < KEY_COUNT; i++) {
        if (strcmp(KEY_TABLE[i].group, group) == 0) {
            return true;
        }
    }
    return false;
}

/* ---- fields ---- */

_Static_assert(sizeof(enum config_mode) == sizeof(unsigned), "enums are read as unsigned");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "the low bytes of a whole number are its first, for fields of any size");

uint64_t config_field_whole(const void *fields, const struct config_key *key)
{
    uint64_t value = 0;
    memcpy(&value, (const unsigned char *)fields + key->offset, key->bytes);
    return value;
}

void config_set_whole(void *fields, const struct config_key *key, uint64_t value)
{
    memcpy((unsigned char *)fields + key->offset, &value, key->bytes);
}

double config_field_real(const void *fields, const struct config_key *key)
{
    double value;
    memcpy(&value, (const unsigned char *)fields + key->offset, sizeof value);
    return value;
}

void config_set_real(void *fields, const struct config_key *key, double value)
{
    memcpy((unsigned char *)fields + key->offset, &value, sizeof value);
}

const char *config_field_text(const void *fields, const struct config_key *key)
{
    if (key->kind == KIND_CHOICE) {
        return key->choices[config_field_whole(fields, key)];
    }
    const char *value;
    memcpy(&value, (const unsigned char *)fields + key->offset, sizeof value);
    return value;
}

void config_set_text(void *fields, const struct config_key *key, const char *value)
{
    memcpy((unsigned char *)fields + key->offset, &value, sizeof value);
}

void config_set_default(void *fields, const struct config_key *key)
{
    uint64_t choice = 0;
    switch (key->kind) {
    case KIND_FRACTION:
        config_set_real(fields, key, key->real.standard);
        break;
    case KIND_NAME:
    case KIND_TEXT:
        config_set_text(fields, key, key->text);
        break;
    case KIND_CHOICE:
        while (strcmp(key->choices[choice], key->text) != 0) {
            choice++;
        }
        config_set_whole(fields, key, choice);
        break;
    case KIND_COUNT:
    case KIND_CYCLES:
    case KIND_FREQUENCY:
    case KIND_TIME:
    case KIND_RATE:
    case KIND_SIZE:
    case KIND_FLAG:
    default:
        config_set_whole(fields, key, key->whole.standard);
        break;
    }
}

void config_set_defaults(struct sim_config *config)
{
    for (const struct config_key *key = KEY_TABLE; key < KEY_TABLE + KEY_COUNT; key++) {
        config_set_default(config, key);
    }
}

bool config_has_exchange(const struct sim_config *config)
{
    return config->has_app && config_node_given(config->tree, "exchange") != NULL;
}

/* Whether an optimizer is gradient descent, and whether it has a velocity. */
static const struct {
    bool descends, has_velocity;
} OPTIMIZER_USE[] = {
#define DESCENT(NAME, name, WORDS, NUMBER)   {true, (WORDS) > 0},
#define OPTIMIZER(NAME, name, WORDS, NUMBER) {false, false},
#include "workloads/nn/optimizers.def"
};

const char *config_use_lacks(const struct sim_config *config, enum config_use use)
{
    const bool any = true;
    const struct {
        bool network, training; /* that it belongs to */
        bool holds;             /* and what else must */
        const char *lacks;
    } rows[] = {
        [USE_ANY] = {false, false, any, ""},
        [USE_NETWORK] = {true, false, any, ""},
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
        [USE_GROUPED] = {true, false, config->mapping_kind == CONFIG_MAPPING_KIND_REPLICA_PER_CHIP,
                         "no effect without mapping.kind: replica_per_chip"},
        [USE_PLACED] = {true, false, config->mapping_kind != CONFIG_MAPPING_KIND_AUTO,
                        "no effect with mapping.kind: auto, which chooses it"},
        [USE_RINGS] = {false, false, config_has_exchange(config),
                       "no effect without app: it belongs to programs"},
        [USE_SWEEP] = {false, false, config->axis_count > 0, "no effect without sweep"},
        [USE_SAMPLED] = {true, true, config->run_sample_updates > 0,
                         "no effect without run.sample.updates"},
        [USE_SIZED] = {false, false,
                       config->board_shape != CONFIG_BOARD_SHAPE_SPIN3 &&
                           config->board_shape != CONFIG_BOARD_SHAPE_SPIN5,
                       "no effect: the board's shape says its size"},
    };
    if (rows[use].network && config->has_app) {
        return "no effect beside app: it belongs to networks";
    }
    if (rows[use].training && config->mode != CONFIG_MODE_TRAIN) {
        return "no effect with mode: infer";
    }
    return rows[use].holds ? NULL : rows[use].lacks;
}

enum config_use config_key_use(const struct config_key *key)
{
    const bool size_of_board = strcmp(key->group, "board") == 0 && key->source != NULL;
    return size_of_board ? USE_SIZED : key->use;
}

bool config_key_applies(const struct sim_config *config, const struct config_key *key)
{
    return config->fragment || config_use_lacks(config, config_key_use(key)) == NULL;
}

enum units_kind config_units(enum config_kind kind)
{
    static const enum units_kind UNITS[] = {
        [KIND_COUNT] = UNITS_COUNT,         [KIND_CYCLES] = UNITS_CYCLES,
        [KIND_FREQUENCY] = UNITS_FREQUENCY, [KIND_TIME] = UNITS_TIME,
        [KIND_RATE] = UNITS_RATE,           [KIND_SIZE] = UNITS_SIZE,
        [KIND_FRACTION] = UNITS_FRACTION,   [KIND_FLAG] = UNITS_COUNT,
        [KIND_NAME] = UNITS_COUNT,          [KIND_TEXT] = UNITS_COUNT,
        [KIND_CHOICE] = UNITS_COUNT};
    return UNITS[kind];
}

/* ---- metrics ---- */

static const struct config_metric_row METRIC_TABLE[] = {
#define METRIC(name, NAME, minimum, maximum, use, help) {#name, minimum, maximum, USE_##use, help},
#include "sim/config/config_schema.def"
};

const struct config_metric_row *config_metric_row(enum config_metric metric)
{
    return &METRIC_TABLE[metric];
}

const char *config_metric_text(enum config_metric metric)
{
    return METRIC_TABLE[metric].name;
}
