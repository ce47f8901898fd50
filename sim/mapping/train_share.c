/* train_share.c - see train_share.h.  Words go one by one to the member that would have ended
 * first; of equal members to the first. */
#include "sim/mapping/train_share.h"

#include "models/common/check.h"

#include <string.h>

/* Members on a member's ring; they send in turns. */
static uint32_t on_ring(const struct train_load *load, uint32_t member)
{
    return (load->members + load->rings - 1 - member % load->rings) / load->rings;
}

/* When a member ends that sends so many words. */
static uint64_t end_of(const struct train_load *load, uint32_t member, uint32_t words)
{
    return (uint64_t)words * on_ring(load, member);
}

/* The member of a mask that ends first with `more` words; load->members: none. */
static uint32_t first_to_end(const struct train_load *load, uint32_t mask, uint32_t more)
{
    uint32_t first = load->members;
    uint64_t least = UINT64_MAX;
    for (uint32_t m = 0; m < load->members; m++) {
        const uint64_t end = end_of(load, m, load->words[m] + more);
        if ((mask >> m & 1) != 0 && end < least) {
            least = end;
            first = m;
        }
    }
    return first;
}

void train_share_units(struct train_load *load, uint32_t units, uint32_t unit_words,
                       uint32_t *count)
{
    const uint32_t rings = load->rings < load->members ? load->rings : load->members;
    uint32_t open = (1u << load->members) - 1; /* members that may have one more */
    CHECK(load->members > 0 && load->members <= NN_TRAIN_MEMBERS, "a group's members");
    memset(count, 0, load->members * sizeof *count);
    for (uint32_t u = 0; u < units; u++) {
        const uint32_t m = first_to_end(load, open, unit_words);
        const uint32_t parts = rings * on_ring(load, m);
        load->words[m] += unit_words;
        count[m]++;
        open &= ~(count[m] >= (units + parts - 1) / parts ? 1u << m : 0);
    }
}

void train_share_block(struct train_load *load, uint32_t twins, uint32_t words, uint32_t *count)
{
    enum { PAIR = 2 };
    CHECK(load->members > 0 && load->members <= NN_TRAIN_MEMBERS, "a group's members");
    memset(count, 0, load->members * sizeof *count);
    for (uint32_t w = 0; w < words && twins != 0; w += PAIR) {
        const uint32_t m = first_to_end(load, twins, PAIR);
        load->words[m] += PAIR;
        count[m] += PAIR;
    }
}
