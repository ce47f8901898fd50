/* talker.h - a guest program that sends a list of packets and stores the keys of all packets that
 * it receives. */
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "models/machine/machine.h"

/* Programs for any number of cores of one machine.  All packets of a core are of one type. */
class Talkers
{
  public:
    explicit Talkers(machine *machine) : machine_(machine)
    {
    }
    /* Makes the core receive packets. */
    void listen(machine_core core);
    /* Makes the core also send this packet: the transmit control word of the packet's type, and its
     * key. */
    void send(machine_core core, uint32_t control, uint32_t key);
    /* Loads and starts all programs.  pace: rounds of the main loop between two packets. */
    void start(uint32_t pace);
    /* The keys that a core has received, in order. */
    std::vector<uint32_t> heard(machine_core core) const;

  private:
    struct talk {
        uint32_t control = 0;
        std::vector<uint32_t> keys;
    };
    static uint32_t number(machine_core core)
    {
        return static_cast<uint32_t>(core.x << 16 | core.y << 8 | core.p);
    }
    machine *machine_;
    std::map<uint32_t, talk> talks_;
};

constexpr uint32_t TALK_MULTICAST = 0;
constexpr uint32_t TALK_POINT_TO_POINT = 0x00400000;
