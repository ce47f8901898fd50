/* plan_train.c - see plan_train.h: who does what, what lies where, who sends to whom. */
#include "sim/mapping/plan_train.h"

#include "sim/load/sark_layout.h"
#include "sim/mapping/plan_blocks.h"
#include "sim/mapping/plan_kinds.h"
#include "sim/mapping/plan_neurons.h"
#include "sim/mapping/train_place.h"
#include "sim/mapping/tree_plan.h"
#include "sim/networks/links.h"

#include <stdlib.h>
#include <string.h>

enum { WORD_BYTES = 4, TABLE_VALUE_BYTES = 2, IMAGE_ALIGNMENT = 8 };

static enum status no_memory(struct diagnostic *diagnostic)
{
    return diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
}

static uint32_t blocks(uint64_t bytes, uint32_t block)
{
    return (uint32_t)((bytes + block - 1) / block * block);
}

/* ---- groups and pieces ---- */

static enum status choose_groups(struct load_plan *plan, const struct sim_config *config,
                                 struct diagnostic *diagnostic)
{
    struct plan_train *train = plan->train;
    train->cores = (uint32_t)config->mapping_cores_per_chip;
    train->blocks = config->mapping_kind == CONFIG_MAPPING_KIND_NEURON_BLOCKS;
    train->members = config->mapping_kind == CONFIG_MAPPING_KIND_REPLICA_PER_CHIP
                         ? (uint32_t)config->mapping_cores_per_image
                         : 1;
    train->pieces = train->blocks ? (uint32_t)plan->chip_count : train->members;
    train->neurons = config->mapping_kind == CONFIG_MAPPING_KIND_NEURON_PER_CORE;
    if (train->neurons) {
        train->groups = 1;
        return plan_neurons_choose(plan, config, diagnostic);
    }
    if (train->cores % train->members != 0) {
        return config_refuse(
            config, "mapping.cores_per_image", "mapping.cores_per_chip must be a multiple of it",
            diagnostic, "%u cores of a chip cannot be groups of %u", train->cores, train->members);
    }
    if (!train->blocks && config->train_shards % plan->chip_count != 0) {
        return config_refuse(config, "train.shards", "it must be a multiple of mapping.chips",
                             diagnostic, "%llu shards of the images cannot be dealt to %zu chips",
                             (unsigned long long)config->train_shards, plan->chip_count);
    }
    train->groups = train->cores / train->members;
    return STATUS_OK;
}

static enum status make_pieces(struct load_plan *plan, const struct sim_config *config,
                               struct diagnostic *diagnostic)
{
    struct plan_train *train = plan->train;
    if (train->neurons) {
        return plan_neurons_make_pieces(plan, diagnostic);
    }
    enum status status = train_bounds_make(plan->table, train->pieces, !train->blocks,
                                           &train->bounds, &train->stages, diagnostic);
    if (status != STATUS_OK) {
        config_locate(config, train->blocks ? "mapping.chips" : "mapping.cores_per_image",
                      diagnostic);
        diagnostic_hint(diagnostic, "use fewer; 1 is always possible");
        return STATUS_CONFIGURATION;
    }
    if (train->stages > NN_TRAIN_STAGES) {
        return config_refuse(
            config, "network.name", "use a network of fewer layers", diagnostic,
            "network %s has %u layers with weights, a program that trains has room for "
            "%d",
            plan->network->name, train->stages, NN_TRAIN_STAGES);
    }
    train->piece = calloc(train->pieces, sizeof *train->piece);
    if (train->piece == NULL) {
        return no_memory(diagnostic);
    }
    for (uint32_t m = 0; m < train->pieces && status == STATUS_OK; m++) {
        status = train_piece_make(plan->table, train->bounds, train->pieces, m, train->blocks,
                                  &train->piece[m], diagnostic);
    }
    return status;
}

/* ---- memory ---- */

/* Most bytes that members of a group give each other at a time. */
static uint32_t largest_share(const struct plan_train *train)
{
    uint32_t bytes = 0;
    for (uint32_t m = 0; m < train->members; m++) {
        struct nn_train_memory memory;
        nn_train_find_stages(train->piece[m].table, &memory);
        for (uint32_t k = 0; k < memory.stages; k++) {
            const uint32_t sums = k == 0 ? 0 : memory.stage[k].inputs * WORD_BYTES;
            const uint32_t values = memory.stage[k].outputs * WORD_BYTES;
            bytes = sums > bytes ? sums : bytes;
            bytes = values > bytes ? values : bytes;
        }
    }
    return blocks(bytes, IMAGE_ALIGNMENT);
}

static uint32_t slice_bound(uint32_t count, uint32_t groups, uint32_t group)
{
    return count / TRAIN_PIECE_BLOCK * group / groups * TRAIN_PIECE_BLOCK;
}

/* What all cores' records have in common; the rest follows core by core. */
static struct nn_train_core common_record(const struct load_plan *plan)
{
    const struct plan_train *train = plan->train;
    return (struct nn_train_core){
        .magic = NN_TRAIN_MAGIC,
        .version = NN_TRAIN_VERSION,
        .done = NN_TRAIN_NOT_READY,
        .command = train->command,
        .network_check = nn_check(plan->table, plan->table->bytes),
        .table_bytes = plan->table->bytes,
        .value_bytes = train->value_bytes,
        .image_bytes = plan->run.image_bytes,
        .pixels = plan->table->image_pixels,
        .classes = plan->table->classes,
        .hidden = train->blocks ? plan->table->layer[0].output.channels : 0,
        .chips = plan_train_copies_images(train) ? 1 : (uint32_t)plan->chip_count,
        .batch = train->learning.batch,
        .order = train->learning.order,
        .members = train->neurons ? 1 : train->members,
        .groups = train->groups,
        .share_bytes = largest_share(train),
        .rule = train->learning.rule,
        .schedule = train->learning.schedule,
    };
}

/* The largest of the pieces that cores number `member` of their groups have. */
static uint32_t values_of_member(const struct plan_train *train, uint32_t member)
{
    uint32_t values = 0;
    for (uint32_t i = 0; i < train->pieces; i++) {
        const bool counts = train->blocks || i % train->members == member;
        values = counts && train->piece[i].count > values ? train->piece[i].count : values;
    }
    return values;
}

/* Addresses that all chips share; the first chip's cores' records carry them. */
static void place_records(struct load_plan *plan, uint32_t *next)
{
    struct plan_train *train = plan->train;
    struct nn_train_core common = common_record(plan);
    const uint64_t most = plan_train_images_of(plan, 0);
    common.images = plan_take(next, most * common.image_bytes);
    common.log = plan_take(next, most * WORD_BYTES);
    common.bounds = plan_take(next, (uint64_t)train->stages * (train->pieces + 1) * WORD_BYTES);
    for (uint32_t m = 0; m < train->members; m++) {
        const uint64_t values = values_of_member(train, m);
        struct nn_train_core record = common;
        record.table = plan_take(next, plan->table->bytes);
        record.parameters = plan_take(next, values * train->value_bytes);
        record.gradients = plan_take(next, values * WORD_BYTES * train->groups);
        for (uint32_t g = 0; g < train->groups; g++) {
            record.group = g;
            train->record[g * train->members + m] = record;
        }
    }
    for (uint32_t g = 0; g < train->groups && !plan_train_copies_images(train); g++) {
        const uint32_t share = plan_take(next, 2ull * train->members * common.share_bytes);
        for (uint32_t m = 0; m < train->members; m++) {
            train->record[g * train->members + m].share = share;
        }
    }
    for (uint32_t c = 0; c < train->groups * train->members; c++) {
        const uint64_t values = values_of_member(train, c % train->members);
        const uint64_t slice = values / train->groups + TRAIN_PIECE_BLOCK; /* at most */
        const uint32_t state = (uint32_t)slice * nn_rule_state_words(&common.rule) * WORD_BYTES;
        struct nn_train_core *record = &train->record[c];
        train->state_bytes = state > train->state_bytes ? state : train->state_bytes;
        record->state = plan_take(next, state);
        record->records = plan_take(next, (uint64_t)train->learning.updates_per_epoch *
                                              sizeof(struct nn_train_record));
        train->record_address[c] = plan_take(next, sizeof *record);
    }
}

/* Every chip's cores: as the first chip's, with what is the chip's and the piece's own. */
static void copy_records(struct load_plan *plan)
{
    struct plan_train *train = plan->train;
    for (size_t i = plan->core_count; i-- > 0;) {
        const uint32_t piece = plan_train_piece_of(train, i);
        const uint32_t count = train->piece[piece].count;
        struct nn_train_core *record = &train->record[i];
        *record = train->record[i % train->cores];
        train->record_address[i] = train->record_address[i % train->cores];
        record->member = plan_train_copies_images(train) ? 0 : piece;
        record->parameter_count = count;
        record->weights_end = train->piece[piece].weights_end;
        record->slice_first = slice_bound(count, train->groups, record->group);
        record->slice_count =
            slice_bound(count, train->groups, record->group + 1) - record->slice_first;
        record->chip = plan_train_copies_images(train) ? 0 : (uint32_t)(i / train->cores);
        record->test_images = plan->run.images;
        record->results = plan->run.results;
        record->test_count = plan->chip[i / train->cores].image_count;
    }
}

static enum status place_memory(struct load_plan *plan, const struct plan_request *request,
                                struct diagnostic *diagnostic)
{
    struct plan_train *train = plan->train;
    const struct sim_config *config = request->config;
    uint32_t next;
    train->record = calloc(plan->core_count, sizeof *train->record);
    train->record_address = calloc(plan->core_count, sizeof *train->record_address);
    if (train->record == NULL || train->record_address == NULL) {
        return no_memory(diagnostic);
    }
    for (size_t c = 0; c < plan->chip_count && plan_train_copies_images(train);
         c++) { /* all test all */
        plan->chip[c].first_image = 0;
        plan->chip[c].image_count = plan->images->count;
    }
    enum status status = plan_begin_memory(plan, request, 0, &next, diagnostic);
    if (status != STATUS_OK) {
        return status;
    }
    plan->run.image_bytes = blocks(plan->table->image_pixels + 1, IMAGE_ALIGNMENT);
    train->command = plan_take(&next, sizeof(struct nn_train_command));
    plan_place_images(plan, &next);
    place_records(plan, &next);
    if (config->train_exchange == CONFIG_EXCHANGE_TREE) {
        train->nodes = plan_take(&next, tree_plan_node_bytes(plan->chip_count));
    }
    if (train->blocks) {
        plan_blocks_place(plan, &next);
    } else if (train->neurons) {
        plan_neurons_place(plan, &next);
    }
    copy_records(plan);
    plan->end = next;
    if (next - SARK_SDRAM_BASE > config->machine.sdram_bytes) {
        return config_refuse(config, "sdram.size", "use more chips or fewer images", diagnostic,
                             "the images, parameters and records need %u bytes of SDRAM",
                             next - SARK_SDRAM_BASE);
    }
    return STATUS_OK;
}

/* ---- cores ---- */

static uint64_t macs_of(const struct nn_table *table)
{
    uint64_t macs = 0;
    for (uint32_t i = 0; i < table->layers; i++) {
        macs += links_macs(&table->layer[i]);
    }
    return macs;
}

/* Words that a core updates, at most: slices between chips are whole packets. */
static uint32_t owned_words(const struct exchange_plan *exchange)
{
    return exchange->chips == 1 ? exchange->words : exchange->words / exchange->chips + 2;
}

#define SHARE_AN_IMAGE                                                                             \
    "let more cores share an image (mapping.kind: replica_per_chip, mapping.cores_per_image)"

/* What helps where a core has no room. */
static const char *hint_without_room(const struct load_plan *plan)
{
    if (plan->network->numbers != NETWORK_INT16) {
        return plan->train->blocks
                   ? "use more chips, smaller batches, or network.number_format: int16"
                   : SHARE_AN_IMAGE ", or use network.number_format: int16";
    }
    return plan->train->blocks ? "use more chips, or smaller batches" : SHARE_AN_IMAGE;
}

static enum status describe_cores(struct load_plan *plan, const struct plan_request *request,
                                  struct diagnostic *diagnostic)
{
    const struct plan_train *train = plan->train;
    static train_place *const PLACE[] = {[NETWORK_INT16] = train_place_int16,
                                         [NETWORK_S1615] = train_place_s1615,
                                         [NETWORK_FLOAT32] = train_place_float32};
    train_place *const place = PLACE[plan->network->numbers];
    uint32_t itcm;
    uint32_t dtcm;
    plan_program_bytes(request->program, &itcm, &dtcm);
    for (size_t i = 0; i < plan->core_count; i++) {
        const struct nn_train_core *record = &train->record[i];
        const uint32_t piece = plan_train_piece_of(train, i);
        const struct nn_table *table = train->piece[piece].table;
        const uint32_t extra = (train->blocks ? plan_blocks_dtcm_bytes(plan) : 0) +
                               (train->neurons ? plan_neurons_dtcm_bytes(plan) : 0) +
                               tree_plan_dtcm_bytes(&record->exchange);
        struct load_plan_core *core = &plan->core[i];
        struct nn_train_memory memory;
        place(record, table, train->bounds,
              plan_train_copies_images(train) ? record->slice_count
                                              : owned_words(&record->exchange),
              &memory);
        const uint32_t bounds = train->stages * (train->pieces + 1) * WORD_BYTES;
        const uint32_t needed = dtcm + PLAN_STACK_BYTES + memory.total + extra + table->bytes +
                                bounds + 4 * PLAN_HEAP_BLOCK_BYTES;
        if (needed > request->config->machine.chip_dtcm_bytes) {
            return plan_refuse_dtcm(plan, request, needed,
                                    record->parameter_count * train->value_bytes,
                                    hint_without_room(plan), diagnostic);
        }
        core->role = train->blocks ? "train_blocks" : "train_group";
        (void)snprintf(core->layer, sizeof core->layer,
                       train->blocks ? "images of %u, block %u" : "group %u member %u",
                       record->group, piece);
        if (train->neurons) {
            core->role = "train_neurons";
            plan_neurons_describe(plan, i, core->layer, sizeof core->layer);
        }
        core->argument = train->record_address[i];
        core->itcm_bytes = itcm;
        core->dtcm_bytes = needed;
        core->macs = macs_of(table);
    }
    return STATUS_OK;
}

/* The first core that has a piece, and what the piece is called. */
static struct machine_core core_of_piece(const struct load_plan *plan, uint32_t piece, char *part,
                                         size_t size)
{
    const struct plan_train *train = plan->train;
    const char *what = train->neurons ? "neuron" : train->blocks ? "block" : "member";
    part[0] = '\0';
    if (train->pieces > 1) {
        (void)snprintf(part, size, " of %s %u", what, piece);
    }
    return train->neurons ? plan->core[piece].core : plan->chip[train->blocks ? piece : 0].core;
}

/* One tensor for each layer with weights and each piece, on the first chip that has it. */
static enum status list_tensors(struct load_plan *plan, struct diagnostic *diagnostic)
{
    const struct plan_train *train = plan->train;
    plan->tensor = calloc(2ull * plan->network->layer_count * train->pieces, sizeof *plan->tensor);
    if (plan->tensor == NULL) {
        return no_memory(diagnostic);
    }
    for (uint32_t m = 0; m < train->pieces; m++) {
        const struct nn_table *table = train->piece[m].table;
        char part[32];
        const struct machine_core core = core_of_piece(plan, m, part, sizeof part);
        for (uint32_t i = 0; i < table->layers; i++) {
            const struct nn_layer *row = &table->layer[i];
            const struct network_layer *layer =
                &plan->network->layer[train->neurons ? plan_neurons_row_of(plan, m) : i];
            uint32_t shape[4];
            const uint32_t outputs = row->output.channels;
            const uint32_t base = train->record[train->blocks ? 0 : m].parameters;
            const uint32_t scale = train->value_bytes / TABLE_VALUE_BYTES;
            if (nn_is_pool(row)) {
                continue;
            }
            const uint32_t rank = links_tensor_shape(row, shape);
            plan_add_tensor(plan, core, layer, "weights", part, base + row->weights * scale, rank,
                            shape);
            plan_add_tensor(plan, core, layer, "biases", part, base + row->biases * scale, 1,
                            &outputs);
        }
    }
    return STATUS_OK;
}

/* ---- routes ---- */

/* Signals between the cores of a chip: to the rest of the group, and to those with the same piece.
 * Keys: bit 31 clear, the chip in bits 30:16, the core in 12:8, the counter in 5:0. */
struct edges {
    struct routing_edge *edge;
    size_t count;
    struct machine_core *target;
    size_t targets;
    char (*name)[64];
};

enum { CHIP_SHIFT = 16, CORE_SHIFT = 8 };
#define PAIR_MASK 0xfffffffeu

static void add_edge(struct load_plan *plan, struct edges *edges, size_t from, bool peers)
{
    const struct plan_train *train = plan->train;
    struct nn_train_core *record = &train->record[from];
    const size_t cores = train->cores;
    const size_t first = from / cores * cores;
    struct routing_edge *edge = &edges->edge[edges->count];
    *edge = (struct routing_edge){.name = edges->name[edges->count],
                                  .purpose = ROUTING_CONTROL,
                                  .source = plan->core[from].core,
                                  .target = &edges->target[edges->targets],
                                  .fixed = true,
                                  .mask = PAIR_MASK};
    edge->key = (uint32_t)(from / cores) << CHIP_SHIFT | (uint32_t)(from % cores) << CORE_SHIFT |
                (peers ? NN_SIGNAL_PEERS : NN_SIGNAL_GROUP);
    for (size_t to = first; to < first + cores; to++) {
        const struct nn_train_core *other = &train->record[to];
        const bool wanted = peers ? other->member == record->member : other->group == record->group;
        if (wanted && to != from) {
            edges->target[edges->targets++] = plan->core[to].core;
            edge->target_count++;
        }
    }
    (void)snprintf(edges->name[edges->count], sizeof edges->name[0],
                   "%s signal of chip %u,%u core %u", peers ? "peers'" : "group's", edge->source.x,
                   edge->source.y, edge->source.p);
    if (edge->target_count > 0) {
        *(peers ? &record->peers_key : &record->group_key) = edge->key;
        edges->count++;
    }
}

/* On rings or trees, as the configuration says. */
static enum status plan_exchange(struct load_plan *plan, const struct sim_config *config,
                                 const struct ring_plan_request *request, const uint32_t *chip,
                                 struct ring_plan *made, struct diagnostic *diagnostic)
{
    struct plan_train *train = plan->train;
    if (config->train_exchange == CONFIG_EXCHANGE_TREE && train->blocks) {
        return config_refuse(config, "train.exchange", "use rings", diagnostic,
                             "blocks of units are given on rings only");
    }
    if (config->train_exchange == CONFIG_EXCHANGE_TREE) {
        const enum status status =
            trees_make(&train->trees, request->topology, chip, plan->chip_count, diagnostic);
        return status == STATUS_OK
                   ? tree_plan_make(made, request, &train->trees, train->nodes, diagnostic)
                   : status;
    }
    struct rings orders = {0};
    enum status status = rings_make(&orders, request->topology, chip, plan->chip_count, diagnostic);
    if (status == STATUS_OK) {
        struct ring_plan_request on_rings = *request;
        on_rings.rings = &orders;
        status = ring_plan_make(made, &on_rings, diagnostic);
    }
    rings_deinit(&orders);
    return status;
}

/* The rings between the chips: what each core has to do with them goes into its record. */
static enum status make_rings(struct load_plan *plan, const struct sim_config *config,
                              const struct topology *topology, struct ring_plan *rings,
                              struct diagnostic *diagnostic)
{
    struct plan_train *train = plan->train;
    const size_t cores = train->cores;
    uint32_t *chip = calloc(plan->chip_count, sizeof *chip);
    uint8_t *physical = calloc(topology->count * cores, 1);
    uint32_t words[NN_TRAIN_MEMBERS];
    enum status status = STATUS_OK;
    if (chip == NULL || physical == NULL) {
        status = no_memory(diagnostic);
    }
    for (size_t i = 0; i < plan->core_count && status == STATUS_OK; i++) {
        const struct machine_core core = plan->core[i].core;
        chip[i / cores] = (uint32_t)topology_find(topology, core.x, core.y);
        physical[chip[i / cores] * cores + i % cores] = core.p;
        words[i % cores] =
            train->blocks ? plan_blocks_ring_values(plan) : train->record[i].slice_count;
    }
    if (status == STATUS_OK) {
        const struct ring_plan_request request = {.topology = topology,
                                                  .cores = cores,
                                                  .physical = physical,
                                                  .words = words,
                                                  .counter = NN_SIGNAL_OPEN,
                                                  .pace = config->train_pace,
                                                  .link_packet_ps = config->machine.link_packet_ps,
                                                  .link_packet_between_boards_ps =
                                                      config->machine.link_packet_between_boards_ps,
                                                  .clock_hz = config->machine.clock_cpu_hz};
        status = plan_exchange(plan, config, &request, chip, rings, diagnostic);
    }
    for (size_t i = 0; i < plan->core_count && status == STATUS_OK; i++) {
        train->record[i].exchange = rings->plan[chip[i / cores] * cores + i % cores];
    }
    free(chip);
    free(physical);
    return status;
}

/* The cores' signals and the rings' words. */
static enum status collect_edges(struct load_plan *plan, const struct routing_edge *others,
                                 size_t other_count, const struct topology *topology,
                                 struct diagnostic *diagnostic)
{
    const size_t cores = plan->core_count;
    struct edges edges = {.edge = calloc(2 * cores + other_count + 1, sizeof *edges.edge),
                          .target = calloc(2 * cores * NN_TRAIN_MEMBERS, sizeof *edges.target),
                          .name = calloc(2 * cores + 1, sizeof *edges.name)};
    enum status status = STATUS_OK;
    if (edges.edge == NULL || edges.target == NULL || edges.name == NULL) {
        status = no_memory(diagnostic);
    }
    for (size_t i = 0; i < cores && status == STATUS_OK; i++) {
        add_edge(plan, &edges, i, false);
        add_edge(plan, &edges, i, true);
    }
    if (status == STATUS_OK) {
        for (size_t i = 0; i < other_count; i++) {
            edges.edge[edges.count++] = others[i];
        }
        status = routing_make(&plan->routing, topology, edges.edge, edges.count, diagnostic);
    }
    free(edges.edge);
    free(edges.target);
    free(edges.name);
    return status;
}

static enum status make_routes(struct load_plan *plan, const struct plan_request *request,
                               struct diagnostic *diagnostic)
{
    struct topology topology = {0};
    struct ring_plan rings = {0};
    enum status status = config_topology(request->config, &topology, diagnostic);
    if (status == STATUS_OK && plan->train->neurons) {
        status = plan_neurons_make_routes(plan, request->config, &topology, diagnostic);
        topology_deinit(&topology);
        return status;
    }
    if (status == STATUS_OK) {
        status = make_rings(plan, request->config, &topology, &rings, diagnostic);
    }
    if (status == STATUS_OK) {
        status = collect_edges(plan, rings.edge, rings.edge_count, &topology, diagnostic);
    }
    ring_plan_deinit(&rings);
    topology_deinit(&topology);
    return status;
}

/* ---- the whole ---- */

enum status plan_train_make(struct load_plan *plan, const struct plan_request *request,
                            struct diagnostic *diagnostic)
{
    plan->train = calloc(1, sizeof *plan->train);
    if (plan->train == NULL) {
        return no_memory(diagnostic);
    }
    plan->train->value_bytes = network_value_bytes(plan->network);
    enum status status = learning_of(request->config, plan->network, plan->train_images->count,
                                     &plan->train->learning, diagnostic);
    if (status == STATUS_OK) {
        status = choose_groups(plan, request->config, diagnostic);
    }
    if (status == STATUS_OK) {
        status = make_pieces(plan, request->config, diagnostic);
    }
    if (status == STATUS_OK && plan->train->blocks) {
        status = plan_blocks_make(plan, request->config, diagnostic);
    }
    if (status == STATUS_OK) {
        status = place_memory(plan, request, diagnostic);
    }
    if (status == STATUS_OK) {
        status = make_routes(plan, request, diagnostic);
    }
    if (status == STATUS_OK) {
        status = describe_cores(plan, request, diagnostic);
    }
    return status == STATUS_OK ? list_tensors(plan, diagnostic) : status;
}

void plan_train_deinit(struct load_plan *plan)
{
    struct plan_train *train = plan->train;
    if (train == NULL) {
        return;
    }
    for (uint32_t m = 0; m < train->pieces && train->piece != NULL; m++) {
        train_piece_deinit(&train->piece[m]);
    }
    plan_blocks_deinit(train);
    trees_deinit(&train->trees);
    free(train->piece);
    free(train->bounds);
    free(train->record);
    free(train->record_address);
    free(train);
    plan->train = NULL;
}
