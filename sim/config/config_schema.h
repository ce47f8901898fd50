/* config_schema.h - the rows of config_schema.def, parameters.def and timing.def as one table. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/config/config.h"
#include "sim/config/units_text.h"
C_LINKAGE_BEGIN

/* The texts of each list of config_schema.def in the order of its enum; NULL ends them. */
#define CHOICES_BEGIN(list) extern const char *const config_##list##_choices[];
#define CHOICE(LIST, NAME, text)
#define CHOICES_END(list)
#include "sim/config/config_schema.def"

enum config_kind {
    KIND_COUNT,
    KIND_CYCLES,
    KIND_FREQUENCY,
    KIND_TIME,
    KIND_RATE,
    KIND_SIZE,
    KIND_FRACTION,
    KIND_FLAG,   /* true or false */
    KIND_NAME,   /* [a-z0-9_-]+ */
    KIND_TEXT,   /* any text: a path */
    KIND_CHOICE, /* one of a list */
};

enum config_use {
    USE_ANY,
    USE_NETWORK,  /* not with `app` */
    USE_ETHERNET, /* a network with data.input: ethernet */
    USE_TRAINING, /* a network with mode: train */
    USE_MOMENTUM, /* a training with optimizer: momentum */
    USE_DESCENT,  /* a training with optimizer: momentum or sgd, not adam */
    USE_STEPS,    /* a training with decay: step */
    USE_INTEGERS, /* a training in integers */
    USE_GROUPED,  /* a network with mapping.kind: replica_per_chip */
    USE_PLACED,   /* a network without mapping.kind: auto */
    USE_RINGS,    /* `app` with `exchange` */
    USE_SWEEP,    /* a configuration with `sweep` */
    USE_SAMPLED,  /* a training in integers with run.sample.updates */
    USE_SIZED     /* a board.shape without a fixed size */
};

struct config_key {
    const char *group;  /* "" at the top level */
    const char *name;   /* "map.key": a key of a map in the group */
    const char *dotted; /* group.name: see config_key_path() */
    enum config_kind kind;
    enum config_use use;
    struct {
        uint64_t standard, minimum, maximum;
    } whole; /* in base units; for NAME and TEXT the bounds of the length */
    struct {
        double standard, minimum, maximum;
    } real;                     /* FRACTION */
    const char *text;           /* the default of NAME, TEXT, CHOICE */
    const char *const *choices; /* CHOICE: texts in the order of the enum; NULL ends them */
    const char *help;
    const char *source; /* of a hardware parameter; NULL: a key of the simulator itself */
    size_t offset;      /* of the field in struct sim_config */
    size_t bytes;       /* of the field */
    /* The rest is for tables of other files (config_table.h), which fill another struct. */
    bool required;
    bool raw; /* the field takes the value's node itself, NULL when the key is absent */
    const struct config_key *group_keys; /* not NULL: a map with these keys, in the same struct */
};

/* The keys in the order in which they are dumped; keys of a group stand together. */
const struct config_key *config_keys(size_t *count);

/* "group.name", or "name" at the top level. */
const char *config_key_path(const struct config_key *key);

/* The key of that group and name; NULL if there is none. */
const struct config_key *config_key_find(const char *group, const char *name);

/* The same of a key in a map of the group. */
const struct config_key *config_key_find_in(const char *group, const char *map, const char *name);

/* Whether any key is in that group, and in that map of a group. */
bool config_group_exists(const char *group);
bool config_map_exists(const char *group, const char *map);

/* The name under which a key stands in a group, or in a map of it ("": in none): for keys that
 * stand in a map of the group, the map's name and the key's with a dot between.  NULL: it does not
 * stand there. */
const char *config_key_name_in(const struct config_key *key, const char *group, const char *map);

/* Puts the defaults into the fields of the table's keys. */
void config_set_defaults(struct sim_config *config);
void config_set_default(void *fields, const struct config_key *key);

/* Access to a field by its row.  _whole: whole numbers, flags and choices (as the enum's value);
 * _real: doubles; _text: texts. */
uint64_t config_field_whole(const void *fields, const struct config_key *key);
double config_field_real(const void *fields, const struct config_key *key);
const char *config_field_text(const void *fields, const struct config_key *key);
void config_set_whole(void *fields, const struct config_key *key, uint64_t value);
void config_set_real(void *fields, const struct config_key *key, double value);
void config_set_text(void *fields, const struct config_key *key, const char *value);

/* When the key has an effect.  Rows of parameters.def have no such column; it is derived here. */
enum config_use config_key_use(const struct config_key *key);

/* Whether the key has an effect in this configuration; always true in a fragment. */
bool config_key_applies(const struct sim_config *config, const struct config_key *key);

/* What is missing for a key of that use to have an effect, as message text; NULL: nothing. */
const char *config_use_lacks(const struct sim_config *config, enum config_use use);

/* What `accept` may bound. */
struct config_metric_row {
    const char *name;
    double minimum, maximum;
    enum config_use use;
    const char *help;
};
const struct config_metric_row *config_metric_row(enum config_metric metric);

/* The unit kind of a whole number or a FRACTION. */
enum units_kind config_units(enum config_kind kind);

C_LINKAGE_END
