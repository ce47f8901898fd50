/* config.h - the configuration of a run: one YAML file, its includes and the `--set` overrides,
 * resolved into one plain struct that is constant after loading.
 *
 * Every key is a row of config_schema.def, models/machine/parameters.def or
 * models/arm968/isa/timing.def.  A value with a dimension carries its unit in YAML; the fields hold
 * base units: Hz, ps, bit/s, bytes, core clock cycles, pJ, W.
 *
 * Errors: STATUS_CONFIGURATION for user errors, with file, line, column, dotted key, text and hint
 * (only the first error is reported); STATUS_INTERNAL when out of memory.
 *
 * Ownership: struct sim_config owns all its texts and lists until config_deinit(). */
#pragma once
#include "models/common/c_linkage.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
C_LINKAGE_BEGIN
#include "models/arm968/arm968.h"
#include "models/common/status.h"
#include "models/energy/energy_table.h"
#include "models/machine/parameters.h"
#include "models/network/topology.h"

/* One enum for each list of config_schema.def, for example enum config_mode { CONFIG_MODE_INFER,
 * ... }, with a function such as config_mode_text() that returns a value's text in YAML and in
 * result files ("" for UNSET). */
#define CHOICES_BEGIN(list)                                                                        \
    enum config_##list                                                                             \
    {
#define CHOICE(LIST, NAME, text) CONFIG_##LIST##_##NAME,
#define CHOICES_END(list)                                                                          \
    }                                                                                              \
    ;                                                                                              \
    const char *config_##list##_text(enum config_##list value);
#include "sim/config/config_schema.def"

/* Where a value was written: lines and columns from 1 (a column counts bytes).  A default has file
 * "default", an override file "--set"; both have line 0. */
struct config_place {
    const char *file;
    int line;
    int column;
};

/* ---- accept: bounds on the run's results; a violated bound means exit status 5 ---- */

enum config_metric {
#define METRIC(name, NAME, minimum, maximum, use, help) CONFIG_METRIC_##NAME,
#include "sim/config/config_schema.def"
    CONFIG_METRICS
};

/* The name as in summary.json. */
const char *config_metric_text(enum config_metric metric);

struct config_accept {
    double min, max; /* in the unit that the metric's name says; infinite: not given */
};

/* Whether a side of a bound is given, or any. */
bool config_accepts(const struct config_accept *bound);

/* ---- app: programs that are not networks ---- */

struct config_app {
    const char *file; /* ELF or APLX, as written: see config_find_file() */
    bool all_chips;
    uint32_t x, y;   /* the chip, when not all */
    uint32_t cores;  /* bit mask of core numbers; cores that are down get no program */
    bool all_cores;  /* the entry names none: all but the monitors' */
    uint32_t app_id; /* 1 to 255 */
    struct config_place place;
};

/* ---- stages: networks trained one after the other, and what they say together ---- */

enum { CONFIG_STAGES = 16 };
struct config_node;

/* Texts and numbers that the file leaves out have the values of network, train and data. */
struct config_stage {
    const char *name, *network;
    const char *from; /* the stage with whose weights it begins; "": drawn from the seed */
    uint64_t seed, epochs;
    double learning_rate;
    uint64_t images, stream_seed;        /* the stream's most images; the deformations' seed */
    uint64_t part;                       /* of them made and looked at at a time */
    double shift, scale, squeeze, shear; /* largest deformations, see workloads/nn/deform.h */
    enum config_filter filter;
    const struct config_node *of;
    uint32_t of_bits; /* the stages that filter, a bit for each */
    uint64_t keep;
};

struct config_vote {
    const struct config_node *of;
    uint32_t of_bits;         /* the stages that vote, a bit for each: the last one, if not given */
    const double *confidence; /* of cascades */
    size_t confidences;
};

/* ---- sweep: the values that runs of one experiment try ---- */

/* One item of the list: keys that advance together. */
struct config_axis {
    size_t keys, values;
    const char *const *key;           /* dotted */
    const char *const *value;         /* value[v * keys + k], as YAML; ranges are written out */
    const struct config_place *place; /* of each key */
};

/* ---- the whole ---- */

#define CONFIG_FIELD_COUNT(field, list)     uint64_t field;
#define CONFIG_FIELD_CYCLES(field, list)    uint64_t field;
#define CONFIG_FIELD_FREQUENCY(field, list) uint64_t field;
#define CONFIG_FIELD_TIME(field, list)      uint64_t field;
#define CONFIG_FIELD_RATE(field, list)      uint64_t field;
#define CONFIG_FIELD_SIZE(field, list)      uint64_t field;
#define CONFIG_FIELD_SHARE(field, list)     uint64_t field;
#define CONFIG_FIELD_FLAG(field, list)      bool field;
#define CONFIG_FIELD_FRACTION(field, list)  double field;
#define CONFIG_FIELD_NAME(field, list)      const char *field;
#define CONFIG_FIELD_TEXT(field, list)      const char *field;
#define CONFIG_FIELD_CHOICE(field, list)    enum config_##list field;
#define CONFIG_FIELD_SET(field, list)       uint64_t field; /* a bit for each of enum config_<list> */

struct config_arena;

struct sim_config {
#define KEY(group, key, field, kind, default_value, minimum, maximum, use, help)                   \
    CONFIG_FIELD_##kind(field, minimum)
#include "sim/config/config_schema.def"
    struct machine_parameters machine;
    struct arm968_timing timing;
    struct topology_request topology;           /* the machine's shape and size, and faults */
    const struct topology_fault *deleted_route; /* entries of multicast tables, by key */
    size_t deleted_routes;
    struct config_accept accept[CONFIG_METRICS];
    bool has_app;                 /* the run executes programs instead of a network */
    const struct config_app *app; /* in the order of the file; empty: the machine stays idle */
    size_t app_count;
    struct config_stage *stage; /* in the order of the file */
    size_t stage_count;         /* 0: one training as usual */
    struct config_vote vote;
    struct energy_table energy;
    const struct config_axis *axis; /* of `sweep`, in the order of the file */
    size_t axis_count;              /* 0: one run */

    bool fragment;              /* as requested */
    const char *file;           /* the request's path */
    const char *configs_folder; /* the request's, or NULL */
    const char *const *sets;    /* the request's, in order */
    size_t set_count;
    const struct config_node *tree; /* the keys as written, for config_place_of() */
    struct config_arena *arena;
};

/* ---- loading ---- */

struct config_request {
    const char *path; /* the YAML file */
    bool program;     /* path names a program: core 1 of one chip runs it */
    const char *text; /* if not NULL: its content; path is then only its name, or NULL */
    size_t text_bytes;
    const char *configs_folder; /* second place to look for includes and files; NULL: none */
    const char *const *sets;    /* "key=value": applied last, in order; the value is YAML */
    size_t set_count;
    bool fragment; /* a file meant for inclusion: no key is required, unused keys are allowed */
    /* If not NULL: a configuration that was loaded by the same request with the first of its sets.
     * Its file and includes are not read again; it must outlive the new one. */
    const struct sim_config *base;
};

/* On failure the config is empty (config_deinit() is harmless). */
enum status config_load(const struct config_request *request, struct sim_config *config,
                        struct diagnostic *diagnostic);
void config_deinit(struct sim_config *config);

/* Applies overrides of energy.* to a loaded config; on failure the config is unchanged. */
enum status config_set_energy(struct sim_config *config, const char *const *sets, size_t set_count,
                              struct diagnostic *diagnostic);

/* ---- asking ---- */

/* The place where a key (dotted; app[0].file in a list) got its value. */
struct config_place config_place_of(const struct sim_config *config, const char *key);

/* Checks that there is a key of this name: that `--set KEY=...` can be given.  STATUS_CONFIGURATION
 * at `place`, with the nearest known name as hint. */
enum status config_check_key(const char *key, struct config_place place,
                             struct diagnostic *diagnostic);

/* Whether the file, an include or an override gives a key of a group. */
bool config_gives(const struct sim_config *config, const char *key);

/* Rejects the value of `key`: fills the diagnostic with the text (printf format), the key, its
 * place and the hint (NULL: none) and returns STATUS_CONFIGURATION.  Every rejection of a loaded
 * configuration goes through this function. */
enum status config_refuse(const struct sim_config *config, const char *key, const char *hint,
                          struct diagnostic *diagnostic, const char *format, ...) PRINTF_LIKE(5, 6);
/* The same; shows compilers and analysers the constant return value. */
#define config_refuse(config, key, hint, to, ...) /* NOLINT(readability-identifier-naming) */      \
    ((void)config_refuse(config, key, hint, to, __VA_ARGS__), STATUS_CONFIGURATION)

/* Adds the place of a key to a diagnostic that another library has filled.  `key` NULL: the
 * diagnostic's own key; otherwise `key` is added as well. */
void config_locate(const struct sim_config *config, const char *key, struct diagnostic *diagnostic);

/* The chips of the machine; free them with topology_deinit().  STATUS_CONFIGURATION, at the key's
 * place, when shape, size and faults do not describe a machine; config_load() has already checked
 * that. */
enum status config_topology(const struct sim_config *config, struct topology *topology,
                            struct diagnostic *diagnostic);

/* Whether clock number i of energy.clocks runs outside the range that the coefficients are from;
 * then `about` gets key, text and hint of a warning. */
bool config_extrapolates(const struct sim_config *config, size_t i, struct diagnostic *about);

/* Whether cores named by entry i of `app` do not run its program, because they are down or the
 * monitor processor is there; then `about` gets key, text and hint of a warning. */
bool config_app_lacks(const struct sim_config *config, size_t i, struct diagnostic *about);

/* Whether the group `exchange` is given, which sets up rings for programs. */
bool config_has_exchange(const struct sim_config *config);

/* Whether the group `dataflow` is given, which folds a graph for a program. */
bool config_has_dataflow(const struct sim_config *config);

/* The working application cores of a chip, as a bit mask: all working cores except the first
 * chip.monitor_cores. */
uint32_t config_application_cores(const struct sim_config *config,
                                  const struct topology_chip *chip);

/* Finds a file that a value names: absolute, or relative to the folder of the file that contains
 * the value (for `--set`: the working folder, then the request's), or to the configuration folder.
 * *path is malloc'ed.  STATUS_CONFIGURATION at the value's place when there is no such file. */
enum status config_find_file(const struct sim_config *config, const char *key, const char *file,
                             char **path, struct diagnostic *diagnostic);

/* The next three return STATUS_INTERNAL when out of memory; what happens to the stream is for the
 * caller to see (ferror). */

/* The configuration, resolved: YAML that loads again to the same values; every key that has an
 * effect, with its unit, in the order of the schema. */
enum status config_dump(const struct sim_config *config, FILE *stream);

/* For people: each key, its value, where it came from, range, help and source; then what follows
 * from them (bandwidths, latencies). */
enum status config_explain(const struct sim_config *config, FILE *stream);

enum config_part {
    CONFIG_PART_SIMULATION, /* all keys that affect the simulation: not name, accept, record,
                               energy */
    CONFIG_PART_ENERGY
};

/* Writes the canonical text that is hashed: one line "key=value" for each key that has an effect,
 * identical for equal configurations however they were written.  Files are named as written; the
 * caller adds their content to the hash. */
enum status config_canonical(const struct sim_config *config, enum config_part part, FILE *stream);

C_LINKAGE_END
