/* translate_fixture.h - a memory of 64 KiB at address 0 with some code, and the translator's output
 * for the block there. */
#pragma once
#include "tests/support/code_probe.h"
#include "tests/support/thumb_asm.h"
#include "tests/support/translate_probe.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

struct translate_fixture {
    static constexpr uint32_t BYTES = 0x10000;
    static constexpr uint32_t AT = 0x1000; /* where the code goes */

    translate_fixture()
        : memory(BYTES), code(code_probe_create(memory.data(), BYTES), code_probe_destroy)
    {
    }
    void word(uint32_t address, uint32_t value)
    {
        memcpy(&memory[address], &value, sizeof value);
    }
    std::string leaving(const std::vector<uint32_t> &words)
    {
        memcpy(&memory[AT], words.data(), 4 * words.size());
        return leaving_at(false);
    }
    std::string leaving_thumb(const std::vector<uint16_t> &halves)
    {
        memcpy(&memory[AT], halves.data(), 2 * halves.size());
        return leaving_at(true);
    }
    /* `asks`: bit n is set if instruction n accesses an address that the ports answer. */
    std::string accesses(const std::vector<uint32_t> &words, bool flat = false, uint32_t asks = 0)
    {
        memcpy(&memory[AT], words.data(), 4 * words.size());
        char text[TRANSLATE_PROBE_CHARS];
        translate_probe_accesses(code.get(), memory.data(), AT, flat, asks, text);
        return text;
    }

    unsigned function(const std::vector<uint32_t> &words, unsigned blocks)
    {
        memcpy(&memory[AT], words.data(), 4 * words.size());
        return translate_probe_function(code.get(), memory.data(), AT, blocks);
    }

  private:
    std::string leaving_at(bool thumb)
    {
        char text[TRANSLATE_PROBE_CHARS];
        translate_probe_leaving(code.get(), memory.data(), AT, thumb, text);
        return text;
    }

    std::vector<uint8_t> memory;
    std::unique_ptr<struct code, decltype(&code_probe_destroy)> code;
};
