/* suggestion.c - see suggestion.h. */
#include "sim/config/suggestion.h"

#include <stdint.h>
#include <string.h>

enum { WORD_CHARS = 64 };

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Optimal string alignment; costs are doubled, so that a wrong case can cost 1. */
static size_t doubled_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t rows[3][WORD_CHARS + 1];
    for (size_t j = 0; j <= b_length; j++) {
        rows[0][j] = 2 * j;
    }
    for (size_t i = 1; i <= a_length; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3];
        const size_t *two_above = rows[(i + 1) % 3];
        row[0] = 2 * i;
        for (size_t j = 1; j <= b_length; j++) {
            const size_t wrong = a[i - 1] == b[j - 1]                 ? 0
                                 : lower(a[i - 1]) == lower(b[j - 1]) ? 1
                                                                      : 2;
            row[j] = least(above[j - 1] + wrong, least(above[j], row[j - 1]) + 2);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = least(row[j], two_above[j - 2] + 2);
            }
        }
    }
    return rows[a_length % 3][b_length];
}

size_t suggestion_distance(const char *a, const char *b)
{
    const size_t a_length = strlen(a);
    const size_t b_length = strlen(b);
    if (a_length > WORD_CHARS || b_length > WORD_CHARS) {
        return SIZE_MAX;
    }
    return (doubled_distance(a, a_length, b, b_length) + 1) / 2;
}

struct suggestion suggestion_begin(const char *word)
{
    const size_t allowed = strlen(word) / 3;
    return (struct suggestion){.word = word, .distance = (allowed < 1 ? 1 : allowed) + 1};
}

void suggestion_offer(struct suggestion *suggestion, const char *candidate)
{
    const size_t distance = suggestion_distance(suggestion->word, candidate);
    if (distance < suggestion->distance) {
        suggestion->distance = distance;
        suggestion->best = candidate;
    }
}

const char *suggestion_among(const char *word, const char *const *names)
{
    struct suggestion suggestion = suggestion_begin(word);
    for (; *names != NULL; names++) {
        if (**names != '\0') {
            suggestion_offer(&suggestion, *names);
        }
    }
    return suggestion.best;
}
