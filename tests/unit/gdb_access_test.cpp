/* The access that an instruction would make, against the one that it makes: random words in both
 * states, on a core that has all data outside. */
extern "C" {
#include "sim/gdb/access.h"
}

#include "tests/support/arm_asm.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace
{

constexpr uint32_t CODE = 0xf0000000;
constexpr uint32_t CPSR_THUMB = 0x20;

/* One instruction at CODE; what it accesses is noted. */
class GdbAccess : public testing::Test
{
  protected:
    void SetUp() override
    {
        struct arm968_config config = {};
        config.timing = arm968_timing_default();
        config.code = {CODE, sizeof code_, code_};
        config.id = 0x41059681;
        config.reset_control = 0x1074;
        config.ports = {this,
                        [](void *test, struct arm968_access *access, uint64_t cycle) {
                            (void)cycle;
                            static_cast<GdbAccess *>(test)->note(*access);
                            return ARM968_REPLY_DONE;
                        },
                        nullptr};
        cpu_ = arm968_create(&config);
        ASSERT_NE(cpu_, nullptr);
    }
    void TearDown() override
    {
        arm968_destroy(cpu_);
    }
    void put(uint32_t word, uint32_t cpsr)
    {
        memcpy(code_, &word, sizeof word);
        arm968_code_written(cpu_, CODE, sizeof word);
        arm968_set_cpsr(cpu_, cpsr);
        arm968_set_register(cpu_, 15, CODE);
    }
    /* Executes it; the access, which may be made in parts. */
    struct gdb_access made()
    {
        seen_ = {};
        const uint64_t undefined = arm968_counters(cpu_)->undefined;
        (void)arm968_run(cpu_, arm968_cycle(cpu_) + 1);
        defined_ = arm968_counters(cpu_)->undefined == undefined;
        return seen_;
    }
    struct arm968 *cpu_ = nullptr;
    bool defined_ = true;
    alignas(4) uint8_t code_[4096] = {};

  private:
    void note(const struct arm968_access &access)
    {
        if (access.kind == ARM968_FETCH) {
            return;
        }
        const uint32_t end = access.address + uint32_t{access.size} * access.words;
        const bool first = seen_.bytes == 0;
        const uint32_t last = first ? end : std::max(end, seen_.address + seen_.bytes);
        seen_.address = first ? access.address : std::min(access.address, seen_.address);
        seen_.bytes = last - seen_.address;
        seen_.reads = seen_.reads || access.kind == ARM968_READ || access.kind == ARM968_SWAP;
        seen_.writes = seen_.writes || access.kind == ARM968_WRITE || access.kind == ARM968_SWAP;
    }
    struct gdb_access seen_ = {};
};

} // namespace

TEST_F(GdbAccess, IsThatOfTheInstruction)
{
    struct row {
        uint32_t word, address, bytes;
        bool reads, writes;
    };
    const row rows[] = {
        {0xe5912004, 0x1004, 4, true, false},  /* ldr r2, [r1, #4] */
        {0xe5412001, 0x0fff, 1, false, true},  /* strb r2, [r1, #-1] */
        {0xe4912004, 0x1000, 4, true, false},  /* ldr r2, [r1], #4 */
        {0xe7812103, 0x1040, 4, false, true},  /* str r2, [r1, r3, lsl #2] */
        {0xe1c120b2, 0x1002, 2, false, true},  /* strh r2, [r1, #2] */
        {0xe1d120d3, 0x1003, 1, true, false},  /* ldrsb r2, [r1, #3] */
        {0xe1c120f8, 0x1008, 8, false, true},  /* strd r2, r3, [r1, #8] */
        {0xe1c120d8, 0x1008, 8, true, false},  /* ldrd r2, r3, [r1, #8] */
        {0xe1012093, 0x1000, 4, true, true},   /* swp r2, r3, [r1] */
        {0xe921000d, 0x0ff4, 12, false, true}, /* stmdb r1!, {r0, r2, r3} */
        {0xe991000d, 0x1004, 12, true, false}, /* ldmib r1, {r0, r2, r3} */
        {0x05912004, 0, 0, false, false},      /* ldreq: Z is clear */
        {0xe0812003, 0, 0, false, false},      /* add r2, r1, r3 */
        {0xe0020391, 0, 0, false, false},      /* mul r2, r1, r3 */
        {0xf5d1f000, 0, 0, false, false},      /* pld [r1] */
    };
    for (const row &row : rows) {
        put(row.word, 0xd3);
        arm968_set_register(cpu_, 1, 0x1000);
        arm968_set_register(cpu_, 3, 0x10);
        const struct gdb_access access = gdb_next_access(cpu_, row.word);
        EXPECT_EQ(access.bytes, row.bytes) << std::hex << row.word;
        EXPECT_EQ(access.address, row.address) << std::hex << row.word;
        EXPECT_EQ(access.reads, row.reads) << std::hex << row.word;
        EXPECT_EQ(access.writes, row.writes) << std::hex << row.word;
    }
}

/* Never missed; told without being made only for what takes an exception. */
TEST_F(GdbAccess, IsThatOfRandomWords)
{
    std::mt19937 random(39);
    unsigned accesses = 0;
    for (unsigned i = 0; i < 200000; i++) {
        const bool thumb = i % 2 != 0;
        const uint32_t word = random();
        put(word, (random() & 0xf0000000) | 0xd3 | (thumb ? CPSR_THUMB : 0));
        for (unsigned r = 0; r < 15; r++) { /* far from the code, in both directions */
            arm968_set_register(cpu_, r, random() % 0x10000000 + 0x10000000);
        }
        const struct gdb_access told = gdb_next_access(cpu_, word);
        const struct gdb_access made = this->made();
        accesses += made.bytes > 0 ? 1 : 0;
        const bool own = told.address - (CODE - 64) < sizeof code_ + 64; /* by pc: not outside */
        if (own || (made.bytes == 0 && (!defined_ || told.bytes == 0))) {
            continue;
        }
        char text[16];
        (void)snprintf(text, sizeof text, "%08x", word);
        const std::string what = std::string(thumb ? "Thumb " : "ARM ") + text;
        ASSERT_EQ(told.bytes, made.bytes) << what;
        ASSERT_EQ(told.address, made.address) << what;
        ASSERT_EQ(told.reads, made.reads) << what;
        ASSERT_EQ(told.writes, made.writes) << what;
    }
    EXPECT_GT(accesses, 40000u);
}
