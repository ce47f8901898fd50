/* collectives_network.h - ranks on the host that send packets to each other: late, in any order,
 * repeated or lost, as a test says. */
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <vector>

#include "workloads/collectives/collectives.h"

struct network_conditions {
    uint32_t jitter = 0;         /* up to as many ticks later, drawn: packets overtake each other */
    uint32_t transmit = 0;       /* ticks for which a sent packet occupies the transmitter */
    double lose = 0, repeat = 0; /* shares of packets, drawn */
    uint64_t lose_one = 0;       /* number of one packet, from 1, that is lost; 0: none */
    uint32_t dead = COLLECTIVES_NOBODY; /* rank that neither sends nor receives */
    uint32_t seed = 1;
};

class collectives_network
{
  public:
    explicit collectives_network(uint32_t size, const network_conditions &conditions = {});
    ~collectives_network();
    collectives_network(const collectives_network &) = delete;
    collectives_network &operator=(const collectives_network &) = delete;

    /* Each rank does the operation with its own arguments; rank, size and neighbours are filled in.
     * True when all have come to its end; false when time is up or a rank has given up. */
    bool run(collective_step *step, std::vector<collective_call> calls);
    /* As run(), but each rank has an operation of its own; NULL: none. */
    bool run_each(const std::vector<collective_step *> &steps, std::vector<collective_call> calls);

    uint64_t packets() const /* sent so far, lost ones included */
    {
        return sent_;
    }
    uint64_t now() const
    {
        return now_;
    }
    uint64_t late() const;
    uint64_t again() const;
    const frames &of(uint32_t rank) const;

    /* A packet that arrives at a rank now. */
    void inject(uint32_t rank, uint32_t key, uint32_t payload);

    struct rank;
    uint32_t send(rank &from, uint32_t key, uint32_t payload);

  private:
    struct event {
        uint64_t time, number;
        uint32_t rank, key, payload; /* key 0: the transmitter is free; 1: a timeout */
        bool operator<(const event &other) const
        {
            return time != other.time ? time > other.time : number > other.number;
        }
    };
    void advance(rank &at);
    void add(uint64_t time, uint32_t rank, uint32_t key, uint32_t payload);
    uint32_t draw(uint32_t below);
    bool drawn(double share);

    network_conditions conditions_;
    std::vector<std::unique_ptr<rank>> ranks_;
    std::priority_queue<event> events_;
    uint64_t now_ = 0, sent_ = 0, numbers_ = 0;
    uint64_t state_;
    uint32_t finished_ = 0;
};
