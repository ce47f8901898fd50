/* compare_answers.c - see compare_answers.h. */
#include "sim/experiment/compare_answers.h"

#include "models/common/memory.h"
#include "sim/grow.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A row in both goldens; a text is "" where a golden has no such row. */
struct pair {
    const char *kind; /* of ANSWERS */
    const char *rest; /* the name behind the kind */
    const char *golden, *now;
    bool other_programs;
};

/* A kind of answers: how the names of its rows begin, behind "answer ", and how to say what of two
 * rows differs. */
struct answer_kind {
    const char *name;
    void (*compare)(struct golden_comparison *comparison, const struct pair *pair);
};

static void add(struct golden_comparison *comparison, const struct pair *pair, const char *what,
                const char *golden, const char *now)
{
    struct golden_answer *grown =
        grow(comparison->answer, &comparison->answer_room, comparison->answer_count, sizeof *grown);
    memory_need(grown);
    comparison->answer = grown;
    struct golden_answer *answer = &grown[comparison->answer_count++];
    answer->kind = pair->kind;
    (void)snprintf(answer->what, sizeof answer->what, "%s", what);
    (void)snprintf(answer->golden, sizeof answer->golden, "%s", golden);
    (void)snprintf(answer->now, sizeof answer->now, "%s", now);
}

/* ---- kinds ---- */

/* The digest of all differs with any line: it has something to say only if no line has. */
static void compare_console(struct golden_comparison *comparison, const struct pair *pair)
{
    char what[GOLDEN_NAME_CHARS];
    (void)snprintf(what, sizeof what, "console%s", pair->rest);
    if (pair->rest[0] == '\0') {
        add(comparison, pair, what, "", "");
        return;
    }
    struct golden_answer *before =
        comparison->answer_count == 0 ? NULL : &comparison->answer[comparison->answer_count - 1];
    if (before != NULL && strcmp(before->what, "console") == 0) {
        comparison->answer_count--;
    }
    add(comparison, pair, what, pair->golden, pair->now);
}

/* The next of the words of a row, "" when there is none; returns what is behind it. */
static const char *next_word(const char *text, char word[GOLDEN_VALUE_CHARS])
{
    const size_t length = strcspn(text, " ");
    (void)snprintf(word, GOLDEN_VALUE_CHARS, "%.*s", (int)length, text);
    return text + length + (text[length] == ' ');
}

/* " 50-99": words from image 50 on. */
static void compare_predictions(struct golden_comparison *comparison, const struct pair *pair)
{
    const char *golden = pair->golden;
    const char *now = pair->now;
    for (unsigned long image = strtoul(pair->rest, NULL, 10); *golden != '\0' || *now != '\0';
         image++) {
        char then[GOLDEN_VALUE_CHARS];
        char today[GOLDEN_VALUE_CHARS];
        char what[GOLDEN_NAME_CHARS];
        golden = next_word(golden, then);
        now = next_word(now, today);
        if (strcmp(then, today) != 0) {
            (void)snprintf(what, sizeof what, "prediction of image %lu", image);
            add(comparison, pair, what, then, today);
        }
    }
}

static void compare_scores(struct golden_comparison *comparison, const struct pair *pair)
{
    char what[GOLDEN_NAME_CHARS];
    (void)snprintf(what, sizeof what, "scores of images%s", pair->rest);
    add(comparison, pair, what, "", "");
}

static void compare_weights(struct golden_comparison *comparison, const struct pair *pair)
{
    char what[GOLDEN_NAME_CHARS];
    (void)snprintf(what, sizeof what, "weights%s", pair->rest);
    add(comparison, pair, what, "", "");
}

/* "ADDRESS:DIGEST": the address. */
static unsigned long address_of(const char *word)
{
    enum { HEXADECIMAL = 16 };
    return word[0] == '\0' ? ULONG_MAX : strtoul(word, NULL, HEXADECIMAL);
}

/* " 0 0 core 3": blocks in order of address, of which either golden may have some that the other
 * has not.  Says the first that differs. */
static void compare_memory(struct golden_comparison *comparison, const struct pair *pair)
{
    const char *golden = pair->golden;
    const char *now = pair->now;
    char *rest;
    const unsigned long x = strtoul(pair->rest, &rest, 10);
    const unsigned long y = strtoul(rest, &rest, 10);
    while (*golden != '\0' || *now != '\0') {
        char then[GOLDEN_VALUE_CHARS];
        char today[GOLDEN_VALUE_CHARS];
        char what[GOLDEN_NAME_CHARS];
        const char *golden_rest = next_word(golden, then);
        const char *now_rest = next_word(now, today);
        const unsigned long then_at = address_of(then);
        const unsigned long today_at = address_of(today);
        const unsigned long at = then_at < today_at ? then_at : today_at;
        const bool is_code = at == 0 && strstr(pair->rest, "core") != NULL;
        if (strcmp(then, today) != 0 && !(is_code && pair->other_programs)) {
            (void)snprintf(what, sizeof what, "memory of chip (%lu,%lu)%.40s from 0x%08lx on", x, y,
                           rest, at);
            add(comparison, pair, what, "", "");
            return;
        }
        golden = then_at <= today_at ? golden_rest : golden;
        now = today_at <= then_at ? now_rest : now;
    }
}

static void compare_stages(struct golden_comparison *comparison, const struct pair *pair)
{
    add(comparison, pair, "what the stages' machines have counted and written", "", "");
}

/* Of another version of spinnsim. */
static void compare_others(struct golden_comparison *comparison, const struct pair *pair)
{
    add(comparison, pair, pair->rest, pair->golden, pair->now);
}

/* The last is any other. */
static const struct answer_kind KINDS[] = {
    {"console", compare_console}, {"predictions", compare_predictions}, {"scores", compare_scores},
    {"weights", compare_weights}, {"memory", compare_memory},           {"stages", compare_stages},
    {"", compare_others},
};

/* ---- rows ---- */

static void compare_row(struct golden_comparison *comparison, const char *name, const char *golden,
                        const char *now)
{
    const char *answer = strchr(name, ' ') + 1; /* behind "answer " */
    const struct answer_kind *kind = KINDS;
    while (strncmp(answer, kind->name, strlen(kind->name)) != 0) {
        kind++;
    }
    const struct pair pair = {kind->name[0] == '\0' ? "others" : kind->name,
                              answer + strlen(kind->name), golden == NULL ? "" : golden,
                              now == NULL ? "" : now, comparison->other_programs};
    kind->compare(comparison, &pair);
}

void golden_compare_answers(struct golden_comparison *comparison, const struct golden *golden,
                            const struct golden *now)
{
    size_t held = 0;
    for (size_t i = 0; i < golden->count; i++) {
        held += golden_is_answer(&golden->row[i]);
    }
    for (size_t i = 0; i < now->count; i++) {
        const struct golden_row *row = &now->row[i];
        if (golden_is_answer(row)) {
            comparison->answers++;
            const char *then = golden_value(golden, row->name);
            if (held > 0 && (then == NULL || strcmp(then, row->value) != 0)) {
                compare_row(comparison, row->name, then, row->value);
            }
        }
    }
    comparison->unheld = held == 0 && comparison->answers > 0;
    for (size_t i = 0; i < golden->count; i++) {
        const struct golden_row *row = &golden->row[i];
        if (golden_is_answer(row) && golden_value(now, row->name) == NULL) {
            compare_row(comparison, row->name, row->value, NULL);
        }
    }
}
