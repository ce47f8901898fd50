/* crash_report.c - see crash.h: the text of crash.txt. */
#include "models/common/units.h"
#include "sim/load/machine_load.h"
#include "sim/load/sark_layout.h"
#include "sim/routing/routing.h"
#include "sim/run_control/core_watch.h"
#include "sim/run_control/crash.h"
#include "sim/run_control/waits.h"
#include "sim/steps.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { TIME_CHARS = 32 };

/* ---- the parts ---- */

/* "12.345678 us", to the picosecond. */
static const char *time_text(uint64_t ps, char text[TIME_CHARS])
{
    (void)snprintf(text, TIME_CHARS, "%" PRIu64 ".%06" PRIu64 " us", ps / PS_PER_US,
                   ps % PS_PER_US);
    return text;
}

static void write_error(FILE *out, const struct session *session, struct machine_core core)
{
    static const struct {
        unsigned code;
        const char *name, *text;
    } CODES[] = {
#define RTE(code, name, text) {code, name, text},
#include "sim/run_control/rte_codes.def"
    };
    const struct program_state state = machine_program_state(session->machine, core);
    for (size_t i = 0; state.cpu_state == CPU_STATE_RTE && i < sizeof CODES / sizeof *CODES; i++) {
        if (CODES[i].code == state.rt_code) {
            (void)fprintf(out, "error     %u, %s: %s\n", state.rt_code, CODES[i].name,
                          CODES[i].text);
        }
    }
}

/* A core that came out of a reset, where there is no boot ROM, does not get beyond its first fetch.
 */
static void write_reset(FILE *out, const struct session *session,
                        const struct crash_subject *subject)
{
    /* SpiNNaker datasheet v2.02, 14: SC_RST_CODE. */
    static const uint32_t RESET_CODE = 0xf2000030;
    static const uint32_t RESET_VECTOR = 0xffff0000;
    static const char *const CAUSE[] = {"its power-on", "the watchdog", "the reset pin",
                                        "a program, through the system controller",
                                        "the watchdog, the monitor processor alone"};
    const struct machine_chip chip = {subject->core.x, subject->core.y};
    uint32_t code = 0;
    if (!subject->faulted || subject->state.r[CRASH_PC] != RESET_VECTOR ||
        machine_read_word(session->machine, chip, RESET_CODE, &code) != STATUS_OK ||
        code >= sizeof CAUSE / sizeof *CAUSE) {
        return;
    }
    (void)fprintf(out,
                  "reset     the core begins at its reset vector: the chip was reset last by %s\n",
                  CAUSE[code]);
}

static void write_head(FILE *out, const struct session *session,
                       const struct crash_subject *subject, const struct core_watch *watch)
{
    const struct outcome *outcome = session->outcome;
    const struct crash_core *state = &subject->state;
    char time[TIME_CHARS];
    (void)fprintf(out, "what      %s\n", outcome->failure);
    (void)fprintf(out, "core      %u,%u,%u", subject->core.x, subject->core.y, subject->core.p);
    if (subject->index < outcome->core_count) {
        (void)fprintf(out, ", %s", outcome->core[subject->index].role);
    }
    (void)fprintf(out, "\ntime      %s, cycle %" PRIu64 " of the core, %" PRIu64 " instructions\n",
                  time_text(subject->time_ps, time), state->cycle, state->instructions);
    if (watch != NULL && watch->last_ps != 0) {
        (void)fprintf(out, "          its last instruction began at %s\n",
                      time_text(watch->last_ps, time));
    }
    write_error(out, session, subject->core);
    write_reset(out, session, subject);
}

static const char *purpose_text(unsigned number)
{
    return number == 0                  ? "no edge of the run"
           : number <= ROUTING_PURPOSES ? routing_purpose_text((enum routing_purpose)(number - 1))
                                        : "other";
}

static void write_packets(FILE *out, const char *what, const struct watch_packets *packets)
{
    static const char *const TYPE[] = {"multicast", "point-to-point", "nearest neighbour",
                                       "fixed route"};
    const uint64_t shown = packets->count < WATCH_PACKETS ? packets->count : WATCH_PACKETS;
    char time[TIME_CHARS];
    (void)fprintf(out, "packets %s: %" PRIu64 "%s\n", what, packets->count,
                  shown < packets->count ? ", the last of them" : "");
    for (uint64_t n = packets->count - shown; n < packets->count; n++) {
        const struct machine_event *event = &packets->of[n % WATCH_PACKETS];
        (void)fprintf(out, "  at %s, key 0x%08" PRIx32 ", %s, %s\n",
                      time_text(event->time_ps, time), event->word, TYPE[event->type & 3],
                      purpose_text(event->purpose));
    }
}

static void write_waiting_packet(FILE *out, const struct session *session, struct machine_core core)
{
    const struct machine_core_view view = machine_core_view(session->machine, core);
    if (view.sends) {
        (void)fprintf(out, "  in its transmitter: key 0x%08" PRIx32 "\n", view.sends_key);
    }
}

/* The faults behind the first. */
static void write_faults(FILE *out, const struct crash_notes *notes)
{
    if (notes == NULL || notes->faults < 2) {
        return;
    }
    (void)fprintf(out, "\nmore faults: %" PRIu64 "\n", notes->faults - 1);
    for (size_t i = 1; i < notes->faults && i < CRASH_FAULTS; i++) {
        const struct crash_fault *at = &notes->fault[i];
        char what[CRASH_FAULT_CHARS];
        char time[TIME_CHARS];
        crash_name_fault(&at->fault, what);
        (void)fprintf(out, "  %u,%u,%u at %s: %s at pc 0x%08" PRIx32 "\n", at->core.x, at->core.y,
                      at->core.p, time_text(at->time_ps, time), what, at->fault.pc);
    }
    if (notes->faults > CRASH_FAULTS) {
        (void)fprintf(out, "  and %" PRIu64 " more\n", notes->faults - CRASH_FAULTS);
    }
}

/* Who has not ended, and waits for what. */
static void write_waits(FILE *out, const struct outcome *outcome)
{
    if (outcome->wait_count > 0) {
        (void)fprintf(out, "\nprograms that have not ended: %zu\n", outcome->wait_count);
        waits_print(outcome, out);
    }
}

static enum status write_watched(FILE *out, const struct session *session,
                                 const struct crash_subject *subject,
                                 const struct core_watch *watch)
{
    const struct elf_image *image = session_program_of(session, subject->core);
    (void)fprintf(out, "\nlast instructions\n");
    if (image != NULL) {
        TRY(last_instructions_write(&watch->instructions, LAST_INSTRUCTIONS, image, out));
    }
    (void)fputc('\n', out);
    write_packets(out, "sent", &watch->sent);
    write_waiting_packet(out, session, subject->core);
    write_packets(out, "received", &watch->received);
    return STATUS_OK;
}

/* ---- the whole ---- */

static enum status write_all(FILE *out, const struct session *session,
                             const struct crash_subject *subject, const struct core_watch *watch,
                             const char *why_not)
{
    write_head(out, session, subject, watch);
    (void)fputc('\n', out);
    crash_write_backtrace(out, &subject->state);
    (void)fputc('\n', out);
    crash_write_registers(out, &subject->state);
    if (watch != NULL) {
        TRY(write_watched(out, session, subject, watch));
    } else {
        (void)fprintf(out, "\nlast instructions and packets: %s\n", why_not);
        write_waiting_packet(out, session, subject->core);
    }
    write_faults(out, session->crash);
    write_waits(out, session->outcome);
    return STATUS_OK;
}

enum status crash_report(const struct session *session, const struct crash_subject *subject,
                         const struct core_watch *watch, const char *why_not,
                         struct diagnostic *diagnostic)
{
    struct outcome *outcome = session->outcome;
    FILE *out = open_memstream(&outcome->crash, &outcome->crash_bytes);
    if (out == NULL) {
        return no_memory(diagnostic);
    }
    const enum status status = write_all(out, session, subject, watch, why_not);
    return fclose(out) == 0 && status == STATUS_OK ? STATUS_OK : no_memory(diagnostic);
}
