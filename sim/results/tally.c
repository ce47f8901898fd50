/* tally.c - see tally.h. */
#include "sim/results/tally.h"

#include "models/common/units.h"

#include <stdlib.h>
#include <string.h>

static const char WHOLE_RUN[] = "run";
static const char MACHINE[] = "machine";
static const char STAGE_TIME[] = "stage_ps";
static const char LEAST_CYCLES[] = "core_cycles_least";
static const char MOST_CYCLES[] = "core_cycles_most";
const char TALLY_EPOCHS[] = "epochs"; /* their number is called so, too */

/* ---- names ---- */

struct counter_search {
    const char *name;
    const struct counter_info *found;
};

static void look_at_counter(void *context, const char *component, const struct counter_info *info)
{
    struct counter_search *search = context;
    const size_t length = strlen(component);
    if (strncmp(search->name, component, length) == 0 && search->name[length] == '.' &&
        strcmp(search->name + length + 1, info->name) == 0) {
        search->found = info;
    }
}

const struct counter_info *tally_counter(const char *name)
{
    struct counter_search search = {.name = name};
    machine_each_counter_name(look_at_counter, &search);
    return search.found;
}

/* ---- sums ---- */

/* NULL: there is none of that name. */
static uint64_t *find(struct tally_sums *sums, const char *name)
{
    for (size_t i = 0; i < sums->size; i++) {
        if (strcmp(sums->name[i], name) == 0) {
            return &sums->count[i].value;
        }
    }
    return NULL;
}

static bool add_to(struct tally_sums *sums, const char *component, const char *counter,
                   uint64_t value)
{
    char name[TALLY_NAME_CHARS];
    if ((size_t)snprintf(name, sizeof name, "%s.%s", component, counter) >= sizeof name) {
        return false;
    }
    uint64_t *there = find(sums, name);
    if (there != NULL) {
        *there += value;
        return true;
    }
    if (sums->size == TALLY_COUNTERS_MAX) {
        return false;
    }
    memcpy(sums->name[sums->size], name, sizeof name);
    sums->count[sums->size] = (struct energy_count){NULL, value};
    sums->size++;
    return true;
}

/* Sets the pointers to names; call when the struct no longer moves. */
static void link_names(struct tally_sums *sums)
{
    for (size_t i = 0; i < sums->size; i++) {
        sums->count[i].name = sums->name[i];
    }
}

uint64_t tally_value(const struct tally_sums *sums, const char *name)
{
    for (size_t i = 0; i < sums->size; i++) {
        if (strcmp(sums->name[i], name) == 0) {
            return sums->count[i].value;
        }
    }
    return 0;
}

static uint64_t sum_of(const struct tally_sums *sums, const char *const *name, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += tally_value(sums, name[i]);
    }
    return sum;
}

#define NAMES(list) (list), sizeof(list) / sizeof *(list)

uint64_t tally_packets_sent(const struct tally_sums *sums)
{
    static const char *const SENT[] = {"comms.sent_multicast", "comms.sent_point_to_point",
                                       "comms.sent_nearest_neighbour", "comms.sent_fixed_route"};
    return sum_of(sums, NAMES(SENT));
}

uint64_t tally_deliveries(const struct tally_sums *sums)
{
    static const char *const RECEIVED[] = {
        "comms.received_multicast", "comms.received_point_to_point",
        "comms.received_nearest_neighbour", "comms.received_fixed_route"};
    return sum_of(sums, NAMES(RECEIVED));
}

/* The entry of a phase, added if it is new; NULL when there are more phases than a run can have, or
 * out of memory. */
static struct tally_phase *phase_of(struct tally *tally, enum stage stage,
                                    const struct phase *phase)
{
    for (size_t i = 0; i < tally->phase_count; i++) {
        struct tally_phase *at = &tally->phase[i];
        if (at->stage == stage && strcmp(at->phase.layer, phase->layer) == 0 &&
            strcmp(at->phase.name, phase->name) == 0) {
            return at;
        }
    }
    if (tally->phase_count == (size_t)STAGES * PHASES_MAX) {
        return NULL;
    }
    struct tally_phase *larger =
        realloc(tally->phase, (tally->phase_count + 1) * sizeof *tally->phase);
    if (larger == NULL) {
        return NULL;
    }
    tally->phase = larger;
    struct tally_phase *added = &larger[tally->phase_count++];
    *added = (struct tally_phase){.stage = stage, .phase = *phase};
    return added;
}

static void link_all_names(struct tally *tally)
{
    link_names(&tally->total);
    for (unsigned s = 0; s < STAGES; s++) {
        link_names(&tally->stage[s]);
    }
    for (size_t i = 0; i < tally->phase_count; i++) {
        link_names(&tally->phase[i].sums);
    }
}

/* What is in no other stage is the stage `run`'s.  False when stages have more than the run. */
static bool settle(struct tally *tally)
{
    struct tally_sums *rest = &tally->stage[STAGE_RUN];
    *rest = tally->total;
    for (unsigned s = 0; s < STAGE_RUN; s++) {
        for (size_t i = 0; i < tally->stage[s].size; i++) {
            uint64_t *left = find(rest, tally->stage[s].name[i]);
            const uint64_t taken = tally->stage[s].count[i].value;
            if (left == NULL || *left < taken) {
                return false;
            }
            *left -= taken;
        }
    }
    link_all_names(tally);
    return true;
}

void tally_deinit(struct tally *tally)
{
    free(tally->phase);
    tally->phase = NULL;
    tally->phase_count = 0;
}

/* ---- from an outcome ---- */

static uint64_t epochs_ps(const struct outcome *outcome)
{
    uint64_t sum_ps = 0;
    for (size_t i = 0; i < outcome->epoch_count; i++) {
        sum_ps += outcome->epoch[i].time_ps;
    }
    return sum_ps;
}

static bool occurred(const struct phase_sum *sum)
{
    uint64_t any = sum->times;
    for (size_t i = 0; i < MACHINE_SHARES_MAX; i++) {
        any |= sum->share[i];
    }
    return any != 0;
}

static bool add_phase(struct tally *tally, enum stage stage, const struct phase *phase,
                      const struct phase_sum *sum)
{
    struct tally_phase *to = phase_of(tally, stage, phase);
    bool good = to != NULL;
    if (good) {
        to->least_cycles = sum->least_cycles;
        to->most_cycles = sum->most_cycles;
    }
    for (size_t i = 0; good && i < machine_share_count(); i++) {
        const struct machine_share_name name = machine_share_name(i);
        good = add_to(&to->sums, name.component, name.info->name, sum->share[i]);
    }
    return good;
}

static bool add_stages(struct tally *tally, const struct outcome *outcome)
{
    bool good = true;
    for (size_t i = 0; i < outcome->stage_sum_count; i++) {
        const struct outcome_stage_sum *sum = &outcome->stage_sum[i];
        for (unsigned s = 0; good && s < STAGE_RUN; s++) {
            good = sum->of[s] == 0 ||
                   add_to(&tally->stage[s], sum->component, sum->info->name, sum->of[s]);
        }
    }
    return good;
}

static bool add_epoch(struct tally *tally, const struct outcome *outcome)
{
    struct tally_epoch *epoch = &tally->epoch;
    bool good = true;
    if (outcome->sample.rows > 0) {
        return tally_epoch_of_sample(epoch, &outcome->sample);
    }
    epoch->number = outcome->epoch_count;
    epoch->time_ps = (double)epochs_ps(outcome);
    for (size_t i = 0; good && epoch->number > 0 && i < outcome->stage_sum_count; i++) {
        const struct outcome_stage_sum *sum = &outcome->stage_sum[i];
        char name[TALLY_NAME_CHARS];
        (void)snprintf(name, sizeof name, "%s.%s", sum->component, sum->info->name);
        good = tally_epoch_add(epoch, name, (double)sum->epochs);
    }
    tally_epoch_divide(epoch);
    return good;
}

enum status tally_of_outcome(struct tally *tally, const struct outcome *outcome,
                             struct diagnostic *diagnostic)
{
    *tally = (struct tally){
        .time_ps = outcome->time_ps, .chips = outcome->chips, .boards = outcome->boards};
    memcpy(tally->stage_ps, outcome->stage_ps, sizeof tally->stage_ps);
    bool good = true;
    for (size_t i = 0; good && i < outcome->counter_count;) { /* those of a name are neighbours */
        const struct outcome_counter *first = &outcome->counter[i];
        uint64_t sum = 0;
        do {
            sum += outcome->counter[i++].value;
        } while (i < outcome->counter_count && outcome->counter[i].info == first->info);
        good = add_to(&tally->total, first->component, first->info->name, sum);
    }
    for (unsigned s = 0; s < STAGES; s++) {
        for (unsigned i = 0; good && i < outcome->phase_count; i++) {
            if (occurred(&outcome->phase_sum[s][i])) {
                good =
                    add_phase(tally, (enum stage)s, &outcome->phase[i], &outcome->phase_sum[s][i]);
            }
        }
    }
    good = good && add_stages(tally, outcome) && add_epoch(tally, outcome) && settle(tally);
    if (!good) {
        tally_deinit(tally);
        return diagnose(diagnostic, STATUS_INTERNAL, "no room to sum the counters");
    }
    return STATUS_OK;
}

/* ---- times ---- */

static uint64_t sum_in_stage(const struct tally *tally, enum stage stage, const char *counter)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < tally->phase_count; i++) {
        sum += tally->phase[i].stage == stage ? tally_value(&tally->phase[i].sums, counter) : 0;
    }
    return sum;
}

struct outcome_core_time tally_core_time(const struct tally *tally, enum stage stage,
                                         uint64_t core_hz)
{
    struct outcome_core_time time = {0};
    const uint64_t active = sum_in_stage(tally, stage, "core.active_cycles");
    const uint64_t asleep = sum_in_stage(tally, stage, "core.sleep_cycles");
    if (core_hz == 0) {
        return time;
    }
    const struct clock clock = clock_of(core_hz, 1);
    time.bus_stall = sum_in_stage(tally, stage, "core.bus_wait_cycles");
    time.compute = active - time.bus_stall;
    time.dma_wait = ps_to_cycles_up(clock, sum_in_stage(tally, stage, "dma.core_wait_ps"));
    time.dma_wait = time.dma_wait < asleep ? time.dma_wait : asleep;
    const uint64_t rest = asleep - time.dma_wait;
    time.packet_wait = ps_to_cycles_up(clock, sum_in_stage(tally, stage, "comms.core_wait_ps"));
    time.packet_wait = time.packet_wait < rest ? time.packet_wait : rest;
    time.idle = rest - time.packet_wait;
    return time;
}

/* ---- the table ---- */

#define ROW struct tally_row
const struct result_column TALLY_COLUMNS[TALLY_COLUMN_COUNT] = {
    {RESULT_MEMBER("phase", phase, "",
                   "run: the whole run; a stage: load, train, test, or run for anything outside "
                   "the three; epochs: all trained epochs together; stage/layer/phase")},
    {RESULT_MEMBER("component", component, "", "machine, or the kind of part that counts")},
    {RESULT_MEMBER("x", x, "", "of the chip; empty: of all")},
    {RESULT_MEMBER("y", y, "", "of the chip; empty: of all")},
    {RESULT_MEMBER("core_or_link", instance, "",
                   "physical number of the core, or the link; empty: the chip's, or of all cores")},
    {RESULT_MEMBER("counter", counter, "",
                   "one of those below; of the machine time_ps, stage_ps, "
                   "chips, boards and epochs; of a phase core_cycles_least and "
                   "core_cycles_most of one core, too")},
    {RESULT_MEMBER("unit", unit, "", "of the value")},
    {RESULT_MEMBER("value", value, "", "the count, or the time")},
};
#undef ROW

static void write_row(FILE *stream, struct tally_row row)
{
    result_table_write_row(stream, TALLY_COLUMNS, TALLY_COLUMN_COUNT, NULL, &row);
}

/* Counters stand sorted by component and name, so those of a chip's parts are neighbours. */
static void write_counters(FILE *stream, const struct outcome *outcome, bool by_core)
{
    for (size_t i = 0; i < outcome->counter_count;) {
        const struct outcome_counter *first = &outcome->counter[i];
        struct tally_row row = {WHOLE_RUN,
                                first->component,
                                first->x,
                                first->y,
                                (int16_t)(by_core ? first->instance : -1),
                                first->info->name,
                                first->info->unit,
                                0};
        do {
            row.value += outcome->counter[i++].value;
        } while (!by_core && i < outcome->counter_count &&
                 outcome->counter[i].info == first->info && outcome->counter[i].x == first->x &&
                 outcome->counter[i].y == first->y);
        write_row(stream, row);
    }
}

static void write_phase(FILE *stream, enum stage stage, const struct phase *phase,
                        const struct phase_sum *sum, bool zeros)
{
    char name[3 * PHASE_NAME_CHARS];
    (void)snprintf(name, sizeof name, "%s/%s/%s", stage_text(stage), phase->layer, phase->name);
    write_row(stream, (struct tally_row){name, MACHINE, -1, -1, -1, LEAST_CYCLES, "cycle",
                                         sum->least_cycles});
    write_row(stream, (struct tally_row){name, MACHINE, -1, -1, -1, MOST_CYCLES, "cycle",
                                         sum->most_cycles});
    for (size_t i = 0; i < machine_share_count(); i++) {
        const struct machine_share_name share = machine_share_name(i);
        if (sum->share[i] > 0 || zeros) {
            write_row(stream,
                      (struct tally_row){name, share.component, -1, -1, -1, share.info->name,
                                         share.info->unit, sum->share[i]});
        }
    }
}

static void write_machine(FILE *stream, const char *phase, const char *counter, const char *unit,
                          uint64_t value)
{
    write_row(stream, (struct tally_row){phase, MACHINE, -1, -1, -1, counter, unit, value});
}

/* What is not in a table is 0. */
static void write_stage_sums(FILE *stream, const struct outcome *outcome, const char *phase,
                             size_t of)
{
    for (size_t i = 0; i < outcome->stage_sum_count; i++) {
        const struct outcome_stage_sum *sum = &outcome->stage_sum[i];
        const uint64_t value = of < STAGES ? sum->of[of] : sum->epochs;
        if (value > 0) {
            write_row(stream, (struct tally_row){phase, sum->component, -1, -1, -1, sum->info->name,
                                                 sum->info->unit, value});
        }
    }
}

static void write_stages(FILE *stream, const struct outcome *outcome)
{
    for (unsigned s = 0; s < STAGE_RUN; s++) {
        write_stage_sums(stream, outcome, stage_text((enum stage)s), s);
    }
    if (outcome->epoch_count > 0 && outcome->sample.rows == 0) { /* else in sampled.csv */
        write_machine(stream, TALLY_EPOCHS, TALLY_EPOCHS, "epoch", outcome->epoch_count);
        write_machine(stream, TALLY_EPOCHS, STAGE_TIME, "ps", epochs_ps(outcome));
        write_stage_sums(stream, outcome, TALLY_EPOCHS, STAGES);
    }
}

void tally_write(FILE *stream, const struct outcome *outcome, bool by_core, bool zeros)
{
    result_table_write_head(stream, TALLY_COLUMNS, TALLY_COLUMN_COUNT, NULL);
    write_machine(stream, WHOLE_RUN, "time_ps", "ps", outcome->time_ps);
    for (unsigned s = 0; s < STAGES; s++) {
        write_machine(stream, stage_text((enum stage)s), STAGE_TIME, "ps", outcome->stage_ps[s]);
    }
    write_machine(stream, WHOLE_RUN, "chips", "chip", outcome->chips);
    write_machine(stream, WHOLE_RUN, "boards", "board", outcome->boards);
    write_counters(stream, outcome, by_core);
    write_stages(stream, outcome);
    for (unsigned s = 0; s < STAGES; s++) {
        for (unsigned i = 0; i < outcome->phase_count; i++) {
            if (occurred(&outcome->phase_sum[s][i])) {
                write_phase(stream, (enum stage)s, &outcome->phase[i], &outcome->phase_sum[s][i],
                            zeros);
            }
        }
    }
}

/* ---- from the table ---- */

static bool stage_of(const char *text, size_t length, enum stage *stage)
{
    for (unsigned s = 0; s < STAGES; s++) {
        const char *name = stage_text((enum stage)s);
        if (strlen(name) == length && strncmp(name, text, length) == 0) {
            *stage = (enum stage)s;
            return true;
        }
    }
    return false;
}

/* Of all epochs together. */
static bool take_epochs(struct tally_epoch *epoch, const struct tally_row *row)
{
    if (strcmp(row->component, MACHINE) != 0) {
        char name[TALLY_NAME_CHARS];
        const int length = snprintf(name, sizeof name, "%s.%s", row->component, row->counter);
        return (size_t)length < sizeof name && tally_epoch_add(epoch, name, (double)row->value);
    }
    if (strcmp(row->counter, TALLY_EPOCHS) == 0) {
        epoch->number = row->value;
        return row->value > 0;
    }
    epoch->time_ps = (double)row->value;
    return strcmp(row->counter, STAGE_TIME) == 0;
}

static bool take_machine(struct tally *tally, const struct tally_row *row)
{
    enum stage stage;
    if (strcmp(row->counter, STAGE_TIME) == 0) { /* a stage, too, may be called run */
        const bool good = stage_of(row->phase, strlen(row->phase), &stage);
        if (good) {
            tally->stage_ps[stage] = row->value;
        }
        return good;
    }
    if (strcmp(row->phase, WHOLE_RUN) != 0) {
        return false;
    }
    if (strcmp(row->counter, "time_ps") == 0) {
        tally->time_ps = row->value;
    } else if (strcmp(row->counter, "chips") == 0) {
        tally->chips = (uint32_t)row->value;
    } else if (strcmp(row->counter, "boards") == 0) {
        tally->boards = (uint32_t)row->value;
    } else {
        return false;
    }
    return true;
}

/* stage/layer/name */
static bool take_phase(struct tally *tally, const struct tally_row *row)
{
    struct phase phase;
    enum stage stage;
    const char *first = strchr(row->phase, '/');
    const char *second = first == NULL ? NULL : strchr(first + 1, '/');
    if (second == NULL || !stage_of(row->phase, (size_t)(first - row->phase), &stage)) {
        return false;
    }
    (void)snprintf(phase.layer, sizeof phase.layer, "%.*s", (int)(second - first - 1), first + 1);
    (void)snprintf(phase.name, sizeof phase.name, "%s", second + 1);
    struct tally_phase *to = phase_of(tally, stage, &phase);
    if (to == NULL) {
        return false;
    }
    if (strcmp(row->component, MACHINE) == 0) {
        const bool least = strcmp(row->counter, LEAST_CYCLES) == 0;
        *(least ? &to->least_cycles : &to->most_cycles) = row->value;
        return least || strcmp(row->counter, MOST_CYCLES) == 0;
    }
    return add_to(&to->sums, row->component, row->counter, row->value);
}

static bool take_row(struct tally *tally, const struct tally_row *row)
{
    enum stage stage;
    if (strcmp(row->phase, TALLY_EPOCHS) == 0) {
        return take_epochs(&tally->epoch, row);
    }
    if (strcmp(row->component, MACHINE) == 0 && strchr(row->phase, '/') == NULL) {
        return take_machine(tally, row);
    }
    if (strcmp(row->phase, WHOLE_RUN) == 0) {
        return add_to(&tally->total, row->component, row->counter, row->value);
    }
    if (stage_of(row->phase, strlen(row->phase), &stage)) {
        return add_to(&tally->stage[stage], row->component, row->counter, row->value);
    }
    return take_phase(tally, row);
}

enum status tally_open(struct result_table *table, const char *folder,
                       struct diagnostic *diagnostic)
{
    const enum status status = result_table_open(table, folder, "counters.csv", diagnostic);
    return status != STATUS_OK || result_table_has(table, TALLY_COLUMNS, TALLY_COLUMN_COUNT)
               ? status
               : result_table_refuse(table, NULL, NULL, diagnostic);
}

enum status tally_read(struct tally *tally, const char *folder, struct diagnostic *diagnostic)
{
    struct result_table table;
    struct tally_row row;
    *tally = (struct tally){0};
    enum status status = tally_open(&table, folder, diagnostic);
    bool good = true;
    while (status == STATUS_OK && good && result_table_next(&table)) {
        good = result_table_take(&table, TALLY_COLUMNS, TALLY_COLUMN_COUNT, &row) &&
               take_row(tally, &row);
    }
    tally_epoch_divide(&tally->epoch);
    if (status == STATUS_OK && (!good || !settle(tally))) {
        status = result_table_refuse(&table, NULL, NULL, diagnostic);
    }
    status = result_table_end(&table, status, diagnostic);
    if (status == STATUS_OK) {
        status = tally_epoch_read(&tally->epoch, folder, diagnostic);
    }
    if (status != STATUS_OK) {
        tally_deinit(tally);
    }
    return status;
}
