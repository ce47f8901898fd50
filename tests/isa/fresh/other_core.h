/* other_core.h - the emulator to compare with: the ARM946E-S of the Unicorn engine (made from
 * QEMU), another ARMv5TE core with ARM's ARM9E-S in it. */
#pragma once
#include "tests/isa/fresh/fresh_vectors.h"

/* What both models have to agree about besides the data memory. */
struct fresh_view {
    uint32_t r[16];
    uint32_t cpsr, spsr; /* spsr: 0 in modes without one */

    bool operator==(const fresh_view &other) const;
};
std::ostream &operator<<(std::ostream &out, const fresh_view &view);

bool mode_has_spsr(uint32_t cpsr);

class other_core
{
  public:
    /* Code and data memory are the caller's and outlive the core. */
    other_core(std::vector<uint8_t> *code, uint8_t *data);
    ~other_core();
    other_core(const other_core &) = delete;
    other_core &operator=(const other_core &) = delete;

    /* False when it has met something it cannot do. */
    bool run(const fresh_slot &slot, const fresh_state &state);
    fresh_view view();
    /* Registers as they stand in a mode; changes the mode. */
    void enter_mode(uint32_t cpsr);

  private:
    void *engine;
};
