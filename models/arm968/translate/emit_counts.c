/* emit_counts.c - see emit_counts.h. */
#include "models/arm968/translate/emit_counts.h"

#include "models/arm968/translate/native.h"

#include <inttypes.h>

struct emit_counts emit_counts_with(const struct emit_counts *owed, const struct edge *edge)
{
    struct emit_counts sum = *owed;
    sum.cycles += edge->cycles;
    for (unsigned i = 0; i < LANES; i++) {
        sum.lanes[i] += edge->lanes[i];
    }
    return sum;
}

struct emit_counts emit_counts_credit(const struct block_credit *credit)
{
    struct emit_counts counts = {.cycles = -(int64_t)credit->cycles};
    for (unsigned i = 0; i < LANES; i++) {
        counts.lanes[i] = 0u - (uint32_t)credit->lanes[i];
    }
    return counts;
}

/* The native lanes as a vector; false: all are zero. */
static bool add_vector(struct text *text, const uint32_t *lanes)
{
    static const enum lane ORDER[] = {
#define LANE(lane) lane,
        NATIVE_LANES(LANE)
#undef LANE
    };
    bool any = false;
    for (unsigned i = 0; i < NATIVE_LANE_COUNT; i++) {
        any = any || lanes[ORDER[i]] != 0;
    }
    if (any) {
        text_add(text, "counts+=(lanes){");
        for (unsigned i = 0; i < NATIVE_LANE_COUNT; i++) {
            text_add(text, "%" PRIu32 ",", lanes[ORDER[i]] & 0xffffu);
        }
        text_add(text, "}");
    }
    return any;
}

void emit_counts_add(struct text *text, const struct emit_counts *counts)
{
    if (counts->cycles != 0) {
        text_add(text, "budget-=%" PRId64 ";", counts->cycles);
    }
    if (add_vector(text, counts->lanes)) {
        text_add(text, ";");
    }
    if (counts->lanes[LANE_ITCM_ACCESSES] != 0) {
        text_add(text, "literals+=%" PRId32 ";", (int32_t)counts->lanes[LANE_ITCM_ACCESSES]);
    }
}

void emit_counts_add_rounds(struct text *text, const struct emit_counts *round, int loop)
{
    text_add(text, "{u16 rounds=(u16)((u32)(b%d-budget)/%" PRId64 "u);", loop, round->cycles);
    if (add_vector(text, round->lanes)) {
        text_add(text, "*rounds;");
    }
    text_add(text, "literals+=rounds*%" PRId32 ";b%d=budget;}",
             (int32_t)round->lanes[LANE_ITCM_ACCESSES], loop);
}
