/* exchange.c - see exchange.h. */
#include "sim/mapping/exchange.h"

static const struct exchange_kind *const TABLE[] = {
#define EXCHANGE(NAME, text, descriptor)     [EXCHANGE_ROW_##NAME] = &(descriptor),
#define DISTRIBUTION(NAME, text, descriptor) [EXCHANGE_ROW_##NAME] = &(descriptor),
#include "tables/mappings.def"
};

static const char *const TEXT[] = {
#define EXCHANGE(NAME, text, descriptor)     [EXCHANGE_ROW_##NAME] = text,
#define DISTRIBUTION(NAME, text, descriptor) [EXCHANGE_ROW_##NAME] = text,
#include "tables/mappings.def"
};

const struct exchange_kind *exchange_of(enum config_exchange exchange)
{
    return TABLE[exchange];
}

const struct exchange_kind *exchange_of_row(enum exchange_row row)
{
    return TABLE[row];
}

const char *exchange_row_text(enum exchange_row row)
{
    return TEXT[row];
}

enum exchange_row exchange_row_of(const struct sim_config *config)
{
    const int distributed = (int)config->train_distributed;
    return (enum exchange_row)(distributed == CONFIG_DISTRIBUTION_ALLREDUCE
                                   ? (int)config->train_exchange
                                   : EXCHANGE_LAST + distributed);
}

const struct exchange_kind *exchange_of_training(const struct sim_config *config)
{
    return TABLE[exchange_row_of(config)];
}

uint32_t exchange_data_bytes(const struct exchange_kind *exchange, size_t chips)
{
    return exchange->data_bytes == NULL ? 0 : exchange->data_bytes(chips);
}

uint32_t exchange_dtcm_bytes(const struct exchange_kind *exchange, size_t chips, uint32_t words)
{
    return exchange->dtcm_bytes == NULL ? 0 : exchange->dtcm_bytes(chips, words);
}

uint32_t exchange_data_bytes_most(size_t chips)
{
    uint32_t most = 0;
    for (size_t i = 0; i < EXCHANGE_COUNT; i++) {
        const uint32_t bytes = exchange_data_bytes(TABLE[i], chips);
        most = bytes > most ? bytes : most;
    }
    return most;
}
