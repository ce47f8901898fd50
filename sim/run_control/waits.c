/* waits.c - see waits.h. */
#include "sim/run_control/waits.h"

#include "models/common/compiler.h"
#include "sim/load/machine_load.h"
#include "sim/load/sark_layout.h"
#include "sim/steps.h"
#include "workloads/nn/wait_note.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { PC = 15, LR = 14 };

/* Names of the interrupt sources (SpiNNaker datasheet v2.02, 5.4). */
static const struct {
    unsigned source;
    const char *name;
} SOURCES[] = {
    {0, "watchdog"},
    {1, "software"},
    {4, "timer"},
    {5, "timer2"},
    {6, "packet"},
    {7, "parity_error"},
    {8, "framing_error"},
    {9, "transmitter_full"},
    {10, "overrun"},
    {11, "transmitter_empty"},
    {12, "dma"},
    {13, "dma_error"},
    {14, "dma_timeout"},
    {15, "router_counter"},
    {16, "router_dump"},
    {17, "router_error"},
    {18, "other_core"},
    {23, "transmitter"},
    {24, "multicast"},
    {25, "point_to_point"},
    {26, "nearest_neighbour"},
    {27, "fixed_route"},
};

struct text {
    char *at;
    size_t room;
};

static void add(struct text *text, const char *format, ...) PRINTF_LIKE(2, 3);
static void add(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text->at, text->room, format, arguments);
    va_end(arguments);
    const size_t used = length < 0 ? 0 : (size_t)length;
    const size_t step = used < text->room ? used : text->room - 1;
    text->at += step;
    text->room -= step;
}

static void name_sources(uint32_t sources, const char *between, struct text *text)
{
    const char *before = "";
    for (size_t i = 0; i < sizeof SOURCES / sizeof *SOURCES; i++) {
        if ((sources >> SOURCES[i].source & 1) != 0) {
            add(text, "%s%s", before, SOURCES[i].name);
            before = between;
        }
    }
}

/* ---- the core's own note ---- */

static bool read_words(const struct machine *machine, struct machine_core core, uint32_t address,
                       uint32_t *words, uint32_t count)
{
    return machine_read(machine, core, address, words, count * 4) == STATUS_OK;
}

struct wait_row {
    uint32_t key, mask, expected, arrived;
};

static void name_surplus(const struct wait_row *row, struct text *text)
{
    add(text, ", but %" PRIu32 " packets of key 0x%08" PRIx32 " came, not %" PRIu32, row->arrived,
        row->key, row->expected);
}

static bool was_lost(const struct outcome *outcome, const struct wait_row *row)
{
    for (size_t i = 0; i < outcome->drop_count; i++) {
        if ((outcome->drop[i].key & row->mask) == row->key) {
            return true;
        }
    }
    return false;
}

/* Result of reading a note. */
struct wait_finding {
    struct wait_row missing; /* first incomplete row; one with lost packets, if any */
    struct wait_row surplus; /* the first row that received too many packets */
    uint32_t round;
    unsigned rows; /* number of rows with missing packets */
    bool lost;     /* packets of `missing` were lost */
};

static void judge_row(const struct outcome *outcome, const struct wait_row *row,
                      struct wait_finding *finding)
{
    if (row->arrived > row->expected && finding->surplus.arrived == 0) {
        finding->surplus = *row;
    }
    if (row->arrived >= row->expected) {
        return;
    }
    const bool lost = !finding->lost && was_lost(outcome, row);
    if (finding->rows == 0 || lost) {
        finding->missing = *row;
    }
    finding->lost |= lost;
    finding->rows++;
}

/* Reads the note at the address in a core's block, if there is a valid one. */
static struct wait_finding read_note(const struct machine *machine, const struct outcome *outcome,
                                     struct machine_core core, uint32_t note)
{
    struct wait_finding finding = {.rows = 0};
    uint32_t head[3];
    if ((note & 3) != 0 || !read_words(machine, core, note, head, 3) || head[0] != NN_WAIT_MAGIC ||
        head[2] > NN_WAITS_MAX) {
        return finding;
    }
    finding.round = head[1];
    for (uint32_t i = 0; i < head[2]; i++) {
        uint32_t word[4];
        const uint32_t address = note + (uint32_t)(sizeof head + i * sizeof word);
        if (read_words(machine, core, address, word, 4)) {
            const struct wait_row row = {word[0], word[1], word[2], word[3]};
            judge_row(outcome, &row, &finding);
        }
    }
    return finding;
}

static void name_keys(const struct wait_finding *finding, struct text *text)
{
    const struct wait_row *row = &finding->missing;
    add(text,
        "key 0x%08" PRIx32 " mask 0x%08" PRIx32 ": %" PRIu32 " of %" PRIu32
        " came in round %" PRIu32,
        row->key, row->mask, row->arrived, row->expected, finding->round);
    if (finding->lost) {
        add(text, ", some were lost (drops.csv)");
    }
    if (finding->rows > 1) {
        add(text, ", and %u more key%s", finding->rows - 1, finding->rows == 2 ? "" : "s");
    }
}

/* ---- a barrier ---- */

/* Lists the cores that an application's barrier still waits for. */
static void name_missing(const struct machine *machine, struct machine_core core, uint8_t app_id,
                         struct text *text)
{
    const char *before = "the barrier, for core ";
    struct machine_core other = core;
    for (other.p = 0; other.p < SARK_CORES; other.p++) {
        if (other.p == core.p || !machine_has_core(machine, other)) {
            continue;
        }
        const struct program_state state = machine_program_state(machine, other);
        if (state.app_id == app_id && state.cpu_state != CPU_STATE_SYNC0) {
            add(text, "%s%u", before, other.p);
            before = ", ";
        }
    }
    if (before[0] != ',') {
        add(text, "the barrier, at which all are");
    }
}

/* ---- one core ---- */

static const char *state_name(enum machine_core_state state)
{
    static const char *const NAME[] = {"off", "running", "blocked", "asleep"};
    return NAME[state];
}

static void name_need(const struct machine *machine, struct machine_core core,
                      const struct program_state *state, const struct machine_core_view *view,
                      const struct wait_finding *finding, struct outcome_wait *wait)
{
    struct text text = {wait->waits_for, sizeof wait->waits_for};
    if (state->cpu_state == CPU_STATE_SYNC0) {
        name_missing(machine, core, state->app_id, &text);
    } else if (finding->rows > 0) {
        wait->rank = finding->lost ? WAIT_RANK_LOST_KEY : WAIT_RANK_KEY;
        wait->round = finding->round;
        name_keys(finding, &text);
    } else if (view->sends) {
        add(&text, "the router to take its packet with key 0x%08" PRIx32, view->sends_key);
    } else if (view->state == MACHINE_CORE_BLOCKED) {
        add(&text, "its access to 0x%08" PRIx32, view->access_address);
    } else if (view->state == MACHINE_CORE_ASLEEP && view->sources == 0) {
        add(&text, "nothing: it lets no interrupt in");
    } else if (view->state == MACHINE_CORE_ASLEEP) {
        name_sources(view->sources, " or ", &text);
        if (finding->surplus.arrived > 0) {
            name_surplus(&finding->surplus, &text);
        }
    }
}

static void name_symbol(const struct elf_image *image, const struct machine *machine,
                        struct machine_core core, struct outcome_wait *wait)
{
    const struct elf_symbol *at = elf_image_at(image, wait->pc);
    (void)snprintf(wait->symbol, sizeof wait->symbol, "%s", at == NULL ? "no symbol" : at->name);
    if (strcmp(wait->symbol, "cpu_wfi") == 0) { /* report the caller */
        const struct elf_symbol *caller =
            elf_image_at(image, machine_call_before(machine_core_register(machine, core, LR)));
        if (caller != NULL) {
            (void)snprintf(wait->symbol, sizeof wait->symbol, "%s", caller->name);
        }
    }
}

static void look_at(const struct waits_source *source, const struct outcome *outcome, size_t index,
                    const struct program_state *state, struct outcome_wait *wait)
{
    const struct machine_core core = outcome->core[index].core;
    const struct machine_core_view view = machine_core_view(source->machine, core);
    struct text sources = {wait->lets_in, sizeof wait->lets_in};
    wait->of = index;
    wait->rank = WAIT_RANK_OTHER;
    wait->pc = machine_core_register(source->machine, core, PC);
    name_sources(view.sources, " ", &sources);
    if (state->cpu_state == CPU_STATE_RTE) {
        wait->rank = WAIT_RANK_FAILED;
        wait->pc = state->error_pc;
        (void)snprintf(wait->state, sizeof wait->state, "error %u", state->rt_code);
    } else {
        (void)snprintf(wait->state, sizeof wait->state, "%s", state_name(view.state));
        const struct wait_finding finding = read_note(source->machine, outcome, core, state->user1);
        name_need(source->machine, core, state, &view, &finding, wait);
    }
    name_symbol(source->image_of(source->context, index), source->machine, core, wait);
}

enum status waits_take(const struct waits_source *source, struct outcome *outcome,
                       struct diagnostic *diagnostic)
{
    outcome->wait = calloc(outcome->core_count + 1, sizeof *outcome->wait);
    if (outcome->wait == NULL) {
        return no_memory(diagnostic);
    }
    for (size_t i = 0; i < outcome->core_count; i++) {
        const struct program_state state =
            machine_program_state(source->machine, outcome->core[i].core);
        const bool ended = outcome->core[i].service ? state.cpu_state != CPU_STATE_RTE
                                                    : state.cpu_state == CPU_STATE_EXIT;
        if (!ended) {
            look_at(source, outcome, i, &state, &outcome->wait[outcome->wait_count++]);
        }
    }
    return STATUS_OK;
}

const struct outcome_wait *waits_first(const struct outcome *outcome)
{
    const struct outcome_wait *first = NULL;
    for (size_t i = 0; i < outcome->wait_count; i++) {
        const struct outcome_wait *wait = &outcome->wait[i];
        if (first == NULL || wait->rank < first->rank ||
            (wait->rank == first->rank && wait->round < first->round)) {
            first = wait;
        }
    }
    return first;
}

void waits_print(const struct outcome *outcome, FILE *stream)
{
    enum { SHOWN = 10 };
    if (outcome->wait_count == 0) {
        return;
    }
    (void)fputs("core      role                  state     in                    waits for\n",
                stream);
    for (size_t i = 0; i < outcome->wait_count && i < SHOWN; i++) {
        const struct outcome_wait *wait = &outcome->wait[i];
        const struct outcome_core *core = &outcome->core[wait->of];
        char place[16];
        (void)snprintf(place, sizeof place, "%u,%u,%u", core->core.x, core->core.y, core->core.p);
        (void)fprintf(stream, "%-9s %-21s %-9s %-21s %s\n", place, core->role, wait->state,
                      wait->symbol, wait->waits_for);
    }
    if (outcome->wait_count > SHOWN) {
        (void)fprintf(stream, "and %zu more cores: waits.csv\n", outcome->wait_count - SHOWN);
    }
}
