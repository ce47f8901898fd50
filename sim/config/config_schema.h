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
    /* numbers, in the order of enum units_kind; the fields are uint64_t, from FRACTION on double */
    KIND_COUNT,
    KIND_CYCLES,
    KIND_FREQUENCY,
    KIND_TIME,
    KIND_RATE,
    KIND_SIZE,
    KIND_SHARE,
    KIND_FRACTION,
    KIND_ENERGY,
    KIND_POWER,
    KIND_FLAG,   /* true or false */
    KIND_NAME,   /* [a-z0-9_-]+ */
    KIND_TEXT,   /* any text: a path */
    KIND_CHOICE, /* one of a list */
    KIND_SET,    /* any of a list: a bit for each, uint64_t */
    KIND_VALUES, /* how many kinds there are of a single value */
    /* with a form of their own, each in the file of its group */
    KIND_LINE = KIND_VALUES, /* a text without control characters */
    KIND_AMOUNT,             /* an energy or a power: see config_energy.c */
    KIND_PER,
    KIND_FREE,
    KIND_CHIPS,
    KIND_CORES,
    KIND_FAULTS,
    KIND_STAGES,
    KIND_FRACTIONS,
    KIND_AXES,
    /* structure */
    KIND_NODE, /* the field takes the value's node itself, NULL when the key is absent */
    KIND_MAP,  /* a map with rows of its own, for a struct that begins at the field */
    KIND_LIST, /* a list of such maps: the field points to an array */
    KIND_EACH, /* the same of all keys of a map that have no row, sorted; structs begin with the
                  key as their name */
    KINDS
};

enum config_use {
    USE_ANY,
    USE_NETWORK,  /* not with `app` */
    USE_FILES,    /* a network with data.set: files */
    USE_ETHERNET, /* a network with data.input: ethernet */
    USE_TRAINING, /* a network with mode: train */
    USE_MOMENTUM, /* a training with optimizer: momentum */
    USE_DESCENT,  /* a training with optimizer: momentum or sgd, not adam */
    USE_STEPS,    /* a training with decay: step */
    USE_INTEGERS, /* a training in integers */
    USE_LIBRARY,  /* a network with backend: library */
    USE_GROUPED,  /* a network with mapping.kind: replica_per_chip */
    USE_PLACED,   /* a network without mapping.kind: auto */
    USE_RINGS,    /* `app` with `exchange` */
    USE_GRAPHS,   /* `app` with `dataflow` */
    USE_TIMELINE, /* record.timeline.what names something */
    USE_TRACE,    /* record.trace.core names one */
    USE_SWEEP,    /* a configuration with `sweep` */
    USE_SAMPLED,  /* a training in integers with run.sample.updates */
    USE_STAGES,   /* a configuration with `stages` */
    USE_SIZED,    /* a board.shape without a fixed size */
    USE_SPREAD,   /* a link.spread that is not 0 */
    USE_OPEN_ROWS /* an sdram.policy other than closed */
};

struct config_group;

struct config_key {
    const char *name; /* dotted below the map of the table: "run.sample.updates"; EACH: ends in * */
    enum config_kind kind;
    enum config_use use;
    enum config_need { NEED_ANY, NEED_REQUIRED, NEED_QUIET /* dumps omit its default */ } need;
    struct {
        uint64_t standard, minimum, maximum;
    } whole; /* in base units; for NAME and TEXT the bounds of the length */
    struct {
        double standard, minimum, maximum;
    } real;                     /* FRACTION, POWER; a default that is infinite: none */
    const char *text;           /* the default of NAME, TEXT, CHOICE */
    const char *const *choices; /* CHOICE, SET: texts in the order of the enum; NULL ends them */
    const void *about;          /* FAULTS: which */
    const struct config_group *group; /* MAP, LIST, EACH */
    const char *help;                 /* NULL: none */
    const char *source; /* of a hardware parameter; NULL: a key of the simulator itself */
    size_t offset;      /* of the field in the table's struct */
    size_t bytes;       /* of the field */
    size_t count;       /* of lists: offset of the number of items; STAGES: of their bits */
};

struct config_reader;
struct config_node;

/* What the maps of a MAP, LIST or EACH hold. */
struct config_group {
    const struct config_key *rows; /* a row without a name ends them */
    size_t bytes;                  /* of an item; 0: the keys are in the struct around */
    size_t most;                   /* items of a list, one at least; 0: any number */
    const char *noun; /* not NULL: "a coefficient", which may be spread over documents */
    /* Before an item's keys are read, and after them; NULL: nothing to do. */
    enum status (*begin)(const struct config_reader *reader, const struct config_node *node,
                         void *item);
    enum status (*finish)(const struct config_reader *reader, const struct config_node *node,
                          void *item);
};

/* The keys of a single value, in the order in which they are dumped. */
const struct config_key *config_keys(size_t *count);

/* These, and behind them the rows of all lists and groups; a row without a name ends them. */
const struct config_key *config_rows(void);

/* The row of a key in a group; of a name in a map that rows begin with ("run.sample."; "": none).
 * NULL: there is none. */
const struct config_key *config_key_find(const char *group, const char *name);
const struct config_key *config_row_find(const struct config_key *rows, const char *map,
                                         const char *name);

/* Puts the defaults into the fields of rows. */
void config_set_defaults(void *fields, const struct config_key *rows);

/* Access to a field by its row.  _whole: whole numbers, flags and choices (as the enum's value);
 * _real: doubles; _text: texts. */
uint64_t config_field_whole(const void *fields, const struct config_key *key);
double config_field_real(const void *fields, const struct config_key *key);
const char *config_field_text(const void *fields, const struct config_key *key);
void config_set_whole(void *fields, const struct config_key *key, uint64_t value);
void config_set_real(void *fields, const struct config_key *key, double value);
void config_set_text(void *fields, const struct config_key *key, const char *value);

/* Whether the key has an effect in this configuration; always true in a fragment. */
bool config_key_applies(const struct sim_config *config, const struct config_key *key);

/* What is missing for the key to have an effect, as message text; NULL: nothing. */
const char *config_key_lacks(const struct sim_config *config, const struct config_key *key);

/* The unit kind of a number. */
enum units_kind config_units(enum config_kind kind);

C_LINKAGE_END
