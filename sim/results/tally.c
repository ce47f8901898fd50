/* tally.c - see tally.h. */
#include "sim/results/tally.h"

#include "sim/file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char HEADER[] = "phase,component,x,y,core_or_link,counter,unit,value";
static const char WHOLE_RUN[] = "run";
static const char MACHINE[] = "machine";
static const char STAGE_TIME[] = "stage_ps";
static const char LEAST_CYCLES[] = "core_cycles_least";
static const char MOST_CYCLES[] = "core_cycles_most";

/* ---- sums ---- */

static bool add_to(struct tally_sums *sums, const char *component, const char *counter,
                   uint64_t value)
{
    char name[TALLY_NAME_CHARS];
    if ((size_t)snprintf(name, sizeof name, "%s.%s", component, counter) >= sizeof name) {
        return false;
    }
    for (size_t i = 0; i < sums->size; i++) {
        if (strcmp(sums->name[i], name) == 0) {
            sums->count[i].value += value;
            return true;
        }
    }
    if (sums->size == TALLY_COUNTERS_MAX) {
        return false;
    }
    memcpy(sums->name[sums->size], name, sizeof name);
    sums->count[sums->size] = (struct energy_count){NULL, value};
    sums->size++;
    return true;
}

/* Names are pointed to once their place is final. */
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

/* The phase's sums, added when it has none yet; NULL when there are more than a run can have, or
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
    for (size_t i = 0; i < tally->phase_count; i++) {
        link_names(&tally->phase[i].sums);
    }
}

void tally_deinit(struct tally *tally)
{
    free(tally->phase);
    tally->phase = NULL;
    tally->phase_count = 0;
}

/* ---- from an outcome ---- */

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

enum status tally_of_outcome(struct tally *tally, const struct outcome *outcome,
                             struct diagnostic *diagnostic)
{
    *tally = (struct tally){
        .time_ps = outcome->time_ps, .chips = outcome->chips, .boards = outcome->boards};
    memcpy(tally->stage_ps, outcome->stage_ps, sizeof tally->stage_ps);
    bool good = true;
    for (size_t i = 0; good && i < outcome->counter_count; i++) {
        const struct outcome_counter *at = &outcome->counter[i];
        good = add_to(&tally->total, at->component, at->info->name, at->value);
    }
    for (unsigned s = 0; s < STAGES; s++) {
        for (unsigned i = 0; good && i < outcome->phase_count; i++) {
            if (occurred(&outcome->phase_sum[s][i])) {
                good =
                    add_phase(tally, (enum stage)s, &outcome->phase[i], &outcome->phase_sum[s][i]);
            }
        }
    }
    if (!good) {
        tally_deinit(tally);
        return diagnose(diagnostic, STATUS_INTERNAL, "no room to sum the counters");
    }
    link_all_names(tally);
    return STATUS_OK;
}

/* ---- the table ---- */

static void write_chip_sums(FILE *stream, const struct outcome *outcome)
{
    /* Counters stand sorted by component and name: equal ones are neighbours. */
    for (size_t i = 0; i < outcome->counter_count;) {
        const struct outcome_counter *first = &outcome->counter[i];
        uint64_t sum = 0;
        for (; i < outcome->counter_count && outcome->counter[i].info == first->info &&
               outcome->counter[i].x == first->x && outcome->counter[i].y == first->y;
             i++) {
            sum += outcome->counter[i].value;
        }
        (void)fprintf(stream, "%s,%s,%u,%u,,%s,%s,%" PRIu64 "\n", WHOLE_RUN, first->component,
                      first->x, first->y, first->info->name, first->info->unit, sum);
    }
}

static void write_all_counters(FILE *stream, const struct outcome *outcome)
{
    for (size_t i = 0; i < outcome->counter_count; i++) {
        const struct outcome_counter *at = &outcome->counter[i];
        char instance[8] = "";
        if (at->instance >= 0) {
            (void)snprintf(instance, sizeof instance, "%d", at->instance);
        }
        (void)fprintf(stream, "%s,%s,%u,%u,%s,%s,%s,%" PRIu64 "\n", WHOLE_RUN, at->component, at->x,
                      at->y, instance, at->info->name, at->info->unit, at->value);
    }
}

static void write_phase(FILE *stream, enum stage stage, const struct phase *phase,
                        const struct phase_sum *sum)
{
    const struct {
        const char *name;
        uint64_t value;
    } spread[] = {{LEAST_CYCLES, sum->least_cycles}, {MOST_CYCLES, sum->most_cycles}};
    for (size_t i = 0; i < sizeof spread / sizeof *spread; i++) {
        (void)fprintf(stream, "%s/%s/%s,%s,,,,%s,cycle,%" PRIu64 "\n", stage_text(stage),
                      phase->layer, phase->name, MACHINE, spread[i].name, spread[i].value);
    }
    for (size_t i = 0; i < machine_share_count(); i++) {
        const struct machine_share_name name = machine_share_name(i);
        (void)fprintf(stream, "%s/%s/%s,%s,,,,%s,%s,%" PRIu64 "\n", stage_text(stage), phase->layer,
                      phase->name, name.component, name.info->name, name.info->unit, sum->share[i]);
    }
}

void tally_write(FILE *stream, const struct outcome *outcome, bool by_core)
{
    (void)fprintf(stream, "%s\n", HEADER);
    (void)fprintf(stream, "%s,%s,,,,time_ps,ps,%" PRIu64 "\n", WHOLE_RUN, MACHINE,
                  outcome->time_ps);
    for (unsigned s = 0; s < STAGES; s++) {
        (void)fprintf(stream, "%s,%s,,,,%s,ps,%" PRIu64 "\n", stage_text((enum stage)s), MACHINE,
                      STAGE_TIME, outcome->stage_ps[s]);
    }
    (void)fprintf(stream, "%s,%s,,,,chips,chip,%" PRIu32 "\n", WHOLE_RUN, MACHINE, outcome->chips);
    (void)fprintf(stream, "%s,%s,,,,boards,board,%" PRIu32 "\n", WHOLE_RUN, MACHINE,
                  outcome->boards);
    if (by_core) {
        write_all_counters(stream, outcome);
    } else {
        write_chip_sums(stream, outcome);
    }
    for (unsigned s = 0; s < STAGES; s++) {
        for (unsigned i = 0; i < outcome->phase_count; i++) {
            if (occurred(&outcome->phase_sum[s][i])) {
                write_phase(stream, (enum stage)s, &outcome->phase[i], &outcome->phase_sum[s][i]);
            }
        }
    }
}

/* ---- from the table ---- */

enum { FIELDS = 8 };
enum { FIELD_PHASE, FIELD_COMPONENT, FIELD_COUNTER = 5, FIELD_VALUE = 7 };

/* Cuts a line at its commas; false when there are not exactly FIELDS fields. */
static bool split(char *line, char **field)
{
    unsigned count = 0;
    field[count++] = line;
    for (char *c = line; *c != '\0'; c++) {
        if (*c == ',') {
            *c = '\0';
            if (count == FIELDS) {
                return false;
            }
            field[count++] = c + 1;
        }
    }
    return count == FIELDS;
}

static bool whole_of(const char *text, uint64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0;
}

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

static bool take_machine(struct tally *tally, const char *phase, const char *counter,
                         uint64_t value)
{
    enum stage stage;
    if (strcmp(counter, STAGE_TIME) == 0) { /* a stage, too, may be called run */
        const bool good = stage_of(phase, strlen(phase), &stage);
        if (good) {
            tally->stage_ps[stage] = value;
        }
        return good;
    }
    if (strcmp(phase, WHOLE_RUN) != 0) {
        return false;
    }
    if (strcmp(counter, "time_ps") == 0) {
        tally->time_ps = value;
    } else if (strcmp(counter, "chips") == 0) {
        tally->chips = (uint32_t)value;
    } else if (strcmp(counter, "boards") == 0) {
        tally->boards = (uint32_t)value;
    } else {
        return false;
    }
    return true;
}

/* stage/layer/name */
static bool take_phase(struct tally *tally, char *const *field, uint64_t value)
{
    struct phase phase;
    enum stage stage;
    const char *first = strchr(field[FIELD_PHASE], '/');
    const char *second = first == NULL ? NULL : strchr(first + 1, '/');
    if (second == NULL ||
        !stage_of(field[FIELD_PHASE], (size_t)(first - field[FIELD_PHASE]), &stage)) {
        return false;
    }
    (void)snprintf(phase.layer, sizeof phase.layer, "%.*s", (int)(second - first - 1), first + 1);
    (void)snprintf(phase.name, sizeof phase.name, "%s", second + 1);
    struct tally_phase *to = phase_of(tally, stage, &phase);
    if (to == NULL) {
        return false;
    }
    if (strcmp(field[FIELD_COMPONENT], MACHINE) == 0) {
        const bool least = strcmp(field[FIELD_COUNTER], LEAST_CYCLES) == 0;
        *(least ? &to->least_cycles : &to->most_cycles) = value;
        return least || strcmp(field[FIELD_COUNTER], MOST_CYCLES) == 0;
    }
    return add_to(&to->sums, field[FIELD_COMPONENT], field[FIELD_COUNTER], value);
}

static bool take_line(struct tally *tally, char *line)
{
    char *field[FIELDS];
    uint64_t value;
    if (!split(line, field) || !whole_of(field[FIELD_VALUE], &value)) {
        return false;
    }
    if (strcmp(field[FIELD_COMPONENT], MACHINE) == 0 && strchr(field[FIELD_PHASE], '/') == NULL) {
        return take_machine(tally, field[FIELD_PHASE], field[FIELD_COUNTER], value);
    }
    if (strcmp(field[FIELD_PHASE], WHOLE_RUN) == 0) {
        return add_to(&tally->total, field[FIELD_COMPONENT], field[FIELD_COUNTER], value);
    }
    return take_phase(tally, field, value);
}

static enum status refuse_line(const char *path, int line, struct diagnostic *diagnostic)
{
    const enum status status =
        diagnose(diagnostic, STATUS_CONFIGURATION, "not a line of a counters.csv");
    diagnostic_at(diagnostic, path, line, 0);
    diagnostic_hint(diagnostic, "the file has been changed, or another program wrote it");
    return status;
}

enum status tally_read(struct tally *tally, const char *path, struct diagnostic *diagnostic)
{
    uint8_t *bytes;
    size_t size;
    *tally = (struct tally){0};
    enum status status = file_read(path, FILE_TABLE_BYTES, &bytes, &size, diagnostic);
    if (status != STATUS_OK) {
        return status;
    }
    int number = 0;
    char *rest = (char *)bytes;
    for (char *line = strsep(&rest, "\n"); line != NULL && status == STATUS_OK;
         line = strsep(&rest, "\n")) {
        number++;
        const bool good = number == 1 ? strcmp(line, HEADER) == 0
                                      : (*line == '\0' && rest == NULL) || take_line(tally, line);
        status = good ? STATUS_OK : refuse_line(path, number, diagnostic);
    }
    free(bytes);
    if (status != STATUS_OK) {
        tally_deinit(tally);
        return status;
    }
    link_all_names(tally);
    return STATUS_OK;
}
