/* plans.h - random plans (guest/plan.h) of a core. */
#pragma once
#include "tests/chaos/guest/plan.h"
#include "tests/cycles/random_bodies.h"

#include <string>
#include <vector>

extern "C" {
#include "models/machine/machine.h"
}

/* What a plan may name. */
struct plan_scope {
    machine_core id;
    std::vector<uint32_t> keys;         /* of multicast packets; their low 8 bits are 0 */
    std::vector<uint32_t> destinations; /* of point-to-point packets */
    uint32_t cores;                     /* of this chip, a bit each */
    uint32_t rounds;                    /* at most, of the main program */
    bool controls; /* may stall and reset cores, switch links off, change clocks and waits */
};

plan random_plan(random_source *from, const plan_scope &scope);

/* As text, a line for each operation. */
std::string text_of(const plan &plan);
