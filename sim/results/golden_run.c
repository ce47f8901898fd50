/* golden_run.c - see golden.h: the golden of a run. */
#include "sim/results/golden_rows.h"

#include "sim/steps.h"

#include <inttypes.h>

static void add_count(struct golden *golden, const char *name, uint64_t value)
{
    char text[GOLDEN_VALUE_CHARS];
    (void)snprintf(text, sizeof text, "%" PRIu64, value);
    if (golden_holds(golden, name)) {
        golden_add_text(golden, name, text);
    }
}

static void add_sums(struct golden *golden, const char *prefix, const struct tally_sums *sums)
{
    for (size_t i = 0; i < sums->size; i++) {
        char name[GOLDEN_NAME_CHARS];
        (void)snprintf(name, sizeof name, "%s%s", prefix, sums->name[i]);
        if (sums->count[i].value != 0) {
            add_count(golden, name, sums->count[i].value);
        }
    }
}

/* The first that is known: programs in assembly name none. */
static const char *compiler_of(const struct job *job)
{
    for (size_t i = 0; i < job->program_count; i++) {
        if (strcmp(job->program[i].image.compiler, ELF_COMPILER_UNKNOWN) != 0) {
            return job->program[i].image.compiler;
        }
    }
    return ELF_COMPILER_UNKNOWN;
}

static void describe(struct golden *golden, const struct golden *asked, const struct job *job)
{
    for (size_t i = 0; i < asked->count; i++) {
        if (golden_is_asked(&asked->row[i])) {
            golden_add_text(golden, asked->row[i].name, asked->row[i].value);
        }
    }
    if (job->program_count > 0) {
        golden_add_text(golden, GOLDEN_COMPILER, compiler_of(job));
    }
    for (size_t i = 0; i < job->program_count; i++) {
        char name[GOLDEN_NAME_CHARS];
        (void)snprintf(name, sizeof name, "%s%s", GOLDEN_PROGRAM, job->program[i].name);
        if (golden_value(golden, name) == NULL) {
            golden_add_text(golden, name, job->program[i].digest);
        }
    }
}

enum status golden_of_run(struct golden *golden, const struct golden *asked,
                          const struct record *record, struct diagnostic *diagnostic)
{
    *golden = (struct golden){0};
    describe(golden, asked, record->job);
    add_count(golden, "time_ps", record->outcome->time_ps);
    add_sums(golden, "", &record->tally.total);
    for (size_t i = 0; i < record->tally.phase_count; i++) {
        const struct tally_phase *phase = &record->tally.phase[i];
        char prefix[GOLDEN_NAME_CHARS];
        (void)snprintf(prefix, sizeof prefix, "%s/%s/%s:", stage_text(phase->stage),
                       phase->phase.layer, phase->phase.name);
        add_sums(golden, prefix, &phase->sums);
    }
    golden_add_answers(golden, golden, record);
    golden_add_functions(golden, record);
    if (golden->incomplete) {
        golden_deinit(golden);
        return no_memory(diagnostic);
    }
    return STATUS_OK;
}
