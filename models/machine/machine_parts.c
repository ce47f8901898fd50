/* machine_parts.c - see machine_parts.h. */
#include "models/machine/machine_parts.h"

#include "models/machine/free_parameters.h"
#include "models/machine/machine_visit.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((int)MACHINE_PAGE_BYTES == (int)RAM_PAGE_BYTES, "one number in two places");

enum { FIRST_DATA = 1 << 20, FIRST_PAGES = 1 << 12 };

/* A visitor that takes a state apart, or puts it together. */
struct parter {
    struct state_visitor visitor;
    struct machine_parts parts;
    size_t data_room, page_room;
    size_t data_at, page_at; /* when loading */
};

/* ---- saving ---- */

static void put(struct parter *parter, const void *data, size_t size)
{
    struct machine_parts *parts = &parter->parts;
    if (parter->data_room - parts->data_bytes < size) {
        const size_t room = 2 * parter->data_room + size + FIRST_DATA;
        uint8_t *larger = realloc(parts->data, room);
        if (larger == NULL) {
            parter->visitor.failed = true;
            return;
        }
        parts->data = larger;
        parter->data_room = room;
    }
    memcpy(parts->data + parts->data_bytes, data, size);
    parts->data_bytes += size;
}

static void put_page(struct parter *parter, const uint8_t *bytes)
{
    struct machine_parts *parts = &parter->parts;
    if (parts->pages == parter->page_room) {
        const size_t room = 2 * parter->page_room + FIRST_PAGES;
        const uint8_t **larger = realloc((void *)parts->page, room * sizeof *larger);
        if (larger == NULL) {
            parter->visitor.failed = true;
            return;
        }
        parts->page = larger;
        parter->page_room = room;
    }
    parts->page[parts->pages++] = bytes;
}

static void save_data(struct state_visitor *visitor, void *data, size_t size)
{
    put((struct parter *)visitor, data, size);
}

static void save_tcm(struct state_visitor *visitor, struct core *core, uint8_t *bytes, size_t size)
{
    (void)core;
    for (size_t at = 0; at < size && !visitor->failed; at += RAM_PAGE_BYTES) {
        put_page((struct parter *)visitor, bytes + at);
    }
}

/* A page of a memory that is mostly zeros: its number, and whether the guest has written it. */
struct page_note {
    uint32_t number, what;
};

/* The pages that have been touched, with a note of each in the data. */
static void save_ram(struct state_visitor *visitor, struct ram *ram)
{
    struct parter *parter = (struct parter *)visitor;
    const uint32_t pages = ram->size / RAM_PAGE_BYTES;
    uint32_t count = 0;
    for (uint32_t i = 0; i < pages; i++) {
        count += (ram->page[i] & RAM_TOUCHED) != 0;
    }
    put(parter, &count, sizeof count);
    for (uint32_t i = 0; i < pages && !visitor->failed; i++) {
        const struct page_note note = {i, ram->page[i] & RAM_BY_GUEST};
        if ((ram->page[i] & RAM_TOUCHED) != 0) {
            put(parter, &note, sizeof note);
            put_page(parter, ram->bytes + (size_t)i * RAM_PAGE_BYTES);
        }
    }
}

/* ---- loading ---- */

static bool take(struct parter *parter, void *data, size_t size)
{
    if (parter->parts.data_bytes - parter->data_at < size) {
        parter->visitor.failed = true;
        return false;
    }
    memcpy(data, parter->parts.data + parter->data_at, size);
    parter->data_at += size;
    return true;
}

static void take_page(struct parter *parter, uint8_t *bytes)
{
    if (parter->page_at == parter->parts.pages) {
        parter->visitor.failed = true;
        return;
    }
    const uint8_t *page = parter->parts.page[parter->page_at++];
    if (page == NULL) {
        memset(bytes, 0, RAM_PAGE_BYTES);
    } else {
        memcpy(bytes, page, RAM_PAGE_BYTES);
    }
}

static void load_data(struct state_visitor *visitor, void *data, size_t size)
{
    (void)take((struct parter *)visitor, data, size);
}

static bool is_zero(const uint8_t *page)
{
    static const uint8_t ZERO[RAM_PAGE_BYTES];
    return memcmp(page, ZERO, sizeof ZERO) == 0;
}

static void load_tcm(struct state_visitor *visitor, struct core *core, uint8_t *bytes, size_t size)
{
    struct parter *parter = (struct parter *)visitor;
    (void)core;
    for (size_t at = 0; at < size && !visitor->failed; at += RAM_PAGE_BYTES) {
        const bool stays = parter->page_at < parter->parts.pages &&
                           parter->parts.page[parter->page_at] == NULL && is_zero(bytes + at);
        if (stays) { /* memory that nobody has touched takes none of the host's */
            parter->page_at++;
        } else {
            take_page(parter, bytes + at);
        }
    }
}

/* Pages that the state does not have are zeros. */
static void clear_pages(struct ram *ram, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        if ((ram->page[i] & RAM_TOUCHED) != 0) {
            memset(ram->bytes + (size_t)i * RAM_PAGE_BYTES, 0, RAM_PAGE_BYTES);
            ram->page[i] = RAM_TOUCHED | RAM_CHANGED;
        }
    }
}

static void load_ram(struct state_visitor *visitor, struct ram *ram)
{
    struct parter *parter = (struct parter *)visitor;
    const uint32_t pages = ram->size / RAM_PAGE_BYTES;
    uint32_t count = 0;
    uint32_t next = 0;
    (void)take(parter, &count, sizeof count);
    for (uint32_t i = 0; i < count && !visitor->failed; i++) {
        struct page_note note;
        if (!take(parter, &note, sizeof note) || note.number >= pages || note.number < next) {
            visitor->failed = true;
            return;
        }
        clear_pages(ram, next, note.number);
        take_page(parter, ram->bytes + (size_t)note.number * RAM_PAGE_BYTES);
        ram->page[note.number] =
            (uint8_t)((note.what & RAM_BY_GUEST) | RAM_TOUCHED | RAM_CHANGED);
        next = note.number + 1;
    }
    if (!visitor->failed) {
        clear_pages(ram, next, pages);
    }
}

static bool holds(const struct state_visitor *visitor, uint64_t bytes)
{
    const struct parter *parter = (const struct parter *)visitor;
    return bytes <= parter->parts.data_bytes - parter->data_at;
}

/* ---- samples ---- */

/* When a core's next sample is due, and by which rule.  A machine that samples by another rule
 * begins with its own. */
struct sample_note {
    uint64_t every, share, at;
};

static void visit_samples(struct core *core, struct parter *parter)
{
    struct sample_note note = {core->on.sample_every, core->on.sample_share, core->sample_at};
    if (!parter->visitor.loads) {
        put(parter, &note, sizeof note);
    } else if (take(parter, &note, sizeof note)) {
        const bool same =
            note.every == core->on.sample_every && note.share == core->on.sample_share;
        core->sample_at = same ? note.at : 0;
    }
}

static void visit_all(struct machine *machine, struct parter *parter)
{
    machine_visit(machine, &parter->visitor);
    for (unsigned i = 0; i < machine->chip_count; i++) {
        struct chip *chip = &machine->chip[i];
        for (unsigned p = 0; p < chip->core_count && !parter->visitor.failed; p++) {
            visit_samples(&chip->core[p], parter);
        }
    }
}

/* ---- the whole ---- */

/* What a state and the machine that loads it must have in common, but for free parameters. */
struct identity {
    struct machine_parameters parameters;
    struct arm968_timing timing;
    uint64_t chips;
};

static struct identity identity_of(const struct machine *machine)
{
    struct identity identity;
    memset(&identity, 0, sizeof identity);
    identity.parameters = machine->config.parameters;
    identity.timing = machine->config.timing;
    identity.chips = machine->chip_count;
    return identity;
}

static enum status check_ports(const struct machine *machine, struct diagnostic *diagnostic)
{
    for (unsigned i = 0; i < machine->chip_count; i++) {
        struct chip *chip = &machine->chip[i];
        if (chip->memory.access != chip_builtin_memory(chip).access) {
            return diagnose(diagnostic, STATUS_CONFIGURATION,
                            "the memory of chip %u,%u is not the machine's own, and cannot be "
                            "saved with it",
                            chip->x, chip->y);
        }
    }
    return STATUS_OK;
}

enum status machine_save_parts(const struct machine *machine, struct machine_parts *parts,
                               struct diagnostic *diagnostic)
{
    struct parter parter = {
        .visitor = {.data = save_data, .ram = save_ram, .tcm = save_tcm, .holds = holds}};
    const struct identity identity = identity_of(machine);
    *parts = (struct machine_parts){.data = NULL};
    const enum status status = check_ports(machine, diagnostic);
    if (status != STATUS_OK) {
        return status;
    }
    put(&parter, &identity, sizeof identity);
    visit_all((struct machine *)machine, &parter);
    *parts = parter.parts;
    return parter.visitor.failed ? diagnose(diagnostic, STATUS_INTERNAL, "out of memory")
                                 : STATUS_OK;
}

void machine_parts_free(struct machine_parts *parts)
{
    free(parts->data);
    free((void *)parts->page);
    *parts = (struct machine_parts){.data = NULL};
}

static void adopt(struct machine *machine)
{
    for (unsigned i = 0; i < machine->chip_count; i++) {
        chip_adopt_parameters(&machine->chip[i], &machine->config.parameters);
    }
    schedule_adopt_parameters(machine);
}

static bool fits(const struct machine *machine, const struct identity *saved)
{
    const struct identity own = identity_of(machine);
    return free_parameters_bound(&saved->parameters, &own.parameters) == NULL &&
           memcmp(&saved->timing, &own.timing, sizeof own.timing) == 0 &&
           saved->chips == own.chips;
}

enum status machine_load_parts(struct machine *machine, const struct machine_parts *parts)
{
    struct parter parter = {.visitor = {.loads = true,
                                        .data = load_data,
                                        .ram = load_ram,
                                        .tcm = load_tcm,
                                        .holds = holds},
                            .parts = *parts};
    struct identity saved;
    if (!take(&parter, &saved, sizeof saved) || !fits(machine, &saved)) {
        return STATUS_CONFIGURATION;
    }
    visit_all(machine, &parter);
    adopt(machine);
    for (unsigned i = 0; i < machine->chip_count; i++) {
        event_log_forget(&machine->chip[i]);
    }
    const bool good = !parter.visitor.failed && parter.data_at == parts->data_bytes &&
                      parter.page_at == parts->pages;
    return good ? STATUS_OK : STATUS_CONFIGURATION;
}

enum status machine_set_parameters(struct machine *machine,
                                   const struct machine_parameters *parameters)
{
    if (free_parameters_bound(&machine->config.parameters, parameters) != NULL) {
        return STATUS_CONFIGURATION;
    }
    machine->config.parameters = *parameters;
    adopt(machine);
    return STATUS_OK;
}
