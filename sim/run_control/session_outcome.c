/* session_outcome.c - see session.h: determines how a run ended, and collects its results. */
#include "models/common/check.h"
#include "models/common/units.h"
#include "sim/data/sha256.h"
#include "sim/load/machine_load.h"
#include "sim/networks/loss.h"
#include "sim/run_control/counters.h"
#include "sim/run_control/host_run.h"
#include "sim/run_control/memory_digests.h"
#include "sim/run_control/session.h"
#include "sim/run_control/waits.h"
#include "sim/steps.h"
#include "workloads/nn/reinjector_note.h"
#include "workloads/runtime/exit_note.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- how it ended ---- */

/* Name of the symbol at an address of a core's program. */
static const char *symbol_at(const struct session *session, struct machine_core core, uint32_t pc)
{
    const struct elf_symbol *symbol = NULL;
    for (size_t i = 0; i < session->outcome->core_count && symbol == NULL; i++) {
        const struct machine_core at = session->outcome->core[i].core;
        if (at.x == core.x && at.y == core.y && at.p == core.p) {
            symbol = elf_image_at(&session->loaded[i].program->image, pc);
        }
    }
    return symbol == NULL ? "no symbol" : symbol->name;
}

enum { FAULT_CHARS = 64, BUSY_CHARS = 448 };

static void name_fault(const struct arm968_fault *fault, char *text)
{
    static const char *const WHAT[] = {
        [ARM968_FAULT_NONE] = "no fault",
        [ARM968_FAULT_UNDEFINED] = "undefined instruction",
        [ARM968_FAULT_PREFETCH] = "prefetch abort (jump to nowhere)",
        [ARM968_FAULT_BREAKPOINT] = "BKPT instruction",
    };
    if (fault->kind == ARM968_FAULT_DATA) {
        (void)snprintf(text, FAULT_CHARS, "data abort (%s%s of %u bytes)",
                       fault->misaligned ? "misaligned " : "",
                       arm968_access_name((enum arm968_access_kind)fault->access), fault->bytes);
    } else {
        (void)snprintf(text, FAULT_CHARS, "%s", WHAT[fault->kind]);
    }
}

static void describe_fault(struct session *session)
{
    const struct machine_core core = session->first_fault_core;
    const struct arm968_fault fault = session->first_fault;
    char what[FAULT_CHARS];
    name_fault(&fault, what);
    (void)snprintf(session->outcome->failure, sizeof session->outcome->failure,
                   "chip (%u,%u) core %u: %s at pc 0x%08x in %s, address 0x%08x", core.x, core.y,
                   core.p, what, fault.pc, symbol_at(session, core, fault.pc),
                   fault.kind == ARM968_FAULT_DATA || fault.kind == ARM968_FAULT_PREFETCH
                       ? fault.address
                       : fault.pc);
}

const struct elf_image *session_image_of(const void *context, size_t core)
{
    const struct session *session = context;
    return &session->loaded[core].program->image;
}

/* Describes the most informative core whose program has not ended; false if all have ended. */
static bool find_unfinished(struct session *session)
{
    static const double MS = 1e-9;
    struct outcome *outcome = session->outcome;
    const struct outcome_wait *wait = waits_first(outcome);
    if (wait == NULL) {
        return false;
    }
    const struct machine_core core = outcome->core[wait->of].core;
    int used;
    if (wait->rank == WAIT_RANK_FAILED) {
        used = snprintf(outcome->failure, sizeof outcome->failure,
                        "chip (%u,%u) core %u: run-time %s at pc 0x%08x in %s", core.x, core.y,
                        core.p, wait->state, wait->pc, wait->symbol);
    } else {
        used =
            snprintf(outcome->failure, sizeof outcome->failure,
                     "chip (%u,%u) core %u: waits for what cannot come: %s (%s at pc 0x%08x in "
                     "%s)",
                     core.x, core.y, core.p, wait->waits_for, wait->state, wait->pc, wait->symbol);
    }
    if (session->quiet_since_ps != TIME_NEVER && (size_t)used < sizeof outcome->failure) {
        (void)snprintf(outcome->failure + used, sizeof outcome->failure - (size_t)used,
                       "; since %.6g ms nothing but timers' handlers has happened",
                       MS * (double)session->quiet_since_ps);
    }
    return true;
}

/* The argument of a core's spin1_exit(); 0 if its program does not use workloads/runtime. */
static uint32_t exit_code_of(const struct session *session, size_t core)
{
    uint32_t code = 0;
    const struct elf_symbol *api = elf_image_find(session_image_of(session, core), "api");
    if (api == NULL || api->size != API_BYTES ||
        machine_read(session->machine, session->outcome->core[core].core,
                     api->address + API_EXIT_CODE, &code, sizeof code) != STATUS_OK) {
        return 0;
    }
    return code;
}

/* Describes the first core whose program has ended with an error code; false: none has. */
static bool find_exit_code(struct session *session)
{
    struct outcome *outcome = session->outcome;
    for (size_t i = 0; i < session->program_cores; i++) {
        const struct machine_core core = outcome->core[i].core;
        const uint32_t code = exit_code_of(session, i);
        if (code != 0) {
            (void)snprintf(outcome->failure, sizeof outcome->failure,
                           "chip (%u,%u) core %u: the program ended with exit code %" PRIu32,
                           core.x, core.y, core.p, code);
            return true;
        }
    }
    return false;
}

enum status session_judge(struct session *session, enum machine_stop stop,
                          struct diagnostic *diagnostic)
{
    struct outcome *outcome = session->outcome;
    const struct waits_source source = {session->machine, session_image_of, session};
    enum status status = STATUS_OK;
    if (stop != MACHINE_STOPPED) {
        status = waits_take(&source, outcome, diagnostic);
    }
    if (outcome->failure[0] != '\0') { /* already described; the run ended because of it */
        return status;
    }
    if (stop == MACHINE_STOPPED) {
        outcome->end = OUTCOME_GUEST_FAILED;
        if (outcome->guest_errors > 0) {
            describe_fault(session);
        } else { /* by who runs the machine: job_options.run_until */
            (void)snprintf(outcome->failure, sizeof outcome->failure,
                           "the run has been ended from outside");
        }
    } else if (session->given_up) {
        outcome->end = OUTCOME_LIMIT;
        (void)snprintf(outcome->failure, sizeof outcome->failure,
                       "a hook has ended the run behind update %" PRIu64,
                       outcome->updates + session->told_updates);
    } else if (stop == MACHINE_REACHED) {
        outcome->end = OUTCOME_LIMIT;
        char busy[BUSY_CHARS];
        last_looks_describe(&session->last_looks, session->machine, busy, sizeof busy);
        (void)snprintf(outcome->failure, sizeof outcome->failure,
                       "the run was given up after run.simulated_time_limit%s", busy);
    } else {
        const bool failed = find_unfinished(session) || find_exit_code(session);
        outcome->end = failed ? OUTCOME_GUEST_FAILED : OUTCOME_DONE;
        if (failed && outcome->guest_errors > 0) {
            describe_fault(session); /* the cause rather than its consequences */
        }
    }
    return status;
}

/* ---- taking down ---- */

static void hash_memory(void *context, uint8_t x, uint8_t y, uint32_t address, int instance,
                        const uint8_t *bytes, uint32_t count)
{
    struct sha256 *hash = context;
    char head[64];
    const int length = snprintf(head, sizeof head, "memory %u %u %d %08" PRIx32 " %" PRIu32 "\n", x,
                                y, instance, address, count);
    sha256_update(hash, head, (size_t)length);
    sha256_update(hash, bytes, count);
}

/* Sets stats_hash: SHA-256 over all counters sorted by name (counters_take() has added them), the
 * machine time, and the memory that guests have written. */
static void hash_statistics(const struct session *session, struct sha256 *hash)
{
    struct outcome *outcome = session->outcome;
    char line[64];
    const int length = snprintf(line, sizeof line, "time_ps %" PRIu64 "\n", outcome->time_ps);
    sha256_update(hash, line, (size_t)length);
    machine_each_written(session->machine, hash_memory, hash);
    uint8_t digest[SHA256_BYTES];
    sha256_final(hash, digest);
    sha256_hex(digest, outcome->stats_hash);
}

static enum status take_unmodelled(struct session *session, struct diagnostic *diagnostic)
{
    struct outcome *outcome = session->outcome;
    outcome->unmodelled_count = machine_unmodelled_count(session->machine);
    outcome->unmodelled = calloc(outcome->unmodelled_count + 1, sizeof *outcome->unmodelled);
    if (outcome->unmodelled == NULL) {
        return no_memory(diagnostic);
    }
    for (size_t i = 0; i < outcome->unmodelled_count; i++) {
        outcome->unmodelled[i] = machine_unmodelled(session->machine, i);
    }
    return STATUS_OK;
}

static enum status take_profile(struct session *session, struct diagnostic *diagnostic)
{
    struct outcome *outcome = session->outcome;
    if (session->profile.core_count == 0) {
        return STATUS_OK;
    }
    const enum status status = core_profile_finish(&session->profile, session->machine,
                                                   &outcome->profile, &outcome->profile_count);
    return status == STATUS_OK ? status : diagnose(diagnostic, status, "out of memory");
}

static enum status take_drops(struct session *session, struct diagnostic *diagnostic)
{
    struct outcome *outcome = session->outcome;
    outcome->drops_unrecorded = machine_drops_unrecorded(session->machine);
    outcome->drop_count = machine_drop_count(session->machine);
    outcome->drop = calloc(outcome->drop_count + 1, sizeof *outcome->drop);
    if (outcome->drop == NULL) {
        return no_memory(diagnostic);
    }
    machine_drops(session->machine, outcome->drop);
    return STATUS_OK;
}

static void count_traffic(void *context, const struct machine_traffic *row)
{
    (void)row;
    (*(size_t *)context)++;
}

static void keep_traffic(void *context, const struct machine_traffic *row)
{
    struct outcome *outcome = context;
    outcome->traffic[outcome->traffic_count++] = *row;
}

static enum status take_traffic(struct session *session, struct diagnostic *diagnostic)
{
    struct outcome *outcome = session->outcome;
    size_t count = 0;
    machine_each_traffic(session->machine, count_traffic, &count);
    outcome->traffic = calloc(count + 1, sizeof *outcome->traffic);
    if (outcome->traffic == NULL) {
        return no_memory(diagnostic);
    }
    machine_each_traffic(session->machine, keep_traffic, outcome);
    return STATUS_OK;
}

/* Names what lies at an address below a program's stack. */
static const char *name_overrun(const struct elf_image *image, uint32_t address)
{
    const struct elf_symbol *at = elf_image_covering(image, address);
    const struct elf_symbol *heap = elf_image_find(image, "__heap_start");
    if (at != NULL) {
        return at->name;
    }
    return heap != NULL && address >= heap->address ? "the heap" : "no symbol";
}

/* Reads how deep the stacks of all programs have been. */
static void take_stacks(const struct session *session)
{
    const struct machine_parameters *parameters = &session->job->config->machine;
    for (size_t i = 0; i < session->outcome->core_count; i++) {
        struct outcome_core *core = &session->outcome->core[i];
        const struct elf_image *image = session_image_of(session, i);
        core->stack_end = machine_stack_end(parameters, image);
        core->lowest_sp = machine_core_lowest_sp(session->machine, core->core);
        /* A stack in ITCM is one whose end is not known. */
        if (core->lowest_sp < core->stack_end && core->lowest_sp >= parameters->chip_itcm_bytes) {
            (void)snprintf(core->overrun, sizeof core->overrun, "%s",
                           name_overrun(image, core->lowest_sp));
        }
    }
}

static void take_core_time(struct outcome *outcome)
{
    struct outcome_core_time *time = &outcome->core_time;
    const uint64_t active = outcome_sum(outcome, "core", "active_cycles");
    const uint64_t asleep = outcome_sum(outcome, "core", "sleep_cycles");
    const struct clock clock = clock_of(outcome->core_hz, 1);
    time->bus_stall = outcome_sum(outcome, "core", "bus_wait_cycles");
    time->compute = active - time->bus_stall;
    time->dma_wait = ps_to_cycles_up(clock, outcome_sum(outcome, "dma", "core_wait_ps"));
    time->dma_wait = time->dma_wait < asleep ? time->dma_wait : asleep;
    const uint64_t rest = asleep - time->dma_wait;
    time->packet_wait = ps_to_cycles_up(clock, outcome_sum(outcome, "comms", "core_wait_ps"));
    time->packet_wait = time->packet_wait < rest ? time->packet_wait : rest;
    time->idle = rest - time->packet_wait;
}

static void take_stages(struct session *session)
{
    struct outcome *outcome = session->outcome;
    if (!session->job->has_network) {
        outcome->stage_ps[STAGE_RUN] = outcome->time_ps;
        return;
    }
    if (session->plan.train != NULL) {
        memcpy(outcome->stage_ps, session->stage_ps, sizeof outcome->stage_ps);
        return;
    }
    const uint64_t begun_ps = session->marks.stage_start_ps[STAGE_TEST];
    const uint64_t test_ps = begun_ps == TIME_NEVER ? outcome->time_ps : begun_ps;
    outcome->stage_ps[STAGE_LOAD] = test_ps;
    outcome->stage_ps[STAGE_TEST] = outcome->time_ps - test_ps;
}

/* Of a network that is not trained: by phases.  A training has counted at the ends of commands. */
static enum status take_stage_sums(struct outcome *outcome, struct diagnostic *diagnostic)
{
    bool good = true;
    for (unsigned s = 0; s < STAGES; s++) {
        for (unsigned i = 0; i < outcome->phase_count; i++) {
            for (size_t k = 0; good && k < machine_share_count(); k++) {
                const struct machine_share_name share = machine_share_name(k);
                good = outcome_add_stage_sum(outcome, (enum stage)s, share.component, share.info,
                                             outcome->phase_sum[s][i].share[k]);
            }
        }
    }
    return good ? STATUS_OK : no_memory(diagnostic);
}

static void take_phases(struct session *session)
{
    struct outcome *outcome = session->outcome;
    outcome->phase_count = session->marks.phase_count;
    memcpy(outcome->phase, session->marks.phase, sizeof outcome->phase);
    memcpy(outcome->phase_sum, session->marks.sum, sizeof outcome->phase_sum);
}

static enum status take_console(struct session *session, struct diagnostic *diagnostic)
{
    struct outcome *outcome = session->outcome;
    FILE *stream = open_memstream(&outcome->console, &outcome->console_bytes);
    if (stream == NULL) {
        return no_memory(diagnostic);
    }
    for (size_t i = 0; i < outcome->core_count; i++) {
        machine_print_console(session->machine, outcome->core[i].core, stream);
    }
    return fclose(stream) == 0 && outcome->console != NULL ? STATUS_OK : no_memory(diagnostic);
}

static enum status take_results(struct session *session, struct diagnostic *diagnostic)
{
    struct outcome *outcome = session->outcome;
    const struct dataset *images = &session->job->test;
    const bool tested = session->plan.train == NULL || outcome->tests > 0;
    if (!session->planned) {
        return STATUS_OK;
    }
    outcome->tensor = session->plan.tensor; /* ownership moves */
    outcome->tensor_count = session->plan.tensor_count;
    session->plan.tensor = NULL;
    outcome->routing = session->plan.routing;
    session->plan.routing = (struct routing){0};
    outcome->has_logits = true;
    outcome->classes = session->job->table->classes;
    outcome->labels = images->labels;
    outcome->result_count = tested ? images->count : 0;
    outcome->validation_count = tested ? session->job->validation.count : 0;
    outcome->result = calloc(session->job->classified.count + 1u, sizeof *outcome->result);
    if (outcome->result == NULL) {
        return no_memory(diagnostic);
    }
    enum status status = load_plan_read_results(&session->plan, session->machine, outcome->result);
    if (status == STATUS_OK) {
        status = load_plan_read_numerics(&session->plan, session->machine, &outcome->saturations,
                                         &outcome->overflows);
    }
    for (uint32_t i = 0; i < outcome->result_count; i++) {
        const struct nn_result *result = &outcome->result[i];
        outcome->right += result->done == 1 && result->label == images->labels[i];
        outcome->saturations += result->saturations;
        outcome->overflows += result->overflows;
        if (result->done != 1 && outcome->end == OUTCOME_DONE) {
            outcome->end = OUTCOME_GUEST_FAILED;
            (void)snprintf(outcome->failure, sizeof outcome->failure,
                           "image %" PRIu32 " has no result", i);
        }
    }
    outcome->loss = test_loss(session->job->table, session->job->network.logit_factor,
                              outcome->result, images->labels, outcome->result_count);
    if (status == STATUS_OK && session->plan.train == NULL) {
        status = host_reference_accuracy(session->job, &outcome->reference_accuracy, diagnostic);
    }
    return status;
}

static void add_note(const struct machine *machine, struct machine_core core,
                     struct outcome_reinjector *sum)
{
    struct reinjector_note note;
    const uint32_t address = machine_program_state(machine, core).user1;
    if (machine_read(machine, core, address, &note, sizeof note) == STATUS_OK &&
        note.magic == REINJECTOR_MAGIC) {
        sum->dropped += note.dropped;
        sum->missed += note.missed;
        sum->sent += note.sent;
        sum->partial += note.partial;
        sum->refused += note.refused;
        sum->queued += note.queued;
    }
}

/* Sums the counters of all reinjectors into outcome->reinjector. */
static void take_services(struct session *session)
{
    const struct topology *topology = machine_topology(session->machine);
    const bool has_reinjector = session->job->service == JOB_SERVICE_REINJECTOR;
    session->outcome->has_reinjector = has_reinjector;
    for (size_t i = 0; i < topology->count && has_reinjector; i++) {
        struct machine_core core;
        if (session_monitor_of(&topology->chip[i], &core)) {
            add_note(session->machine, core, &session->outcome->reinjector);
        }
    }
}

/* Cores with programs of the configuration; if programs have come over Ethernet, the cores that
 * have executed any instruction. */
static uint32_t cores_used(const struct session *session)
{
    const struct topology *topology = machine_topology(session->machine);
    uint32_t used = (uint32_t)session->program_cores;
    for (size_t i = 0; i < topology->count && session->program_cores == 0; i++) {
        const struct topology_chip *chip = &topology->chip[i];
        for (unsigned p = 0; p < TOPOLOGY_CORES; p++) {
            const struct machine_core core = {chip->x, chip->y, (uint8_t)p};
            used += (chip->cores >> p & 1) != 0 &&
                    machine_core_counters(session->machine, core)->instructions > 0;
        }
    }
    return used;
}

enum status session_take_down(struct session *session, enum machine_stop stop,
                              struct diagnostic *diagnostic)
{
    struct outcome *outcome = session->outcome;
    struct sha256 hash;
    sha256_init(&hash);
    phase_marks_finish(&session->marks, session->machine);
    session_end_timeline(session);
    TRY(session_end_trace(session, diagnostic));
    if (session_interval_end(session) != TIME_NEVER) {
        session_take_interval(session);
    }
    outcome->unsaved = session_save_missed(session);
    outcome->time_ps = machine_time_ps(session->machine);
    if (session->job->program_count == 0 &&
        session->job->config->run_boot == CONFIG_BOOT_DIRECT) { /* idle up to the time limit */
        outcome->time_ps = session->job->config->run_simulated_time_limit_ps;
    }
    outcome->core_hz = session->job->config->machine.clock_cpu_hz;
    outcome->chips = machine_chip_count(session->machine);
    outcome->boards = machine_board_count(session->machine);
    outcome->cores_used = cores_used(session);
    outcome->late_interrupts = machine_late_interrupts(session->machine);
    outcome->native = machine_native(session->machine);
    outcome->loss = outcome->reference_accuracy = NAN;
    TRY(take_drops(session, diagnostic));
    TRY(take_profile(session, diagnostic));
    TRY(session_judge(session, stop, diagnostic));
    take_services(session);
    TRY(counters_take(session->machine, session->job->config->record_zero_counts, outcome, &hash,
                      diagnostic));
    TRY(take_unmodelled(session, diagnostic));
    TRY(take_traffic(session, diagnostic));
    take_core_time(outcome);
    take_stacks(session);
    take_stages(session);
    take_phases(session);
    if (session->job->has_network && session->plan.train == NULL) {
        TRY(take_stage_sums(outcome, diagnostic));
    }
    hash_statistics(session, &hash);
    if (session->job->options.for_golden) {
        TRY(memory_digests(session->machine, outcome, diagnostic));
    }
    TRY(take_console(session, diagnostic));
    return take_results(session, diagnostic);
}
