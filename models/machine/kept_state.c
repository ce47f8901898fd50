/* kept_state.c - see kept_state.h. */
#include "models/machine/kept_state.h"

#include "models/common/check.h"
#include "models/common/memory.h"
#include "models/machine/machine_visit.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE_BYTES = RAM_PAGE_BYTES, MORE = 2, FIRST_PAGES = 1024 };

/* The bytes of a page; states of the same history, which belongs to one thread, share them. */
struct shared_page {
    unsigned users;
    uint8_t bytes[PAGE_BYTES];
};

/* A page that may be other than zero.  Keys ascend in the order of machine_visit(): the number of
 * the memory in its upper half, of the page in the lower one. */
struct kept_page {
    uint64_t key;
    uint8_t what; /* of a RAM's page: RAM_* */
    struct shared_page *shared;
};

struct kept_state {
    uint64_t time_ps;
    uint8_t *data; /* all parts of fixed size */
    size_t data_bytes, data_room;
    struct kept_page *page;
    size_t pages, page_room;
    size_t *held_bytes;
};

/* A visitor that takes or restores a state. */
struct keeper {
    struct state_visitor visitor;
    struct kept_state *state;
    const struct kept_state *before;
    size_t at, before_at; /* pages, in `state` and `before` */
    size_t data_at;
    uint64_t memory; /* the number of the next memory */
};

/* ---- taking ---- */

/* Room for one more element; false: out of memory. */
static bool grow(void **list, size_t count, size_t *room, size_t size, size_t first)
{
    if (count < *room) {
        return true;
    }
    const size_t more = *room == 0 ? first : MORE * *room;
    void *grown = realloc(*list, more * size);
    if (grown == NULL) {
        return false;
    }
    *list = grown;
    *room = more;
    return true;
}

static void take_data(struct state_visitor *visitor, void *data, size_t size)
{
    struct kept_state *state = ((struct keeper *)visitor)->state;
    if (state->data_room - state->data_bytes < size) {
        const size_t room = MORE * state->data_room + size;
        uint8_t *bytes = realloc(state->data, room);
        if (bytes == NULL) {
            visitor->failed = true;
            return;
        }
        state->data = bytes;
        state->data_room = room;
    }
    memcpy(state->data + state->data_bytes, data, size);
    state->data_bytes += size;
}

/* The page of the state before with this key; NULL: it has none. */
static struct shared_page *same_before(struct keeper *keeper, uint64_t key)
{
    const struct kept_state *before = keeper->before;
    if (before == NULL) {
        return NULL;
    }
    while (keeper->before_at < before->pages && before->page[keeper->before_at].key < key) {
        keeper->before_at++;
    }
    const bool there =
        keeper->before_at < before->pages && before->page[keeper->before_at].key == key;
    return there ? before->page[keeper->before_at].shared : NULL;
}

/* NULL is permitted. */
static void release(const struct kept_state *state, struct shared_page *shared)
{
    if (shared != NULL && --shared->users == 0) {
        free(shared);
        *state->held_bytes -= sizeof *shared;
    }
}

/* `changed`: the page may be another one than before. */
static void take_page(struct keeper *keeper, uint32_t number, const uint8_t *bytes, uint8_t what,
                      bool changed)
{
    struct kept_state *state = keeper->state;
    const uint64_t key = keeper->memory << 32 | number;
    struct shared_page *shared = same_before(keeper, key);
    if (shared != NULL && (!changed || memcmp(shared->bytes, bytes, PAGE_BYTES) == 0)) {
        shared->users++;
    } else {
        shared = malloc(sizeof *shared);
        if (shared != NULL) {
            shared->users = 1;
            memcpy(shared->bytes, bytes, PAGE_BYTES);
            *state->held_bytes += sizeof *shared;
        }
    }
    if (shared == NULL || !grow((void **)&state->page, state->pages, &state->page_room,
                                sizeof *state->page, FIRST_PAGES)) {
        release(state, shared);
        keeper->visitor.failed = true;
        return;
    }
    state->page[state->pages++] = (struct kept_page){.key = key, .what = what, .shared = shared};
}

static void take_ram(struct state_visitor *visitor, struct ram *ram)
{
    struct keeper *keeper = (struct keeper *)visitor;
    const uint32_t pages = ram->size / PAGE_BYTES;
    for (uint32_t i = 0; i < pages && !visitor->failed; i++) {
        const uint8_t what = ram->page[i];
        if ((what & RAM_TOUCHED) != 0) {
            take_page(keeper, i, ram->bytes + (size_t)i * PAGE_BYTES, what & RAM_BY_GUEST,
                      (what & RAM_CHANGED) != 0);
            ram->page[i] = what & (uint8_t)~RAM_CHANGED;
        }
    }
    keeper->memory++;
}

static void take_tcm(struct state_visitor *visitor, struct core *core, uint8_t *bytes, size_t size)
{
    struct keeper *keeper = (struct keeper *)visitor;
    (void)core;
    for (uint32_t i = 0; i < size / PAGE_BYTES && !visitor->failed; i++) {
        take_page(keeper, i, bytes + (size_t)i * PAGE_BYTES, 0, true);
    }
    keeper->memory++;
}

/* Host memory of the state itself. */
static size_t self_bytes(const struct kept_state *state)
{
    return sizeof *state + state->data_room + state->page_room * sizeof *state->page;
}

struct kept_state *kept_state_take(struct machine *machine, const struct kept_state *before,
                                   size_t *held_bytes)
{
    struct kept_state *state = calloc(1, sizeof *state);
    if (state == NULL) {
        return NULL;
    }
    state->time_ps = machine->time_ps;
    state->held_bytes = held_bytes;
    struct keeper keeper = {.visitor = {.data = take_data, .ram = take_ram, .tcm = take_tcm},
                            .state = state,
                            .before = before};
    machine_visit(machine, &keeper.visitor);
    *held_bytes += self_bytes(state);
    if (keeper.visitor.failed) {
        kept_state_drop(state);
        return NULL;
    }
    return state;
}

/* ---- restoring ---- */

static void restore_data(struct state_visitor *visitor, void *data, size_t size)
{
    struct keeper *keeper = (struct keeper *)visitor;
    CHECK(keeper->state->data_bytes - keeper->data_at >= size, "a kept state is too short");
    memcpy(data, keeper->state->data + keeper->data_at, size);
    keeper->data_at += size;
}

/* The next page if it has this number in the current memory; NULL: that page is zero. */
static const struct kept_page *next_page(struct keeper *keeper, uint32_t number)
{
    const struct kept_state *state = keeper->state;
    const uint64_t key = keeper->memory << 32 | number;
    const bool there = keeper->at < state->pages && state->page[keeper->at].key == key;
    return there ? &state->page[keeper->at++] : NULL;
}

static void restore_ram(struct state_visitor *visitor, struct ram *ram)
{
    struct keeper *keeper = (struct keeper *)visitor;
    const uint32_t pages = ram->size / PAGE_BYTES;
    for (uint32_t i = 0; i < pages; i++) {
        uint8_t *bytes = ram->bytes + (size_t)i * PAGE_BYTES;
        const struct kept_page *page = next_page(keeper, i);
        if (page != NULL) {
            memcpy(bytes, page->shared->bytes, PAGE_BYTES);
            ram->page[i] = page->what | RAM_TOUCHED;
        } else if ((ram->page[i] & RAM_TOUCHED) != 0) {
            memset(bytes, 0, PAGE_BYTES);
            ram->page[i] = RAM_TOUCHED | RAM_CHANGED; /* another state may have it */
        }
    }
    keeper->memory++;
}

static void restore_tcm(struct state_visitor *visitor, struct core *core, uint8_t *bytes,
                        size_t size)
{
    struct keeper *keeper = (struct keeper *)visitor;
    (void)core;
    for (uint32_t i = 0; i < size / PAGE_BYTES; i++) {
        const struct kept_page *page = next_page(keeper, i);
        CHECK(page != NULL, "a kept state lacks a page");
        memcpy(bytes + (size_t)i * PAGE_BYTES, page->shared->bytes, PAGE_BYTES);
    }
    keeper->memory++;
}

static bool holds(const struct state_visitor *visitor, uint64_t bytes)
{
    const struct keeper *keeper = (const struct keeper *)visitor;
    return bytes <= keeper->state->data_bytes - keeper->data_at;
}

void kept_state_restore(const struct kept_state *state, struct machine *machine)
{
    struct keeper keeper = {.visitor = {.loads = true,
                                        .data = restore_data,
                                        .ram = restore_ram,
                                        .tcm = restore_tcm,
                                        .holds = holds},
                            .state = (struct kept_state *)state};
    machine_visit(machine, &keeper.visitor);
    if (keeper.visitor.failed) { /* it fits: only the records of drops need memory */
        memory_exhausted();
    }
}

/* ---- the rest ---- */

void kept_state_drop(struct kept_state *state)
{
    if (state == NULL) {
        return;
    }
    for (size_t i = 0; i < state->pages; i++) {
        release(state, state->page[i].shared);
    }
    *state->held_bytes -= self_bytes(state);
    free(state->page);
    free(state->data);
    free(state);
}

uint64_t kept_state_time_ps(const struct kept_state *state)
{
    return state->time_ps;
}
