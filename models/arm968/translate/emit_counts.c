/* emit_counts.c - see emitter.h. */
#include "models/arm968/translate/emitter.h"

#include <inttypes.h>

struct emit_counts emit_counts_with(const struct emit_counts *owed, const struct edge *edge)
{
    struct emit_counts sum = *owed;
    sum.cycles += edge->cycles;
    block_counts_add(&sum.counts, &edge->counts);
    return sum;
}

struct emit_counts emit_counts_credit(const struct block_credit *credit)
{
    struct emit_counts counts = {.cycles = -(int64_t)credit->cycles};
    block_counts_subtract(&counts.counts, &credit->counts);
    return counts;
}

static void list_lanes(struct text *text, const uint16_t *lanes)
{
    text_add(text, "{");
    for (unsigned i = 0; i < LANES; i++) {
        text_add(text, "%u,", (unsigned)lanes[i]);
    }
    text_add(text, "}");
}

static bool has_any(const uint16_t *lanes)
{
    bool any = false;
    for (unsigned i = 0; i < LANES; i++) {
        any = any || lanes[i] != 0;
    }
    return any;
}

/* The lanes as a vector; false: all are zero. */
static bool add_vector(struct text *text, const uint16_t *lanes)
{
    const bool any = has_any(lanes);
    if (any) {
        text_add(text, "counts+=(lanes)");
        list_lanes(text, lanes);
    }
    return any;
}

void emit_counts_add_if(struct text *text, const struct emit_counts *counts, unsigned number)
{
    if (counts->cycles != 0) {
        text_add(text, "budget-=(s64)h%u*%" PRId64 ";", number, counts->cycles);
    }
    if (has_any(counts->counts.lanes)) {
        text_add(text, "{static const lanes table[2]={{0},");
        list_lanes(text, counts->counts.lanes);
        text_add(text, "};counts+=table[h%u];}", number);
    }
    if (counts->counts.literals != 0) {
        text_add(text, "literals+=h%u*%" PRId32 ";", number, (int32_t)counts->counts.literals);
    }
}

void emit_counts_add(struct text *text, const struct emit_counts *counts)
{
    if (counts->cycles != 0) {
        text_add(text, "budget-=%" PRId64 ";", counts->cycles);
    }
    if (add_vector(text, counts->counts.lanes)) {
        text_add(text, ";");
    }
    if (counts->counts.literals != 0) {
        text_add(text, "literals+=%" PRId32 ";", (int32_t)counts->counts.literals);
    }
}

void emit_counts_add_rounds(struct text *text, const struct emit_counts *round, int loop)
{
    text_add(text, "{u16 rounds=(u16)((u32)(b%d-budget)/%" PRId64 "u);", loop, round->cycles);
    if (add_vector(text, round->counts.lanes)) {
        text_add(text, "*rounds;");
    }
    text_add(text, "literals+=rounds*%" PRId32 ";b%d=budget;}", (int32_t)round->counts.literals,
             loop);
}
