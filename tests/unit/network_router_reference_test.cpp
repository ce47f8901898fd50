/* A second router, written from the rules alone and with nothing of the first but its interface:
 * both must agree on a million packets over 1,024 random entries. */
#include "tests/unit/network_router_fixture.h"

#include <array>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace
{

/* A plain packet: fields, no control byte. */
struct plain {
    unsigned type, emergency, time, nn_route, arrival;
    bool peek_poke, payload;
    uint32_t key;
};

/* What became of it: outputs with the emergency type each copy carries, and those that lost theirs.
 */
struct outcome {
    std::map<unsigned, unsigned> copies;
    std::set<unsigned> lost;
    bool dropped = false, error = false, peek = false, poke = false;
};

struct reference {
    std::vector<std::array<uint32_t, 3>> entries; /* route, key, mask */
    std::vector<unsigned> p2p;
    uint32_t diversion = 0, fixed = 0;
    unsigned time = 0, monitor = 0;
    bool diverts = false; /* wait2 is not 0 */
    /* counters */
    uint64_t by_default = 0, dropped = 0, lost = 0, overflow = 0, errors = 0, sent = 0, round = 0;
    bool seen = false;

    std::set<unsigned> outputs_of(uint32_t word) const
    {
        std::set<unsigned> outputs;
        for (unsigned bit = 0; bit < 24; bit++) {
            if (word & (1u << bit)) {
                outputs.insert(bit);
            }
        }
        return outputs;
    }

    /* Multicast by the table; `gone`: not even a dump. */
    std::set<unsigned> by_table(const plain &p, bool *drop)
    {
        for (const auto &entry : entries) {
            if ((p.key & entry[2]) == entry[1]) {
                return outputs_of(entry[0]);
            }
        }
        if (p.arrival > 5) {
            *drop = true;
            return {};
        }
        by_default++;
        switch (diversion >> 2 * p.arrival & 3) {
        case 1:
        case 3:
            return {6 + monitor};
        case 2:
            return {};
        default:
            return {(p.arrival + (p.emergency == 3 ? 2 : 3)) % 6};
        }
    }

    using outputs = std::map<unsigned, unsigned>; /* output: emergency type */

    /* Of multicast and fixed-route packets. */
    outputs by_route(const plain &p, bool *drop)
    {
        outputs wanted;
        const unsigned emergency = p.arrival <= 5 ? p.emergency : 0;
        if (emergency != 2) {
            for (const unsigned output : p.type == 3 ? outputs_of(fixed) : by_table(p, drop)) {
                wanted[output] = 0;
            }
        }
        if (emergency == 1 || emergency == 2) {
            wanted[(p.arrival + 5) % 6] = 3;
        }
        return wanted;
    }

    /* Of nearest-neighbour packets from this chip's cores. */
    outputs to_neighbours(const plain &p) const
    {
        outputs wanted;
        if (p.nn_route == 7) {
            wanted[6 + monitor] = 0;
        }
        for (unsigned link = 0; link < 6; link++) {
            if (p.nn_route == link || (p.nn_route == 6 && (fixed >> (26 + link) & 1))) {
                wanted[link] = 0;
            }
        }
        return wanted;
    }

    outcome route(const plain &p, uint32_t free_outputs)
    {
        outcome out;
        outputs wanted;
        bool drop = false;
        const unsigned old[4] = {3, 2, 1, 0}; /* the phase two before, in the order 0 1 3 2 */
        if (p.type != 2 && p.arrival <= 5 && p.time == old[time]) {
            out.error = true;
            errors++;
            return out;
        }
        if (p.type == 0 || p.type == 3) {
            wanted = by_route(p, &drop);
        } else if (p.type == 1) {
            const unsigned to = p2p[p.key & 0xffff];
            drop = to == 6;
            if (!drop) {
                wanted[to == 7 ? 6 + monitor : to] = 0;
            }
        } else if (p.arrival > 5) {
            wanted = to_neighbours(p);
        } else if (p.peek_poke) {
            (p.payload ? out.poke : out.peek) = true;
            return out;
        } else {
            wanted[6 + monitor] = 0;
        }
        out.dropped = drop;
        settle(p, wanted, free_outputs, &out);
        if (out.dropped) {
            dropped++;
            overflow += seen;
            seen = true;
        }
        lost += out.lost.size();
        sent += out.copies.size();
        return out;
    }

    /* Outputs do not become free: what can go, goes in the end. */
    void settle(const plain &p, const outputs &wanted, uint32_t free_outputs, outcome *out)
    {
        const auto is_free = [&](unsigned output) { return (free_outputs >> output & 1) != 0; };
        for (const auto &[output, emergency] : wanted) {
            if (is_free(output)) {
                out->copies[output] = emergency;
            }
        }
        for (const auto &[output, emergency] : wanted) {
            if (is_free(output)) {
                continue;
            }
            const unsigned way = (output + 5) % 6;
            const auto taken = wanted.find(way);
            if (output < 6 && diverts && p.type != 2 && is_free(way) &&
                (taken == wanted.end() || taken->second != 3)) {
                round++;
                if (p.type == 1) {
                    out->copies[way] = 0;
                } else {
                    out->copies[way] = taken == wanted.end() ? 2 : 1;
                }
            } else {
                out->lost.insert(output);
                out->dropped = true;
            }
        }
    }
};

class RouterReference : public RouterFixture
{
  protected:
    uint32_t draw()
    {
        return static_cast<uint32_t>(random_());
    }

    /* Entries that overlap, with some 1 in 8 that never match; keys from a small set. */
    void set_tables()
    {
        reference_.entries.resize(1024);
        for (unsigned i = 0; i < 1024; i++) {
            const uint32_t mask = 0xffff0000 | draw() | draw();
            const uint32_t key = i % 8 == 0 ? draw() : (draw() & 0x3fff & mask);
            const uint32_t route = draw() & draw() & draw() & 0xffffff;
            entry(i, route, key, mask);
            reference_.entries[i] = {route, key, mask};
        }
        reference_.p2p.resize(65536);
        for (unsigned word = 0; word < 8192; word++) {
            const uint32_t value = draw() & 0xffffff;
            write(P2P_WORD + 4 * word, value);
            for (unsigned i = 0; i < 8; i++) {
                reference_.p2p[8 * word + i] = value >> 3 * i & 7;
            }
        }
    }

    void set_registers()
    {
        reference_.diversion = draw() & draw() & 0xfff;
        reference_.fixed = (draw() << 26) | (draw() & draw() & 0xffffff);
        reference_.time = draw() & 3;
        reference_.monitor = draw() % 18;
        reference_.diverts = draw() % 2 != 0;
        write(DIVERSION, reference_.diversion);
        write(FIXED_ROUTE, reference_.fixed);
        write(R0, (reference_.diverts ? 0x01000000 : 0) | reference_.monitor << 8 |
                      reference_.time << 6 | 1);
    }

    plain draw_packet()
    {
        plain p = {};
        const unsigned kind = draw() % 8;
        p.type = kind < 5 ? 0 : kind - 4;
        p.emergency = draw() % 4 == 0 ? draw() % 4 : 0;
        p.time = draw() % 8 == 0 ? draw() % 4 : reference_.time;
        p.nn_route = draw() % 8;
        p.arrival = draw() % 7;
        p.arrival = p.arrival == 6 ? 7 : p.arrival;
        p.peek_poke = draw() % 2 != 0;
        p.payload = draw() % 2 != 0;
        p.key = p.type == 1 ? draw() & 0xffff : draw() & 0x7fff;
        return p;
    }

    static packet on_wire(const plain &p)
    {
        unsigned middle = p.emergency << 4 | p.time << 2;
        if (p.type == 2) {
            middle = (p.peek_poke ? 0x20u : 0u) | p.nn_route << 2;
        }
        return make(p.type << 6 | middle | (p.payload ? 2u : 0u), p.key, p.arrival);
    }

    outcome of_router(const plain &p, uint32_t free_outputs)
    {
        outcome out;
        const uint64_t errors = counters().errors;
        EXPECT_TRUE(offer(on_wire(p), router_accept_ps(router_.get())));
        out.error = counters().errors != errors;
        if (out.error) {
            return out;
        }
        bool left = false;
        for (unsigned tries = 0; tries < 3 && !left; tries++) {
            left = step(next(), free_outputs);
        }
        EXPECT_TRUE(left);
        out.peek = event_.kind == ROUTER_EVENT_PEEK;
        out.poke = event_.kind == ROUTER_EVENT_POKE;
        out.dropped = event_.dropped;
        for (unsigned output = 0; output < 24; output++) {
            if (event_.outputs >> output & 1) {
                const packet copy = router_copy(&event_, output);
                out.copies[output] = p.type == 0 || p.type == 3 ? copy.control >> 4 & 3 : 0;
            }
            if (event_.dumped >> output & 1) {
                out.lost.insert(output);
            }
        }
        return out;
    }

    std::mt19937 random_{20};
    reference reference_;
};

TEST_F(RouterReference, AgreesOnAMillionPackets)
{
    set_tables();
    std::array<unsigned, 4> types = {};
    for (unsigned i = 0; i < 1000000; i++) {
        if (i % 500 == 0) {
            set_registers();
        }
        if (i % 1000 == 0) { /* the dumped packet is read */
            EXPECT_EQ(read(DUMP_STATUS) != 0, reference_.seen);
            reference_.seen = false;
        }
        const plain p = draw_packet();
        const uint32_t free_outputs = i % 3 == 0 ? draw() | draw() : ALL_FREE;
        const outcome expected = reference_.route(p, free_outputs);
        const outcome found = of_router(p, free_outputs);
        ASSERT_EQ(found.error, expected.error) << i;
        ASSERT_EQ(found.peek, expected.peek) << i;
        ASSERT_EQ(found.poke, expected.poke) << i;
        ASSERT_EQ(found.dropped, expected.dropped) << i << " type " << p.type;
        ASSERT_EQ(found.copies, expected.copies) << i << " type " << p.type;
        ASSERT_EQ(found.lost, expected.lost) << i;
        types[p.type]++;
    }
    const router_counters &found = counters();
    EXPECT_EQ(found.default_routed, reference_.by_default);
    EXPECT_EQ(found.errors, reference_.errors);
    EXPECT_EQ(found.dumped_mc + found.dumped_p2p + found.dumped_nn + found.dumped_fr,
              reference_.dropped);
    EXPECT_EQ(found.dumped_copies, reference_.lost);
    EXPECT_EQ(found.dumps_lost, reference_.overflow);
    EXPECT_EQ(found.link_copies + found.core_copies, reference_.sent);
    EXPECT_EQ(found.emergency, reference_.round);
    EXPECT_EQ(found.packets_mc + found.packets_p2p + found.packets_nn + found.packets_fr +
                  found.errors,
              1000000u);
    EXPECT_EQ(found.packets_nn, types[2]);
    /* None of the cases is rare. */
    EXPECT_GT(reference_.by_default, 100000u);
    EXPECT_GT(reference_.dropped, 50000u);
    EXPECT_GT(reference_.overflow, 10000u);
    EXPECT_GT(reference_.round, 10000u);
    EXPECT_GT(reference_.errors, 5000u);
}

} // namespace
