/* exchange.h - the ways in which chips add up their gradients, as a table (rows.h): values of
 * train.exchange, each in a file exchange_NAME.c. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/config/config.h"
#include "sim/mapping/exchange_plans.h"
C_LINKAGE_BEGIN

struct exchange_kind {
    const char *text; /* in messages about programs: " with trees" */
    bool on_rings;    /* carries pieces of unequal sizes; estimates are for it alone */

    /* Makes the cores' exchange plans and edges, and the data that it needs on each chip.
     * STATUS_CONFIGURATION when an array is too long, or when there are more chips or cores than
     * keys. */
    enum status (*make)(struct exchange_plans *plans, const struct exchange_request *request,
                        const struct exchange_chips *chips, struct diagnostic *diagnostic);

    /* Bytes of that data in a chip's SDRAM; NULL: none. */
    uint32_t (*data_bytes)(size_t chips);

    /* DTCM bytes that a program allocates for it, given the number of words; NULL: none. */
    uint32_t (*dtcm_bytes)(size_t chips, uint32_t words);
};

#define EXCHANGE(NAME, text, descriptor) extern const struct exchange_kind descriptor;
#include "tables/mappings.def"

enum {
    EXCHANGE_COUNT = 0 /* their number */
#define EXCHANGE(NAME, text, descriptor) +1
#include "tables/mappings.def"
};

const struct exchange_kind *exchange_of(enum config_exchange exchange);

/* These two are 0 where the exchange has no such data. */
uint32_t exchange_data_bytes(const struct exchange_kind *exchange, size_t chips);
uint32_t exchange_dtcm_bytes(const struct exchange_kind *exchange, size_t chips, uint32_t words);

/* Room for the data of any exchange. */
uint32_t exchange_data_bytes_most(size_t chips);

C_LINKAGE_END
