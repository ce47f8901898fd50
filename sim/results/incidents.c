/* incidents.c - see incidents.h. */
#include "sim/results/incidents.h"

#include <inttypes.h>

enum { FIRST_CORE_OUTPUT = 6, WAITS_SHOWN = 10 };

const char *drop_output_text(const struct machine_drop *drop, char text[DROP_OUTPUT_CHARS])
{
    text[0] = '\0';
    if (drop->output != MACHINE_DROP_NO_OUTPUT) {
        const bool link = drop->output < FIRST_CORE_OUTPUT;
        (void)snprintf(text, DROP_OUTPUT_CHARS, "%s_%d", link ? "link" : "core",
                       link ? drop->output : drop->output - FIRST_CORE_OUTPUT);
    }
    return text;
}

/* "blocked at core_5 by key 0x00000100, unread since 3.2 us" */
static void print_cause(FILE *stream, const struct machine_drop *drop)
{
    static const char *const WHY[] = {"",
                                      "which the next chip does not take,",
                                      "which is on its way,",
                                      "which the core has not read,",
                                      "which goes nowhere,",
                                      "whose link is off,"};
    static const double US = 1e-6;
    char output[DROP_OUTPUT_CHARS];
    if (drop->reason == MACHINE_DROP_BLOCKED) {
        (void)fprintf(stream, "%s held by key 0x%08" PRIx32 ", %s since %.6g us",
                      drop_output_text(drop, output), drop->holder_key, WHY[drop->holder],
                      US * (double)drop->held_since_ps);
    } else {
        (void)fputs(drop->reason == MACHINE_DROP_ERROR ? "too old or damaged" : "no route", stream);
    }
}

void incidents_print_drops(FILE *stream, const struct record *record)
{
    static const double US = 1e-6;
    const struct outcome *outcome = record->outcome;
    const uint64_t dropped = outcome_dropped_packets(outcome);
    if (dropped == 0 && outcome->drop_count == 0 && outcome->drops_unrecorded == 0) {
        return;
    }
    (void)fprintf(stream, "lost packets    %" PRIu64, dropped);
    if (outcome->drop_count > 0) {
        const struct machine_drop *first = &outcome->drop[0];
        (void)fprintf(stream,
                      ": drops.csv; the first at %.6g us, chip (%u,%u), key 0x%08" PRIx32 ", ",
                      US * (double)first->time_ps, first->x, first->y, first->key);
        print_cause(stream, first);
    }
    (void)fputc('\n', stream);
}

void incidents_print_reinjector(FILE *stream, const struct record *record)
{
    const struct outcome_reinjector *reinjector = &record->outcome->reinjector;
    if (record->outcome->has_reinjector) {
        (void)fprintf(stream,
                      "reinjector      %" PRIu64 " packets sent again of %" PRIu64
                      " found dropped, %" PRIu64 " time%s more were lost before\n",
                      reinjector->sent, reinjector->dropped, reinjector->missed,
                      reinjector->missed == 1 ? "" : "s");
    }
}

void incidents_print_memory(FILE *stream, const struct record *record)
{
    static const double US = 1e-6;
    const struct outcome *outcome = record->outcome;
    if (!outcome->memory_checked) {
        return;
    }
    (void)fprintf(stream, "memory faults   %zu", outcome->memory_check_count);
    if (outcome->memory_check_count > 0) {
        const struct outcome_memory_check *first = &outcome->memory_check[0];
        (void)fprintf(stream,
                      ": memory_check.csv; the first at %.6g us, chip (%u,%u) core %u: %s in %s",
                      US * (double)first->time_ps, first->x, first->y, first->core, first->kind,
                      first->function[0] == '\0' ? first->pc : first->function);
        if (first->line > 0) {
            (void)fprintf(stream, ", %s:%" PRIu32, first->file, first->line);
        }
    }
    (void)fputc('\n', stream);
}

void incidents_print_waits(FILE *stream, const struct record *record)
{
    const struct outcome *outcome = record->outcome;
    if (outcome->end == OUTCOME_DONE || outcome->wait_count == 0) {
        return;
    }
    (void)fputs("core      role                  state     in                    waits for\n",
                stream);
    for (size_t i = 0; i < outcome->wait_count && i < WAITS_SHOWN; i++) {
        const struct outcome_wait *wait = &outcome->wait[i];
        const struct outcome_core *core = &outcome->core[wait->of];
        char place[16];
        (void)snprintf(place, sizeof place, "%u,%u,%u", core->core.x, core->core.y, core->core.p);
        (void)fprintf(stream, "%-9s %-21s %-9s %-21s %s\n", place, core->role, wait->state,
                      wait->symbol, wait->waits_for);
    }
    if (outcome->wait_count > WAITS_SHOWN) {
        (void)fprintf(stream, "and %zu more cores: waits.csv\n", outcome->wait_count - WAITS_SHOWN);
    }
}
