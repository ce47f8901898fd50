/* suggestion.h - the known name that is nearest to a mistyped one. */
#pragma once
#include "models/common/c_linkage.h"
#include <stddef.h>
C_LINKAGE_BEGIN

struct suggestion {
    const char *word;
    const char *best; /* NULL until a candidate is near enough */
    size_t distance;  /* of `best` from `word` */
};

/* Edit distance (insertions, deletions, replacements, swaps of neighbours) between two words of up
 * to 64 characters; a difference in case alone costs half.  Longer words are far from everything.
 */
size_t suggestion_distance(const char *a, const char *b);

/* A candidate is near enough when at most a third of the word, but at least one character, is
 * wrong.  Of equally near candidates the first wins. */
struct suggestion suggestion_begin(const char *word);
void suggestion_offer(struct suggestion *suggestion, const char *candidate);

/* The best of `names`, which NULL ends, but for empty ones; NULL: none is near enough. */
const char *suggestion_among(const char *word, const char *const *names);

C_LINKAGE_END
