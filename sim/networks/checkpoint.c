/* checkpoint.c - see checkpoint.h. */
#include "sim/networks/checkpoint.h"

#include "sim/data/npy.h"
#include "sim/data/npz.h"
#include "sim/data/seal.h"
#include "sim/networks/optimizer.h"
#include "sim/steps.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- which training ---- */

static void add(struct sha256 *hash, const char *name, uint64_t value)
{
    char line[64];
    const int length = snprintf(line, sizeof line, "%s=%llu\n", name, (unsigned long long)value);
    sha256_update(hash, line, (size_t)length);
}

/* Hashes what gives parameters and state their meaning. */
static void checkpoint_rule(const struct nn_rule *rule, const struct nn_table *table,
                            char hex[SHA256_HEX_CHARS])
{
    struct sha256 hash;
    uint8_t digest[SHA256_BYTES];
    sha256_init(&hash);
    sha256_update(&hash, table, table->bytes);
    add(&hash, "optimizer", rule->optimizer);
    add(&hash, "weight_fraction", rule->weight_fraction);
    add(&hash, "activation_fraction", rule->activation_fraction);
    sha256_final(&hash, digest);
    sha256_hex(digest, hex);
}

/* Hashes everything that a training's bits depend on, except the initial weights. */
static void checkpoint_training(const struct learning *learning, const struct nn_table *table,
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
    if (schedule->decay == NN_DECAY_LINEAR) { /* the only decay that depends on it */
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
    checkpoint_rule(&learning->rule, table, checkpoint->rule);
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
    free(checkpoint->run);
    *checkpoint = (struct checkpoint){0};
}

/* ---- its arrays ---- */

/* Scalars as stored in the file. */
struct scalars {
    int32_t epochs;
    int64_t time_ps;
};

enum { ARRAYS = 7 };

/* Describes all arrays except `training` and `learning`, for writing and for reading. */
static void describe(const struct checkpoint *checkpoint, const struct scalars *scalars,
                     struct npz_array array[ARRAYS])
{
    const struct npz_array all[ARRAYS] = {
        {.name = "epochs", .type = NPZ_INT32, .count = 1, .data = &scalars->epochs},
        {.name = "parameters",
         .type = NPZ_INT16,
         .rank = 1,
         .count = checkpoint->places,
         .data = checkpoint->parameters},
        {.name = "state",
         .type = NPZ_INT32,
         .rank = 1,
         .count = checkpoint->places * checkpoint->state_words,
         .data = checkpoint->state},
        {.name = "time_ps", .type = NPZ_INT64, .count = 1, .data = &scalars->time_ps},
        {.name = "joules", .type = NPZ_FLOAT64, .rank = 1, .count = 3, .data = checkpoint->joules},
        {.name = "numerics",
         .type = NPZ_INT64,
         .rank = 1,
         .count = CHECKPOINT_NUMERICS,
         .data = checkpoint->numerics},
        {.name = "since_row",
         .type = NPZ_FLOAT64,
         .rank = 1,
         .count = CHECKPOINT_SINCE_ROW,
         .data = checkpoint->since_row},
    };
    for (size_t i = 0; i < ARRAYS; i++) {
        array[i] = all[i];
        array[i].shape[0] = all[i].count;
    }
}

/* ---- the seal ---- */

/* Over all that a checkpoint says and the run, so that nobody puts two of them together.  False:
 * there is no key. */
static bool seal(const struct checkpoint *checkpoint, const void *run, size_t run_bytes,
                 char text[SHA256_HEX_CHARS])
{
    uint8_t key[SEAL_KEY_BYTES];
    const struct scalars scalars = {(int32_t)checkpoint->epochs, (int64_t)checkpoint->time_ps};
    struct npz_array array[ARRAYS];
    struct sha256 hash;
    char digest[SHA256_HEX_CHARS];
    uint8_t said[SHA256_BYTES];
    if (!seal_key(key)) {
        return false;
    }
    describe(checkpoint, &scalars, array);
    sha256_init(&hash);
    sha256_update(&hash, checkpoint->training, sizeof checkpoint->training);
    sha256_update(&hash, checkpoint->rule, sizeof checkpoint->rule);
    for (size_t i = 0; i < ARRAYS; i++) {
        sha256_update(&hash, array[i].data, array[i].count * npy_item_bytes(array[i].type));
    }
    if (checkpoint->rows > 0) {
        sha256_update(&hash, checkpoint->row, checkpoint->rows * sizeof *checkpoint->row);
    }
    sha256_final(&hash, said);
    sha256_hex(said, digest);
    const struct seal_part parts[] = {{digest, sizeof digest}, {run, run_bytes}};
    seal_of(key, parts, sizeof parts / sizeof *parts, text);
    return true;
}

/* ---- writing ---- */

static const size_t RUN_BYTES_MOST = (size_t)2 << 30; /* an archive has less than 4 GiB */

static enum status write_run(const struct checkpoint *checkpoint, struct npz_writer *writer,
                             struct diagnostic *diagnostic)
{
    char text[SHA256_HEX_CHARS];
    const struct npz_array run = {.name = "run",
                                  .type = NPZ_UINT8,
                                  .rank = 1,
                                  .shape = {checkpoint->run_bytes},
                                  .data = checkpoint->run};
    if (checkpoint->run == NULL || checkpoint->run_bytes > RUN_BYTES_MOST ||
        !seal(checkpoint, checkpoint->run, checkpoint->run_bytes, text)) {
        return STATUS_OK;
    }
    TRY(npz_add(writer, &run, diagnostic));
    return npz_add_text(writer, "seal", text, diagnostic);
}

static enum status write_arrays(const struct checkpoint *checkpoint, struct npz_writer *writer,
                                struct diagnostic *diagnostic)
{
    const struct scalars scalars = {(int32_t)checkpoint->epochs, (int64_t)checkpoint->time_ps};
    const struct npz_array learning = {.name = "learning",
                                       .type = NPZ_FLOAT64,
                                       .rank = 2,
                                       .shape = {checkpoint->rows, CHECKPOINT_ROW},
                                       .data = checkpoint->row};
    struct npz_array array[ARRAYS];
    describe(checkpoint, &scalars, array);
    TRY(npz_add_text(writer, "training", checkpoint->training, diagnostic));
    TRY(npz_add_text(writer, "rule", checkpoint->rule, diagnostic));
    for (size_t i = 0; i < ARRAYS; i++) {
        TRY(npz_add(writer, &array[i], diagnostic));
    }
    TRY(npz_add(writer, &learning, diagnostic));
    return write_run(checkpoint, writer, diagnostic);
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
    free(path);
    TRY(status);
    status = write_arrays(checkpoint, &writer, diagnostic);
    if (status == STATUS_OK) {
        return npz_commit(&writer, diagnostic);
    }
    npz_discard(&writer);
    return status;
}

/* ---- what no training can have left ---- */

static const char DAMAGED[] =
    "no training leaves that: the file is damaged, or somebody has changed it; begin anew, or with "
    "another checkpoint";

static const uint64_t COUNT_MOST =
    (uint64_t)INT64_MAX / 2; /* so that adding as much again does not overflow */

static enum status check_counts(const struct checkpoint *checkpoint, const struct npz *npz,
                                struct diagnostic *diagnostic)
{
    enum { LARGEST_SUM = 4 };
    static const char FORMAT[] = "value %zu is %" PRId64 ", expected 0 to %" PRIu64;
    if (checkpoint->time_ps > COUNT_MOST) {
        return npz_refuse(npz, "time_ps", DAMAGED, diagnostic, FORMAT, (size_t)0,
                          (int64_t)checkpoint->time_ps, COUNT_MOST);
    }
    for (size_t i = 0; i < CHECKPOINT_NUMERICS; i++) {
        const uint64_t most = i == LARGEST_SUM ? UINT32_MAX : COUNT_MOST;
        if (checkpoint->numerics[i] > most) {
            return npz_refuse(npz, "numerics", DAMAGED, diagnostic, FORMAT, i,
                              (int64_t)checkpoint->numerics[i], most);
        }
    }
    return STATUS_OK;
}

static const double REAL_MOST = 1e15; /* bound for seconds, joules and losses */

/* Whether a value is a valid quantity, or NaN (not known). */
static bool is_quantity(double value, double most)
{
    return isnan(value) || (value >= 0 && value <= most);
}

static enum status check_joules(const struct checkpoint *checkpoint, const struct npz *npz,
                                struct diagnostic *diagnostic)
{
    for (size_t i = 0; i < 3; i++) {
        if (!is_quantity(checkpoint->joules[i], REAL_MOST)) {
            return npz_refuse(npz, "joules", DAMAGED, diagnostic,
                              "value %zu is %g, expected 0 to %g, or not a number", i,
                              checkpoint->joules[i], REAL_MOST);
        }
    }
    return STATUS_OK;
}

static enum status check_state(const struct checkpoint *checkpoint, const struct npz *npz,
                               const struct learning *learning, struct diagnostic *diagnostic)
{
    const struct optimizer *optimizer = optimizer_of_rule(learning->rule.optimizer);
    for (size_t i = 0; i < checkpoint->places * checkpoint->state_words; i++) {
        const char *what;
        if (!optimizer->is_state(i % checkpoint->state_words, checkpoint->state[i], &what)) {
            return npz_refuse(npz, "state", DAMAGED, diagnostic,
                              "value %zu is %" PRId32 ", which is no %s", i, checkpoint->state[i],
                              what);
        }
    }
    return STATUS_OK;
}

static const char *const COLUMN[CHECKPOINT_ROW] = {
    "update",        "epoch", "images",   "seconds",         "joules (low)",       "joules",
    "joules (high)", "loss",  "accuracy", "validation loss", "validation accuracy"};

enum { WHOLE_COLUMNS = 3, ACCURACY = 8, VALIDATION_ACCURACY = 10 };

/* Checks the rows of learning.csv: updates, epochs and images must not fall. */
static enum status check_rows(const struct checkpoint *checkpoint, const struct npz *npz,
                              const struct learning *learning, struct diagnostic *diagnostic)
{
    const double most[WHOLE_COLUMNS] = {(double)checkpoint->epochs * learning->updates_per_epoch,
                                        checkpoint->epochs,
                                        (double)checkpoint->epochs * learning->order.images};
    double least[CHECKPOINT_ROW] = {0};
    for (size_t r = 0; r < checkpoint->rows; r++) {
        const double *row = checkpoint->row[r];
        for (unsigned c = 0; c < CHECKPOINT_ROW; c++) {
            const bool whole = c < WHOLE_COLUMNS;
            const bool share = c == ACCURACY || c == VALIDATION_ACCURACY;
            const double bound = whole ? most[c] : share ? 1 : REAL_MOST;
            const bool good = whole
                                  ? row[c] >= least[c] && row[c] <= bound && row[c] == floor(row[c])
                                  : is_quantity(row[c], bound);
            if (!good) {
                return npz_refuse(npz, "learning", DAMAGED, diagnostic,
                                  "%s of row %zu is %g, expected %s from %g to %g%s", COLUMN[c], r,
                                  row[c], whole ? "a whole number" : "a number", least[c], bound,
                                  whole ? "" : ", or not a number");
            }
            least[c] = whole ? row[c] : 0;
        }
    }
    return STATUS_OK;
}

/* ---- reading ---- */

/* Requires an array of exactly the given number of items. */
static enum status require(const struct npz *npz, const struct npz_array *expected,
                           const struct npz_array **array, struct diagnostic *diagnostic)
{
    TRY(npz_require(npz, expected->name, expected->type, expected->rank, array, diagnostic));
    return (*array)->count == expected->count
               ? STATUS_OK
               : npz_refuse(npz, expected->name, NULL, diagnostic, "%zu values, expected %zu",
                            (*array)->count, expected->count);
}

static enum status take_arrays(struct checkpoint *checkpoint, const struct npz *npz,
                               struct diagnostic *diagnostic)
{
    struct scalars scalars = {0, 0};
    struct npz_array expected[ARRAYS];
    describe(checkpoint, &scalars, expected);
    for (size_t i = 0; i < ARRAYS; i++) {
        const struct npz_array *array;
        TRY(require(npz, &expected[i], &array, diagnostic));
        memcpy((void *)expected[i].data, array->data, array->count * array->item_bytes);
    }
    if (scalars.epochs < 0) {
        return npz_refuse(npz, NULL, "the file is damaged, or somebody has changed it", diagnostic,
                          "the checkpoint has a negative number of epochs");
    }
    checkpoint->epochs = (uint32_t)scalars.epochs;
    checkpoint->time_ps = (uint64_t)scalars.time_ps;
    return STATUS_OK;
}

static enum status take_rows(struct checkpoint *checkpoint, const struct npz *npz,
                             struct diagnostic *diagnostic)
{
    const struct npz_array *rows = npz_find(npz, "learning");
    const size_t count = rows == NULL || rows->rank != 2 ? 0 : rows->shape[0];
    const struct npz_array expected = {
        .name = "learning", .type = NPZ_FLOAT64, .rank = 2, .count = count * CHECKPOINT_ROW};
    TRY(require(npz, &expected, &rows, diagnostic));
    checkpoint->row = calloc(count + 1, sizeof *checkpoint->row);
    if (checkpoint->row == NULL) {
        return no_memory(diagnostic);
    }
    memcpy(checkpoint->row, rows->data, count * sizeof *checkpoint->row);
    checkpoint->rows = count;
    return STATUS_OK;
}

/* Requires the text `expected`. */
static enum status check_text(const struct npz *npz, const char *name, const char *expected,
                              const char *what, const char *hint, struct diagnostic *diagnostic)
{
    const struct npz_array *found;
    const size_t length = strlen(expected);
    TRY(npz_require(npz, name, NPZ_TEXT, 0, &found, diagnostic));
    return found->item_bytes == length && memcmp(found->data, expected, length) == 0
               ? STATUS_OK
               : npz_refuse(npz, NULL, hint, diagnostic, "the checkpoint is of another %s", what);
}

static const double ROW_UPDATES_MOST = UINT32_MAX;

static enum status check_since_row(const struct checkpoint *checkpoint, const struct npz *npz,
                                   struct diagnostic *diagnostic)
{
    const double loss = checkpoint->since_row[0];
    const double updates = checkpoint->since_row[1];
    return is_quantity(loss, REAL_MOST) && updates >= 0 && updates <= ROW_UPDATES_MOST &&
                   updates == floor(updates)
               ? STATUS_OK
               : npz_refuse(npz, "since_row", DAMAGED, diagnostic,
                            "a loss of %g in %g updates, expected numbers from 0 on", loss,
                            updates);
}

/* Takes the run with this user's seal, and leaves any other. */
static enum status take_run(struct checkpoint *checkpoint, const struct npz *npz,
                            struct diagnostic *diagnostic)
{
    const struct npz_array *run = npz_find(npz, "run");
    const struct npz_array *found = npz_find(npz, "seal");
    char text[SHA256_HEX_CHARS];
    if (run == NULL) {
        return STATUS_OK;
    }
    checkpoint->strange = run->type != NPZ_UINT8 || found == NULL || found->type != NPZ_TEXT ||
                          found->count != 1 || found->item_bytes != sizeof text - 1 ||
                          !seal(checkpoint, run->data, run->count, text) ||
                          !seal_same(text, found->data);
    if (checkpoint->strange) {
        return STATUS_OK;
    }
    checkpoint->run = malloc(run->count + 1);
    if (checkpoint->run == NULL) {
        return no_memory(diagnostic);
    }
    memcpy(checkpoint->run, run->data, run->count);
    checkpoint->run_bytes = run->count;
    return STATUS_OK;
}

/* Requires an epoch that is left to train, and parameters and state that a training can have left.
 */
static enum status take_values(struct checkpoint *checkpoint, const struct npz *npz,
                               const struct learning *learning, struct diagnostic *diagnostic)
{
    TRY(take_arrays(checkpoint, npz, diagnostic));
    if (checkpoint->epochs == 0 || checkpoint->epochs >= learning->epochs) {
        return npz_refuse(npz, NULL, "train.epochs must be more than it has done", diagnostic,
                          "the checkpoint has no epoch left to train");
    }
    return check_state(checkpoint, npz, learning, diagnostic);
}

/* From a training before this one, whose results are not this one's. */
static enum status read_earlier(struct checkpoint *checkpoint, const struct npz *npz,
                                const struct learning *learning, struct diagnostic *diagnostic)
{
    TRY(check_text(npz, "rule", checkpoint->rule, "network or optimizer",
                   "its network, number format and train.optimizer must be those of the run that "
                   "wrote it",
                   diagnostic));
    TRY(take_values(checkpoint, npz, learning, diagnostic));
    checkpoint->time_ps = 0;
    memset(checkpoint->joules, 0, sizeof checkpoint->joules);
    memset(checkpoint->numerics, 0, sizeof checkpoint->numerics);
    memset(checkpoint->since_row, 0, sizeof checkpoint->since_row);
    return STATUS_OK;
}

static enum status read_same(struct checkpoint *checkpoint, const struct npz *npz,
                             const struct learning *learning, struct diagnostic *diagnostic)
{
    TRY(check_text(npz, "training", checkpoint->training, "training",
                   "its network, data, seed and train keys must be those of the run that wrote it",
                   diagnostic));
    TRY(take_values(checkpoint, npz, learning, diagnostic));
    TRY(take_rows(checkpoint, npz, diagnostic));
    TRY(check_counts(checkpoint, npz, diagnostic));
    TRY(check_joules(checkpoint, npz, diagnostic));
    TRY(check_since_row(checkpoint, npz, diagnostic));
    TRY(check_rows(checkpoint, npz, learning, diagnostic));
    return take_run(checkpoint, npz, diagnostic);
}

/* Upper bound on the arrays' bytes: parameters, state, a row for each update and test, and a run,
 * which is packed already and so not longer than the file. */
static size_t bytes_most(const struct learning *learning, const struct nn_table *table,
                         const char *path)
{
    struct stat about;
    const size_t file_bytes =
        stat(path, &about) == 0 && S_ISREG(about.st_mode) ? (size_t)about.st_size : 0;
    enum { OTHERS = 1 << 16 };
    const size_t places = table->parameter_bytes / sizeof(int16_t);
    const size_t rows = (size_t)learning->epochs * (learning->updates_per_epoch + 1u);
    return places * sizeof(int16_t) +
           places * nn_rule_state_words(&learning->rule) * sizeof(int32_t) +
           rows * CHECKPOINT_ROW * sizeof(double) + file_bytes + OTHERS;
}

enum status checkpoint_read(struct checkpoint *checkpoint, const char *folder,
                            const struct learning *learning, const struct nn_table *table,
                            const char *data_digest, bool continues, struct diagnostic *diagnostic)
{
    struct npz npz;
    *checkpoint = (struct checkpoint){0};
    char *path = file_join(folder, CHECKPOINT_FILE);
    if (path == NULL) {
        return no_memory(diagnostic);
    }
    const bool absent = access(path, F_OK) != 0;
    enum status status = npz_open(&npz, path, bytes_most(learning, table, path), diagnostic);
    free(path);
    if (status != STATUS_OK) {
        if (absent) {
            diagnostic_hint(diagnostic, "a run leaves one with record.checkpoint_every_epochs, "
                                        "until it is done, or with record.last_checkpoint");
        }
        return status;
    }
    status = checkpoint_init(checkpoint, learning, table, data_digest, diagnostic);
    if (status == STATUS_OK) {
        status = continues ? read_earlier(checkpoint, &npz, learning, diagnostic)
                           : read_same(checkpoint, &npz, learning, diagnostic);
    }
    npz_close(&npz);
    if (status != STATUS_OK) {
        checkpoint_deinit(checkpoint);
    }
    return status;
}
