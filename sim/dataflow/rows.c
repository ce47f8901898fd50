/* rows.c - see rows.h. */
#include "sim/dataflow/rows.h"

#include "models/common/check.h"
#include "sim/config/suggestion.h"

#include <stdio.h>
#include <string.h>

#define OUT_NONE   DATAFLOW_WIDTH_NONE
#define OUT_ONE    DATAFLOW_WIDTH_ONE
#define OUT_N      DATAFLOW_WIDTH_N
#define OUT_N1     DATAFLOW_WIDTH_N1
#define OUT_VALUES DATAFLOW_WIDTH_VALUES

const struct dataflow_row DATAFLOW_ROW[DATAFLOW_ACTIONS] = {
#define ACTION(NAME, KIND, name_, ports_, OUT, parameters_, WEIGHTS, COMMUTES, kernel, help_)      \
    {.kind = DATAFLOW_ROW_##KIND,                                                                  \
     .name = (name_),                                                                              \
     .help = (help_),                                                                              \
     .ports = (ports_),                                                                            \
     .parameters = (parameters_),                                                                  \
     .out = OUT_##OUT,                                                                             \
     .weighted = (WEIGHTS) != 0,                                                                   \
     .commutes = (COMMUTES)},
#include "workloads/dataflow/actions.def"
#define PHASE(NAME, machine, name_, ports_, OUT, kernel, help_)                                    \
    {.kind = DATAFLOW_ROW_PHASE,                                                                   \
     .name = (name_),                                                                              \
     .help = (help_),                                                                              \
     .ports = (ports_),                                                                            \
     .parameters = "",                                                                             \
     .out = OUT_##OUT},
#include "workloads/dataflow/machines.def"
};

/* The machine of each phase. */
static const unsigned MACHINE_OF_PHASE[] = {
#define PHASE(NAME, machine, name, ports, OUT, kernel, help) DATAFLOW_MACHINE_##machine,
#include "workloads/dataflow/machines.def"
};
enum {
    PHASES = sizeof MACHINE_OF_PHASE / sizeof *MACHINE_OF_PHASE,
    FIRST_PHASE = DATAFLOW_ACTIONS - PHASES
};

static const struct dataflow_machine_row MACHINE_ROW[DATAFLOW_MACHINE_ROWS] = {
#define MACHINE(NAME, name_, parameters_, WEIGHTS, help_)                                          \
    {.name = (name_), .help = (help_), .parameters = (parameters_), .weighted = (WEIGHTS) != 0},
#include "workloads/dataflow/machines.def"
};

static const struct dataflow_parameter PARAMETER_ROW[] = {
#define PARAMETER(name, least, most, help) {#name, least, most},
#include "workloads/dataflow/actions.def"
};

struct dataflow_machine_row dataflow_machine_row(size_t i)
{
    struct dataflow_machine_row row = MACHINE_ROW[i];
    for (unsigned p = PHASES; p-- > 0;) {
        if (MACHINE_OF_PHASE[p] == i) {
            row.first = (enum dataflow_action)(FIRST_PHASE + p);
            row.phases++;
        }
    }
    return row;
}

/* ---- lists of names ---- */

/* Copies the next word of a list, up to the next space; false at the end. */
static bool take_word(const char **list, char word[DATAFLOW_ROW_NAME_CHARS])
{
    *list += strspn(*list, " ");
    const size_t length = strcspn(*list, " ");
    CHECK(length < DATAFLOW_ROW_NAME_CHARS, "a name of the tables is too long");
    memcpy(word, *list, length);
    word[length] = '\0';
    *list += length;
    return length > 0;
}

static enum dataflow_width width_of(const char *text)
{
    static const struct {
        const char *text;
        enum dataflow_width width;
    } WIDTHS[] = {{"1", DATAFLOW_WIDTH_ONE},
                  {"N", DATAFLOW_WIDTH_N},
                  {"N+1", DATAFLOW_WIDTH_N1},
                  {"M", DATAFLOW_WIDTH_M}};
    for (size_t i = 0; i < sizeof WIDTHS / sizeof *WIDTHS; i++) {
        if (strcmp(WIDTHS[i].text, text) == 0) {
            return WIDTHS[i].width;
        }
    }
    CHECK(false, "a port of the tables has no width");
    return DATAFLOW_WIDTH_NONE;
}

uint32_t dataflow_row_ports(const struct dataflow_row *row,
                            struct dataflow_row_port port[DATAFLOW_PORTS])
{
    uint32_t count = 0;
    const char *list = row->ports;
    for (char word[DATAFLOW_ROW_NAME_CHARS]; take_word(&list, word); count++) {
        char *colon = strchr(word, ':');
        CHECK(count < DATAFLOW_PORTS && colon != NULL, "a row has too many ports");
        *colon = '\0';
        (void)snprintf(port[count].name, sizeof port[count].name, "%s", word);
        port[count].width = width_of(colon + 1);
    }
    return count;
}

uint32_t dataflow_row_parameters(const char *list, const struct dataflow_parameter *parameter[])
{
    uint32_t count = 0;
    for (char word[DATAFLOW_ROW_NAME_CHARS]; take_word(&list, word);) {
        for (size_t i = 0; i < sizeof PARAMETER_ROW / sizeof *PARAMETER_ROW; i++) {
            if (strcmp(PARAMETER_ROW[i].name, word) == 0) {
                CHECK(count < DATAFLOW_ROW_PARAMETERS, "a row has too many parameters");
                parameter[count++] = &PARAMETER_ROW[i];
            }
        }
    }
    return count;
}

/* ---- finding ---- */

enum dataflow_action dataflow_row_find(enum dataflow_row_kind kind, const char *name,
                                       const char **near)
{
    struct suggestion suggestion = suggestion_begin(name);
    for (unsigned i = 0; i < DATAFLOW_ACTIONS; i++) {
        if (DATAFLOW_ROW[i].kind == kind && strcmp(DATAFLOW_ROW[i].name, name) == 0) {
            return (enum dataflow_action)i;
        }
        if (DATAFLOW_ROW[i].kind == kind) {
            suggestion_offer(&suggestion, DATAFLOW_ROW[i].name);
        }
    }
    *near = suggestion.best;
    return DATAFLOW_ACTIONS;
}

size_t dataflow_machine_row_find(const char *name, const char **near)
{
    struct suggestion suggestion = suggestion_begin(name);
    for (size_t i = 0; i < DATAFLOW_MACHINE_ROWS; i++) {
        if (strcmp(MACHINE_ROW[i].name, name) == 0) {
            return i;
        }
        suggestion_offer(&suggestion, MACHINE_ROW[i].name);
    }
    *near = suggestion.best;
    return DATAFLOW_MACHINE_ROWS;
}
