/* core_bench.h - a test bench with one core, ITCM, DTCM and a scriptable outside. The bench owns
 * the memories and the core.  Addresses outside the TCMs belong to regions that answer at once,
 * leave the access to the test (ARM968_STOP_OUTSIDE), or abort; addresses without a region abort.
 * Every access is logged with the cycle at which the core issued it. */
#pragma once
#include <cstdint>
#include <cstring>
#include <functional>
#include <iosfwd>
#include <map>
#include <vector>

extern "C" {
#include "models/arm968/arm968.h"
}

constexpr uint32_t ITCM_BASE = 0;
constexpr uint32_t ITCM_BYTES = 32 * 1024;
constexpr uint32_t DTCM_BASE = 0x400000;
constexpr uint32_t DTCM_BYTES = 64 * 1024;
constexpr uint32_t CODE_BASE = 0x1000; /* where the tests put their code */
constexpr uint32_t HIGH_VECTOR_BASE = 0xffff0000;
constexpr uint32_t CORE_ID = 0x41059681;

/* CP15 c1: both TCMs on and low vectors; the bits that matter. */
constexpr uint32_t CONTROL_LOW = 0x1074;
constexpr uint32_t CONTROL_A = 1u << 1;
constexpr uint32_t CONTROL_D = 1u << 2;
constexpr uint32_t CONTROL_W = 1u << 3;
constexpr uint32_t CONTROL_I = 1u << 12;
constexpr uint32_t CONTROL_V = 1u << 13;
constexpr uint32_t CONTROL_L4 = 1u << 15;

constexpr uint32_t FLAG_N = 1u << 31;
constexpr uint32_t FLAG_Z = 1u << 30;
constexpr uint32_t FLAG_C = 1u << 29;
constexpr uint32_t FLAG_V = 1u << 28;
constexpr uint32_t FLAG_Q = 1u << 27;
constexpr uint32_t MASK_I = 1u << 7;
constexpr uint32_t MASK_F = 1u << 6;
constexpr uint32_t STATE_T = 1u << 5;

enum region_kind { REGION_ANSWERS, REGION_OUTSIDE, REGION_ABORTS };

struct outside_region {
    uint32_t base, bytes;
    region_kind kind;
    uint32_t wait_cycles;
};

struct logged_access {
    struct arm968_access access; /* as the core issued it; data of reads not yet filled */
    uint64_t cycle;
};

/* Memory outside the TCMs: words by address, zero until written; or whatever `script` does. */
struct mock_outside {
    std::function<enum arm968_reply(struct arm968_access *access, uint64_t cycle)> script;
    std::vector<outside_region> regions;
    std::map<uint32_t, uint32_t> words;
    std::vector<logged_access> log;
    std::vector<struct arm968_data_access>
        told;                         /* bench_config.tells; `words` not valid any more */
    std::vector<uint32_t> told_words; /* the first of each, 0 where there is none */

    /* Answers an access as the core's port does. */
    enum arm968_reply answer(struct arm968_access *access, uint64_t cycle);
    /* Moves the data of an access, little-endian; aborts and waits are the caller's. */
    void perform(struct arm968_access *access);

    uint32_t read(uint32_t address, unsigned bytes) const;
    void write(uint32_t address, unsigned bytes, uint32_t value);
};

struct bench_config {
    struct arm968_timing timing = arm968_timing_default();
    uint32_t control = CONTROL_LOW;
    uint32_t id = CORE_ID;
    bool semihosting = false;
    bool ports = true;
    bool tells = false; /* of data accesses that have been made */
    struct arm968_code_library *library = nullptr;
    struct arm968_translator *translator = nullptr;
    uint32_t code_bytes = ITCM_BYTES;
    uint32_t data_bytes = DTCM_BYTES;
};

struct core_bench {
    explicit core_bench(const bench_config &config = bench_config());
    ~core_bench();
    core_bench(const core_bench &) = delete;
    core_bench &operator=(const core_bench &) = delete;

    std::vector<uint8_t> itcm, dtcm;
    mock_outside outside;
    struct arm968 *cpu;

    /* Memory access: in a TCM directly (the core is notified of new code), otherwise in
     * `outside`. */
    uint32_t word(uint32_t address) const;
    void set_word(uint32_t address, uint32_t value);
    void set_words(uint32_t address, const std::vector<uint32_t> &values);
    void arm(uint32_t address, const std::vector<uint32_t> &code);
    void thumb(uint32_t address, const std::vector<uint16_t> &code);

    uint32_t reg(unsigned index) const;
    void set(unsigned index, uint32_t value);
    uint32_t cpsr() const;
    uint64_t cycle() const;
    const struct arm968_counters &counters() const;

    /* Sets the pc to `address`, in the current mode. */
    void start(uint32_t address, bool thumb_state = false);
    void set_mode(enum arm968_mode mode, uint32_t masks = MASK_I | MASK_F);

    enum arm968_stop run(uint64_t cycles); /* until a horizon `cycles` ahead */
    enum arm968_stop step();               /* one instruction */
    void steps(unsigned count);
    enum arm968_stop run_to(uint32_t address); /* by a breakpoint, within a million cycles */
    /* Completes the access of an ARM968_STOP_OUTSIDE. */
    void complete(uint32_t wait_cycles = 0);

  private:
    uint8_t *local(uint32_t address, bool *code) const;
};

/* The state that two cores must agree on. */
struct core_view {
    uint32_t r[16];
    uint32_t cpsr;
    uint32_t lowest_sp;
    uint64_t cycle;

    bool operator==(const core_view &other) const;
};
core_view view_of(const struct arm968 *cpu);
std::ostream &operator<<(std::ostream &out, const core_view &view);
