/* translated_accesses_test.cpp - accesses that native code checks together: with bases at and
 * beyond both ends of the data memory, misaligned, outside it, and changed in between. */
#include "tests/cycles/twins.h"
#include "tests/support/arm_asm.h"

namespace
{

constexpr uint32_t PORT = 0x60000000; /* answers */
constexpr uint32_t ABORT_VECTOR = 0x10;
constexpr uint64_t LONG_ENOUGH = 150; /* cycles for one of the programs, with aborts */
constexpr uint32_t DTCM_END = DTCM_BASE + DTCM_BYTES;

struct access_case {
    const char *name;
    std::vector<uint32_t> accesses; /* with base r0 */
};

void PrintTo(const access_case &of, std::ostream *out)
{
    *out << of.name;
}

class TranslatedAccesses : public ::testing::TestWithParam<access_case>
{
  protected:
    void begin()
    {
        std::vector<uint32_t> code = GetParam().accesses;
        const auto end = static_cast<uint32_t>(4 * code.size());
        code.push_back(b(end, end));
        it.arm(ABORT_VECTOR, {subs_imm(pc, lr, 4)}); /* on behind it */
        it.arm(CODE_BASE, code);
        for (core_bench *bench : {&it.native, &it.reference}) {
            bench->outside.regions = {{PORT, 0x100, REGION_ANSWERS, 3}};
            for (uint32_t i = 0; i < DTCM_BYTES; i += 4) {
                bench->set_word(DTCM_BASE + i, 0x9e3779b1u * i + 0x80);
            }
        }
        for (unsigned i = 0; i < 20; i++) { /* all is interpreted */
            one_run(DTCM_BASE + 0x4000 + 256 * i);
        }
        ASSERT_TRUE(arm968_translate(it.native.cpu));
    }
    void one_run(uint32_t base)
    {
        for (core_bench *bench : {&it.native, &it.reference}) {
            bench->set_mode(ARM968_SYSTEM, MASK_F | MASK_I);
        }
        for (unsigned i = 1; i < 13; i++) {
            it.set(i, 0x01020304 * i);
        }
        it.set(0, base);
        it.start(CODE_BASE);
        it.run(LONG_ENOUGH, 1 + it.random() % 2 * LONG_ENOUGH);
        EXPECT_EQ(it.native.outside.words, it.reference.outside.words);
        ASSERT_FALSE(HasFailure()) << "base " << std::hex << base;
    }
    /* Each base from `first` on, long enough between two to see native code again. */
    void sweep(uint32_t first, uint32_t bytes)
    {
        for (uint32_t i = 0; i < bytes && !HasFailure(); i++) {
            one_run(first + i);
            one_run(DTCM_BASE + 0x2000 + 4 * i);
        }
    }

    translator_pointer translator = on_demand();
    twins it{&translator};
};

TEST_P(TranslatedAccesses, AtTheBeginningOfTheDataMemory)
{
    begin();
    sweep(DTCM_BASE - 48, 96);
    EXPECT_GT(it.native_runs(), 100u);
}

TEST_P(TranslatedAccesses, AtTheEndOfTheDataMemory)
{
    begin();
    sweep(DTCM_END - 64, 96);
    EXPECT_GT(it.native_runs(), 100u);
}

TEST_P(TranslatedAccesses, Elsewhere)
{
    begin();
    sweep(ITCM_BYTES - 12, 24);
    sweep(PORT - 8, 24);
    sweep(0u - 12u, 12);
    sweep(DTCM_BASE ^ 0x80000000, 12);
    EXPECT_GT(it.native_runs(), 50u);
}

INSTANTIATE_TEST_SUITE_P(
    Groups, TranslatedAccesses,
    ::testing::Values(
        access_case{"Words",
                    {ldr_imm(r1, r0), str_imm(r2, r0, 4), ldr_imm(r3, r0, -4), str_imm(r1, r0, 8),
                     add(r4, r3, r1), str_imm(r4, r0)}},
        access_case{"Bytes",
                    {ldrb_imm(r1, r0, 1), strb_imm(r2, r0), ldrsb_imm(r3, r0, 2),
                     strb_imm(r3, r0, 3), ldrb_imm(r5, r0, -1)}},
        access_case{"Mixed",
                    {ldrb_imm(r1, r0, 7), ldrh_imm(r2, r0, 2), str_imm(r3, r0, 4),
                     strh_imm(r2, r0, -2), strb_imm(r4, r0, 9), ldrsh_imm(r6, r0, 10),
                     half_imm(STORE_DOUBLE, true, false, r4, r0, 16), ldrd_imm(r10, r0, 16)}},
        access_case{"Blocks",
                    {stm_w(r0, {r1, r2, r3}), ldr_imm(r4, r0, -4),
                     block_transfer(true, DB, r0, true, 0xe0), str_imm(r5, r0, 12),
                     block_transfer(false, IB, r0, true, 0x30),
                     block_transfer(true, DA, r0, false, 0x0300), ldm(r0, {r0, r9}), mov(r4, r0)}},
        access_case{"BaseInTheList",
                    {ldr_imm(r1, r0), ldm_w(r0, {r0, r2, r3}), str_imm(r2, r0), ldr_imm(r4, r0, 4),
                     mov(r5, r0), ldm_w(r5, {r4, r5}), mov(r6, r5)}},
        access_case{"MovingBase",
                    {ldr_post(r1, r0, 4), ldr_pre(r2, r0, 4), add_imm(r5, r0, 8), str_imm(r1, r5),
                     subs_imm(r5, r5, 12), str_post(r2, r5, -4), ldr_imm(r6, r5),
                     ldr_imm(r7, r0, 4)}},
        access_case{"BaseThatIsLoaded",
                    {ldr_imm(r1, r0), ldr_imm(r2, r0, 4), ldr_imm(r3, r0, 8), ldr_imm(r0, r0, 12),
                     data_imm(BIC, false, r0, r0, 0xff000003), ldr_imm(r4, r0), ldr_imm(r5, r0, 4),
                     str_imm(r6, r0, 8)}},
        access_case{"ConditionsBetween",
                    {ldr_imm(r1, r0), data_imm(TST, true, 0, r1, 4), when(EQ, ldr_imm(r2, r0, 40)),
                     when(NE, str_imm(r3, r0, -40)), ldr_imm(r4, r0, 8),
                     when(EQ, add_imm(r0, r0, 4)), str_imm(r5, r0, 4), ldr_imm(r6, r0),
                     str_imm(r6, r0, 12)}},
        access_case{"HalfTheMemoryAway",
                    {ldr_imm(r1, r0), add_imm(r5, r0, 0x80000000), ldr_imm(r2, r5, -4),
                     str_imm(r3, r5, -8), ldr_imm(r4, r0, 4), str_imm(r4, r5, 4),
                     ldr_imm(r6, r0, 8)}}),
    [](const ::testing::TestParamInfo<access_case> &info) { return info.param.name; });

} // namespace
