/* vectors.c - see vectors.h. */
#include "sim/flat/vectors.h"

#include "models/arm968/arm968.h"
#include "sim/file.h"
#include "sim/steps.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
    CODE_BYTES = 8192,
    CODE_START = 0x1000,
    CODE_INSNS = 64, /* the vector's own, then NOPs */
    DATA_BASE = 0x400000,
    DATA_BYTES = 4096,
    DATA_WORDS = DATA_BYTES / 4,
    MAX_CODE = CODE_INSNS,
    MAX_STEPS = 1000, /* some rounds of a loop */
    MAX_WORDS = 256,
    LINE_BYTES = 1 << 16
};
#define DATA_FACTOR 2654435761u
#define NOP_ARM     0xe1a00000u /* MOV r0, r0 */
#define NOP_THUMB   0x46c0u     /* MOV r8, r8 */
#define CORE_ID     0x41059681u
#define CONTROL_TCM 0x00001074u /* TCMs on, low vectors, no alignment check */

struct memory_word {
    uint32_t address, value;
};

struct vector {
    char kind[16];
    bool thumb;
    uint32_t steps, code_count;
    uint32_t code[MAX_CODE];
    uint32_t cpsr_before, before[15];
    uint32_t seed, override_count;
    struct memory_word override[MAX_WORDS];
    uint32_t cpsr_after, after[16];
    uint32_t changed_count;
    struct memory_word changed[MAX_WORDS];
    uint32_t id;
};

/* Reads the words of a line; `wrong` is set once a word is missing or not a number. */
struct words {
    char *next;
    bool wrong;
};

static const char *take(struct words *words)
{
    char *word = strtok_r(NULL, " \t\r\n", &words->next);
    if (word == NULL) {
        words->wrong = true;
        return "0";
    }
    return word;
}

static uint32_t number(struct words *words)
{
    const char *word = take(words);
    char *rest;
    errno = 0;
    const unsigned long value = strtoul(word, &rest, 16);
    if (errno != 0 || *rest != '\0' || value > UINT32_MAX) {
        words->wrong = true;
    }
    return (uint32_t)value;
}

static void separator(struct words *words)
{
    if (strcmp(take(words), "|") != 0) {
        words->wrong = true;
    }
}

static uint32_t count(struct words *words, uint32_t most)
{
    const uint32_t value = number(words);
    if (value > most) {
        words->wrong = true;
        return 0;
    }
    return value;
}

static void numbers(struct words *words, uint32_t *values, uint32_t how_many)
{
    for (uint32_t i = 0; i < how_many; i++) {
        values[i] = number(words);
    }
}

static void memory_words(struct words *words, struct memory_word *list, uint32_t how_many)
{
    for (uint32_t i = 0; i < how_many; i++) {
        list[i].address = number(words);
        list[i].value = number(words);
    }
}

static bool parse(char *line, struct vector *vector)
{
    struct words words = {NULL, false};
    const char *mark = strtok_r(line, " \t\r\n", &words.next);
    if (mark == NULL || strcmp(mark, "V") != 0) {
        return false;
    }
    vector->id = number(&words);
    (void)snprintf(vector->kind, sizeof vector->kind, "%s", take(&words));
    vector->thumb = strcmp(take(&words), "T") == 0;
    vector->steps = count(&words, MAX_STEPS);
    vector->code_count = count(&words, MAX_CODE);
    numbers(&words, vector->code, vector->code_count);
    separator(&words);
    vector->cpsr_before = number(&words);
    numbers(&words, vector->before, 15);
    separator(&words);
    vector->seed = number(&words);
    vector->override_count = count(&words, MAX_WORDS);
    memory_words(&words, vector->override, vector->override_count);
    separator(&words);
    vector->cpsr_after = number(&words);
    numbers(&words, vector->after, 16);
    separator(&words);
    vector->changed_count = count(&words, MAX_WORDS);
    memory_words(&words, vector->changed, vector->changed_count);
    return !words.wrong;
}

struct bench {
    struct arm968 *cpu;
    uint8_t code[CODE_BYTES];
    uint32_t data[DATA_WORDS];
};

static void put_code(struct bench *bench, const struct vector *vector)
{
    memset(bench->code, 0, sizeof bench->code);
    uint32_t address = CODE_START;
    for (uint32_t i = 0; i < CODE_INSNS; i++) {
        uint32_t word = vector->thumb ? NOP_THUMB : NOP_ARM;
        if (i < vector->code_count) {
            word = vector->code[i];
        }
        memcpy(bench->code + address, &word, vector->thumb ? 2 : 4);
        address += vector->thumb ? 2 : 4;
    }
}

static void put_word(struct bench *bench, struct memory_word word)
{
    if (word.address - DATA_BASE < DATA_BYTES) {
        bench->data[(word.address - DATA_BASE) / 4] = word.value;
    } else if (word.address < CODE_BYTES) {
        memcpy(bench->code + (word.address & ~3u), &word.value, sizeof word.value);
    }
}

static void set_up(struct bench *bench, const struct vector *vector)
{
    put_code(bench, vector);
    for (uint32_t i = 0; i < DATA_WORDS; i++) {
        bench->data[i] = ((DATA_BASE + 4 * i) * DATA_FACTOR) ^ vector->seed;
    }
    for (uint32_t i = 0; i < vector->override_count; i++) {
        put_word(bench, vector->override[i]);
    }
    arm968_reset(bench->cpu); /* forgets the translations of the last vector */
    arm968_set_cpsr(bench->cpu, (vector->cpsr_before & ~0x20u) | (vector->thumb ? 0x20u : 0));
    for (unsigned i = 0; i < 15; i++) {
        arm968_set_register(bench->cpu, i, vector->before[i]);
    }
    arm968_set_register(bench->cpu, 15, CODE_START);
}

/* The expected data memory: the initial content with the changed words. */
static void expect_data(const struct bench *bench, const struct vector *vector,
                        uint32_t expected[DATA_WORDS])
{
    memcpy(expected, bench->data, sizeof bench->data);
    for (uint32_t i = 0; i < vector->changed_count; i++) {
        const uint32_t offset = vector->changed[i].address - DATA_BASE;
        if (offset < DATA_BYTES) {
            expected[offset / 4] = vector->changed[i].value;
        }
    }
}

static bool differs(FILE *report, const struct vector *vector, const char *what, uint32_t got,
                    uint32_t expected)
{
    if (got == expected) {
        return false;
    }
    if (report != NULL) {
        (void)fprintf(report, "vector %x (%s): %s is %08x, expected %08x\n", vector->id,
                      vector->kind, what, got, expected);
    }
    return true;
}

static bool compare(const struct bench *bench, const struct vector *vector,
                    const uint32_t expected[DATA_WORDS], FILE *report)
{
    bool wrong = differs(report, vector, "cpsr", arm968_cpsr(bench->cpu), vector->cpsr_after);
    for (unsigned i = 0; i < 16; i++) {
        char name[8];
        (void)snprintf(name, sizeof name, "r%u", i);
        wrong = differs(report, vector, name, arm968_register(bench->cpu, i), vector->after[i]) ||
                wrong;
    }
    for (uint32_t i = 0; i < DATA_WORDS; i++) {
        char name[24];
        (void)snprintf(name, sizeof name, "word 0x%x", DATA_BASE + 4 * i);
        wrong = differs(report, vector, name, bench->data[i], expected[i]) || wrong;
    }
    return !wrong;
}

static bool passes(struct bench *bench, const struct vector *vector, FILE *report)
{
    uint32_t expected[DATA_WORDS];
    set_up(bench, vector);
    expect_data(bench, vector, expected);
    for (uint32_t i = 0; i < vector->steps; i++) { /* a horizon one cycle away is one instruction */
        (void)arm968_run(bench->cpu, arm968_cycle(bench->cpu) + 1);
    }
    return compare(bench, vector, expected, report);
}

static enum status bad_line(const char *path, int line, struct diagnostic *diagnostic)
{
    (void)file_refuse(path,
                      "a vector is: V id kind A|T n ncode code.. | cpsr r0..r14 | seed nov {addr "
                      "val}.. | cpsr r0..r15 | nchanged {addr val}..",
                      diagnostic, "not a vector: a field is missing or no number");
    diagnostic_at(diagnostic, path, line, 0);
    return STATUS_CONFIGURATION;
}

static enum status run_lines(gzFile file, const char *path, struct bench *bench, FILE *report,
                             unsigned reported, struct vectors_result *result,
                             struct diagnostic *diagnostic)
{
    static const char COMMENT = '#';
    char *line = malloc(LINE_BYTES);
    struct vector *vector = malloc(sizeof *vector);
    enum status status = STATUS_OK;
    if (line == NULL || vector == NULL) {
        free(line);
        free(vector);
        return no_memory(diagnostic);
    }
    for (int number = 1; status == STATUS_OK && gzgets(file, line, LINE_BYTES) != NULL; number++) {
        if (line[0] == COMMENT || line[0] == '\n') {
            continue;
        }
        if (!parse(line, vector)) {
            status = bad_line(path, number, diagnostic);
        } else if (passes(bench, vector, result->failed < reported ? report : NULL)) {
            result->passed++;
        } else {
            result->failed++;
        }
    }
    int error = Z_OK;
    (void)gzerror(file, &error);
    if (status == STATUS_OK && error != Z_OK && error != Z_STREAM_END) {
        status = file_refuse(path, NULL, diagnostic, "the file is damaged or cut short");
    }
    free(vector);
    free(line);
    return status;
}

enum status vectors_run(const char *path, FILE *report, unsigned reported,
                        struct vectors_result *result, struct diagnostic *diagnostic)
{
    *result = (struct vectors_result){0};
    gzFile file = gzopen(path, "rb");
    if (file == NULL) {
        return file_cannot("read", path, diagnostic);
    }
    struct bench *bench = calloc(1, sizeof *bench);
    enum status status = STATUS_INTERNAL;
    if (bench != NULL) {
        const struct arm968_config config = {
            .timing = arm968_timing_default(),
            .code = {0, CODE_BYTES, bench->code},
            .data = {DATA_BASE, DATA_BYTES, (uint8_t *)bench->data},
            .id = CORE_ID,
            .reset_control = CONTROL_TCM};
        bench->cpu = arm968_create(&config);
        if (bench->cpu != NULL) {
            status = run_lines(file, path, bench, report, reported, result, diagnostic);
        }
        arm968_destroy(bench->cpu);
    }
    free(bench);
    (void)gzclose(file);
    return status;
}
