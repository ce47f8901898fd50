/* routing_fixture.h - topologies and edges for tests of routing, and a router's lookup that is
 * written from the datasheet alone. */
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "sim/routing/routing.h"

namespace routes
{

using core_id = std::tuple<unsigned, unsigned, unsigned>; /* x, y, p */

inline core_id id_of(machine_core core)
{
    return {core.x, core.y, core.p};
}

topology_request spin5();
topology_request torus(uint32_t width, uint32_t height);
topology_request rectangle(uint32_t width, uint32_t height);

/* The chips of a request; `request` may name faults. */
class Chips
{
  public:
    explicit Chips(const topology_request &request);
    ~Chips();
    Chips(const Chips &) = delete;
    Chips &operator=(const Chips &) = delete;
    const topology *get() const
    {
        return &topology_;
    }
    /* A random working core. */
    machine_core draw(std::mt19937 &random) const;

  private:
    topology topology_ = {};
};

/* A list of edges that owns their texts and targets. */
class Edges
{
  public:
    Edges &add(const std::string &name, machine_core source, std::vector<machine_core> targets,
               uint32_t keys = 1);
    Edges &fixed(const std::string &name, machine_core source, std::vector<machine_core> targets,
                 uint32_t key, uint32_t mask);
    routing_edge &last()
    {
        return edges_.back();
    }
    const std::vector<routing_edge> &list() const
    {
        return edges_;
    }

  private:
    std::deque<std::string> names_;
    std::deque<std::vector<machine_core>> targets_;
    std::vector<routing_edge> edges_;
};

/* Random edges, each to between 1 and `most` targets. */
Edges random_edges(const Chips &chips, unsigned count, unsigned most, uint32_t keys, unsigned seed);

struct Deiniter {
    void operator()(routing *made) const
    {
        routing_deinit(made);
        delete made;
    }
};
using Routes = std::unique_ptr<routing, Deiniter>;

/* Makes a routing; the test fails if that fails. */
Routes make(const Chips &chips, const Edges &edges);

/* The diagnostic of routing_make() for edges that it must refuse. */
diagnostic refused(const Chips &chips, const Edges &edges, status expected = STATUS_CONFIGURATION);

/* How often a packet reaches each core, by the tables alone.  Gives up after 1,000 hops. */
std::map<core_id, unsigned> reached(const Chips &chips, const routing &made, machine_core source,
                                    uint32_t key);

} // namespace routes
