/* guest.h - compiled guests: guest/guest.c with random functions, at a level of optimisation and
 * for an instruction set that follow from a number. */
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/* Bytes at an address, as a core sees it. */
struct segment {
    uint32_t address;
    std::vector<uint8_t> bytes;
};

struct guest {
    std::vector<segment> segments;
    uint32_t entry = 0;
    uint32_t code_end = 0; /* address behind the compiled code */
    bool thumb = false;
    std::string name; /* "-O2 -mthumb" */
};

/* Whether a compiler for the ARM was found when this program was built. */
bool has_guest_compiler();

/* Compiles guest `number` in a folder of its own, which is removed again.  Ends the program with a
 * message if the compiler fails. */
std::shared_ptr<const guest> make_guest(uint32_t number);
