/* program.h - random guest programs for whole machines.  A program follows from its seed alone. */
#pragma once
#include "tests/chaos/guest.h"

#include <memory>
#include <string>
#include <vector>

extern "C" {
#include "models/machine/machine.h"
}

struct chaos_core {
    machine_core id;
    std::vector<segment> segments; /* in addition to the guest's */
    uint32_t entry;
    std::vector<uint32_t> marks;
};

/* An entry of a multicast router. */
struct chaos_route {
    machine_chip at;
    uint32_t key, mask, route;
};

/* An entry of a point-to-point table. */
struct chaos_p2p_route {
    machine_chip at;
    uint16_t destination;
    unsigned route;
};

/* A router register that the host writes before the start. */
struct chaos_register {
    machine_chip at;
    uint32_t offset, value;
};

struct chaos_program {
    uint32_t seed = 0;
    std::string what; /* kind and machine, in a few words */
    std::shared_ptr<const guest>
        image; /* loaded into every core; none: words emitted by the host */
    topology_request topology = {};
    unsigned chips = 1;
    machine_parameters parameters = {};
    arm968_timing timing = {};
    uint64_t sample_cycles = 0;
    uint64_t end_ps = 0;
    bool cold = false; /* runs long enough that native code is made of everything */
    bool warm = false; /* the native code of its guest is kept on disk */
    std::vector<chaos_core> cores;
    std::vector<chaos_route> routes;
    std::vector<chaos_p2p_route> p2p_routes;
    std::vector<chaos_register> registers;
};

/* Programs that have one guest in common: those with the same seed / PROGRAMS_OF_A_GUEST. */
enum { PROGRAMS_OF_A_GUEST = 12 };

/* Calls the compiler for the first program of each guest in a row. */
chaos_program make_chaos_program(uint32_t seed);

/* The plans of a program's cores, as text. */
std::string listing_of(const chaos_program &program);
