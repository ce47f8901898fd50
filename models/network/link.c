/* link.c - see link.h. */
#include "models/network/link.h"

#include "models/common/check.h"
#include "models/common/units.h"

#include <string.h>

#define COUNTER_PART link
#define COUNTER_ROWS "models/network/link_counters.def"
#include "models/common/counter_table.inc"

void link_tx_init(struct link_tx *tx, unsigned buffer)
{
    CHECK(buffer <= LINK_BUFFER_MAX, "a link's buffer is too large");
    memset(tx, 0, sizeof *tx);
    tx->credits = (uint8_t)buffer;
}

void link_tx_put(struct link_tx *tx, const struct packet *packet, uint64_t now_ps)
{
    CHECK(!tx->full, "a packet for a full transmitter");
    tx->packet = *packet;
    tx->full = true;
    tx->since_ps = now_ps;
}

void link_tx_switch(struct link_tx *tx, bool off, uint64_t now_ps)
{
    tx->on_ps = tx->off && !off ? now_ps : tx->on_ps;
    tx->off = off;
}

void link_tx_reset(struct link_tx *tx)
{
    tx->full = false;
}

static void use_credit(struct link_tx *tx)
{
    tx->credits--;
    tx->first = (uint8_t)((tx->first + 1) % LINK_BUFFER_MAX);
}

uint64_t link_tx_begin(struct link_tx *tx, const struct link_rate *rate, uint64_t now_ps)
{
    const uint64_t time_ps = packet_has_payload(&tx->packet) ? rate->long_ps : rate->short_ps;
    tx->counters.blocked_ps += now_ps - link_tx_ready_ps(tx);
    use_credit(tx);
    tx->full = false;
    tx->done_ps = now_ps + time_ps;
    tx->counters.packets++;
    tx->counters.bits += packet_bits(&tx->packet);
    tx->counters.busy_ps += time_ps;
    return tx->done_ps + rate->latency_ps;
}

void link_tx_credit(struct link_tx *tx, uint64_t time_ps)
{
    CHECK(tx->credits < LINK_BUFFER_MAX, "more credits than places");
    tx->credit_ps[(tx->first + tx->credits++) % LINK_BUFFER_MAX] = time_ps;
}

void link_rx_put(struct link_rx *rx, const struct packet *packet, uint64_t arrival_ps)
{
    CHECK(rx->count < LINK_BUFFER_MAX, "a packet without a credit");
    rx->place[rx->count++] = (struct link_place){*packet, arrival_ps};
}

void link_rx_switch(struct link_rx *rx, bool off, uint64_t now_ps)
{
    rx->on_ps = rx->off && !off ? now_ps : rx->on_ps;
    rx->off = off;
}

unsigned link_rx_reset(struct link_rx *rx, uint64_t now_ps)
{
    unsigned lost = 0;
    while (lost < rx->count && rx->place[lost].arrival_ps <= now_ps) {
        lost++;
    }
    rx->count -= lost;
    memmove(&rx->place[0], &rx->place[lost], rx->count * sizeof rx->place[0]);
    return lost;
}

struct packet link_rx_take(struct link_rx *rx)
{
    CHECK(rx->count > 0, "no packet to take");
    const struct packet first = rx->place[0].packet;
    if (--rx->count > 0) {
        memmove(&rx->place[0], &rx->place[1], rx->count * sizeof rx->place[0]);
    }
    return first;
}
