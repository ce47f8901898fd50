/* last_looks.c - see last_looks.h. */
#include "sim/run_control/last_looks.h"

#include "sim/run_control/session_stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LAST_SHARE = 10, LOOKS = 200, NAMED = 3, PC = 15 };

void last_looks_init(struct last_looks *looks, uint64_t limit_ps)
{
    *looks = (struct last_looks){.from_ps = limit_ps - limit_ps / LAST_SHARE, .until_ps = limit_ps};
}

void last_looks_deinit(struct last_looks *looks)
{
    core_profile_deinit(&looks->profile);
}

/* Distances differ, so that looks do not always find a periodic program at the same place. */
static uint64_t distance_ps(const struct last_looks *looks)
{
    static const uint32_t GOLDEN = 0x9e3779b1u; /* 2^32 by the golden ratio */
    const uint64_t mean_ps = (looks->until_ps - looks->from_ps) / LOOKS;
    const double part = (double)((uint32_t)looks->count * GOLDEN) / ((double)UINT32_MAX + 1);
    return mean_ps / 2 + (uint64_t)((double)mean_ps * part) + 1;
}

uint64_t last_looks_next_ps(const struct last_looks *looks, uint64_t now_ps, uint64_t step_ps)
{
    const bool last = now_ps >= looks->from_ps;
    const uint64_t end_ps = last ? looks->until_ps : looks->from_ps;
    const uint64_t look_ps = last ? distance_ps(looks) : step_ps;
    const uint64_t least_ps = look_ps < step_ps ? look_ps : step_ps;
    return end_ps - now_ps > least_ps ? now_ps + least_ps : end_ps;
}

static void add_cores(struct last_looks *looks, const struct outcome *outcome,
                      last_looks_image *image_of, const void *context)
{
    for (size_t i = 0; i < outcome->core_count && !looks->failed; i++) {
        const struct outcome_core *core = &outcome->core[i];
        looks->failed = core_profile_add(&looks->profile, core->core, core->role,
                                         image_of(context, i)) != STATUS_OK;
    }
}

static void begin(struct last_looks *looks, const struct machine *machine,
                  const struct outcome *outcome, last_looks_image *image_of, const void *context)
{
    add_cores(looks, outcome, image_of, context);
    for (size_t i = 0; i < outcome->core_count && !looks->failed; i++) {
        core_profile_join(&looks->profile, machine, outcome->core[i].core);
    }
}

void last_looks_take(struct last_looks *looks, const struct machine *machine,
                     const struct outcome *outcome, last_looks_image *image_of, const void *context)
{
    if (machine_time_ps(machine) < looks->from_ps || looks->failed) {
        return;
    }
    if (looks->count++ == 0) {
        begin(looks, machine, outcome, image_of, context);
        return;
    }
    for (size_t i = 0; i < outcome->core_count; i++) {
        const struct machine_core core = outcome->core[i].core;
        if (machine_core_started(machine, core)) {
            core_profile_sample(&looks->profile, machine, core,
                                machine_core_register(machine, core, PC));
        }
    }
}

void last_looks_visit(struct last_looks *looks, const struct outcome *outcome,
                      last_looks_image *image_of, const void *context,
                      struct session_stream *stream)
{
    uint64_t until_ps = looks->until_ps;
    unsigned count = looks->count;
    session_stream_visit(stream, &until_ps, sizeof until_ps);
    session_stream_visit(stream, &count, sizeof count);
    if (count == 0 || stream->failed) {
        return;
    }
    if (until_ps != looks->until_ps) {
        stream->at = stream->size;
        return;
    }
    if (!stream->saving) {
        looks->count = count;
        add_cores(looks, outcome, image_of, context);
    }
    core_profile_visit(&looks->profile, stream);
}

static int most_cycles_first(const void *a, const void *b)
{
    const struct core_profile_row *first = a;
    const struct core_profile_row *second = b;
    if (first->cycles != second->cycles) {
        return first->cycles > second->cycles ? -1 : 1;
    }
    const int order = strcmp(first->role, second->role);
    return order != 0 ? order : first->range.first < second->range.first ? -1 : 1;
}

void last_looks_describe(struct last_looks *looks, const struct machine *machine, char *text,
                         size_t chars)
{
    static const double PERCENT = 100;
    struct core_profile_row *row = NULL;
    size_t count = 0;
    uint64_t cycles = 0;
    size_t used = 0;
    text[0] = '\0';
    if (looks->count == 0 || looks->failed ||
        core_profile_finish(&looks->profile, machine, &row, &count) != STATUS_OK) {
        free(row);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        cycles += row[i].cycles;
    }
    qsort(row, count, sizeof *row, most_cycles_first);
    for (size_t i = 0; i < count && i < NAMED && used < chars; i++) {
        char room[FUNCTION_NAME_CHARS];
        used += (size_t)snprintf(text + used, chars - used, "%s %s (%s) %.1f %%",
                                 i == 0 ? "; in its last tenth the busiest functions were" : ",",
                                 function_name(&row[i].range, room), row[i].role,
                                 PERCENT * (double)row[i].cycles / (double)cycles);
    }
    free(row);
}
