/* core_profile.c - see core_profile.h. */
#include "sim/run_control/core_profile.h"

#include "sim/run_control/session_stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CORES = 32, PLACES = 256 * 256 * CORES };

struct tally {
    struct function_range range;
    uint64_t samples, instructions, cycles;
};

struct core_profile_group {
    char role[CORE_PROFILE_ROLE_CHARS];
    const struct elf_image *image;
    struct function_map map;
    struct tally *tally; /* [function] */
    size_t allocated;
};

struct core_profile_core {
    struct machine_core core;
    size_t group;
    uint32_t pc;                   /* pc at the last sample; at first, the program's entry */
    uint64_t instructions, cycles; /* counts already attributed */
};

static size_t place_of(struct machine_core core)
{
    return ((size_t)core.x * 256 + core.y) * CORES + core.p % CORES;
}

static struct core_profile_group *group_of(struct core_profile *profile, const char *role,
                                           const struct elf_image *image)
{
    for (size_t i = 0; i < profile->group_count; i++) {
        struct core_profile_group *group = &profile->group[i];
        if (group->image == image && strcmp(group->role, role) == 0) {
            return group;
        }
    }
    struct core_profile_group *grown =
        realloc(profile->group, (profile->group_count + 1) * sizeof *grown);
    if (grown == NULL) {
        return NULL;
    }
    profile->group = grown;
    struct core_profile_group *group = &grown[profile->group_count];
    *group = (struct core_profile_group){.image = image};
    (void)snprintf(group->role, sizeof group->role, "%s", role);
    if (function_map_init(&group->map, image) != STATUS_OK) {
        return NULL;
    }
    profile->group_count++;
    return group;
}

enum status core_profile_add(struct core_profile *profile, struct machine_core core,
                             const char *role, const struct elf_image *image)
{
    if (profile->place == NULL) {
        profile->place = calloc(PLACES, sizeof *profile->place);
    }
    if (profile->core == NULL || profile->core_count == profile->core_room) {
        const size_t room = 2 * profile->core_room + 16;
        struct core_profile_core *grown = realloc(profile->core, room * sizeof *grown);
        if (grown == NULL) {
            return STATUS_INTERNAL;
        }
        profile->core = grown;
        profile->core_room = room;
    }
    const struct core_profile_group *group = group_of(profile, role, image);
    if (profile->place == NULL || group == NULL) {
        return STATUS_INTERNAL;
    }
    profile->core[profile->core_count++] =
        (struct core_profile_core){.core = core, .group = (size_t)(group - profile->group)};
    profile->place[place_of(core)] = (uint32_t)profile->core_count;
    return STATUS_OK;
}

void core_profile_deinit(struct core_profile *profile)
{
    for (size_t i = 0; i < profile->group_count; i++) {
        function_map_deinit(&profile->group[i].map);
        free(profile->group[i].tally);
    }
    free(profile->group);
    free(profile->core);
    free(profile->place);
    *profile = (struct core_profile){0};
}

static struct tally *tally_at(struct core_profile_group *group, uint32_t pc)
{
    const struct function_range *range = function_map_at(&group->map, pc);
    if (range == NULL) {
        return NULL;
    }
    if (group->tally == NULL || range->function >= group->allocated) {
        const size_t allocated = 2 * (size_t)group->map.functions + 16;
        struct tally *grown = realloc(group->tally, allocated * sizeof *grown);
        if (grown == NULL) {
            return NULL;
        }
        memset(grown + group->allocated, 0, (allocated - group->allocated) * sizeof *grown);
        group->tally = grown;
        group->allocated = allocated;
    }
    group->tally[range->function].range = *range;
    return &group->tally[range->function];
}

/* Attributes what the core has done since its last sample to the function that it was in then. */
static void book(struct core_profile *profile, const struct machine *machine,
                 struct core_profile_core *core)
{
    const struct arm968_counters *counters = machine_core_counters(machine, core->core);
    struct tally *tally = tally_at(&profile->group[core->group], core->pc);
    if (counters == NULL || tally == NULL) {
        profile->failed = true;
        return;
    }
    if (counters->active_cycles == core->cycles) {
        return;
    }
    tally->samples++;
    tally->instructions += counters->instructions - core->instructions;
    tally->cycles += counters->active_cycles - core->cycles;
    core->instructions = counters->instructions;
    core->cycles = counters->active_cycles;
}

void core_profile_join(struct core_profile *profile, const struct machine *machine,
                       struct machine_core core)
{
    static const unsigned PC = 15;
    struct core_profile_core *at = &profile->core[profile->place[place_of(core)] - 1];
    const struct arm968_counters *counters = machine_core_counters(machine, core);
    if (counters != NULL) {
        at->pc = machine_core_register(machine, core, PC);
        at->instructions = counters->instructions;
        at->cycles = counters->active_cycles;
    }
}

void core_profile_sample(struct core_profile *profile, const struct machine *machine,
                         struct machine_core core, uint32_t pc)
{
    const uint32_t place = profile->place == NULL ? 0 : profile->place[place_of(core)];
    if (place != 0) {
        book(profile, machine, &profile->core[place - 1]);
        profile->core[place - 1].pc = pc;
    }
}

static void visit_tally(struct core_profile *profile, struct core_profile_group *group,
                        const struct tally *saved, struct session_stream *stream)
{
    struct tally counts = saved == NULL ? (struct tally){.samples = 0} : *saved;
    uint32_t first = counts.range.first;
    session_stream_visit(stream, &first, sizeof first);
    session_stream_visit(stream, &counts.samples, sizeof counts.samples);
    session_stream_visit(stream, &counts.instructions, sizeof counts.instructions);
    session_stream_visit(stream, &counts.cycles, sizeof counts.cycles);
    if (!stream->saving && !stream->failed) { /* in the order of the first appearance */
        struct tally *tally = tally_at(group, first);
        profile->failed = profile->failed || tally == NULL;
        if (tally != NULL) {
            counts.range = tally->range;
            *tally = counts;
        }
    }
}

/* The functions that have been seen: those with a range. */
static size_t seen_in(const struct core_profile_group *group)
{
    size_t seen = 0;
    for (size_t f = 0; f < group->allocated; f++) {
        seen += group->tally[f].range.last != 0;
    }
    return seen;
}

void core_profile_visit(struct core_profile *profile, struct session_stream *stream)
{
    for (size_t i = 0; i < profile->group_count; i++) {
        struct core_profile_group *group = &profile->group[i];
        size_t seen = seen_in(group);
        size_t at = 0;
        session_stream_visit(stream, &seen, sizeof seen);
        for (size_t n = 0; n < seen && !stream->failed; n++, at++) {
            while (stream->saving && group->tally[at].range.last == 0) {
                at++;
            }
            visit_tally(profile, group, stream->saving ? &group->tally[at] : NULL, stream);
        }
    }
    for (size_t i = 0; i < profile->core_count; i++) {
        struct core_profile_core *core = &profile->core[i];
        session_stream_visit(stream, &core->pc, sizeof core->pc);
        session_stream_visit(stream, &core->instructions, sizeof core->instructions);
        session_stream_visit(stream, &core->cycles, sizeof core->cycles);
    }
}

static int compare_rows(const void *a, const void *b)
{
    const struct core_profile_row *first = a;
    const struct core_profile_row *second = b;
    const int order = strcmp(first->role, second->role);
    if (order != 0) {
        return order;
    }
    if (first->cycles != second->cycles) {
        return first->cycles > second->cycles ? -1 : 1;
    }
    return first->range.first < second->range.first ? -1 : first->range.first > second->range.first;
}

enum status core_profile_finish(struct core_profile *profile, const struct machine *machine,
                                struct core_profile_row **row, size_t *count)
{
    for (size_t i = 0; i < profile->core_count; i++) {
        const struct machine_core core = profile->core[i].core;
        if (machine_core_started(machine, core)) {
            book(profile, machine, &profile->core[i]);
        }
    }
    size_t most = 1;
    for (size_t i = 0; i < profile->group_count; i++) {
        most += profile->group[i].allocated;
    }
    *row = calloc(most, sizeof **row);
    *count = 0;
    if (*row == NULL || profile->failed) {
        return STATUS_INTERNAL;
    }
    for (size_t i = 0; i < profile->group_count; i++) {
        const struct core_profile_group *group = &profile->group[i];
        for (size_t f = 0; f < group->allocated; f++) {
            const struct tally *tally = &group->tally[f];
            if (tally->samples == 0) {
                continue;
            }
            struct core_profile_row *to = &(*row)[(*count)++];
            *to = (struct core_profile_row){.range = tally->range,
                                            .samples = tally->samples,
                                            .instructions = tally->instructions,
                                            .cycles = tally->cycles};
            memcpy(to->role, group->role, sizeof to->role);
        }
    }
    qsort(*row, *count, sizeof **row, compare_rows);
    return STATUS_OK;
}
