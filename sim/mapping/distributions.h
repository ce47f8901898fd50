/* distributions.h - the plans of distributions (train.distributed): on all chips the cores of the
 * same number are ranks (collectives.h), and each has a struct distribution_plan in its chip's
 * SDRAM.  The files distribution_NAME.c are rows of the table (rows.h). */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/mapping/exchange.h"
C_LINKAGE_BEGIN

/* Callbacks of struct exchange_kind for all of them. */
enum status distribution_make(struct exchange_plans *plans, const struct exchange_request *request,
                              const struct exchange_chips *chips, struct diagnostic *diagnostic);
enum status distribution_route(struct routing *routing, const struct exchange_request *request,
                               const struct exchange_chips *chips, struct diagnostic *diagnostic);
uint32_t distribution_data_bytes(size_t chips);
uint32_t distribution_dtcm_bytes(size_t chips, uint32_t words);

/* Each core updates its whole slice. */
struct exchange_owned distribution_owns_all(const struct exchange_plan *plan,
                                            const struct distribution_plan *distribution);

/* The first chips update a part each. */
struct exchange_owned distribution_owns_part(const struct exchange_plan *plan,
                                             const struct distribution_plan *distribution);

C_LINKAGE_END
