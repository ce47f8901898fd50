/* ahead_scene_author.h - generates the random programs of ahead_scene.h.
 *
 * In a main program r4 counts rounds, r5 is the communications controller, r6 DTCM, r7 an odd
 * number; r0-r3 and r12 are data, r9-r11 are used by class Program.  Layout of DTCM: data; from
 * COUNTS on a word for each interrupt source; from LOG on the contents of received packets; from
 * STACKS on the stacks. */
#pragma once
#include "tests/unit/ahead_scene.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

#include "models/chip/vic.h"

constexpr uint32_t COUNTS = DTCM + 0x4000;
constexpr uint32_t LOG_AT = DTCM + 0x4100; /* address for the next entry of the log */
constexpr uint32_t BUDGET = DTCM + 0x4104; /* packets that the transmit handler still sends */
constexpr uint32_t LOG = DTCM + 0x5000;
constexpr uint32_t STACKS = DTCM + 0x8000;
constexpr uint32_t MAIN = 0x3000;
constexpr uint32_t GENERIC = 0x400;
constexpr uint32_t FAST = 0x800;
constexpr uint32_t SLOT_HANDLERS = 0xc00;
constexpr uint32_t SLOT_BYTES = 0x280;
constexpr uint32_t NOT_FULL = 1u << 28; /* of CC_TCR */
constexpr uint32_t NOWHERE = 0x50000000;
constexpr uint32_t SYSCTL_KEY = 0x5ec00000;
constexpr uint32_t SAVED =
    1u << 0 | 1u << 1 | 1u << 2 | 1u << 3 | 1u << 9 | 1u << 10 | 1u << 11 | 1u << 12 | 1u << 14;
constexpr uint32_t UNBUFFERED = 1u << 28;

enum style { VECTORED, PLAIN, FAST_PACKETS };

constexpr uint32_t bit(unsigned source)
{
    return 1u << source;
}

class Author
{
  public:
    Author(uint32_t seed, uint32_t chips, unsigned cores, machine_core id)
        : random_(seed), chips_(chips), cores_(cores), id_(id)
    {
    }
    scene_core write();

  private:
    uint32_t below(uint32_t limit)
    {
        return static_cast<uint32_t>(random_()) % limit;
    }
    bool chance(unsigned percent)
    {
        return below(100) < percent;
    }
    machine_core anybody()
    {
        return {static_cast<uint8_t>(below(chips_)), 0, static_cast<uint8_t>(1 + below(cores_))};
    }
    uint32_t key();

    void count(Program &program, unsigned source);
    void take_packet(Program &program);
    void forward(Program &program);
    void more_packets(Program &program);
    void clear(Program &program, unsigned source);
    void work(Program &program);
    void serve(Program &program, unsigned source);
    Program slot(unsigned number, unsigned source);
    Program generic();
    Program fast();
    void set_stacks(Program &program);
    void set_vic(Program &program);
    void set_timers(Program &program);
    void compute(Program &program);
    void store_all_ways(Program &program);
    void send(Program &program);
    void poll(Program &program);
    void look(Program &program);
    void outside(Program &program);
    void protect(Program &program);
    void mistake(Program &program);
    void change_code(Program &program);
    void odd(Program &program);
    void action(Program &program);
    void finish(Program &program);
    Program main();

    std::mt19937 random_;
    uint32_t chips_;
    unsigned cores_;
    machine_core id_;
    enum style style_ = VECTORED;
    bool nested_ = false;
    std::vector<unsigned> sources_;
    std::vector<uint32_t> patches_;
    uint32_t packet_source_ = VIC_SOURCE_COMMS_MULTICAST;
};
