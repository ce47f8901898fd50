/* suggestion.h - the known name that is nearest to a mistyped one. */
#pragma once
#include "models/common/c_linkage.h"
#include <stddef.h>
C_LINKAGE_BEGIN

struct suggestion {
    const char *word;
    const char *best; /* NULL until a candidate is near enough */
    size_t distance;  /* of it */
};

/* Insertions, deletions, replacements and swaps of neighbours between two words of up to 64
 * characters, upper and lower case counting as half equal; longer words are far from everything. */
size_t suggestion_distance(const char *a, const char *b);

/* Near enough: at most a third of the word, at least one character, is wrong.  Of equals the first.
 */
struct suggestion suggestion_begin(const char *word);
void suggestion_offer(struct suggestion *suggestion, const char *candidate);

C_LINKAGE_END
