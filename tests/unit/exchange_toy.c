/* exchange_toy.c - an exchange for a test: over one ring alone, with a note for each chip that says
 * its place on the list. */
#include "sim/mapping/exchange.h"
#include "sim/mapping/rows.h"
#include "sim/steps.h"

#include <stdlib.h>

EXCHANGE(TOY, "toy", EXCHANGE_TOY)
PROGRAM(train_toy, MAPPING_GROUPS, TOY, "int16", "", "",
        "lenet/roles/train_group.c lenet/roles/circle.c lenet/roles/train_core.c "
        "exchange/exchange.c exchange/exchange_packets.S exchange/exchange_toy.c")

static enum status make(struct exchange_plans *plans, const struct exchange_request *request,
                        const struct exchange_chips *chips, struct diagnostic *diagnostic)
{
    struct exchange_chips one_ring = *chips;
    one_ring.rings_most = 1;
    plans->data.of_chip = sizeof(uint32_t);
    plans->data.bytes = calloc(chips->count, plans->data.of_chip);
    if (plans->data.bytes == NULL) {
        return no_memory(diagnostic);
    }
    for (size_t i = 0; i < chips->count; i++) {
        plans->data.bytes[i * sizeof(uint32_t)] = (uint8_t)(i + 1);
    }
    return EXCHANGE_ON_RINGS.make(plans, request, &one_ring, diagnostic);
}

static uint32_t data_bytes(size_t chips)
{
    (void)chips;
    return sizeof(uint32_t);
}

static uint32_t dtcm_bytes(size_t chips, uint32_t words)
{
    (void)chips;
    return 4 * words;
}

const struct exchange_kind EXCHANGE_TOY = {
    .text = " with toys",
    .make = make,
    .data_bytes = data_bytes,
    .dtcm_bytes = dtcm_bytes,
};
