#include "tests/unit/routing_fixture.h"

#include <gtest/gtest.h>

namespace routes
{

topology_request spin5()
{
    topology_request request = {};
    request.shape = TOPOLOGY_SPIN5;
    return request;
}

topology_request torus(uint32_t width, uint32_t height)
{
    topology_request request = {};
    request.shape = TOPOLOGY_TORUS;
    request.width = width;
    request.height = height;
    return request;
}

topology_request rectangle(uint32_t width, uint32_t height)
{
    topology_request request = torus(width, height);
    request.shape = TOPOLOGY_RECTANGLE;
    return request;
}

Chips::Chips(const topology_request &request)
{
    diagnostic why = {};
    EXPECT_EQ(topology_make(&topology_, &request, &why), STATUS_OK) << why.text;
}

Chips::~Chips()
{
    topology_deinit(&topology_);
}

machine_core Chips::draw(std::mt19937 &random) const
{
    for (;;) {
        const topology_chip &chip = topology_.chip[random() % topology_.count];
        const uint8_t p = static_cast<uint8_t>(random() % TOPOLOGY_CORES);
        if ((chip.cores >> p & 1) != 0) {
            return {chip.x, chip.y, p};
        }
    }
}

Edges &Edges::add(const std::string &name, machine_core source, std::vector<machine_core> targets,
                  uint32_t keys)
{
    names_.push_back(name);
    targets_.push_back(std::move(targets));
    routing_edge edge = {};
    edge.name = names_.back().c_str();
    edge.source = source;
    edge.target = targets_.back().data();
    edge.target_count = targets_.back().size();
    edge.keys = keys;
    edges_.push_back(edge);
    return *this;
}

Edges &Edges::fixed(const std::string &name, machine_core source, std::vector<machine_core> targets,
                    uint32_t key, uint32_t mask)
{
    add(name, source, std::move(targets), 0);
    edges_.back().fixed = true;
    edges_.back().key = key;
    edges_.back().mask = mask;
    return *this;
}

Edges random_edges(const Chips &chips, unsigned count, unsigned most, uint32_t keys, unsigned seed)
{
    std::mt19937 random(seed);
    Edges edges;
    for (unsigned i = 0; i < count; i++) {
        std::vector<machine_core> targets;
        for (unsigned n = 1 + random() % most; n > 0; n--) {
            targets.push_back(chips.draw(random));
        }
        edges.add("edge " + std::to_string(i), chips.draw(random), targets, keys);
    }
    return edges;
}

Routes make(const Chips &chips, const Edges &edges)
{
    Routes made(new routing());
    diagnostic why = {};
    EXPECT_EQ(routing_make(made.get(), chips.get(), edges.list().data(), edges.list().size(), &why),
              STATUS_OK)
        << why.text;
    return made;
}

diagnostic refused(const Chips &chips, const Edges &edges, status expected)
{
    routing made = {};
    diagnostic why = {};
    EXPECT_EQ(routing_make(&made, chips.get(), edges.list().data(), edges.list().size(), &why),
              expected);
    EXPECT_EQ(made.edge_count, 0u);
    EXPECT_EQ(made.edge, nullptr);
    return why;
}

/* Route of the first entry that matches; default routing (straight on) if none does; else 0. */
static uint32_t lookup(const routing &made, const topology_chip &chip, uint32_t key, int arrival)
{
    for (size_t t = 0; t < made.table_count; t++) {
        const routing_table &table = made.table[t];
        if (table.x != chip.x || table.y != chip.y) {
            continue;
        }
        for (size_t i = 0; i < table.count; i++) {
            if ((key & table.entry[i].mask) == table.entry[i].key) {
                return table.entry[i].route;
            }
        }
    }
    return arrival < 0 ? 0 : 1u << (arrival + 3) % 6;
}

std::map<core_id, unsigned> reached(const Chips &chips, const routing &made, machine_core source,
                                    uint32_t key)
{
    std::map<core_id, unsigned> cores;
    std::deque<std::pair<int32_t, int>> way = {
        {topology_find(chips.get(), source.x, source.y), -1}};
    for (unsigned hops = 0; !way.empty() && hops < 1000; hops++) {
        const auto [at, arrival] = way.front();
        way.pop_front();
        const topology_chip &chip = chips.get()->chip[at];
        const uint32_t route = lookup(made, chip, key, arrival);
        for (int link = 0; link < 6; link++) {
            if ((route >> link & 1) != 0) {
                EXPECT_NE(chip.neighbour[link], TOPOLOGY_NO_CHIP);
                way.emplace_back(chip.neighbour[link], (link + 3) % 6);
            }
        }
        for (unsigned p = 0; p < 18; p++) {
            cores[{chip.x, chip.y, p}] += route >> (6 + p) & 1;
        }
    }
    EXPECT_TRUE(way.empty()) << "goes round in circles";
    for (auto at = cores.begin(); at != cores.end();) {
        at = at->second == 0 ? cores.erase(at) : std::next(at);
    }
    return cores;
}

} // namespace routes
