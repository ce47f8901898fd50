/* incidents.c - see incidents.h. */
#include "sim/results/incidents.h"

#include "sim/run_control/waits.h"

#include <inttypes.h>

enum { FIRST_CORE_OUTPUT = 6 };

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

void incidents_print_end(FILE *stream, const struct record *record)
{
    const struct outcome *outcome = record->outcome;
    if (outcome->crash != NULL) {
        (void)fputc('\n', stream);
        (void)fwrite(outcome->crash, 1, outcome->crash_bytes, stream);
        (void)fputc('\n', stream);
    } else if (outcome->end != OUTCOME_DONE) {
        waits_print(outcome, stream);
    }
}
