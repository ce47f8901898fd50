/* exchange.h - the ways in which chips come to common parameters, as a table (rows.h): values of
 * train.exchange, each in a file exchange_NAME.c, and of train.distributed, in distribution_NAME.c.
 */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/config/config.h"
#include "sim/mapping/exchange_plans.h"
#include "workloads/nn/distribution_plan.h"
C_LINKAGE_BEGIN

struct exchange_owned {
    uint32_t first, count;
};

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

    /* Makes routes beside the edges of make().  NULL: none. */
    enum status (*route)(struct routing *routing, const struct exchange_request *request,
                         const struct exchange_chips *chips, struct diagnostic *diagnostic);

    /* The words of a core's array that it updates, by its plan and its chip's data.  NULL: those
     * of slice position + 1 on a ring. */
    struct exchange_owned (*owned)(const struct exchange_plan *plan,
                                   const struct distribution_plan *distribution);
    bool replicas; /* each chip has parameters and states of its own */

    /* DTCM bytes that a program allocates for it, given the number of words; NULL: none. */
    uint32_t (*dtcm_bytes)(size_t chips, uint32_t words);
};

#define EXCHANGE(NAME, text, descriptor)     extern const struct exchange_kind descriptor;
#define DISTRIBUTION(NAME, text, descriptor) extern const struct exchange_kind descriptor;
#include "tables/mappings.def"

/* Rows of both kinds, exchanges first. */
enum exchange_row {
#define EXCHANGE(NAME, text, descriptor) EXCHANGE_ROW_##NAME,
#define DISTRIBUTION(NAME, text, descriptor)
#include "tables/mappings.def"
    EXCHANGE_COUNT, /* number of exchanges */
    EXCHANGE_LAST = EXCHANGE_COUNT - 1,
#define EXCHANGE(NAME, text, descriptor)
#define DISTRIBUTION(NAME, text, descriptor) EXCHANGE_ROW_##NAME,
#include "tables/mappings.def"
    EXCHANGE_ROWS
};

const struct exchange_kind *exchange_of(enum config_exchange exchange);
const struct exchange_kind *exchange_of_row(enum exchange_row row);

/* The row of a training: of train.distributed, or with allreduce of train.exchange. */
enum exchange_row exchange_row_of(const struct sim_config *config);
const struct exchange_kind *exchange_of_training(const struct sim_config *config);

/* Its name: the value of the key. */
const char *exchange_row_text(enum exchange_row row);

/* These two are 0 where the exchange has no such data. */
uint32_t exchange_data_bytes(const struct exchange_kind *exchange, size_t chips);
uint32_t exchange_dtcm_bytes(const struct exchange_kind *exchange, size_t chips, uint32_t words);

/* Room for the data of any exchange. */
uint32_t exchange_data_bytes_most(size_t chips);

C_LINKAGE_END
