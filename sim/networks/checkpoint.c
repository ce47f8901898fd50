/* checkpoint.c - see checkpoint.h. */
#include "sim/networks/checkpoint.h"

#include "sim/data/npz.h"
#include "sim/networks/optimizer.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum status no_memory(struct diagnostic *diagnostic)
{
    return diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
}

/* ---- which training ---- */

static void add(struct sha256 *hash, const char *name, uint64_t value)
{
    char line[64];
    const int length = snprintf(line, sizeof line, "%s=%llu\n", name, (unsigned long long)value);
    sha256_update(hash, line, (size_t)length);
}

void checkpoint_training(const struct learning *learning, const struct nn_table *table,
                         const char *data_digest, char training[SHA256_HEX_CHARS])
{
    const struct nn_rule *rule = &learning->rule;
    const struct nn_schedule *schedule = &learning->schedule;
    struct sha256 hash;
    uint8_t digest[SHA256_BYTES];
    sha256_init(&hash);
    sha256_update(&hash, table, table->bytes);
    sha256_update(&hash, data_digest, strlen(data_digest));
    add(&hash, "seed", learning->order.seed);
    add(&hash, "images", learning->order.images);
    add(&hash, "shards", learning->order.shards);
    add(&hash, "batch", learning->batch);
    add(&hash, "decay", schedule->decay);
    if (schedule->decay == NN_DECAY_LINEAR) { /* the others know no end */
        add(&hash, "updates", schedule->updates);
    }
    add(&hash, "warm_up", schedule->warm_up);
    add(&hash, "step_updates", schedule->step_updates);
    add(&hash, "step_shift", schedule->step_shift);
    add(&hash, "optimizer", rule->optimizer);
    add(&hash, "rounding", rule->rounding);
    add(&hash, "weight_fraction", rule->weight_fraction);
    add(&hash, "error_fraction", rule->error_fraction);
    add(&hash, "activation_fraction", rule->activation_fraction);
    add(&hash, "rate_shift", rule->rate_shift);
    add(&hash, "rate_scale", rule->rate_scale);
    add(&hash, "one_less_momentum", rule->one_less_momentum);
    add(&hash, "one_less_decay", rule->one_less_decay);
    add(&hash, "epsilon", rule->epsilon);
    add(&hash, "rule_seed", rule->seed);
    sha256_final(&hash, digest);
    sha256_hex(digest, training);
}

/* ---- memory ---- */

enum status checkpoint_init(struct checkpoint *checkpoint, const struct learning *learning,
                            const struct nn_table *table, const char *data_digest,
                            struct diagnostic *diagnostic)
{
    *checkpoint = (struct checkpoint){.places = table->parameter_bytes / sizeof(int16_t),
                                      .state_words = nn_rule_state_words(&learning->rule)};
    checkpoint_training(learning, table, data_digest, checkpoint->training);
    checkpoint->parameters = calloc(checkpoint->places + 1, sizeof *checkpoint->parameters);
    checkpoint->state =
        calloc(checkpoint->places * checkpoint->state_words + 1, sizeof *checkpoint->state);
    if (checkpoint->parameters == NULL || checkpoint->state == NULL) {
        return no_memory(diagnostic);
    }
    return STATUS_OK;
}

void checkpoint_deinit(struct checkpoint *checkpoint)
{
    free(checkpoint->parameters);
    free(checkpoint->state);
    free(checkpoint->row);
    *checkpoint = (struct checkpoint){0};
}

/* ---- writing ---- */

static struct npz_array vector(const char *name, enum npz_type type, const void *data, size_t count)
{
    return (struct npz_array){
        .name = name, .type = type, .rank = 1, .shape = {count}, .data = data};
}

static enum status write_arrays(const struct checkpoint *checkpoint, struct npz_writer *writer,
                                struct diagnostic *diagnostic)
{
    const int32_t epochs = (int32_t)checkpoint->epochs;
    const int64_t time_ps = (int64_t)checkpoint->time_ps;
    const struct npz_array array[] = {
        {.name = "epochs", .type = NPZ_INT32, .data = &epochs},
        vector("parameters", NPZ_INT16, checkpoint->parameters, checkpoint->places),
        vector("state", NPZ_INT32, checkpoint->state, checkpoint->places * checkpoint->state_words),
        {.name = "time_ps", .type = NPZ_INT64, .data = &time_ps},
        vector("joules", NPZ_FLOAT64, checkpoint->joules, 3),
        vector("numerics", NPZ_INT64, checkpoint->numerics, CHECKPOINT_NUMERICS),
        {.name = "learning",
         .type = NPZ_FLOAT64,
         .rank = 2,
         .shape = {checkpoint->rows, CHECKPOINT_ROW},
         .data = checkpoint->row},
    };
    enum status status = npz_add_text(writer, "training", checkpoint->training, diagnostic);
    for (size_t i = 0; i < sizeof array / sizeof *array && status == STATUS_OK; i++) {
        status = npz_add(writer, &array[i], diagnostic);
    }
    return status;
}

enum status checkpoint_write(const struct checkpoint *checkpoint, const char *folder,
                             struct diagnostic *diagnostic)
{
    struct npz_writer writer;
    char *path = file_join(folder, CHECKPOINT_FILE);
    if (path == NULL) {
        return no_memory(diagnostic);
    }
    enum status status = file_make_folder(folder, diagnostic);
    if (status == STATUS_OK) {
        status = npz_create(&writer, path, diagnostic);
    }
    if (status == STATUS_OK) {
        status = write_arrays(checkpoint, &writer, diagnostic);
        if (status == STATUS_OK) {
            status = npz_commit(&writer, diagnostic);
        } else {
            npz_discard(&writer);
        }
    }
    free(path);
    return status;
}

/* ---- what no training can have left ---- */

static const char HINT[] = "no training leaves that: the file is damaged, or somebody has changed "
                           "it; begin anew, or with another checkpoint";

struct check {
    const char *path;
    struct diagnostic *diagnostic;
};

static enum status place(const struct check *check, const char *array)
{
    diagnostic_at(check->diagnostic, check->path, 0, 0);
    diagnostic_key(check->diagnostic, array);
    diagnostic_hint(check->diagnostic, "%s", HINT);
    return STATUS_CONFIGURATION;
}

static enum status refuse_whole(const struct check *check, const char *array, size_t index,
                                int64_t value, uint64_t most)
{
    (void)diagnose(check->diagnostic, STATUS_CONFIGURATION,
                   "value %zu is %" PRId64 ", expected 0 to %" PRIu64, index, value, most);
    return place(check, array);
}

/* ---- single values ---- */

static const uint64_t COUNT_MOST = (uint64_t)INT64_MAX / 2; /* as much again can be added */

static enum status check_counts(const struct check *check, const struct checkpoint *checkpoint)
{
    enum { LARGEST_SUM = 4 };
    if (checkpoint->time_ps > COUNT_MOST) {
        return refuse_whole(check, "time_ps", 0, (int64_t)checkpoint->time_ps, COUNT_MOST);
    }
    for (size_t i = 0; i < CHECKPOINT_NUMERICS; i++) {
        const uint64_t most = i == LARGEST_SUM ? UINT32_MAX : COUNT_MOST;
        if (checkpoint->numerics[i] > most) {
            return refuse_whole(check, "numerics", i, (int64_t)checkpoint->numerics[i], most);
        }
    }
    return STATUS_OK;
}

static const double REAL_MOST = 1e15; /* seconds, joules, losses */

/* A quantity, or not a number where nobody knows it. */
static bool is_quantity(double value, double most)
{
    return isnan(value) || (value >= 0 && value <= most);
}

static enum status check_joules(const struct check *check, const struct checkpoint *checkpoint)
{
    for (size_t i = 0; i < 3; i++) {
        if (!is_quantity(checkpoint->joules[i], REAL_MOST)) {
            (void)diagnose(check->diagnostic, STATUS_CONFIGURATION,
                           "value %zu is %g, expected 0 to %g, or not a number", i,
                           checkpoint->joules[i], REAL_MOST);
            return place(check, "joules");
        }
    }
    return STATUS_OK;
}

static enum status check_state(const struct check *check, const struct checkpoint *checkpoint,
                               const struct learning *learning)
{
    const struct optimizer *optimizer = optimizer_of_rule(learning->rule.optimizer);
    for (size_t i = 0; i < checkpoint->places * checkpoint->state_words; i++) {
        const char *what;
        if (!optimizer->is_state(i % checkpoint->state_words, checkpoint->state[i], &what)) {
            (void)diagnose(check->diagnostic, STATUS_CONFIGURATION,
                           "value %zu is %" PRId32 ", which is no %s", i, checkpoint->state[i],
                           what);
            return place(check, "state");
        }
    }
    return STATUS_OK;
}

/* ---- rows of learning.csv ---- */

static const char *const COLUMN[CHECKPOINT_ROW] = {"update",        "epoch",        "images",
                                                   "seconds",       "joules (low)", "joules",
                                                   "joules (high)", "loss",         "accuracy"};

enum { WHOLE_COLUMNS = 3, ACCURACY = CHECKPOINT_ROW - 1 };

static enum status refuse_row(const struct check *check, size_t row, unsigned column, double value,
                              double least, double most)
{
    (void)diagnose(check->diagnostic, STATUS_CONFIGURATION,
                   "%s of row %zu is %g, expected %s from %g to %g%s", COLUMN[column], row, value,
                   column < WHOLE_COLUMNS ? "a whole number" : "a number", least, most,
                   column < WHOLE_COLUMNS ? "" : ", or not a number");
    return place(check, "learning");
}

static enum status check_rows(const struct check *check, const struct checkpoint *checkpoint,
                              const struct learning *learning)
{
    const double most[WHOLE_COLUMNS] = {(double)checkpoint->epochs * learning->updates_per_epoch,
                                        checkpoint->epochs,
                                        (double)checkpoint->epochs * learning->order.images};
    double least[WHOLE_COLUMNS] = {0};
    for (size_t r = 0; r < checkpoint->rows; r++) {
        const double *row = checkpoint->row[r];
        for (unsigned c = 0; c < WHOLE_COLUMNS; c++) {
            if (!(row[c] >= least[c] && row[c] <= most[c] && row[c] == floor(row[c]))) {
                return refuse_row(check, r, c, row[c], least[c], most[c]);
            }
            least[c] = row[c];
        }
        for (unsigned c = WHOLE_COLUMNS; c < CHECKPOINT_ROW; c++) {
            const double bound = c == ACCURACY ? 1 : REAL_MOST;
            if (!is_quantity(row[c], bound)) {
                return refuse_row(check, r, c, row[c], 0, bound);
            }
        }
    }
    return STATUS_OK;
}

static enum status check_values(const struct checkpoint *checkpoint,
                                const struct learning *learning, const char *path,
                                struct diagnostic *diagnostic)
{
    const struct check check = {path, diagnostic};
    enum status status = check_counts(&check, checkpoint);
    if (status == STATUS_OK) {
        status = check_joules(&check, checkpoint);
    }
    if (status == STATUS_OK) {
        status = check_state(&check, checkpoint, learning);
    }
    return status == STATUS_OK ? check_rows(&check, checkpoint, learning) : status;
}

/* ---- reading ---- */

/* An array of exactly so many items. */
static const void *array_of(const struct npz *npz, const char *name, enum npz_type type,
                            unsigned rank, size_t count, struct diagnostic *diagnostic)
{
    const struct npz_array *array;
    if (npz_require(npz, name, type, rank, &array, diagnostic) != STATUS_OK) {
        return NULL;
    }
    if (array->count != count) {
        (void)diagnose(diagnostic, STATUS_CONFIGURATION, "%zu values, expected %zu", array->count,
                       count);
        diagnostic_at(diagnostic, npz->path, 0, 0);
        diagnostic_key(diagnostic, name);
        return NULL;
    }
    return array->data;
}

static enum status refuse(const struct npz *npz, const char *what, const char *hint,
                          struct diagnostic *diagnostic)
{
    (void)diagnose(diagnostic, STATUS_CONFIGURATION, "%s", what);
    diagnostic_at(diagnostic, npz->path, 0, 0);
    diagnostic_hint(diagnostic, "%s", hint);
    return STATUS_CONFIGURATION;
}

static enum status check_training(const struct checkpoint *expected, const struct npz *npz,
                                  struct diagnostic *diagnostic)
{
    const struct npz_array *training;
    const enum status status = npz_require(npz, "training", NPZ_TEXT, 0, &training, diagnostic);
    if (status != STATUS_OK) {
        return status;
    }
    const size_t length = strlen(expected->training);
    if (training->item_bytes != length || memcmp(training->data, expected->training, length) != 0) {
        return refuse(
            npz, "the checkpoint is of another training",
            "its network, data, seed and train keys must be those of the run that wrote it",
            diagnostic);
    }
    return STATUS_OK;
}

static enum status take_rows(struct checkpoint *checkpoint, const struct npz *npz,
                             struct diagnostic *diagnostic)
{
    const struct npz_array *rows = npz_find(npz, "learning");
    const size_t count = rows == NULL || rows->rank != 2 ? 0 : rows->shape[0];
    const double *data =
        array_of(npz, "learning", NPZ_FLOAT64, 2, count * CHECKPOINT_ROW, diagnostic);
    if (data == NULL) {
        return STATUS_CONFIGURATION;
    }
    checkpoint->row = calloc(count + 1, sizeof *checkpoint->row);
    if (checkpoint->row == NULL) {
        return no_memory(diagnostic);
    }
    memcpy(checkpoint->row, data, count * sizeof *checkpoint->row);
    checkpoint->rows = count;
    return STATUS_OK;
}

static enum status take_arrays(struct checkpoint *checkpoint, const struct npz *npz,
                               struct diagnostic *diagnostic)
{
    const size_t places = checkpoint->places;
    const size_t words = places * checkpoint->state_words;
    const int32_t *epochs = array_of(npz, "epochs", NPZ_INT32, 0, 1, diagnostic);
    const int16_t *parameters =
        epochs == NULL ? NULL : array_of(npz, "parameters", NPZ_INT16, 1, places, diagnostic);
    const int32_t *state =
        parameters == NULL ? NULL : array_of(npz, "state", NPZ_INT32, 1, words, diagnostic);
    const int64_t *time_ps =
        state == NULL ? NULL : array_of(npz, "time_ps", NPZ_INT64, 0, 1, diagnostic);
    const double *joules =
        time_ps == NULL ? NULL : array_of(npz, "joules", NPZ_FLOAT64, 1, 3, diagnostic);
    const int64_t *numerics =
        joules == NULL ? NULL
                       : array_of(npz, "numerics", NPZ_INT64, 1, CHECKPOINT_NUMERICS, diagnostic);
    if (numerics == NULL) {
        return STATUS_CONFIGURATION;
    }
    if (*epochs < 0) {
        return refuse(npz, "the checkpoint has a negative number of epochs",
                      "the file is damaged, or somebody has changed it", diagnostic);
    }
    checkpoint->epochs = (uint32_t)*epochs;
    checkpoint->time_ps = (uint64_t)*time_ps;
    memcpy(checkpoint->parameters, parameters, places * sizeof *parameters);
    memcpy(checkpoint->state, state, words * sizeof *state);
    memcpy(checkpoint->joules, joules, sizeof checkpoint->joules);
    memcpy(checkpoint->numerics, numerics, sizeof checkpoint->numerics);
    return take_rows(checkpoint, npz, diagnostic);
}

static enum status read_file(struct checkpoint *checkpoint, const struct npz *npz,
                             const struct learning *learning, struct diagnostic *diagnostic)
{
    enum status status = check_training(checkpoint, npz, diagnostic);
    if (status == STATUS_OK) {
        status = take_arrays(checkpoint, npz, diagnostic);
    }
    if (status == STATUS_OK &&
        (checkpoint->epochs == 0 || checkpoint->epochs >= learning->epochs)) {
        status = refuse(npz, "the checkpoint has no epoch left to train",
                        "train.epochs must be more than it has done", diagnostic);
    }
    return status == STATUS_OK ? check_values(checkpoint, learning, npz->path, diagnostic) : status;
}

/* Of the arrays: the parameters, their state, and a row for each update and test. */
static size_t bytes_most(const struct learning *learning, const struct nn_table *table)
{
    enum { OTHERS = 1 << 16 };
    const size_t places = table->parameter_bytes / sizeof(int16_t);
    const size_t rows = (size_t)learning->epochs * (learning->updates_per_epoch + 1u);
    return places * sizeof(int16_t) +
           places * nn_rule_state_words(&learning->rule) * sizeof(int32_t) +
           rows * CHECKPOINT_ROW * sizeof(double) + OTHERS;
}

enum status checkpoint_read(struct checkpoint *checkpoint, const char *folder,
                            const struct learning *learning, const struct nn_table *table,
                            const char *data_digest, struct diagnostic *diagnostic)
{
    struct npz npz;
    *checkpoint = (struct checkpoint){0};
    char *path = file_join(folder, CHECKPOINT_FILE);
    if (path == NULL) {
        return no_memory(diagnostic);
    }
    const bool absent = access(path, F_OK) != 0;
    enum status status = npz_open(&npz, path, bytes_most(learning, table), diagnostic);
    free(path);
    if (status != STATUS_OK) {
        if (absent) {
            diagnostic_hint(diagnostic, "a run leaves one with record.checkpoint_every_epochs, "
                                        "until it is done");
        }
        return status;
    }
    status = checkpoint_init(checkpoint, learning, table, data_digest, diagnostic);
    if (status == STATUS_OK) {
        status = read_file(checkpoint, &npz, learning, diagnostic);
    }
    npz_close(&npz);
    if (status != STATUS_OK) {
        checkpoint_deinit(checkpoint);
    }
    return status;
}
