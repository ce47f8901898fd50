/* tally_epoch.c - see tally.h: what an epoch of a training takes. */
#include "models/common/units.h"
#include "sim/file.h"
#include "sim/results/tally.h"
#include "sim/steps.h"

#include <math.h>
#include <string.h>

static const char SAMPLED[] = "sampled.csv";
static const char SECONDS[] = "seconds";
static const char EPOCH[] = "epoch";

bool tally_epoch_add(struct tally_epoch *epoch, const char *name, double value)
{
    if (epoch->size == TALLY_COUNTERS_MAX || strlen(name) >= TALLY_NAME_CHARS) {
        return false;
    }
    struct tally_epoch_count *to = &epoch->count[epoch->size++];
    (void)snprintf(to->name, sizeof to->name, "%s", name);
    to->value = value;
    return true;
}

void tally_epoch_divide(struct tally_epoch *epoch)
{
    const double number = epoch->number > 0 ? (double)epoch->number : 1;
    epoch->time_ps /= number;
    for (size_t i = 0; i < epoch->size; i++) {
        epoch->count[i].value /= number;
    }
}

/* A quantity of sampled.csv; false: not one. */
static bool take_estimate(struct tally_epoch *epoch, const char *quantity, double value)
{
    if (!isfinite(value)) {
        return false;
    }
    if (strcmp(quantity, SECONDS) == 0) {
        epoch->number = 1;
        epoch->time_ps = value * (double)PS_PER_S;
        return true;
    }
    return tally_epoch_add(epoch, quantity, value);
}

bool tally_epoch_of_sample(struct tally_epoch *epoch, const struct outcome_sample *sample)
{
    bool good = true;
    for (size_t i = 0; good && i < sample->rows; i++) {
        good = take_estimate(epoch, sample->row[i].quantity, sample->row[i].epoch);
    }
    return good;
}

enum status tally_epoch_read(struct tally_epoch *epoch, const char *folder,
                             struct diagnostic *diagnostic)
{
    struct result_table table;
    bool good = true;
    if (!file_is_in(folder, SAMPLED)) {
        return STATUS_OK;
    }
    enum status status = result_table_open(&table, folder, SAMPLED, diagnostic);
    if (status == STATUS_OK) {
        status = result_table_require(&table, EPOCH, diagnostic);
    }
    while (status == STATUS_OK && good && result_table_next(&table)) {
        good = take_estimate(epoch, result_table_text(&table, "quantity"),
                             result_table_number(&table, EPOCH));
    }
    if (!good) {
        status = result_table_refuse(&table, NULL, NULL, diagnostic);
    }
    return result_table_end(&table, status, diagnostic);
}

double tally_epoch_value(const struct tally *tally, const struct energy_term *term)
{
    const struct tally_epoch *epoch = &tally->epoch;
    if (term->is_power) {
        const struct energy_activity moment = {
            .time_ps = 1, .chips = tally->chips, .boards = tally->boards};
        return epoch->time_ps * energy_count_of(term, &moment);
    }
    double events = 0;
    for (size_t i = 0; i < term->per_count; i++) {
        for (size_t j = 0; j < epoch->size; j++) {
            events += strcmp(term->per[i], epoch->count[j].name) == 0 ? epoch->count[j].value : 0;
        }
    }
    return events;
}
