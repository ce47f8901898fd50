/* dataflow_app.c - see dataflow_app.h. */
#include "sim/run_control/dataflow_app.h"

#include "models/common/bits.h"
#include "sim/dataflow/execute.h"
#include "sim/dataflow/fold.h"
#include "sim/dataflow/graph_drawn.h"
#include "sim/dataflow/graph_read.h"
#include "sim/file.h"
#include "sim/load/sark_layout.h"
#include "sim/steps.h"
#include "workloads/dataflow/interpreter.h"

#include <stdlib.h>

_Static_assert((int)CONFIG_DATAFLOW_FORM_MACHINES == (int)DATAFLOW_MACHINES &&
                   (int)CONFIG_DATAFLOW_FOLD_RANDOM == (int)DATAFLOW_FOLD_RANDOM,
               "config_schema.def has the order of the enums");

/* ---- the graph ---- */

/* Whether a network's name is that of its file. */
static bool is_path(const char *name)
{
    return strchr(name, '/') != NULL || file_ends_in(name, ".yaml");
}

static enum status load_network(const struct sim_config *config, struct dataflow_graph *graph,
                                struct diagnostic *diagnostic)
{
    const char *name = config->dataflow_network;
    FREED char *relative = is_path(name) ? strdup(name) : file_print("networks/%s.yaml", name);
    FREED char *path = NULL;
    FREED char *weights = NULL;
    if (relative == NULL) {
        return no_memory(diagnostic);
    }
    TRY(config_find_file(config, "dataflow.network", relative, &path, diagnostic));
    if (config->dataflow_weights[0] != '\0') {
        TRY(config_find_file(config, "dataflow.weights", config->dataflow_weights, &weights,
                             diagnostic));
    }
    const struct dataflow_drawn_request request = {
        .path = path,
        .weights = weights,
        .form = (enum dataflow_form)config->dataflow_form,
        .images = (uint32_t)config->dataflow_images,
        .rate = (uint32_t)config->dataflow_rate,
        .error_fraction = (uint32_t)config->dataflow_error_fraction,
        .seed = config->seed};
    return dataflow_drawn_load(&request, graph, diagnostic);
}

enum status dataflow_app_load(const struct sim_config *config, struct dataflow_graph *graph,
                              struct diagnostic *diagnostic)
{
    *graph = (struct dataflow_graph){.name = NULL};
    if (!config_has_dataflow(config)) {
        return STATUS_OK;
    }
    const bool of_file = config->dataflow_graph[0] != '\0';
    if (of_file == (config->dataflow_network[0] != '\0')) {
        return config_refuse(config, "dataflow", "dataflow: {graph: FILE} or {network: NAME}",
                             diagnostic, of_file ? "a graph and a network" : "no graph");
    }
    if (!of_file) {
        return load_network(config, graph, diagnostic);
    }
    FREED char *path = NULL;
    TRY(config_find_file(config, "dataflow.graph", config->dataflow_graph, &path, diagnostic));
    return dataflow_load(path, graph, diagnostic);
}

static void hash_words(struct sha256 *hash, const void *words, size_t count)
{
    sha256_update(hash, count == 0 ? "" : words, count * sizeof(uint32_t));
}

void dataflow_app_hash(const struct dataflow_graph *graph, struct sha256 *hash)
{
    for (size_t i = 0; i < graph->nodes.count; i++) {
        const struct dataflow_node *node = &graph->node[i];
        const uint32_t words[] = {(uint32_t)node->kind,
                                  (uint32_t)node->action,
                                  node->words,
                                  (uint32_t)node->of,
                                  (uint32_t)node->parameters.first,
                                  node->parameters.count,
                                  (uint32_t)node->state.first,
                                  node->state.count};
        sha256_update(hash, node->name, strlen(node->name) + 1);
        hash_words(hash, words, sizeof words / sizeof *words);
    }
    for (size_t i = 0; i < graph->edges.count; i++) {
        const struct dataflow_edge *edge = &graph->edge[i];
        const uint32_t words[] = {edge->from, edge->to, edge->first, edge->words, edge->port};
        hash_words(hash, words, sizeof words / sizeof *words);
    }
    hash_words(hash, graph->parameter, graph->parameters.count);
    hash_words(hash, graph->state, graph->states.count);
    hash_words(hash, graph->input, graph->inputs.count);
    hash_words(hash, &graph->steps, graph->name == NULL ? 0 : 1);
}

/* ---- cores ---- */

static bool has_program(const struct config_app *app, const struct topology_chip *chip)
{
    return app->all_chips || (app->x == chip->x && app->y == chip->y);
}

/* The first cores of the first program, chip by chip; returns how many there are. */
static uint32_t list_cores(const struct sim_config *config, const struct topology *topology,
                           uint32_t most, struct machine_core *place)
{
    const struct config_app *app = &config->app[0];
    uint32_t count = 0;
    for (size_t i = 0; i < topology->count; i++) {
        const struct topology_chip *chip = &topology->chip[i];
        uint32_t cores =
            has_program(app, chip) ? app->cores & config_application_cores(config, chip) : 0;
        for (; cores != 0; cores &= cores - 1) {
            if (count < most && place != NULL) {
                place[count] = (struct machine_core){chip->x, chip->y, (uint8_t)bits_lowest(cores)};
            }
            count++;
        }
    }
    return count;
}

static enum status choose_cores(struct dataflow_app *app, const struct sim_config *config,
                                const struct topology *topology, uint32_t *cores,
                                struct diagnostic *diagnostic)
{
    const uint32_t there = list_cores(config, topology, 0, NULL);
    *cores = config->dataflow_cores == 0 ? there : (uint32_t)config->dataflow_cores;
    if (*cores > there) {
        return config_refuse(config, "dataflow.cores", NULL, diagnostic,
                             "the program of app has %u cores\va larger board, or chips: all",
                             there);
    }
    app->place = calloc(*cores, sizeof *app->place);
    app->address = calloc(*cores, sizeof *app->address);
    if (app->place == NULL || app->address == NULL) {
        return no_memory(diagnostic);
    }
    (void)list_cores(config, topology, *cores, app->place);
    return STATUS_OK;
}

/* ---- memory ---- */

/* Of a core: its table, and room for what its DTCM has none for. */
static uint64_t bytes_of(const struct dataflow_table *table)
{
    enum { PACKET_BYTES = 8, ALIGNMENT = 64 };
    if (table->word == NULL) {
        return 0;
    }
    const struct dataflow_head *head = (const struct dataflow_head *)table->word;
    uint64_t bytes = table->bytes + (uint64_t)head->inbox * PACKET_BYTES;
    for (unsigned p = 0; p < DATAFLOW_PARTS; p++) {
        bytes += dataflow_part_bytes(head, (enum dataflow_part)p);
    }
    return (bytes + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1);
}

/* One behind the other on each chip. */
static enum status place_tables(struct dataflow_app *app, const struct sim_config *config,
                                struct diagnostic *diagnostic)
{
    uint64_t next = SARK_SDRAM_HEAP;
    uint64_t end = next;
    for (uint32_t c = 0; c < app->tables.cores; c++) {
        const bool same = c > 0 && app->place[c].x == app->place[c - 1].x &&
                          app->place[c].y == app->place[c - 1].y;
        const uint64_t bytes = bytes_of(&app->tables.table[c]);
        next = same ? next : SARK_SDRAM_HEAP;
        app->address[c] = bytes == 0 ? 0 : (uint32_t)next;
        next += bytes;
        end = next > end ? next : end;
        if (end - SARK_SDRAM_BASE + SARK_SYSTEM_HEAP_BYTES > config->machine.sdram_bytes) {
            return config_refuse(config, "dataflow.cores", "more chips", diagnostic,
                                 "the graph needs %llu bytes of SDRAM on chip %u,%u",
                                 (unsigned long long)(end - SARK_SDRAM_HEAP), app->place[c].x,
                                 app->place[c].y);
        }
    }
    app->end = (uint32_t)end;
    return STATUS_OK;
}

/* ---- routes ---- */

static enum status make_routes(struct dataflow_app *app, const struct topology *topology,
                               struct diagnostic *diagnostic)
{
    const struct dataflow_tables *tables = &app->tables;
    RELEASED(routing_edges_deinit) struct routing_edges edges = {.count = 0};
    FREED struct machine_core *target = calloc(tables->cores, sizeof *target);
    if (target == NULL) {
        return no_memory(diagnostic);
    }
    for (size_t g = 0; g < tables->groups; g++) {
        const struct dataflow_group *group = &tables->group[g];
        uint32_t block = 1;
        while (block < group->keys) {
            block *= 2;
        }
        for (size_t t = 0; t < group->targets; t++) {
            target[t] = app->place[tables->target[group->first_target + t]];
        }
        const struct machine_core source = app->place[group->source];
        routing_edges_add(
            &edges,
            (struct routing_edge){.purpose = group->control ? ROUTING_CONTROL : ROUTING_FORWARD,
                                  .source = source,
                                  .target = target,
                                  .target_count = group->targets,
                                  .fixed = true,
                                  .key = group->key,
                                  .mask = ~(block - 1)},
            "%s of %u,%u core %u", group->control ? "control words" : "words", source.x, source.y,
            source.p);
    }
    return routing_of(&app->routing, topology, &edges, diagnostic);
}

/* ---- the whole ---- */

static enum status make(struct dataflow_app *app, const struct sim_config *config,
                        const struct topology *topology, struct diagnostic *diagnostic)
{
    uint32_t cores;
    const bool draws = config->dataflow_order == CONFIG_DATAFLOW_ORDER_RANDOM;
    TRY(choose_cores(app, config, topology, &cores, diagnostic));
    TRY(dataflow_fold(app->graph, (enum dataflow_folding)config->dataflow_fold, config->seed, cores,
                      &app->core_of, diagnostic));
    TRY(dataflow_tables_make(app->graph, app->core_of, cores,
                             draws ? (uint32_t)config->seed + 1 : 0, &app->tables, diagnostic));
    TRY(place_tables(app, config, diagnostic));
    return make_routes(app, topology, diagnostic);
}

enum status dataflow_app_make(struct dataflow_app *app, const struct sim_config *config,
                              const struct dataflow_graph *graph, const struct topology *topology,
                              struct diagnostic *diagnostic)
{
    *app = (struct dataflow_app){.graph = graph->name == NULL ? NULL : graph};
    if (app->graph == NULL) {
        return STATUS_OK;
    }
    if (config->app_count == 0 || config_has_exchange(config)) {
        *app = (struct dataflow_app){.graph = NULL};
        return config_refuse(config, "dataflow", "app: [{file: dataflow.elf, chips: all}]",
                             diagnostic, "it needs the first program of app, alone");
    }
    const enum status status = make(app, config, topology, diagnostic);
    if (status != STATUS_OK) {
        dataflow_app_deinit(app);
    }
    return status;
}

void dataflow_app_deinit(struct dataflow_app *app)
{
    free(app->place);
    free(app->address);
    free(app->core_of);
    dataflow_tables_deinit(&app->tables);
    routing_deinit(&app->routing);
    *app = (struct dataflow_app){.graph = NULL};
}

enum status dataflow_app_write(const struct dataflow_app *app, struct machine *machine,
                               struct diagnostic *diagnostic)
{
    for (uint32_t c = 0; c < app->tables.cores; c++) {
        const struct dataflow_table *table = &app->tables.table[c];
        if (table->word != NULL &&
            machine_write(machine, app->place[c], app->address[c], table->word,
                          (uint32_t)table->bytes) != STATUS_OK) {
            return diagnose(diagnostic, STATUS_INTERNAL, "no memory for the graph's tables");
        }
    }
    return app->graph == NULL ? STATUS_OK : routing_write(&app->routing, machine, diagnostic);
}

uint32_t dataflow_app_argument(const struct dataflow_app *app, struct machine_core core)
{
    for (uint32_t c = 0; c < app->tables.cores; c++) {
        const struct machine_core place = app->place[c];
        if (place.x == core.x && place.y == core.y && place.p == core.p) {
            return app->address[c];
        }
    }
    return 0;
}

/* ---- results ---- */

struct reading {
    const struct dataflow_app *app;
    const struct machine *machine;
    struct outcome *outcome;
    struct diagnostic *diagnostic;
};

/* Adds `count` words at a place of a table, beside what the host has. */
static enum status read_words(const struct reading *reading, struct dataflow_at at,
                              const int32_t *host, size_t count, const struct outcome_dataflow *row)
{
    const struct dataflow_app *app = reading->app;
    FREED int32_t *word = calloc(count + 1, sizeof *word);
    if (word == NULL) {
        return no_memory(reading->diagnostic);
    }
    if (count > 0 &&
        machine_read(reading->machine, app->place[at.core], app->address[at.core] + at.offset, word,
                     (uint32_t)(count * sizeof *word)) != STATUS_OK) {
        return diagnose(reading->diagnostic, STATUS_INTERNAL, "the graph's memory cannot be read");
    }
    for (size_t i = 0; i < count; i++) {
        struct outcome_dataflow one = *row;
        one.x = app->place[at.core].x;
        one.y = app->place[at.core].y;
        one.core = app->place[at.core].p;
        one.word = (uint32_t)i;
        one.value = word[i];
        one.host = host[i];
        if (!outcome_add_dataflow(reading->outcome, &one)) {
            return no_memory(reading->diagnostic);
        }
    }
    return STATUS_OK;
}

static enum status read_all(const struct reading *reading, const struct dataflow_answers *host)
{
    const struct dataflow_graph *graph = reading->app->graph;
    const struct dataflow_tables *tables = &reading->app->tables;
    const uint32_t words = graph->node[graph->sink].words;
    struct dataflow_at answer = dataflow_tables_answer(tables);
    for (uint32_t step = 0; step < graph->steps; step++) {
        const struct outcome_dataflow row = {.what = "answer", .step = step};
        TRY(read_words(reading, answer, host->answer + (size_t)step * words, words, &row));
        answer.offset += words * (uint32_t)sizeof(int32_t);
    }
    for (uint32_t n = 0; n < graph->nodes.count; n++) {
        const struct dataflow_node *node = &graph->node[n];
        if (node->kind == DATAFLOW_VARIABLE) {
            struct outcome_dataflow row = {.what = "variable", .step = graph->steps - 1};
            (void)snprintf(row.node, sizeof row.node, "%s", node->name);
            TRY(read_words(reading, dataflow_tables_state(tables, n),
                           host->state + node->state.first, node->state.count, &row));
        }
    }
    for (size_t m = 0; m < graph->machines.count; m++) {
        const struct dataflow_machine *machine = &graph->machine[m];
        struct outcome_dataflow row = {.what = "machine", .step = graph->steps - 1};
        (void)snprintf(row.node, sizeof row.node, "%s", machine->name);
        TRY(read_words(reading, dataflow_tables_machine(tables, m),
                       host->state + machine->state.first, machine->weights.count, &row));
    }
    return STATUS_OK;
}

enum status dataflow_app_read(const struct dataflow_app *app, const struct machine *machine,
                              struct outcome *outcome, struct diagnostic *diagnostic)
{
    RELEASED(dataflow_answers_deinit) struct dataflow_answers host = {.answer = NULL};
    const struct reading reading = {app, machine, outcome, diagnostic};
    if (app->graph == NULL) {
        return STATUS_OK;
    }
    TRY(dataflow_execute(app->graph, 0, &host, diagnostic));
    return read_all(&reading, &host);
}
