/* elf_run.c - see elf_run.h. */
#include "sim/flat/elf_run.h"

#include "sim/flat/elf_profile.h"
#include "sim/flat/elf_trace.h"
#include "sim/flat/flat_core.h"
#include "sim/flat/semihosting.h"
#include "sim/load/elf_image.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096, VECTORS = 8, VECTOR_BYTES = 4 };

/* Faults without an instruction in between: so many, and the handlers only fault each other. */
enum { FAULTS_FOR_EVER = 2 * VECTORS };

struct region_end {
    uint32_t address;
    bool wanted, reached;
    uint64_t instructions, cycles;
};

struct session {
    const struct elf_run_options *options;
    struct elf_image image;
    struct flat_core flat;
    struct arm968_translator *translator; /* NULL: none wanted */
    struct semihosting semihosting;
    struct region_end from, to;
    uint64_t fault_instructions; /* that had been executed when a fault came */
    unsigned faults;             /* since then */
    struct elf_profile profile;
    struct core_view view; /* the core now, while it is profiled */
    struct elf_trace trace;
    struct region_end trace_from; /* where the trace begins, or with which instruction */
    bool tracing;
};

static enum status resolve(struct session *session, const char *option, const char *text,
                           struct region_end *end, struct diagnostic *diagnostic)
{
    if (text == NULL) {
        return STATUS_OK;
    }
    const struct elf_symbol *symbol = elf_image_find(&session->image, text);
    end->wanted = true;
    if (symbol != NULL) {
        end->address = symbol->address;
        return STATUS_OK;
    }
    char *rest;
    errno = 0;
    const unsigned long value = strtoul(text, &rest, 0);
    if (errno != 0 || *rest != '\0' || rest == text || value > UINT32_MAX) {
        const enum status status = diagnose(diagnostic, STATUS_CONFIGURATION,
                                            "%s: no symbol '%s' in the program", option, text);
        diagnostic_at(diagnostic, session->options->file, 0, 0);
        diagnostic_hint(diagnostic, "give a symbol of the ELF file or an address such as 0x8000");
        return status;
    }
    end->address = (uint32_t)value & ~1u;
    return STATUS_OK;
}

/* Where the trace is to begin: a number of instructions, or a place. */
static enum status resolve_trace(struct session *session, struct diagnostic *diagnostic)
{
    const char *text = session->options->trace_from;
    struct region_end *from = &session->trace_from;
    session->tracing = session->options->trace != NULL && text == NULL;
    if (session->options->trace == NULL || text == NULL) {
        return STATUS_OK;
    }
    char *rest;
    errno = 0;
    from->instructions = strtoull(text, &rest, 10);
    if (errno == 0 && *rest == '\0' && *text >= '0' && *text <= '9') {
        return STATUS_OK;
    }
    return resolve(session, "--trace-from", text, from, diagnostic);
}

static enum status load(struct session *session, struct diagnostic *diagnostic)
{
    const struct elf_image *image = &session->image;
    const struct flat_core *flat = &session->flat;
    uint32_t end = flat->base;
    for (size_t i = 0; i < image->segment_count; i++) {
        const struct elf_segment *segment = &image->segment[i];
        const uint32_t offset = segment->address - flat->base;
        if (offset >= flat->bytes || flat->bytes - offset < segment->memory_bytes) {
            const enum status status =
                diagnose(diagnostic, STATUS_CONFIGURATION,
                         "the segment 0x%08x..0x%08x does not fit the RAM 0x%08x..0x%08x",
                         segment->address, segment->address + segment->memory_bytes - 1, flat->base,
                         flat->base + flat->bytes - 1);
            diagnostic_at(diagnostic, image->path, 0, 0);
            diagnostic_hint(diagnostic, session->options->sdram_base
                                            ? "link it to 0x60000000, or leave out --base sdram"
                                            : "link it below 0x10000000, or use --base sdram");
            return status;
        }
        memcpy(flat->ram + offset, segment->bytes, segment->file_bytes);
        arm968_code_loaded(flat->cpu, segment->address, segment->file_bytes);
        const uint32_t segment_end = segment->address + segment->memory_bytes;
        end = segment_end > end ? segment_end : end;
    }
    session->semihosting.heap_base = (end + PAGE - 1) & ~(uint32_t)(PAGE - 1);
    return STATUS_OK;
}

/* An exception whose vector holds no instruction has no handler: stop there. */
static void watch_vectors(struct session *session)
{
    for (uint32_t i = 1; i < VECTORS; i++) {
        (void)arm968_add_breakpoint(session->flat.cpu, i * VECTOR_BYTES);
    }
}

static bool handler_missing(const struct session *session)
{
    const uint32_t vector = arm968_register(session->flat.cpu, 15);
    const uint8_t *word = flat_core_bytes(&session->flat, vector, VECTOR_BYTES);
    static const uint8_t EMPTY[VECTOR_BYTES];
    return word == NULL || memcmp(word, EMPTY, sizeof EMPTY) == 0;
}

/* Whether the handlers of faults do nothing but fault: no limit of instructions ends that. */
static bool faults_for_ever(struct session *session)
{
    const uint64_t instructions = arm968_counters(session->flat.cpu)->instructions;
    session->faults = instructions == session->fault_instructions ? session->faults + 1 : 1;
    session->fault_instructions = instructions;
    return session->faults == FAULTS_FOR_EVER;
}

static enum status guest_failed(const struct session *session, const char *why,
                                struct diagnostic *diagnostic)
{
    static const char *const WHAT[] = {"an exception", "an undefined instruction",
                                       "a jump to nowhere", "a BKPT instruction",
                                       "an access to nowhere or a misaligned one"};
    const struct arm968_fault fault = arm968_fault(session->flat.cpu);
    const struct elf_symbol *symbol = elf_image_at(&session->image, fault.pc);
    const enum status status = diagnose(
        diagnostic, STATUS_GUEST, "%s at pc 0x%08x (%s), address 0x%08x, and %s", WHAT[fault.kind],
        fault.pc, symbol == NULL ? "no symbol" : symbol->name,
        fault.kind == ARM968_FAULT_DATA || fault.kind == ARM968_FAULT_PREFETCH ? fault.address
                                                                               : fault.pc,
        why);
    diagnostic_at(diagnostic, session->image.path, 0, 0);
    return status;
}

static void arrive(struct session *session, struct region_end *end)
{
    if (end->wanted && !end->reached && arm968_register(session->flat.cpu, 15) == end->address) {
        end->reached = true;
        end->instructions = arm968_counters(session->flat.cpu)->instructions;
        end->cycles = arm968_cycle(session->flat.cpu);
    }
}

/* Begins to trace, if it is time. */
static void look_for_trace(struct session *session)
{
    const struct region_end *from = &session->trace_from;
    if (session->trace.stream == NULL || session->tracing) {
        return;
    }
    session->tracing = from->wanted
                           ? arm968_register(session->flat.cpu, 15) == from->address
                           : arm968_counters(session->flat.cpu)->instructions >= from->instructions;
}

/* A horizon by which the program cannot have passed the instruction limit, nor the beginning of the
 * trace: an instruction takes at least a cycle. */
static uint64_t limit_horizon(const struct session *session, uint64_t *left)
{
    const uint64_t limit = session->options->max_instructions;
    const uint64_t done = arm968_counters(session->flat.cpu)->instructions;
    *left = limit == 0 ? UINT64_MAX : limit > done ? limit - done : 0;
    uint64_t most = *left;
    const struct region_end *from = &session->trace_from;
    if (session->trace.stream != NULL && !from->wanted && from->instructions > done) {
        most = from->instructions - done < most ? from->instructions - done : most;
    }
    return most == UINT64_MAX ? most : arm968_cycle(session->flat.cpu) + most;
}

/* What a stop of the core asks for; true when the program goes on. */
static bool stopped(struct session *session, enum arm968_stop stop, enum status *status,
                    struct diagnostic *diagnostic)
{
    *status = STATUS_OK;
    switch (stop) {
    case ARM968_STOP_REQUEST:
        semihosting_call(&session->semihosting);
        return !session->semihosting.exited;
    case ARM968_STOP_MARK:
        arrive(session, &session->from);
        arrive(session, &session->to);
        return true;
    case ARM968_STOP_BREAKPOINT:
    case ARM968_STOP_FAULT:
        if (handler_missing(session)) {
            *status = guest_failed(session, "no handler is installed", diagnostic);
        } else if (stop == ARM968_STOP_FAULT && faults_for_ever(session)) {
            *status = guest_failed(session, "its handler does nothing but fault", diagnostic);
        }
        return *status == STATUS_OK;
    case ARM968_STOP_WAIT:
        *status = diagnose(diagnostic, STATUS_GUEST,
                           "%s: the program waits for an interrupt that nothing can raise",
                           session->options->file);
        return false;
    case ARM968_STOP_AHEAD:
    case ARM968_STOP_HORIZON:
    case ARM968_STOP_OUTSIDE:
    default:
        return true;
    }
}

/* One run of the core; true when the program goes on. */
static bool run_once(struct session *session, uint64_t until, enum status *status,
                     struct diagnostic *diagnostic)
{
    return stopped(session, arm968_run(session->flat.cpu, until), status, diagnostic);
}

/* The same up to the next instruction, for the profile and the trace. */
static bool run_observed(struct session *session, enum status *status,
                         struct diagnostic *diagnostic)
{
    const struct arm968 *cpu = session->flat.cpu;
    const struct core_view before = session->view;
    struct trace_view traced = {0};
    if (session->tracing) {
        traced = trace_view_of(cpu);
    }
    const bool goes_on = run_once(session, arm968_cycle(cpu) + 1, status, diagnostic);
    if (session->tracing) {
        const struct trace_view after = trace_view_of(cpu);
        elf_trace_step(&session->trace, &session->flat, &traced, &after);
    }
    if (session->profile.calls == NULL) {
        return goes_on;
    }
    session->view = core_view_of(cpu);
    if (call_profile_step(session->profile.calls, &before, &session->view) != STATUS_OK) {
        *status = diagnose(diagnostic, STATUS_INTERNAL, "out of memory");
        return false;
    }
    return goes_on;
}

static uint64_t horizon(const struct session *session, uint64_t *left)
{
    const uint64_t last = limit_horizon(session, left);
    const uint64_t every = session->options->stop_every;
    const uint64_t now = arm968_cycle(session->flat.cpu);
    return every != 0 && every < last - now ? now + every : last;
}

static enum status run_to_end(struct session *session, struct diagnostic *diagnostic)
{
    enum status status = STATUS_OK;
    bool goes_on = true;
    session->view = core_view_of(session->flat.cpu);
    while (goes_on) {
        uint64_t left;
        look_for_trace(session);
        const uint64_t until = horizon(session, &left);
        if (left == 0) {
            return diagnose(diagnostic, STATUS_LIMIT, "%s: stopped after %llu instructions",
                            session->options->file,
                            (unsigned long long)session->options->max_instructions);
        }
        const bool observed =
            session->profile.calls != NULL || (session->tracing && session->trace.left > 0);
        goes_on = observed ? run_observed(session, &status, diagnostic)
                           : run_once(session, until, &status, diagnostic);
    }
    return status;
}

static enum status prepare(struct session *session, struct diagnostic *diagnostic)
{
    const struct elf_run_options *options = session->options;
    enum status status = elf_image_read(&session->image, options->file, diagnostic);
    if (status == STATUS_OK) {
        status = resolve(session, "--count", options->count_from, &session->from, diagnostic);
    }
    if (status == STATUS_OK) {
        status = resolve(session, "--count", options->count_to, &session->to, diagnostic);
    }
    if (status == STATUS_OK) {
        session->translator = arm968_translator_for(options->tier);
        status = flat_core_init(&session->flat, options->sdram_base ? FLAT_SDRAM : FLAT_LOW,
                                session->translator, diagnostic);
    }
    if (status == STATUS_OK) {
        status = resolve_trace(session, diagnostic);
    }
    if (status == STATUS_OK) {
        status = load(session, diagnostic);
    }
    if (status == STATUS_OK) {
        status = elf_trace_open(&session->trace, &session->image, options->trace,
                                options->trace_count, diagnostic);
    }
    if (status == STATUS_OK) {
        status = elf_profile_open(&session->profile, &session->image, options->profile,
                                  options->stacks, diagnostic);
    }
    if (status != STATUS_OK) {
        return status;
    }
    const char *name = strrchr(options->file, '/');
    session->semihosting.cpu = session->flat.cpu;
    session->semihosting.ram = session->flat.ram;
    session->semihosting.ram_base = session->flat.base;
    session->semihosting.ram_bytes = session->flat.bytes;
    session->semihosting.command_line = name == NULL ? options->file : name + 1;
    session->semihosting.input = stdin;
    session->semihosting.output = stdout;
    session->semihosting.error = stderr;
    watch_vectors(session);
    if (session->from.wanted) {
        (void)arm968_add_mark(session->flat.cpu, session->from.address);
    }
    if (session->to.wanted) {
        (void)arm968_add_mark(session->flat.cpu, session->to.address);
    }
    if (session->trace_from.wanted) {
        (void)arm968_add_mark(session->flat.cpu, session->trace_from.address);
    }
    const uint32_t state = (session->image.entry & 1) != 0 ? 1u << 5 : 0;
    arm968_set_cpsr(session->flat.cpu, ARM968_SUPERVISOR | 0xc0u | state);
    arm968_set_register(session->flat.cpu, 13, session->flat.base + session->flat.bytes);
    arm968_set_register(session->flat.cpu, 15, session->image.entry);
    return STATUS_OK;
}

enum status elf_run(const struct elf_run_options *options, struct elf_run_result *result,
                    struct diagnostic *diagnostic)
{
    struct session session = {.options = options};
    *result = (struct elf_run_result){0};
    enum status status = prepare(&session, diagnostic);
    if (status == STATUS_OK) {
        status = run_to_end(&session, diagnostic);
        (void)fflush(stdout);
        result->exit_status = session.semihosting.exit_status;
        result->instructions = arm968_counters(session.flat.cpu)->instructions;
        result->cycles = arm968_cycle(session.flat.cpu);
        if (session.from.reached && session.to.reached) {
            result->region_instructions = session.to.instructions - session.from.instructions;
            result->region_cycles = session.to.cycles - session.from.cycles;
        }
        status = elf_profile_finish(&session.profile, status, diagnostic);
    }
    status = elf_trace_close(&session.trace, status, diagnostic);
    elf_profile_discard(&session.profile);
    arm968_translator_destroy(session.translator);
    flat_core_deinit(&session.flat);
    elf_image_deinit(&session.image);
    return status;
}
