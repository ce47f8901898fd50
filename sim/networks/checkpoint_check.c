/* checkpoint_check.c - see checkpoint_check.h. */
#include "sim/networks/checkpoint_check.h"

#include <inttypes.h>
#include <math.h>

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

/* ---- state: all that nn_update() can leave ---- */

enum { SUM_BITS = 30, MANTISSA_BITS = 26 }; /* of Adam: workloads/nn/update.c */

static bool is_adam_sum(int32_t word)
{
    return word >= -(1 << SUM_BITS) && word < 1 << SUM_BITS;
}

/* Of squares of such sums: a mantissa, whose highest bit is set where there is an exponent. */
static bool is_adam_square(uint32_t word)
{
    const uint64_t mantissa = word & ((1u << MANTISSA_BITS) - 1);
    const uint32_t exponent = word >> MANTISSA_BITS;
    return exponent == 0 ||
           (mantissa >> (MANTISSA_BITS - 1) != 0 && exponent <= 2 * SUM_BITS - MANTISSA_BITS + 1 &&
            mantissa << exponent <= UINT64_C(1) << 2 * SUM_BITS);
}

static enum status check_state(const struct check *check, const struct checkpoint *checkpoint,
                               const struct learning *learning)
{
    if (learning->rule.optimizer != NN_ADAM) {
        return STATUS_OK; /* a velocity may be anything */
    }
    for (size_t i = 0; i < checkpoint->places * checkpoint->state_words; i++) {
        const int32_t word = checkpoint->state[i];
        const bool good = i % 2 == 0 ? is_adam_sum(word) : is_adam_square((uint32_t)word);
        if (!good) {
            (void)diagnose(check->diagnostic, STATUS_CONFIGURATION,
                           "value %zu is %" PRId32 ", which is no %s moment of Adam", i, word,
                           i % 2 == 0 ? "first" : "second");
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

enum status checkpoint_check(const struct checkpoint *checkpoint, const struct learning *learning,
                             const char *path, struct diagnostic *diagnostic)
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
