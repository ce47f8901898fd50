/* mapping.c - see mapping.h. */
#include "sim/mapping/mapping.h"

#include "sim/mapping/exchange.h"
#include "sim/networks/operators.h"

#include <string.h>

static const struct mapping_row MAPPINGS[] = {
#define MAPPING(KIND, MODE, descriptor, lever)                                                     \
    {CONFIG_MAPPING_KIND_##KIND, CONFIG_MODE_##MODE, &(descriptor), lever},
#include "tables/mappings.def"
};

struct program_row {
    const char *name;
    const struct mapping *mapping;
    enum exchange_row exchange;
    const char *formats[3]; /* by enum operators */
    const char *sources;
};

static const struct program_row PROGRAMS[] = {
#define PROGRAM(name, descriptor, EXCHANGE, formats, operators, of_1998, sources)                  \
    {#name, &(descriptor), EXCHANGE_ROW_##EXCHANGE, {formats, operators, of_1998}, sources},
#include "tables/mappings.def"
};

enum {
    MAPPING_COUNT = sizeof MAPPINGS / sizeof *MAPPINGS,
    PROGRAM_COUNT = sizeof PROGRAMS / sizeof *PROGRAMS,
    LIST_CHARS = 160
};

/* Appends a word to a list "a, b, c" unless the list has it already. */
static void add_word(char *list, const char *word)
{
    const size_t used = strlen(list);
    if (strstr(list, word) == NULL) {
        (void)snprintf(list + used, LIST_CHARS - used, "%s%s", used == 0 ? "" : ", ", word);
    }
}

/* ---- mappings ---- */

const struct mapping_row *mapping_of(const struct sim_config *config, struct diagnostic *diagnostic)
{
    char kinds[LIST_CHARS] = "";
    for (size_t i = 0; i < MAPPING_COUNT; i++) {
        const struct mapping_row *row = &MAPPINGS[i];
        if (row->mode == config->mode && row->kind == config->mapping_kind) {
            return row;
        }
        if (row->mode == config->mode) {
            add_word(kinds, config_mapping_kind_text(row->kind));
        }
    }
    const bool trains = config->mode == CONFIG_MODE_TRAIN;
    (void)config_refuse(config, "mapping.kind", NULL, diagnostic, "%s is a mapping %s",
                        config_mapping_kind_text(config->mapping_kind),
                        trains ? "that only classifies" : "for training");
    diagnostic_hint(diagnostic, "use %s", kinds);
    return NULL;
}

/* ---- programs ---- */

/* The program that a configuration requires. */
struct wish {
    const struct mapping *mapping;
    const char *format;
    enum exchange_row exchange;
    enum operators operators;
};

static bool has_format(const char *formats, const char *format)
{
    const size_t length = strlen(format);
    for (const char *at = formats; at != NULL && *at != '\0'; at += strspn(at, " ")) {
        const size_t word = strcspn(at, " ");
        if (word == length && memcmp(at, format, length) == 0) {
            return true;
        }
        at += word;
    }
    return false;
}

static const struct program_row *find_program(struct wish wish)
{
    for (size_t i = 0; i < PROGRAM_COUNT; i++) {
        const struct program_row *row = &PROGRAMS[i];
        if (row->mapping == wish.mapping && row->exchange == wish.exchange &&
            has_format(row->formats[wish.operators], wish.format)) {
            return row;
        }
    }
    return NULL;
}

/* Finds the first key of exchange, mapping and number format for which other values have a program,
 * and lists these values.  NULL: none. */
static const char *find_way_out(const struct sim_config *config, struct wish wish, char *values)
{
    const struct wish asked = wish;
    const bool distributed = wish.exchange >= (enum exchange_row)EXCHANGE_COUNT;
    for (int e = 0; e < EXCHANGE_COUNT; e++) {
        wish.exchange = (enum exchange_row)e;
        if (find_program(wish) != NULL) {
            add_word(values, distributed ? "allreduce" : exchange_row_text(wish.exchange));
            return distributed ? "train.distributed" : "train.exchange";
        }
    }
    wish = asked;
    for (size_t i = 0; i < MAPPING_COUNT; i++) {
        wish.mapping = MAPPINGS[i].mapping;
        if (MAPPINGS[i].mode == config->mode && find_program(wish) != NULL) {
            add_word(values, config_mapping_kind_text(MAPPINGS[i].kind));
        }
    }
    if (values[0] != '\0') {
        return "mapping.kind";
    }
    wish = asked;
    for (int f = 0; f <= CONFIG_NUMBER_FORMAT_FLOAT64; f++) {
        wish.format = config_number_format_text((enum config_number_format)f);
        if (find_program(wish) != NULL) {
            add_word(values, wish.format);
        }
    }
    return values[0] == '\0' ? NULL : "network.number_format";
}

static struct wish wish_of(const struct sim_config *config, const struct network *network,
                           const struct mapping *mapping)
{
    return (struct wish){mapping, config_number_format_text(config->network_number_format),
                         exchange_row_of(config), operators_needed(config, network)};
}

/* What a program with operators is needed for. */
static const char *operators_text(const struct sim_config *config, const struct network *network)
{
    static const char *const OF_NETWORK[] = {
        "", ", which has averages, tanh, sigmoid, links or dropout,",
        ", which has scaled tanh or rbf,"};
    return OF_NETWORK[operators_needed(config, network)];
}

static enum status refuse_program(const struct sim_config *config, const struct network *network,
                                  struct wish wish, struct diagnostic *diagnostic)
{
    const bool trains = config->mode == CONFIG_MODE_TRAIN;
    char values[LIST_CHARS] = "";
    const char *key = find_way_out(config, wish, values);
    (void)config_refuse(config, key == NULL ? "network.number_format" : key, NULL, diagnostic,
                        "the machine has no program that %s network %s%s in %s by %s%s",
                        trains ? "trains" : "classifies with", network->name,
                        operators_text(config, network), wish.format,
                        config_mapping_kind_text(config->mapping_kind),
                        exchange_of_row(wish.exchange)->text);
    diagnostic_hint(diagnostic, "%s%s%sbackend: host needs no program", key == NULL ? "" : "use ",
                    values, key == NULL ? "" : "; ");
    return STATUS_CONFIGURATION;
}

enum status mapping_program(const struct sim_config *config, const struct network *network,
                            struct mapping_program *program, struct diagnostic *diagnostic)
{
    const struct mapping_row *asked = mapping_of(config, diagnostic);
    if (asked == NULL) {
        return STATUS_CONFIGURATION;
    }
    const struct wish wish = wish_of(config, network, asked->mapping);
    const struct program_row *row = find_program(wish);
    if (row == NULL) {
        return refuse_program(config, network, wish, diagnostic);
    }
    *program = (struct mapping_program){row->name, row->sources, false};
    return STATUS_OK;
}

const struct mapping_row *mapping_alternative(const struct sim_config *config,
                                              const struct network *network, size_t index)
{
    for (size_t i = 0; i < MAPPING_COUNT; i++) {
        const struct mapping_row *row = &MAPPINGS[i];
        if (row->kind != config->mapping_kind && row->mode == config->mode &&
            find_program(wish_of(config, network, row->mapping)) != NULL && index-- == 0) {
            return row;
        }
    }
    return NULL;
}

/* ---- what goes with what ---- */

void mapping_matrix(FILE *stream)
{
    (void)fputs(
        "| mode | mapping.kind | train.exchange | networks | number_format | with operators | of "
        "1998 |\n| --- | --- | --- | --- | --- | --- | --- |\n",
        stream);
    for (size_t i = 0; i < (size_t)MAPPING_COUNT * PROGRAM_COUNT; i++) {
        const struct mapping_row *row = &MAPPINGS[i / PROGRAM_COUNT];
        const struct program_row *program = &PROGRAMS[i % PROGRAM_COUNT];
        if (program->mapping == row->mapping) {
            const bool exchanges = row->mode == CONFIG_MODE_TRAIN;
            (void)fprintf(stream, "| %s | %s | %s | %s | %s", config_mode_text(row->mode),
                          config_mapping_kind_text(row->kind),
                          exchanges ? exchange_row_text(program->exchange) : "-",
                          row->mapping->networks, program->formats[OPERATORS_NONE]);
            for (int o = OPERATORS_FEW; o <= OPERATORS_1998; o++) {
                const char *formats = program->formats[o];
                (void)fprintf(stream, " | %s", formats[0] == '\0' ? "-" : formats);
            }
            (void)fputs(" |\n", stream);
        }
    }
}
