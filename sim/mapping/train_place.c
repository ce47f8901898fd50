/* train_place.c - see train_place.h; compiled once for each number format. */
#include "sim/mapping/train_place.h"

#include "workloads/nn/backward.h"
#include "workloads/nn/kernels.h"
#include "workloads/nn/run_plan.h"

enum { WORD = 4, BYTES = sizeof(nn_value) };

/* Whether values before pooling share their memory with data of the backward pass and the update:
 * LeNet-1 in 32 bits would not fit a core otherwise. */
static bool shares(const struct train_piece *piece)
{
    return NN_WIDE || piece->tight;
}

static uint32_t take(uint32_t *next, uint32_t bytes)
{
    const uint32_t at = *next;
    *next += (bytes + 7u) & ~7u;
    return at;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static const struct nn_layer *row_at(const struct nn_table *table, uint32_t offset)
{
    return (const struct nn_layer *)(const void *)((const uint8_t *)table + offset);
}

static bool is_conv(const struct nn_table *table, const struct nn_train_stage *stage)
{
    return row_at(table, stage->layer)->kind == NN_CONV2D;
}

/* Largest sizes of what the stages use one after the other. */
struct most {
    uint32_t sums, events, maps, others, unpooled;
    uint32_t others_of_sums[NN_TRAIN_STAGES]; /* words of others while a stage's sums are there */
};

/* Whether a stage's values before pooling are kept for the backward pass: those of averages. */
static bool keeps_places(const struct train_piece *piece, const struct nn_train_stage *stage)
{
    return nn_averages(row_at(piece->table, stage->pool)) || !shares(piece);
}

/* Words of other members that a program takes at a time if it takes few: sums of a few, or the
 * values of all; those of a convolution in whole words need no room. */
static uint32_t few_words(const struct nn_train_stage *stage, bool convolves, uint32_t others,
                          const uint32_t *bound)
{
    enum { PER_WORD = WORD / BYTES };
    uint32_t largest = 0;
    uint32_t odd = 0;
    for (uint32_t m = 0; m <= others; m++) {
        largest = larger(largest, bound[m + 1] - bound[m]);
        odd |= bound[m] % PER_WORD;
    }
    if (odd == 0 && convolves) {
        largest = 0;
    }
    return larger(smaller(others, NN_TRAIN_AT_ONCE) * stage->images * stage->outputs,
                  others * (stage->images * largest / PER_WORD + 2));
}

/* What stage k needs because another one follows.  `others`: words of other members that a core
 * takes at a time to complete values or sums. */
static void measure_result(const struct nn_train_core *core, const struct train_piece *piece,
                           const uint32_t *bounds, const struct nn_train_stage *stage, uint32_t k,
                           struct most *most)
{
    const struct nn_table *table = piece->table;
    const struct nn_layer *layer = row_at(table, stage->layer);
    const bool few = piece->tight || train_piece_takes_few(table);
    const bool averages = stage->pool != 0 && nn_averages(row_at(table, stage->pool));
    const uint32_t convolved = layer->kind == NN_CONV2D ? stage->outputs : 0;
    const uint32_t sharers = is_conv(table, &stage[1]) ? nn_team_members(core) : core->members;
    /* each value of an average pool's windows has an error */
    most->events = larger(most->events, averages ? stage->places : convolved);
    most->maps = larger(most->maps, layer->output.channels);
    const uint32_t own = stage[1].part.own_input;
    const uint32_t others = own != 0 ? 0 : sharers - 1;
    const uint32_t *bound = bounds + (size_t)k * (core->members + 1);
    most->others_of_sums[k + 1] =
        stage->outputs * (few ? smaller(others, NN_TRAIN_AT_ONCE) : others * stage->images);
    most->others =
        larger(most->others, few ? few_words(stage, layer->kind == NN_CONV2D, others, bound)
                                 : most->others_of_sums[k + 1]);
}

static void measure(const struct nn_train_core *core, const struct train_piece *piece,
                    const uint32_t *bounds, const struct nn_train_memory *memory, struct most *most)
{
    for (uint32_t k = 0; k < memory->stages; k++) {
        const struct nn_train_stage *stage = &memory->stage[k];
        most->sums = larger(most->sums, k > 0 ? stage->images * stage->inputs : 0);
        if (k + 1 < memory->stages) {
            measure_result(core, piece, bounds, stage, k, most);
        }
        if (stage->pool != 0 && !keeps_places(piece, stage)) {
            most->unpooled = larger(most->unpooled, stage->places * BYTES);
        }
    }
}

/* Where a core's own values begin in the input of the stage behind stage k. */
static uint32_t own_result(const struct nn_train_core *core, const struct nn_table *table,
                           const uint32_t *bounds, const struct nn_train_memory *memory, uint32_t k)
{
    const struct nn_train_stage *next = &memory->stage[k + 1];
    const bool conv = is_conv(table, &memory->stage[k]);
    const uint32_t *bound = bounds + (size_t)k * (core->members + 1);
    const uint32_t mine = bound[conv ? nn_mate(core) : core->member];
    const uint32_t image = conv && next->images > 1 ? nn_team(core) : 0;
    const bool own = k + 2 == memory->stages || next->part.own_input != 0;
    return image * next->input_stride + (own ? 0 : mine);
}

/* Places of each stage, from `next` on. */
static uint32_t place_stages(const struct nn_train_core *core, const struct train_piece *piece,
                             const uint32_t *bounds, uint32_t next, struct nn_train_memory *memory)
{
    const struct nn_table *table = piece->table;
    const uint32_t last = memory->stages - 1;
    for (uint32_t k = 0; k <= last; k++) {
        struct nn_train_stage *stage = &memory->stage[k];
        const uint32_t inputs = (stage->inputs + 1) & ~1u;
        const uint32_t errors = ((k < last ? stage->outputs : table->classes) + 1) & ~1u;
        stage->input_stride = (uint16_t)inputs; /* what 16 bits cannot hold does not fit DTCM */
        stage->error_stride = (uint16_t)errors;
        stage->input = take(&next, stage->images * inputs * BYTES);
        const bool later = piece->tight && k < last && is_conv(table, stage);
        stage->errors = take(&next, later ? 0 : stage->images * errors * BYTES); /* in the sums */
        if (stage->pool != 0) {
            stage->output = take(&next, keeps_places(piece, stage) ? stage->places * BYTES : 0);
            stage->choice = take(&next, stage->outputs);
        }
    }
    for (uint32_t k = 0; k < last; k++) {
        struct nn_train_stage *stage = &memory->stage[k];
        stage->result =
            memory->stage[k + 1].input + own_result(core, table, bounds, memory, k) * BYTES;
        stage->output = stage->pool == 0 ? stage->result : stage->output;
    }
    return next;
}

/* Gives all values before pooling the same place, which later data share; returns its end. */
static uint32_t place_unpooled(const struct train_piece *piece, struct nn_train_memory *memory,
                               uint32_t at, uint32_t bytes)
{
    for (uint32_t k = 0; k < memory->stages; k++) {
        struct nn_train_stage *stage = &memory->stage[k];
        const bool kept = stage->pool == 0 || keeps_places(piece, stage);
        stage->output = kept ? stage->output : at;
    }
    (void)take(&at, bytes);
    return at;
}

/* The core's own part of a stage's sums, which become the errors of the stage before: words. */
struct own_sums {
    uint32_t begin, end;
};

static struct own_sums own_sums(const struct nn_train_core *core, const struct nn_table *table,
                                const uint32_t *bounds, const struct nn_train_memory *memory,
                                uint32_t k)
{
    const struct nn_train_stage *stage = &memory->stage[k];
    const struct nn_train_stage *before = &memory->stage[k - 1];
    const uint32_t *bound = bounds + (size_t)(k - 1) * (core->members + 1);
    const bool maps = is_conv(table, before);
    const bool meets = maps && !is_conv(table, stage); /* all teams' images are there */
    const uint32_t images = maps ? 1 : stage->images;
    uint32_t first = 0;
    if (k + 1 < memory->stages && stage->part.own_input == 0) {
        first = bound[maps ? nn_mate(core) : core->member] +
                (meets ? nn_team(core) * stage->inputs : 0);
    }
    return (struct own_sums){first, first + (images - 1) * stage->inputs + before->outputs};
}

/* Words that lie where words are taken to while a stage's sums are there: those of others or, after
 * them, the errors of a convolution before. */
static uint32_t words_with_sums(const struct nn_table *table, const struct most *most,
                                const struct nn_train_memory *memory, uint32_t k)
{
    const struct nn_train_stage *before = &memory->stage[k - 1];
    const uint32_t errors = is_conv(table, before) ? before->outputs * BYTES : 0;
    return larger(most->others_of_sums[k], (errors + WORD - 1) / WORD);
}

/* Places of what is taken, in words from the first sum: before it (negative) or from it on. */
struct search {
    int32_t taken, sums;            /* words */
    uint32_t stages;                /* that have sums */
    int32_t words[NN_TRAIN_STAGES]; /* of each that must not meet the core's own part */
    struct own_sums own[NN_TRAIN_STAGES];
    int32_t best, room; /* the place so far, and words that it makes of both */
};

/* Takes an even place if it makes less room than those so far, or as much and lies lower. */
static void try_place(struct search *search, int32_t at)
{
    const int32_t end = at + search->taken > search->sums ? at + search->taken : search->sums;
    const int32_t room = end - (at < 0 ? at : 0);
    bool worse = room > search->room || (room == search->room && at > search->best);
    for (uint32_t k = 0; k < search->stages && !worse; k++) {
        const struct own_sums own = search->own[k];
        worse = (int32_t)own.begin < at + search->words[k] && at < (int32_t)own.end;
    }
    if (!worse) {
        search->best = at;
        search->room = room;
    }
}

/* The place for `taken` words that makes least room of them and the sums.  It is where both begin
 * or end together, or beside a part that they must not meet. */
static int32_t beside_own_sums(const struct nn_train_core *core, const struct nn_table *table,
                               const uint32_t *bounds, const struct nn_train_memory *memory,
                               const struct most *most, int32_t taken)
{
    const int32_t sums = (int32_t)((most->sums + 1) & ~1u);
    struct search search = {.taken = taken, .sums = sums, .best = -taken, .room = taken + sums};
    for (uint32_t k = 1; k < memory->stages; k++) {
        search.own[k - 1] = own_sums(core, table, bounds, memory, k);
        search.words[k - 1] = (int32_t)words_with_sums(table, most, memory, k);
        search.stages = k;
    }
    try_place(&search, 0);
    try_place(&search, sums - taken);
    for (uint32_t k = 0; k < search.stages; k++) {
        try_place(&search, (int32_t)(search.own[k].end + 1) & ~1);
        try_place(&search, ((int32_t)search.own[k].begin - search.words[k]) & ~1);
    }
    return search.best;
}

/* Of tight pieces: what is taken of other members lies in the sums.  Of these a core needs its
 * own part alone when it takes the others' of it; other members have read the rest from SDRAM.
 * Elsewhere what is taken is needed without sums.  When the others' are added, the errors of a
 * convolution's outputs take the place: they are used before there are sums again.  Returns the end
 * of all. */
static uint32_t place_in_sums(const struct nn_train_core *core, const struct nn_table *table,
                              const uint32_t *bounds, uint32_t taken, const struct most *most,
                              struct nn_train_memory *memory, uint32_t next)
{
    uint32_t words = (taken + 2 * WORD - 1) / (2 * WORD) * 2;
    for (uint32_t k = 1; k < memory->stages; k++) {
        words = larger(words, (words_with_sums(table, most, memory, k) + 1) & ~1u);
    }
    const int32_t at = beside_own_sums(core, table, bounds, memory, most, (int32_t)words);
    memory->sums = next + (at < 0 ? (uint32_t)-at * WORD : 0);
    memory->taken = memory->sums + (uint32_t)at * WORD; /* modulo 2^32 */
    for (uint32_t k = 0; k + 1 < memory->stages; k++) {
        if (is_conv(table, &memory->stage[k])) {
            memory->stage[k].errors = memory->taken;
        }
    }
    uint32_t end = memory->sums;
    (void)take(&end, most->sums * WORD);
    return larger(end, memory->taken + words * WORD);
}

/* Places of values and errors of hidden layers.  Those of different steps overlap: first there is
 * the ring's array with the values of all units; when all errors are known, buffers of gradients
 * and the pixels for those of the first layer; then what is taken from peers. */
static void place_work(const struct nn_train_core *core, struct nn_block_plan *plan, uint32_t next,
                       struct nn_train_memory *memory)
{
    struct nn_block_memory *at = &plan->at;
    const uint32_t begin = next;
    const uint32_t peers = smaller(core->groups, NN_TRAIN_AT_ONCE) * core->slice_count;
    const uint32_t columns = nn_block_pixel_columns(plan, core->pixels);
    uint32_t ring = 0;
    for (uint32_t k = 0; k + 1 < plan->layers; k++) {
        ring = larger(ring, nn_block_ring_values(plan, k) * BYTES);
    }
    memory->taken = next;
    at->ring = next;
    at->buffer[0] = next;
    at->buffer[1] = next + NN_BLOCK_SUMS * WORD;
    (void)take(&next, larger(ring, 2 * NN_BLOCK_SUMS * WORD));
    at->values = next;
    const uint32_t pixels = next + larger(plan->images * columns, core->pixels + 1) * BYTES;
    for (uint32_t k = 0; k + 1 < plan->layers; k++) {
        const uint32_t bytes = plan->images * plan->layer[k].units * BYTES;
        at->hidden[k] = take(&next, bytes);
        at->all[k] = k > 0 ? take(&next, bytes) : 0;
    }
    memory->total = (larger(larger(begin + peers * WORD, pixels), next) + 7u) & ~7u;
}

/* The same where layers behind the first are in columns: of hidden layers a core has the values of
 * its chip's units only.  On the ring there are sums, beside them the errors of the logits.  If the
 * values of pixels are not kept, they share their place with the errors of inner layers; if they
 * are, the pixels lie at their end: the values of one image reach no pixel of those behind it. */
static void place_column_work(const struct nn_train_core *core, struct nn_block_plan *plan,
                              uint32_t next, struct nn_train_memory *memory)
{
    struct nn_block_memory *at = &plan->at;
    const uint32_t begin = next;
    const uint32_t last = plan->layers - 1;
    const uint32_t peers = smaller(core->groups, 2 * NN_TRAIN_AT_ONCE) * core->slice_count;
    const uint32_t columns = nn_block_pixel_columns(plan, core->pixels);
    uint32_t ring = 0;
    for (uint32_t k = 1; k <= last; k++) {
        ring = larger(ring, nn_column_ring_values(plan, k) * WORD);
    }
    memory->taken = next;
    at->ring = next;
    at->buffer[0] = next;
    at->buffer[1] = next + NN_BLOCK_SUMS * WORD;
    (void)take(&next, larger(ring, 2 * NN_BLOCK_SUMS * WORD));
    at->all[last] = take(&next, nn_column_ring_values(plan, last) * BYTES);
    for (uint32_t k = 0; k < last; k++) {
        at->hidden[k] = take(&next, plan->images * nn_block_even(plan->layer[k].most) * BYTES);
    }
    at->all[0] = take(&next, plan->images);
    at->values = next;
    uint32_t pixels = next + larger(plan->images * columns, core->pixels + 1) * BYTES;
    if (nn_column_keeps(plan, core->pixels, BYTES)) {
        enum { BEFORE = 16 /* bytes: a block of pixels is read before its values are written */ };
        const uint32_t bytes = plan->images * core->image_bytes;
        (void)take(&next, plan->images * nn_block_even(core->pixels) * BYTES + BEFORE);
        next = larger(next, begin + peers * WORD + bytes); /* fetched while peers' are added */
        at->pixels = next - bytes;
        pixels = next;
    }
    for (uint32_t k = 1; k < last; k++) {
        at->all[k] = take(&next, plan->images * plan->layer[k].units * BYTES);
    }
    memory->total = (larger(larger(begin + peers * WORD, pixels), next) + 7u) & ~7u;
}

/* For the record of an update, and for an image's result. */
static uint32_t record_bytes(const struct nn_table *table)
{
    return larger(sizeof(struct nn_train_record), nn_result_bytes(table->classes));
}

/* The layout of a core with a block: not of all its gradients, only of the slice that it adds up.
 */
static void place_block(const struct nn_train_core *core, const struct train_piece *piece,
                        uint32_t owned, struct nn_block_plan *plan, struct nn_train_memory *memory)
{
    const uint32_t last = plan->layers - 1;
    const uint32_t errors = nn_block_even(piece->table->classes);
    const uint32_t arrays = piece->in_columns ? plan->layers : last; /* on the ring */
    struct nn_block_memory *at = &plan->at;
    uint32_t next = 0;
    uint32_t sums = 0;
    for (uint32_t k = 0; k < arrays; k++) {
        const bool all = piece->in_columns && k > 0;
        sums = larger(sums, all ? plan->layer[k].units : plan->layer[k].most);
    }
    memory->parameters = take(&next, core->parameter_count * BYTES);
    memory->sums_begin = take(&next, core->slice_count * WORD);
    memory->sums_words = core->slice_count;
    memory->gradients = memory->sums_begin - core->slice_first * WORD; /* modulo 2^32 */
    memory->state = take(&next, owned * nn_rule_state_words(&core->rule) * WORD);
    memory->sums = take(&next, sums * WORD);
    memory->logits = take(&next, errors * WORD);
    memory->exp_table = take(&next, NN_EXP_WORDS * WORD);
    memory->record = take(&next, record_bytes(piece->table));
    at->slices = take(&next, arrays * plan->chips * (uint32_t)sizeof(struct nn_block_slice));
    at->bounds = take(&next, arrays * (plan->chips + 1) * WORD);
    at->biases = take(&next, (core->parameter_count - core->weights_end) * WORD);
    at->errors = take(&next, plan->images * errors * BYTES);
    at->delta = take(&next, plan->images * nn_block_even(plan->layer[0].most) * BYTES);
    at->pixels = next;
    if (!piece->in_columns || !nn_column_keeps(plan, core->pixels, BYTES)) {
        (void)take(&next, plan->images * core->image_bytes);
    }
    (piece->in_columns ? place_column_work : place_work)(core, plan, next, memory);
}

void NN_OF_FORMAT(train_place)(const struct nn_train_core *core, const struct train_piece *piece,
                               const uint32_t *bounds, uint32_t owned, struct nn_block_plan *blocks,
                               struct nn_train_memory *memory)
{
    const struct nn_table *table = piece->table;
    struct most most = {0};
    uint32_t next = 0;
    train_piece_stages(piece, memory);
    if (memory->stages == 0) {
        return;
    }
    if (blocks != NULL) {
        place_block(core, piece, owned, blocks, memory);
        return;
    }
    measure(core, piece, bounds, memory, &most);
    /* An exchange of gradients may overwrite a word behind both (exchange.h). */
    const uint32_t behind = core->chips > 1 ? WORD : 0;
    memory->parameters = take(&next, core->parameter_count * BYTES + behind);
    memory->gradients = take(&next, core->parameter_count * WORD + behind);
    memory->sums_begin = memory->gradients;
    memory->sums_words = core->parameter_count;
    memory->state = take(&next, owned * nn_rule_state_words(&core->rule) * WORD);
    next = place_stages(core, piece, bounds, next, memory);
    const uint32_t logits = core->at_once * ((table->classes + 1u) & ~1u);
    const uint32_t sums_of_others = (core->members - 1) * logits;
    const uint32_t twins = piece->taken_words;
    const uint32_t peers = smaller(core->groups - 1, NN_TRAIN_AT_ONCE) * core->slice_count;
    const uint32_t taken = WORD * larger(larger(most.others, twins), larger(sums_of_others, peers));
    const uint32_t unpooled_end =
        shares(piece) ? place_unpooled(piece, memory, next, most.unpooled) : 0;
    if (piece->tight) {
        next = place_in_sums(core, table, bounds, taken, &most, memory, next);
    } else {
        memory->taken = take(&next, taken);
        memory->sums = take(&next, most.sums * WORD);
    }
    memory->events = take(&next, most.events * (uint32_t)sizeof(struct nn_event));
    next = larger(next, unpooled_end);
    memory->counts = take(&next, most.maps * 2);
    memory->logits = take(&next, logits * WORD);
    memory->exp_table = take(&next, NN_EXP_WORDS * WORD);
    memory->record = take(&next, record_bytes(piece->table));
    for (uint32_t i = 0; i < NN_TRAIN_SLOTS; i++) {
        memory->image[i] = take(&next, core->image_bytes);
    }
    memory->total = next;
}
