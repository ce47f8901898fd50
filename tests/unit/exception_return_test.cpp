/* exception_return_test.cpp - instructions that return from exceptions, compared with the core's
 * decoder; their conditions. */
extern "C" {
#define class insn_class /* the private header is C */
#include "models/arm968/insn.h"
#undef class
}
#include "sim/run_control/exception_return.h"

#include <gtest/gtest.h>
#include <random>

namespace
{

/* Whether the core takes the CPSR from the SPSR. */
bool restores(uint32_t word)
{
    insn decoded;
    insn_decode_arm(&decoded, word, 0);
    bool found = false;
    for (unsigned i = 0; i < decoded.op_count; i++) {
        found = found || decoded.op[i].code == OP_JUMP_RESTORE;
    }
    return found;
}

} // namespace

TEST(ExceptionReturn, IsWhatTheCoreDecodesAsOne)
{
    std::mt19937 random(1);
    size_t returns = 0;
    for (unsigned i = 0; i < 2000000; i++) {
        uint32_t word = random();
        if (i % 2 == 0) {
            word |= 0x0010f000; /* S or L, and pc as the result or in the list */
        }
        returns += restores(word);
        ASSERT_EQ(exception_return_is(word), restores(word)) << std::hex << word;
    }
    EXPECT_GT(returns, 100000u);
}

TEST(ExceptionReturn, IsOfTheFormsThatHandlersEndWith)
{
    EXPECT_TRUE(exception_return_is(0xe25ef004)) << "subs pc, lr, #4";
    EXPECT_TRUE(exception_return_is(0x125ef004)) << "subsne pc, lr, #4";
    EXPECT_TRUE(exception_return_is(0xe1b0f00e)) << "movs pc, lr";
    EXPECT_TRUE(exception_return_is(0xe8fd803f)) << "ldmfd sp!, {r0-r5, pc}^";
    EXPECT_FALSE(exception_return_is(0xe8bd803f)) << "ldmfd sp!, {r0-r5, pc}";
    EXPECT_FALSE(exception_return_is(0xe8dd7fff)) << "ldmfd sp, {r0-lr}^";
    EXPECT_FALSE(exception_return_is(0xe1a0f00e)) << "mov pc, lr";
    EXPECT_FALSE(exception_return_is(0xe12fff1e)) << "bx lr";
    EXPECT_FALSE(exception_return_is(0xe15ff00e)) << "cmp with pc as the field of the result";
}

TEST(ExceptionReturn, HasConditionsAsTheArchitectureSays)
{
    /* a bit for each value of NZCV: EQ, CS, MI, VS, HI, GE, GT, AL */
    const uint32_t holds[] = {0xf0f0, 0xcccc, 0xff00, 0xaaaa, 0x0c0c, 0xaa55, 0x0a05, 0xffff};
    for (uint32_t condition = 0; condition < 16; condition++) {
        for (uint32_t flags = 0; flags < 16; flags++) {
            const bool even = (holds[condition / 2] >> flags & 1) != 0;
            EXPECT_EQ(exception_return_holds(condition << 28 | 0x025ef004, flags << 28 | 0x12),
                      condition % 2 == 0 ? even : !even)
                << condition << " " << flags;
        }
    }
}
