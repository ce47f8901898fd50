/* reports.c - faults, each reported once.  See memory_check.h. */
#include "sim/memory_check/check_state.h"

#include "models/common/memory.h"

#include <stdlib.h>

enum { RUN_BYTES = 64 }; /* accesses that follow each other this closely are of one fault */

const char *memory_check_kind_text(enum memory_check_kind kind)
{
    static const char *const TEXT[] = {
#define KIND(NAME, text, meaning) text,
#include "sim/memory_check/kinds.def"
#undef KIND
    };
    return TEXT[kind];
}

const char *memory_check_kind_meaning(enum memory_check_kind kind)
{
    static const char *const MEANING[] = {
#define KIND(NAME, text, meaning) meaning,
#include "sim/memory_check/kinds.def"
#undef KIND
    };
    return MEANING[kind];
}

static const char *memory_text(uint8_t memory)
{
    static const char *const TEXT[] = {"ITCM", "DTCM", "SDRAM", "System RAM", "none"};
    return TEXT[memory];
}

static const char *access_text(const struct check_fault *fault)
{
    static const char *const TEXT[] = {"read", "write", "swap"};
    return fault->how != NULL ? fault->how : TEXT[fault->access->kind];
}

/* ---- one report each ---- */

/* Whether an access belongs to a report: the same instruction goes on where it was, or does the
 * same to the same block. */
static bool belongs(const struct check_report *known, const struct check_fault *fault)
{
    const struct memory_check_report *report = &known->report;
    if (report->pc != fault->access->pc) {
        return false;
    }
    const bool goes_on = fault->range.address - known->last + RUN_BYTES <= 2 * RUN_BYTES;
    const bool same_block =
        report->has_block == (fault->block != NULL) &&
        (fault->block == NULL ||
         report->block_address == fault->range.address - fault->range.offset + fault->block->first);
    return (goes_on && report->access == access_text(fault)) ||
           (report->kind == fault->kind && same_block);
}

static struct memory_check_site site_of(struct memory_block_site site)
{
    return (struct memory_check_site){site.pc, site.core};
}

static struct memory_check_report describe(const struct check_fault *fault)
{
    const struct memory_block *block = fault->block;
    struct memory_check_report report = {.time_ps = fault->access->time_ps,
                                         .times = 1,
                                         .core = fault->access->core,
                                         .kind = fault->kind,
                                         .pc = fault->access->pc,
                                         .access = access_text(fault),
                                         .memory = memory_text(fault->range.memory),
                                         .address = fault->range.address,
                                         .bytes = fault->bytes,
                                         .block = "",
                                         .owner = BLOCK_OF_ALL,
                                         .allocated = {.core = -1},
                                         .freed = {.core = -1}};
    if (block != NULL) {
        report.has_block = true;
        report.block = block->name == NULL ? "heap" : block->name;
        report.owner = block->owner;
        report.block_address = fault->range.address - fault->range.offset + block->first;
        report.block_bytes = block->bytes;
        report.allocated = site_of(block->allocated);
        report.freed = site_of(block->given_back);
    }
    return report;
}

void check_note(struct check_core *core, const struct check_fault *fault)
{
    if (core->report == NULL) {
        core->report = calloc(MEMORY_CHECK_REPORTS, sizeof *core->report);
        memory_need(core->report);
    }
    for (unsigned i = 0; i < core->reports; i++) {
        if (belongs(&core->report[i], fault)) {
            core->report[i].report.times++;
            core->report[i].last = fault->range.address;
            return;
        }
    }
    if (core->reports == MEMORY_CHECK_REPORTS) {
        core->more_ps = core->more == 0 ? fault->access->time_ps : core->more_ps;
        core->more++;
        return;
    }
    core->report[core->reports++] =
        (struct check_report){.report = describe(fault), .last = fault->range.address};
}

/* ---- all of them, in order ---- */

static uint32_t place_of(struct machine_core core)
{
    return (uint32_t)core.x << 16 | (uint32_t)core.y << 8 | core.p;
}

static int compare(const void *a, const void *b)
{
    const struct memory_check_report *first = a;
    const struct memory_check_report *second = b;
    if (first->time_ps != second->time_ps) {
        return first->time_ps < second->time_ps ? -1 : 1;
    }
    if (place_of(first->core) != place_of(second->core)) {
        return place_of(first->core) < place_of(second->core) ? -1 : 1;
    }
    if (first->pc != second->pc) {
        return first->pc < second->pc ? -1 : 1;
    }
    return first->address < second->address ? -1 : first->address > second->address;
}

static struct memory_check_report rest_of(const struct check_core *core)
{
    return (struct memory_check_report){.time_ps = core->more_ps,
                                        .times = core->more,
                                        .core = core->report[0].report.core,
                                        .kind = MEMORY_CHECK_MORE,
                                        .access = "",
                                        .memory = "",
                                        .block = "",
                                        .owner = BLOCK_OF_ALL,
                                        .allocated = {.core = -1},
                                        .freed = {.core = -1}};
}

static size_t take_all(const struct memory_check *check, struct memory_check_report *list)
{
    size_t count = 0;
    for (unsigned i = 0; i < check->chips; i++) {
        for (unsigned p = 0; p < TOPOLOGY_CORES; p++) {
            const struct check_core *core = &check->chip[i].core[p];
            for (unsigned r = 0; r < core->reports; r++, count++) {
                if (list != NULL) {
                    list[count] = core->report[r].report;
                }
            }
            if (core->more > 0 && list != NULL) {
                list[count] = rest_of(core);
            }
            count += core->more > 0;
        }
    }
    return count;
}

enum status memory_check_reports(const struct memory_check *check,
                                 void (*each)(void *context,
                                              const struct memory_check_report *report),
                                 void *context)
{
    const size_t count = take_all(check, NULL);
    struct memory_check_report *list = calloc(count + 1, sizeof *list);
    if (list == NULL) {
        return STATUS_INTERNAL;
    }
    (void)take_all(check, list);
    qsort(list, count, sizeof *list, compare);
    for (size_t i = 0; i < count; i++) {
        each(context, &list[i]);
    }
    free(list);
    return STATUS_OK;
}
