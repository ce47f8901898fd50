/* golden_answers.c - what a run has answered, as rows of a golden: console, predictions, scores,
 * weights, memory; and where its functions have spent their time. */
#include "sim/data/sha256.h"
#include "sim/results/golden_rows.h"
#include "sim/results/printable.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

enum {
    DIGEST_CHARS = 17, /* the first 64 bits */
    CONSOLE_LINES = 100,
    LINE_BYTES = 200,
    IMAGES = 50, /* of a row */
    FUNCTIONS = 64,
    FUNCTION_BYTES = 96
};

static void digest_text(struct sha256 *hash, char text[DIGEST_CHARS])
{
    uint8_t digest[SHA256_BYTES];
    char hex[SHA256_HEX_CHARS];
    sha256_final(hash, digest);
    sha256_hex(digest, hex);
    (void)snprintf(text, DIGEST_CHARS, "%.*s", DIGEST_CHARS - 1, hex);
}

static void digest_bytes(const void *bytes, size_t count, char text[DIGEST_CHARS])
{
    struct sha256 hash;
    sha256_init(&hash);
    sha256_update(&hash, bytes, count);
    digest_text(&hash, text);
}

static void copy_printable(char *to, size_t size, const char *from)
{
    char character[PRINTABLE_BYTES];
    size_t used = 0;
    to[0] = '\0';
    while (*from != '\0' && used + PRINTABLE_BYTES <= size) {
        from = printable_next(from, character);
        used += (size_t)snprintf(to + used, size - used, "%s", character);
    }
}

struct rows {
    struct golden *golden;
    const struct golden *asked;
};

/* Adds an answer, if it is held. */
__attribute__((format(printf, 3, 4))) static void add(const struct rows *rows, const char *value,
                                                      const char *name, ...)
{
    char text[GOLDEN_NAME_CHARS];
    va_list list;
    va_start(list, name);
    (void)vsnprintf(text, sizeof text, name, list);
    va_end(list);
    if (golden_holds(rows->asked, text)) {
        golden_add_text(rows->golden, text, value);
    }
}

/* ---- console ---- */

/* A line as it can stand in a table, in quotes, so that an empty one is a value. */
static void quote_line(const char *from, size_t bytes, char text[GOLDEN_VALUE_CHARS])
{
    char line[LINE_BYTES + 1];
    char shown[LINE_BYTES + 1];
    (void)snprintf(line, sizeof line, "%.*s", (int)(bytes < LINE_BYTES ? bytes : LINE_BYTES), from);
    copy_printable(shown, sizeof shown, line);
    (void)snprintf(text, GOLDEN_VALUE_CHARS, "'%s'", shown);
}

/* The first lines as they are, and a digest of all. */
static void add_console(const struct rows *rows, const struct outcome *outcome)
{
    char text[GOLDEN_VALUE_CHARS];
    const char *at = outcome->console;
    size_t left = outcome->console_bytes;
    if (left == 0) {
        return;
    }
    digest_bytes(at, left, text);
    add(rows, text, "answer console");
    for (unsigned line = 1; left > 0 && line <= CONSOLE_LINES; line++) {
        const char *end = memchr(at, '\n', left);
        const size_t bytes = end == NULL ? left : (size_t)(end - at);
        quote_line(at, bytes, text);
        add(rows, text, "answer console line %u", line);
        left -= end == NULL ? bytes : bytes + 1;
        at += bytes + 1;
    }
}

/* ---- images ---- */

static void add_images(const struct rows *rows, const struct outcome *outcome, uint32_t first,
                       uint32_t end)
{
    const struct nn_result *result = outcome->result;
    const size_t bytes = nn_result_bytes(outcome->classes) - offsetof(struct nn_result, logits);
    char text[GOLDEN_VALUE_CHARS] = "";
    size_t used = 0;
    struct sha256 hash;
    sha256_init(&hash);
    for (uint32_t i = first; i < end && used < sizeof text; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%" PRIu32,
                                 i == first ? "" : " ", result[i].label);
        sha256_update(&hash, result[i].logits, bytes);
    }
    add(rows, text, "answer predictions %" PRIu32 "-%" PRIu32, first, end - 1);
    digest_text(&hash, text);
    add(rows, text, "answer scores %" PRIu32 "-%" PRIu32, first, end - 1);
}

static void add_predictions(const struct rows *rows, const struct outcome *outcome)
{
    const uint32_t count =
        outcome->result == NULL ? 0 : outcome->result_count + outcome->validation_count;
    for (uint32_t first = 0; first < count; first += IMAGES) {
        add_images(rows, outcome, first, count - first < IMAGES ? count : first + IMAGES);
    }
}

/* ---- weights ---- */

struct weight_rows {
    const struct rows *rows;
    const struct job *job;
    const void *block;
};

static enum status add_part(void *context, const struct weights_part *part)
{
    const struct weight_rows *of = context;
    const size_t bytes = network_value_bytes(&of->job->network);
    char text[DIGEST_CHARS];
    digest_bytes((const uint8_t *)of->block + part->block_at * bytes, part->count * bytes, text);
    add(of->rows, text, "answer weights %s", part->name);
    return STATUS_OK;
}

/* Those that were trained or, without a training, those that the run was given. */
static void add_weights(const struct rows *rows, const struct record *record)
{
    const struct job *job = record->job;
    const void *trained = record->outcome->trained.block;
    struct weight_rows of = {rows, job, trained == NULL ? job->weights.block : trained};
    if (of.block == NULL) {
        return;
    }
    if (job->network.numbers != NETWORK_INT8) {
        (void)weights_each_part(&job->network, job->table, add_part, &of);
        return;
    }
    char text[DIGEST_CHARS];
    digest_bytes(of.block, weights_block_bytes(&job->network, job->table), text);
    add(rows, text, "answer weights of all layers");
}

/* ---- memory ---- */

static void add_memory(const struct rows *rows, const struct outcome_memory *memory)
{
    char text[GOLDEN_VALUE_CHARS] = "";
    size_t used = 0;
    for (unsigned i = 0; i < memory->count && used < sizeof text; i++) {
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%s%08" PRIx32 ":%08" PRIx32,
                             i == 0 ? "" : " ", memory->block[i].address, memory->block[i].digest);
    }
    if (memory->kind == OUTCOME_CORE_MEMORY) {
        add(rows, text, "answer memory %u %u core %" PRId32, memory->x, memory->y, memory->core);
    } else {
        add(rows, text, "answer memory %u %u %s", memory->x, memory->y,
            memory->kind == OUTCOME_SDRAM ? "SDRAM" : "System RAM");
    }
}

void golden_add_answers(struct golden *golden, const struct golden *asked,
                        const struct record *record)
{
    const struct rows rows = {golden, asked};
    const struct outcome *outcome = record->outcome;
    add_console(&rows, outcome);
    add_predictions(&rows, outcome);
    if (record->job->config->stage_count > 0) { /* several machines, one after the other */
        add(&rows, outcome->stats_hash, "answer stages");
        return;
    }
    if (record->job->has_network) {
        add_weights(&rows, record);
    }
    for (size_t i = 0; i < outcome->memory_count; i++) {
        add_memory(&rows, &outcome->memory[i]);
    }
}

/* ---- functions ---- */

struct function {
    char name[FUNCTION_BYTES]; /* cut off, if it is longer */
    uint64_t instructions, cycles;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct function *)a)->name, ((const struct function *)b)->name);
}

static int by_cycles(const void *a, const void *b)
{
    const struct function *first = a;
    const struct function *second = b;
    return first->cycles != second->cycles ? (first->cycles < second->cycles ? 1 : -1)
                                           : by_name(a, b);
}

/* Sums over roles and programs; returns the number of functions. */
static size_t sum_functions(const struct outcome *outcome, struct function *function)
{
    size_t count = 0;
    for (size_t i = 0; i < outcome->profile_count; i++) {
        const struct core_profile_row *row = &outcome->profile[i];
        char room[FUNCTION_NAME_CHARS];
        function[i].instructions = row->instructions;
        function[i].cycles = row->cycles;
        copy_printable(function[i].name, FUNCTION_BYTES, function_name(&row->range, room));
    }
    qsort(function, outcome->profile_count, sizeof *function, by_name);
    for (size_t i = 0; i < outcome->profile_count; i++) {
        if (count > 0 && by_name(&function[count - 1], &function[i]) == 0) {
            function[count - 1].instructions += function[i].instructions;
            function[count - 1].cycles += function[i].cycles;
        } else {
            function[count++] = function[i];
        }
    }
    return count;
}

/* The functions with most cycles; the rest of them explains little. */
void golden_add_functions(struct golden *golden, const struct record *record)
{
    const struct outcome *outcome = record->outcome;
    struct function *function = calloc(outcome->profile_count + 1, sizeof *function);
    if (function == NULL) {
        golden->incomplete = true;
        return;
    }
    const size_t count = sum_functions(outcome, function);
    qsort(function, count, sizeof *function, by_cycles);
    for (size_t i = 0; i < count && i < FUNCTIONS; i++) {
        char name[GOLDEN_NAME_CHARS];
        char value[GOLDEN_VALUE_CHARS];
        (void)snprintf(name, sizeof name, "function %s", function[i].name);
        (void)snprintf(value, sizeof value, "%" PRIu64 " %" PRIu64, function[i].instructions,
                       function[i].cycles);
        golden_add_text(golden, name, value);
    }
    free(function);
}
