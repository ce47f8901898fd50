/* train_core.c - see train_core.h. */
#include "train_core.h"

#include "marks.h"

#include <chip_sync.h>
#include <dropout.h>
#include <loss.h>
#include <words.h>

enum { TAG = 1, PRIORITY = 1, WORD = TRAIN_WORD };

struct train_state train;

static struct {
    const struct train_role *role;
    uint32_t meetings, met[2]; /* rounds with the peers; signals due so far, by parity */
    uint32_t counter, count;   /* of signals that are awaited */
    uint32_t transfers, transfers_awaited;
    volatile uint32_t transfers_done;
} self;

/* ---- memory ---- */

static void *allocate(uint bytes)
{
    void *memory = sark_alloc(1, bytes);
    if (memory == NULL) {
        io_printf(IO_BUF, "no room in DTCM for %u bytes\n", bytes);
        rt_error(RTE_MALLOC);
    }
    return memory;
}

static void *fetch(uint32_t address, uint32_t bytes)
{
    void *memory = allocate(bytes);
    sark_word_cpy(memory, (const void *)address, bytes);
    return memory;
}

/* ---- transfers ---- */

static void transfer_done(uint id, uint tag)
{
    (void)id;
    (void)tag;
    self.transfers_done++;
}

static uint transfers_are_over(void)
{
    return self.transfers_done == self.transfers;
}

void train_finish_transfers(void)
{
    if (!transfers_are_over()) {
        mark_transfers();
        chip_wait(transfers_are_over);
    }
}

uint32_t train_transfers(void)
{
    return self.transfers;
}

static uint transfers_are_here(void)
{
    return (int32_t)(self.transfers_done - self.transfers_awaited) >= 0;
}

void train_await_transfers(uint32_t count)
{
    self.transfers_awaited = count;
    if (!transfers_are_here()) {
        mark_transfers();
        chip_wait(transfers_are_here);
    }
}

static void start_transfer(uint32_t address, void *tcm, uint direction, uint32_t bytes)
{
    if (bytes == 0) {
        return;
    }
    if (spin1_dma_transfer(TAG, (void *)address, tcm, direction, bytes) == 0) {
        train_finish_transfers(); /* the queue is full */
        (void)spin1_dma_transfer(TAG, (void *)address, tcm, direction, bytes);
    }
    self.transfers++;
}

void train_read(uint32_t address, void *tcm, uint32_t bytes)
{
    start_transfer(address, tcm, DMA_READ, bytes);
}

void train_write(uint32_t address, void *tcm, uint32_t bytes)
{
    start_transfer(address, tcm, DMA_WRITE, bytes);
}

/* ---- signals ---- */

static uint signals_are_here(void)
{
    return (int32_t)(self.role->signal_count[self.counter] - self.count) >= 0;
}

void train_await(uint32_t counter, uint32_t count)
{
    self.counter = counter;
    self.count = count;
    if (!signals_are_here()) {
        mark_signals();
        chip_wait(signals_are_here);
    }
}

void train_meet_peers(void)
{
    const uint32_t odd = self.meetings++ & 1;
    train_finish_transfers();
    if (train.core.groups > 1) {
        self.met[odd] += train.core.groups - 1;
        self.role->signal(train.core.peers_key + odd);
        train_await(NN_SIGNAL_PEERS + odd, self.met[odd]);
    }
}

/* ---- images ---- */

static uint32_t end_of(uint32_t update)
{
    const uint32_t end = (update + 1) * train.core.batch;
    return end < train.core.order.images ? end : train.core.order.images;
}

uint32_t train_first_position(uint32_t update)
{
    const uint32_t chips = train.core.chips;
    const uint32_t begin = update * train.core.batch;
    return begin + (train.core.chip + chips - begin % chips) % chips;
}

uint32_t train_image_count(uint32_t update)
{
    const uint32_t first = train_first_position(update);
    const uint32_t end = end_of(update);
    return first < end ? (end - first - 1) / train.core.chips + 1 : 0;
}

struct train_cursor train_first_image(uint32_t update)
{
    for (; update < train.command.updates; update++) {
        const uint32_t position = train_first_position(update) + train.turn * train.core.chips;
        if (position < end_of(update)) {
            return (struct train_cursor){update, position};
        }
    }
    return (struct train_cursor){update, TRAIN_NO_IMAGE};
}

struct train_cursor train_next_image(struct train_cursor cursor)
{
    cursor.position += train.core.chips * train.turns;
    return cursor.position < end_of(cursor.update) ? cursor : train_first_image(cursor.update + 1);
}

uint32_t train_image_address(uint32_t position)
{
    const uint32_t image = nn_order_image(&train.core.order, train.command.epoch, position);
    return train.core.images + image / train.core.chips * train.core.image_bytes;
}

void train_log_image(const void *image, uint32_t position)
{
    if (train.core.log == 0) {
        return;
    }
    volatile uint32_t *log = (volatile uint32_t *)train.core.log;
    const uint8_t *end = (const uint8_t *)image + train.core.image_bytes;
    log[position / train.core.chips] = nn_image_hash(image, (const void *)end);
}

uint32_t train_image_number(uint32_t position)
{
    return nn_order_image(&train.core.order, train.command.epoch, position);
}

void train_drop_out(const struct nn_train_stage *stage, uint32_t image_number, uint32_t first,
                    uint32_t count, nn_value *values, uint32_t *cuts)
{
    const uint32_t key =
        nn_dropout_key(train.core.order.seed, train.command.epoch, image_number, stage->row);
    nn_dropout(train_layer(stage), key, first, count, values, cuts);
}

/* ---- layers ---- */

void train_begin_layer(uint32_t row)
{
    mark_layer(row);
    nn_sum_begin(&train.numerics);
}

void train_end_layer(void)
{
    train.numerics.overflows += nn_sum_overflow(&train.numerics);
}

void train_count_loss(const nn_total *logits, uint32_t label, nn_value *errors, bool counts)
{
    uint32_t loss;
    const uint32_t predicted = nn_loss_kernel_of(nn_loss_of(train_last_layer()))(
        logits, train.table->classes, train_logit_fraction(),
        (const uint32_t *)train_words(train.at.exp_table), label, train.core.rule.error_fraction,
        errors, &loss);
    if (counts) {
        train.record->images++;
        train.record->right += predicted == label;
        train.record->loss += loss;
    }
}

/* ---- an update ---- */

static void clear_gradients(void)
{
    nn_clear_words(train_words(train.at.sums_begin), train.at.sums_words);
}

/* Adds the peers' gradients into this core's slice. */
__attribute__((weak)) void train_add_peers(void)
{
    const uint32_t count = train.core.slice_count;
    const uint32_t bytes = train.core.parameter_count * WORD;
    const uint32_t before = train.core.first;
    int32_t *gradients = train_words(train.at.gradients);
    int32_t *taken = train_words(train.at.taken);
    if (train.core.groups == 1) {
        return;
    }
    train_write(train.core.gradients + train.core.group * bytes + before * WORD, gradients + before,
                bytes - before * WORD);
    train_meet_peers();
    uint32_t blocks = 0;
    for (uint32_t n = 1; n < train.core.groups; n++) {
        const uint32_t peer = (train.core.group + n) % train.core.groups;
        train_read(train.core.gradients + peer * bytes + train.core.slice_first * WORD,
                   taken + blocks++ * count, count * WORD);
        if (blocks == NN_TRAIN_AT_ONCE || n + 1 == train.core.groups) {
            train_finish_transfers();
            mark_update();
            nn_add_words(gradients + train.core.slice_first, taken, count, blocks);
            blocks = 0;
        }
    }
}

static void update_owned(uint32_t step)
{
    struct nn_update_note note = {0};
    mark_update();
    nn_update(&train.core.rule, step, nn_rate(&train.core.schedule, step), train.owned_first,
              train.owned_count, train.core.weights_end,
              train_words(train.at.gradients) + train.owned_first, train_words(train.at.state),
              train_values(train.at.parameters) + train.owned_first, &note);
    train.record->largest = note.largest;
    train.record->largest_at = note.largest_at;
    train.record->weight_saturations = note.saturations;
    train.record->state_saturations = note.state_saturations;
}

/* Writes this core's slice to SDRAM and reads the peers' slices. */
static void give_parameters(void)
{
    const uint32_t value = sizeof(nn_value);
    const uint32_t first = train.core.slice_first;
    const uint32_t end = first + train.core.slice_count;
    nn_value *parameters = train_values(train.at.parameters);
    train_write(train.core.parameters + first * value, parameters + first,
                train.core.slice_count * value);
    train_meet_peers();
    if (train.core.groups > 1) {
        const uint32_t begin = train.core.first;
        train_read(train.core.parameters + begin * value, parameters + begin,
                   (first - begin) * value);
        train_read(train.core.parameters + end * value, parameters + end,
                   (train.core.parameter_count - end) * value);
    }
    mark_update();
    clear_gradients();
    train_finish_transfers();
}

static void leave_record(uint32_t update)
{
    struct nn_train_record *record = train.record;
    mark_record();
    record->done = train.command.first_update + update + 1;
    record->saturations = train.numerics.saturations;
    record->error_saturations = train.numerics.error_saturations;
    record->overflows = train.numerics.overflows;
    train_write(train.core.records + update * sizeof *record, record, sizeof *record);
    train_finish_transfers();
    train_begin_epoch();
}

void train_update(uint32_t update)
{
    train_add_peers();
    if (self.role->reduce != NULL) {
        mark_exchange_gradients();
        self.role->reduce(train_words(train.at.gradients) + train.core.slice_first,
                          train_values(train.at.parameters) + train.core.slice_first);
    }
    update_owned(train.command.first_update + update);
    if (self.role->give != NULL) {
        mark_exchange_weights();
        self.role->give(train_values(train.at.parameters) + train.core.slice_first);
    }
    give_parameters();
    leave_record(update);
}

void train_begin_epoch(void)
{
    *train.record = (struct nn_train_record){0};
    train.numerics = (struct nn_numerics){0};
}

void train_end_epoch(void)
{
    train_write(train.core.state, train_words(train.at.state), train.state_words * WORD);
    train_finish_transfers();
}

/* ---- a test ---- */

void train_store_result(const nn_total *logits, uint32_t image)
{
    struct nn_result *result = (struct nn_result *)(void *)train.record;
    uint32_t probability[NN_MAX_CLASSES];
    mark_result();
    result->label = nn_softmax(logits, train.table->classes, train_logit_fraction(),
                               (const uint32_t *)train_words(train.at.exp_table), probability);
    result->confidence = probability[result->label];
    result->saturations = train.numerics.saturations;
    result->overflows = train.numerics.overflows;
    result->core = sark_core_id();
    result->done = 1;
    for (uint32_t c = 0; c < NN_RESULT_CLASSES; c++) {
        result->logits[c] = c < train.table->classes ? nn_logit_word(logits[c]) : 0;
    }
    train_write(train.core.results + image * sizeof *result, result, sizeof *result);
    train_finish_transfers();
}

/* ---- the whole ---- */

static void check_plan(void)
{
    if (train.core.magic != NN_TRAIN_MAGIC || train.core.version != NN_TRAIN_VERSION ||
        train.core.value_bytes != sizeof(nn_value)) {
        io_printf(IO_BUF, "no training plan for this program at 0x%08x\n", sark.vcpu->user0);
        rt_error(RTE_SWERR);
    }
}

static void find_owned(void)
{
    train.owned_count = train.core.slice_count;
    if (self.role->owned != NULL) {
        self.role->owned(&train.owned_first, &train.owned_count);
    }
    train.owned_first += train.core.slice_first;
}

void train_set_up(const struct train_role *role, uint32_t extra)
{
    self.role = role;
    mark_load();
    sark_word_cpy(&train.core, (const void *)sark.vcpu->user0, sizeof train.core);
    check_plan();
    train.team = nn_team(&train.core);
    train.mate = nn_mate(&train.core);
    train.turn = train.core.group * train.core.at_once + train.team;
    train.turns = train.core.groups * train.core.at_once;
    train.table = fetch(train.core.table, train.core.table_bytes);
    sark_word_cpy(&train.at, (const void *)train.core.layout, sizeof train.at);
    train.bounds =
        fetch(train.core.bounds, train.at.stages * (train.core.members + 1) * sizeof *train.bounds);
    find_owned();
    train.state_words = train.owned_count * nn_rule_state_words(&train.core.rule);
    train.memory = allocate(train.at.total + extra);
    train.record = (struct nn_train_record *)(void *)(train.memory + train.at.record);
    sark_word_cpy(train_values(train.at.parameters), (const void *)train.core.parameters,
                  train.core.parameter_count * sizeof(nn_value));
    sark_word_cpy(train_words(train.at.state), (const void *)train.core.state,
                  train.state_words * WORD);
    clear_gradients();
    nn_clear_words(train_words(train.at.logits),
                   train.core.at_once * ((train.table->classes + 1u) & ~1u));
    if (NN_EXP_WORDS > 0) {
        nn_exp_table((uint32_t *)train_words(train.at.exp_table));
    }
}

static uint command_is_here(void)
{
    const volatile struct nn_train_command *command =
        (const volatile struct nn_train_command *)train.core.command;
    return command->number != train.command.number;
}

static void tell_done(void)
{
    volatile struct nn_train_core *core = (volatile struct nn_train_core *)sark.vcpu->user0;
    core->done = train.command.number;
}

static void work(uint unused0, uint unused1)
{
    (void)unused0;
    (void)unused1;
    self.role->listen();
    tell_done(); /* ready: command 0 */
    do {
        mark_command();
        chip_wait(command_is_here);
        sark_word_cpy(&train.command, (const void *)train.core.command, sizeof train.command);
        if (train.command.what == NN_TRAIN_EPOCH) {
            stage_train();
            self.role->epoch();
        } else if (train.command.what == NN_TRAIN_TEST) {
            stage_test();
            self.role->test();
        }
        tell_done();
    } while (train.command.what != NN_TRAIN_END);
    spin1_exit(0);
}

void train_run(void)
{
    spin1_callback_on(DMA_TRANSFER_DONE, transfer_done, 0);
    (void)spin1_schedule_callback(work, 0, 0, PRIORITY);
    (void)spin1_start(SYNC_NOWAIT);
}
