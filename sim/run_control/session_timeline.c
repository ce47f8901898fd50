/* session_timeline.c - see session.h: the events of a run for a time line (record.timeline).
 * Neither recording them nor the stops for it change a count. */
#include "sim/run_control/session.h"

#include "models/common/units.h"
#include "sim/run_control/exception_return.h"
#include "sim/run_control/saved_state.h"
#include "sim/steps.h"

#include <stdlib.h>

/* An event takes no fewer bytes in any file: so many are collected at most. */
enum { EVENT_BYTES = 20 };

/* The kinds of events that each word of record.timeline.what asks for; power is no event. */
static const uint32_t KINDS[] = {
    [CONFIG_TIMELINE_WHAT_PHASES] = 1u << TIMELINE_PHASE,
    [CONFIG_TIMELINE_WHAT_PACKETS] =
        1u << MACHINE_EVENT_SENT | 1u << MACHINE_EVENT_RECEIVED | 1u << MACHINE_EVENT_DROPPED,
    [CONFIG_TIMELINE_WHAT_LINKS] = 1u << MACHINE_EVENT_LINK,
    [CONFIG_TIMELINE_WHAT_DMA] = 1u << MACHINE_EVENT_BURST,
    [CONFIG_TIMELINE_WHAT_WAITS] = 1u << MACHINE_EVENT_SLEPT,
    [CONFIG_TIMELINE_WHAT_INTERRUPTS] = 1u << TIMELINE_INTERRUPT,
    [CONFIG_TIMELINE_WHAT_POWER] = 0,
};

/* ---- interrupts: marks where a core takes them, and where it returns ---- */

/* Where a core begins with them (ARM DDI 0100I, A2.6). */
enum { IRQ_VECTOR = 0x18, FIQ_VECTOR = 0x1c, LINK_REGISTER = 14 };

/* Bits of the CPSR (A2.5). */
enum { CPSR_THUMB = 0x20, CPSR_MODE = 0x1f, MODE_FIQ = 0x11, MODE_IRQ = 0x12 };

/* `code` has room for a core's ITCM.  Data that look like a return are marked, too: no core comes
 * there. */
static enum status mark_interrupts(struct session *session, struct machine_core core,
                                   uint32_t *code, uint32_t bytes)
{
    struct machine *machine = session->machine;
    TRY(machine_add_mark(machine, core, IRQ_VECTOR));
    TRY(machine_add_mark(machine, core, FIQ_VECTOR));
    TRY(machine_read(machine, core, 0, code, bytes));
    for (uint32_t at = 0; at < bytes; at += (uint32_t)sizeof *code) {
        if (exception_return_is(code[at / sizeof *code])) {
            TRY(machine_add_mark(machine, core, at));
        }
    }
    return STATUS_OK;
}

static enum status mark_all_interrupts(struct session *session)
{
    const struct outcome *outcome = session->outcome;
    const uint32_t bytes = (uint32_t)session->job->config->machine.chip_itcm_bytes;
    FREED uint32_t *code = malloc(bytes);
    if (code == NULL) {
        return STATUS_INTERNAL;
    }
    for (size_t i = 0; i < outcome->core_count; i++) {
        TRY(mark_interrupts(session, outcome->core[i].core, code, bytes));
    }
    return STATUS_OK;
}

/* Whether a core in ARM state returns from an exception with the instruction that it is at. */
static bool returns(const struct machine *machine, struct machine_core core, uint32_t address,
                    uint32_t cpsr)
{
    uint32_t instruction = 0;
    return (cpsr & CPSR_THUMB) == 0 &&
           machine_read(machine, core, address, &instruction, sizeof instruction) == STATUS_OK &&
           exception_return_is(instruction) && exception_return_holds(instruction, cpsr);
}

void session_timeline_mark(struct session *session, struct machine_core core, uint32_t address)
{
    struct timeline *timeline = session->marks.timeline;
    if (timeline == NULL || !timeline_wants(timeline, TIMELINE_INTERRUPT)) {
        return;
    }
    const struct machine *machine = session->machine;
    const uint64_t now_ps = machine_core_time_ps(machine, core);
    const uint32_t cpsr = machine_core_cpsr(machine, core);
    const uint32_t mode = cpsr & CPSR_MODE;
    if (address == IRQ_VECTOR || address == FIQ_VECTOR) {
        /* the link register is one instruction further than where the core goes on */
        const uint32_t link = machine_core_register(machine, core, LINK_REGISTER);
        timeline_interrupt(timeline, core, address == FIQ_VECTOR, link - 4, now_ps);
    }
    if ((mode == MODE_IRQ || mode == MODE_FIQ) && returns(machine, core, address, cpsr)) {
        timeline_return(timeline, core, mode == MODE_FIQ, now_ps);
    }
}

/* ---- the time line ---- */

enum status session_begin_timeline(struct session *session, struct diagnostic *diagnostic)
{
    const struct sim_config *config = session->job->config;
    const uint64_t to_ps = config->record_timeline_to_ps;
    const struct saved_state *restored = session->job->restored;
    const uint64_t begin_ps = restored == NULL ? 0 : restored->time_ps;
    struct timeline_wish wish = {.from_ps = later_of(config->record_timeline_from_ps, begin_ps),
                                 .to_ps = to_ps == 0 ? TIME_NEVER : to_ps,
                                 .most_events = config->record_timeline_bytes / EVENT_BYTES,
                                 .cores = config->record_timeline_cores};
    if (config->record_timeline_what == 0) {
        return STATUS_OK;
    }
    for (unsigned i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
        wish.kinds |= (config->record_timeline_what >> i & 1) != 0 ? KINDS[i] : 0;
    }
    const enum status status =
        timeline_create(&wish, session->machine, &session->outcome->timeline, diagnostic);
    if (status == STATUS_CONFIGURATION) {
        config_locate(config, "record.timeline.cores", diagnostic);
    }
    TRY(status);
    session->marks.timeline = session->outcome->timeline;
    session_take_timeline(session);
    return timeline_wants(session->marks.timeline, TIMELINE_INTERRUPT)
               ? mark_all_interrupts(session)
               : STATUS_OK;
}

uint64_t session_timeline_stop(const struct session *session)
{
    return session->marks.timeline == NULL
               ? TIME_NEVER
               : timeline_stop_ps(session->marks.timeline, machine_time_ps(session->machine));
}

void session_take_timeline(struct session *session)
{
    if (session->marks.timeline != NULL) {
        timeline_take(session->marks.timeline, session->machine);
    }
}

void session_end_timeline(struct session *session)
{
    if (session->marks.timeline != NULL) {
        session_take_timeline(session);
        timeline_finish(session->marks.timeline);
    }
}

enum status session_check_timeline(const struct sim_config *config, struct diagnostic *diagnostic)
{
    const uint64_t to_ps = config->record_timeline_to_ps;
    const bool power = (config->record_timeline_what >> CONFIG_TIMELINE_WHAT_POWER & 1) != 0;
    if (config->record_timeline_what == 0) {
        return STATUS_OK;
    }
    if (to_ps != 0 && to_ps <= config->record_timeline_from_ps) {
        return config_refuse(config, "record.timeline.to", "a later time, or 0 s: with the run",
                             diagnostic, "the time line ends before it begins");
    }
    if (power && config->record_interval_ps == 0) {
        return config_refuse(config, "record.timeline.what", "record.interval: 100 us", diagnostic,
                             "power is the mean of intervals, and there are none");
    }
    if (config->record_checkpoint_every_epochs > 0) {
        return config_refuse(config, "record.checkpoint_every_epochs",
                             "record.checkpoint_every_epochs: 0", diagnostic,
                             "a checkpoint has no time line to go on with");
    }
    return STATUS_OK;
}
