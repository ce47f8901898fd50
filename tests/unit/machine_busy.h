/* machine_busy.h - a chip on which everything happens at once, and everything that can be observed
 * of it. */
#pragma once
#include "tests/unit/machine_fixture.h"

/* Six cores that lock, post stores, transfer, tick and signal each other, and then sleep. */
void make_busy(MachineBench &bench);

constexpr uint32_t BUSY_MAIN = 0x1000;  /* where their programs begin */
constexpr uint64_t BUSY_END = 400 * US; /* by then all cores sleep */

struct outcome {
    counter_map counters;
    std::string memory;
    uint64_t late; /* interrupts */
    bool operator==(const outcome &other) const;
};

outcome outcome_of(MachineBench &bench);
