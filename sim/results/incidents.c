/* incidents.c - see incidents.h. */
#include "sim/results/incidents.h"

#include "sim/results/csv.h"

#include <inttypes.h>

enum { FIRST_CORE_OUTPUT = 6, LOCAL_ARRIVAL = 7, OUTPUT_CHARS = 16, WAITS_SHOWN = 10 };

static const char *const TYPE[] = {"mc", "p2p", "nn", "fr"};
static const char *const REASON[] = {"blocked", "no_route", "error"};
static const char *const HOLDER[] = {"",       "not_taken",     "on_its_way",
                                     "unread", "leads_nowhere", "link_off"};

/* link_2, core_5, or nothing. */
static const char *output_text(uint8_t output, char text[OUTPUT_CHARS])
{
    text[0] = '\0';
    if (output != MACHINE_DROP_NO_OUTPUT) {
        const bool link = output < FIRST_CORE_OUTPUT;
        (void)snprintf(text, OUTPUT_CHARS, "%s_%d", link ? "link" : "core",
                       link ? output : output - FIRST_CORE_OUTPUT);
    }
    return text;
}

static bool is_held(const struct machine_drop *drop)
{
    return drop->holder != MACHINE_DROP_HELD_BY_NONE;
}

void incidents_write_drops(FILE *stream, const struct record *record)
{
    char output[OUTPUT_CHARS];
    (void)fputs("x,y,time_ps,tried_ps,packet_type,key,payload,arrival,output,reason,holder,"
                "holder_key,held_since_ps\n",
                stream);
    for (size_t i = 0; i < record->outcome->drop_count; i++) {
        const struct machine_drop *drop = &record->outcome->drop[i];
        (void)fprintf(stream, "%u,%u,%" PRIu64 ",%" PRIu64 ",%s,0x%08" PRIx32 ",", drop->x, drop->y,
                      drop->time_ps, drop->tried_ps, TYPE[drop->type], drop->key);
        if (drop->has_payload) {
            (void)fprintf(stream, "0x%08" PRIx32, drop->payload);
        }
        if (drop->arrival < LOCAL_ARRIVAL) {
            (void)fprintf(stream, ",link_%u", drop->arrival);
        } else {
            (void)fputs(",local", stream);
        }
        (void)fprintf(stream, ",%s,%s,%s,", output_text(drop->output, output), REASON[drop->reason],
                      HOLDER[drop->holder]);
        if (is_held(drop)) {
            (void)fprintf(stream, "0x%08" PRIx32 ",%" PRIu64 "\n", drop->holder_key,
                          drop->held_since_ps);
        } else {
            (void)fputs(",\n", stream);
        }
    }
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
    char output[OUTPUT_CHARS];
    if (drop->reason == MACHINE_DROP_BLOCKED) {
        (void)fprintf(stream, "%s held by key 0x%08" PRIx32 ", %s since %.6g us",
                      output_text(drop->output, output), drop->holder_key, WHY[drop->holder],
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

/* ---- who waits for what ---- */

void incidents_write_waits(FILE *stream, const struct record *record)
{
    (void)fputs("x,y,core,virtual_core,role,state,lets_in,pc,symbol,waits_for\n", stream);
    for (size_t i = 0; i < record->outcome->wait_count; i++) {
        const struct outcome_wait *wait = &record->outcome->wait[i];
        const struct outcome_core *core = &record->outcome->core[wait->of];
        (void)fprintf(stream, "%u,%u,%u,%" PRIu32 ",", core->core.x, core->core.y, core->core.p,
                      core->virtual_core);
        csv_text(stream, core->role);
        (void)fprintf(stream, ",%s,%s,0x%08" PRIx32 ",", wait->state, wait->lets_in, wait->pc);
        csv_text(stream, wait->symbol);
        (void)fputc(',', stream);
        csv_text(stream, wait->waits_for);
        (void)fputc('\n', stream);
    }
}

void incidents_print_waits(FILE *stream, const struct record *record)
{
    const struct outcome *outcome = record->outcome;
    if (outcome->end != OUTCOME_GUEST_FAILED || outcome->wait_count == 0) {
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
