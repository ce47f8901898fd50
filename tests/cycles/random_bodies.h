/* random_bodies.h - random straight pieces of ARM code for loops and functions: r0-r6 are data, r8
 * walks through DTCM, r9 stays there; other registers are left alone. */
#pragma once
#include <cstdint>
#include <random>
#include <string>
#include <vector>

struct random_source {
    uint32_t below(uint32_t limit)
    {
        return static_cast<uint32_t>(random()) % limit;
    }
    bool chance(unsigned percent)
    {
        return below(100) < percent;
    }
    std::mt19937 random;
};

/* Adds up to `most` instructions, or groups of conditional ones. */
void emit_body(random_source *from, std::vector<uint32_t> *code, unsigned most, bool keeps_flags);

/* Code from CODE_BASE on as text, in ARM or in Thumb state. */
std::string listing(const std::vector<uint32_t> &code);
std::string listing(const std::vector<uint16_t> &code);
