/* session_memory.c - check.memory: the check is told of what the run loads and does, and its
 * reports become rows of memory_check.csv.  See session.h. */
#include "sim/load/sark_layout.h"
#include "sim/memory_check/memory_check.h"
#include "sim/run_control/ring_trial.h"
#include "sim/run_control/session.h"
#include "sim/steps.h"
#include "sim/symbols/symbols.h"

#include <inttypes.h>
#include <stdlib.h>

_Static_assert((int)PLAN_BLOCK_OF_ALL == (int)MEMORY_CHECK_OF_ALL &&
                   (int)PLAN_BLOCK_OF_HOST == (int)MEMORY_CHECK_OF_HOST,
               "one list in two places");

/* ---- set-up ---- */

enum status session_begin_memory_check(struct session *session, struct diagnostic *diagnostic)
{
    const struct sim_config *config = session->job->config;
    if (!config->check_memory) {
        return STATUS_OK;
    }
    session->memory_check = memory_check_create(session->machine, &config->machine);
    return session->memory_check == NULL ? no_memory(diagnostic) : STATUS_OK;
}

/* SDRAM has the same layout on all chips. */
void session_check_plan(struct session *session)
{
    const struct load_plan *plan = &session->plan;
    const size_t each = plan->chip_count == 0 ? 0 : plan->core_count / plan->chip_count;
    for (size_t i = 0; session->memory_check != NULL && i < plan->chip_count; i++) {
        for (size_t b = 0; b < plan->block_count; b++) {
            const struct load_plan_block *block = &plan->block[b];
            const struct memory_check_block told = {
                .core = plan->chip[i].core,
                .address = block->address,
                .bytes = (uint32_t)block->bytes,
                .owner = block->owner < 0 ? block->owner
                                          : plan->core[i * each + (size_t)block->owner].core.p,
                .zeros = block->zeros,
                .name = block->name};
            memory_check_block(session->memory_check, &told);
        }
    }
}

void session_check_apps(struct session *session, const struct ring_trial *trial)
{
    const struct job_memory *memory = session->job->options.given.memory;
    const unsigned chips = session->memory_check == NULL ? 0 : machine_chip_count(session->machine);
    for (unsigned i = 0; i < chips && trial->end > 0; i++) {
        const struct topology_chip *chip = &machine_topology(session->machine)->chip[i];
        struct memory_check_block told = {.address = trial->address,
                                          .bytes = trial->end - trial->address,
                                          .owner = MEMORY_CHECK_OF_HOST,
                                          .zeros = true,
                                          .name = "exchange plans"};
        if (session_monitor_of(chip, &told.core)) {
            memory_check_block(session->memory_check, &told);
        }
    }
    for (size_t i = 0; session->memory_check != NULL && memory != NULL && i < memory->block_count;
         i++) {
        const struct memory_check_block told = {.core = memory->block[i].core,
                                                .address = memory->block[i].address,
                                                .bytes = memory->block[i].count,
                                                .owner = MEMORY_CHECK_OF_ALL,
                                                .name = "given"};
        memory_check_block(session->memory_check, &told);
    }
}

enum status session_check_program(const struct session *session, struct machine_core core,
                                  const struct elf_image *image, bool service)
{
    return session->memory_check == NULL
               ? STATUS_OK
               : memory_check_program(session->memory_check, core, image, service);
}

void session_check_loaded(const struct session *session)
{
    if (session->memory_check != NULL) {
        memory_check_begin(session->memory_check);
    }
}

/* ---- the run ---- */

void session_check_access(void *context, const struct machine_access *access)
{
    const struct session *session = context;
    if (session->memory_check != NULL) { /* else the machine is being made */
        memory_check_access(session->memory_check, access);
    }
}

void session_check_mark(const struct session *session, struct machine_core core, uint32_t address)
{
    if (session->memory_check != NULL) {
        memory_check_mark(session->memory_check, core, address);
    }
}

/* ---- results ---- */

/* The tables of the programs of a run, each read once. */
enum { PROGRAMS = 64 };
struct rows {
    struct session *session;
    const struct elf_image *image[PROGRAMS];
    struct symbols *symbols[PROGRAMS];
    unsigned programs;
    bool failed;
};

static const struct symbols *symbols_of(struct rows *rows, const struct elf_image *image)
{
    for (unsigned i = 0; i < rows->programs; i++) {
        if (rows->image[i] == image) {
            return rows->symbols[i];
        }
    }
    if (image == NULL || rows->programs == PROGRAMS) {
        return NULL;
    }
    rows->image[rows->programs] = image;
    rows->symbols[rows->programs] = symbols_open(image);
    rows->failed = rows->failed || rows->symbols[rows->programs] == NULL;
    return rows->symbols[rows->programs++];
}

static const char *find_line(struct rows *rows, struct machine_core core, uint32_t pc, char *file,
                             size_t room, uint32_t *line)
{
    const struct elf_image *image = memory_check_image(rows->session->memory_check, core);
    const struct symbols *symbols = symbols_of(rows, image);
    if (symbols == NULL) {
        return "";
    }
    const struct symbols_place place = symbols_find(symbols, pc);
    (void)snprintf(file, room, "%s", place.file);
    *line = place.line;
    return place.function == NULL ? "" : place.function;
}

static const char *find_site(struct rows *rows, struct machine_core core,
                             struct memory_check_site site, char *file, size_t room, uint32_t *line)
{
    if (site.core < 0) {
        return "";
    }
    core.p = (uint8_t)site.core;
    return find_line(rows, core, site.pc, file, room, line);
}

static void name_block(struct rows *rows, const struct memory_check_report *report,
                       struct outcome_memory_check *row)
{
    row->block = report->block;
    row->block_bytes = report->block_bytes;
    (void)snprintf(row->block_address, sizeof row->block_address, "0x%08" PRIx32,
                   report->block_address);
    if (report->owner >= 0) {
        (void)snprintf(row->owner, sizeof row->owner, "%d", (int)report->owner);
    } else {
        (void)snprintf(row->owner, sizeof row->owner, "%s",
                       report->owner == MEMORY_CHECK_OF_ALL ? "all" : "host");
    }
    row->allocated_function = find_site(rows, report->core, report->allocated, row->allocated_file,
                                        sizeof row->allocated_file, &row->allocated_line);
    row->freed_function = find_site(rows, report->core, report->freed, row->freed_file,
                                    sizeof row->freed_file, &row->freed_line);
}

static void add_row(void *context, const struct memory_check_report *report)
{
    struct rows *rows = context;
    struct outcome_memory_check row = {.time_ps = report->time_ps,
                                       .x = report->core.x,
                                       .y = report->core.y,
                                       .core = report->core.p,
                                       .kind = memory_check_kind_text(report->kind),
                                       .times = report->times,
                                       .access = report->access,
                                       .function = "",
                                       .memory = report->memory,
                                       .bytes = report->bytes,
                                       .block = "",
                                       .allocated_function = "",
                                       .freed_function = ""};
    if (report->kind != MEMORY_CHECK_MORE) {
        (void)snprintf(row.pc, sizeof row.pc, "0x%08" PRIx32, report->pc);
        (void)snprintf(row.address, sizeof row.address, "0x%08" PRIx32, report->address);
        row.function =
            find_line(rows, report->core, report->pc, row.file, sizeof row.file, &row.line);
    }
    if (report->has_block) {
        name_block(rows, report, &row);
    }
    rows->failed = rows->failed || !outcome_add_memory_check(rows->session->outcome, &row);
}

enum status session_take_memory_check(struct session *session, struct diagnostic *diagnostic)
{
    if (session->memory_check == NULL) {
        return STATUS_OK;
    }
    struct rows *rows = calloc(1, sizeof *rows);
    if (rows == NULL) {
        return no_memory(diagnostic);
    }
    rows->session = session;
    enum status status = memory_check_reports(session->memory_check, add_row, rows);
    status = rows->failed ? STATUS_INTERNAL : status;
    for (unsigned i = 0; i < rows->programs; i++) {
        symbols_close(rows->symbols[i]);
    }
    free(rows);
    session->outcome->memory_checked = true;
    return status == STATUS_OK ? STATUS_OK : no_memory(diagnostic);
}

void session_close_memory_check(struct session *session)
{
    memory_check_destroy(session->memory_check);
    session->memory_check = NULL;
}
