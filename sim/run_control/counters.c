/* counters.c - see counters.h. */
#include "sim/run_control/counters.h"

#include "models/common/check.h"
#include "sim/grow.h"
#include "sim/steps.h"

#include <stdlib.h>
#include <string.h>

/* ---- what the machine has ---- */

struct part {
    uint8_t x, y;
    int16_t instance;
};

/* The parts of one component, in order: each has all kinds of counters of the component. */
struct component {
    const char *name;
    size_t first_kind;
    struct part *part;
    size_t parts, room;
};

struct kind {
    size_t component;
    const struct counter_info *info;
    size_t counted; /* its counters that are not 0 */
    size_t next;    /* where the next of them goes, or is, in the order of names */
};

struct counted {
    uint32_t kind, part;
    uint64_t value;
};

enum { COMPONENTS_MAX = 32, KINDS_MAX = 256 };

struct counters {
    struct component component[COMPONENTS_MAX];
    struct kind kind[KINDS_MAX];
    size_t components, kinds;
    size_t last; /* the kind of the latest counter */
    struct counted *counted, *in_order;
    size_t count, room;
    bool failed; /* out of memory */
};

static size_t component_of(struct counters *all, const char *name)
{
    size_t i = 0;
    while (i < all->components && strcmp(all->component[i].name, name) != 0) {
        i++;
    }
    CHECK(i < COMPONENTS_MAX, "more components than there is room for");
    if (i == all->components) {
        all->component[all->components++] =
            (struct component){.name = name, .first_kind = all->kinds};
    }
    return i;
}

static bool is_kind(const struct counters *all, size_t kind, const struct machine_counter *counter)
{
    return kind < all->kinds && all->kind[kind].info == counter->info &&
           strcmp(all->component[all->kind[kind].component].name, counter->component) == 0;
}

/* The number of the counter's kind, added if it is new. */
static size_t kind_of(struct counters *all, const struct machine_counter *counter)
{
    if (is_kind(all, all->last + 1, counter)) {
        return all->last + 1;
    }
    size_t i = 0;
    while (i < all->kinds && !is_kind(all, i, counter)) {
        i++;
    }
    CHECK(i < KINDS_MAX, "more kinds of counters than there is room for");
    if (i == all->kinds) {
        all->kind[i] = (struct kind){.component = component_of(all, counter->component),
                                     .info = counter->info};
        all->kinds++;
    }
    return i;
}

static bool stands_behind(const struct part *part, const struct part *before)
{
    return part->x != before->x   ? part->x > before->x
           : part->y != before->y ? part->y > before->y
                                  : part->instance > before->instance;
}

static void add_part(struct counters *all, struct component *component,
                     const struct machine_counter *counter)
{
    struct part *grown =
        grow(component->part, &component->room, component->parts, sizeof *component->part);
    if (grown == NULL) {
        all->failed = true;
        return;
    }
    const struct part part = {counter->x, counter->y, counter->instance};
    CHECK(component->parts == 0 || stands_behind(&part, &grown[component->parts - 1]),
          "the machine's parts are not in order");
    component->part = grown;
    component->part[component->parts++] = part;
}

static void add_counted(struct counters *all, const struct counted *counted)
{
    struct counted *grown = grow(all->counted, &all->room, all->count, sizeof *all->counted);
    if (grown == NULL) {
        all->failed = true;
        return;
    }
    all->counted = grown;
    all->counted[all->count++] = *counted;
    all->kind[counted->kind].counted++;
}

static void take(void *context, const struct machine_counter *counter)
{
    struct counters *all = context;
    if (all->failed) {
        return;
    }
    const size_t kind = kind_of(all, counter);
    struct component *component = &all->component[all->kind[kind].component];
    all->last = kind;
    if (kind == component->first_kind) {
        add_part(all, component, counter);
    }
    if (counter->value != 0) {
        const struct counted counted = {(uint32_t)kind, (uint32_t)(component->parts - 1),
                                        counter->value};
        add_counted(all, &counted);
    }
}

/* ---- the order of names ---- */

struct named {
    const char *component, *name;
    size_t kind;
};

static int by_name(const void *a, const void *b)
{
    const struct named *first = a;
    const struct named *second = b;
    const int order = strcmp(first->component, second->component);
    return order != 0 ? order : strcmp(first->name, second->name);
}

/* Of one kind those that count are in order already. */
static bool sort(struct counters *all, struct named *order)
{
    size_t next = 0;
    for (size_t i = 0; i < all->kinds; i++) {
        order[i] =
            (struct named){all->component[all->kind[i].component].name, all->kind[i].info->name, i};
    }
    qsort(order, all->kinds, sizeof *order, by_name);
    for (size_t i = 0; i < all->kinds; i++) {
        struct kind *kind = &all->kind[order[i].kind];
        kind->next = next;
        next += kind->counted;
    }
    all->in_order = calloc(all->count + 1, sizeof *all->in_order);
    for (size_t i = 0; i < all->count && all->in_order != NULL; i++) {
        all->in_order[all->kind[all->counted[i].kind].next++] = all->counted[i];
    }
    return all->in_order != NULL;
}

/* ---- the lines that are hashed: "component name x y instance value" ---- */

enum { LINE_CHARS = 160, LINES_CHARS = 4096 };

struct lines {
    struct sha256 *hash;
    size_t used;
    char text[LINES_CHARS];
};

static char *put_number(char *at, uint64_t value)
{
    char digit[20];
    size_t digits = 0;
    do {
        digit[digits++] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    while (digits > 0) {
        *at++ = digit[--digits];
    }
    return at;
}

static void flush(struct lines *lines)
{
    sha256_update(lines->hash, lines->text, lines->used);
    lines->used = 0;
}

static void put_line(struct lines *lines, const char *name, size_t length, const struct part *part,
                     uint64_t value)
{
    if (lines->used + LINE_CHARS > LINES_CHARS) {
        flush(lines);
    }
    char *at = lines->text + lines->used;
    memcpy(at, name, length);
    at = put_number(at + length, part->x);
    *at++ = ' ';
    at = put_number(at, part->y);
    *at++ = ' ';
    if (part->instance < 0) {
        *at++ = '-';
    }
    at = put_number(at, (uint64_t)abs(part->instance));
    *at++ = ' ';
    at = put_number(at, value);
    *at++ = '\n';
    lines->used = (size_t)(at - lines->text);
}

/* ---- all of them ---- */

/* The counters of one kind, into the outcome and the lines. */
static void give_kind(struct counters *all, const struct named *named, bool zeros,
                      struct outcome *outcome, struct lines *lines)
{
    enum { NUMBERS = 48 }; /* room for them in a line */
    const struct kind *kind = &all->kind[named->kind];
    const struct component *component = &all->component[kind->component];
    const struct counted *counted = &all->in_order[kind->next - kind->counted];
    const struct counted *end = counted + kind->counted;
    char name[LINE_CHARS - NUMBERS];
    const int length = snprintf(name, sizeof name, "%s %s ", named->component, named->name);
    CHECK((size_t)length < sizeof name, "a counter's name is longer than a line");
    for (size_t p = 0; p < component->parts; p++) {
        const struct part *part = &component->part[p];
        const uint64_t value = counted < end && counted->part == p ? (counted++)->value : 0;
        put_line(lines, name, (size_t)length, part, value);
        if (value != 0 || zeros) {
            struct outcome_counter *to = &outcome->counter[outcome->counter_count++];
            *to = (struct outcome_counter){.x = part->x,
                                           .y = part->y,
                                           .instance = part->instance,
                                           .info = kind->info,
                                           .value = value};
            (void)snprintf(to->component, sizeof to->component, "%s", named->component);
        }
    }
}

static size_t rows_of(const struct counters *all, bool zeros)
{
    size_t rows = all->count;
    for (size_t i = 0; i < all->kinds && zeros; i++) {
        rows += all->component[all->kind[i].component].parts - all->kind[i].counted;
    }
    return rows;
}

static void counters_deinit(struct counters *all)
{
    for (size_t i = 0; i < all->components; i++) {
        free(all->component[i].part);
    }
    free(all->counted);
    free(all->in_order);
}

enum status counters_take(const struct machine *machine, bool zeros, struct outcome *outcome,
                          struct sha256 *hash, struct diagnostic *diagnostic)
{
    RELEASED(counters_deinit) struct counters all = {.last = KINDS_MAX};
    struct named order[KINDS_MAX];
    struct lines lines = {.hash = hash};
    machine_each_counter(machine, take, &all);
    if (all.failed || !sort(&all, order)) {
        return no_memory(diagnostic);
    }
    outcome->counter = calloc(rows_of(&all, zeros) + 1, sizeof *outcome->counter);
    if (outcome->counter == NULL) {
        return no_memory(diagnostic);
    }
    for (size_t i = 0; i < all.kinds; i++) {
        give_kind(&all, &order[i], zeros, outcome, &lines);
    }
    flush(&lines);
    return STATUS_OK;
}
