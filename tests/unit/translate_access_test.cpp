/* translate_access_test.cpp - which accesses of a block are checked together
 * (translate/emit_access.h): exact bounds and alignments of the groups, and what is in none. */
#include "tests/unit/translate_fixture.h"

namespace
{

std::string of(std::vector<uint32_t> words, bool flat = false, uint32_t asks = 0)
{
    words.push_back(bx(lr));
    return translate_fixture().accesses(words, flat, asks);
}

TEST(Accesses, ThreeWordsWithOneBaseAreAGroup)
{
    EXPECT_EQ(of({ldr_imm(r1, r0), ldr_imm(r2, r0, 4), ldr_imm(r3, r0, 8)}),
              "0:0+0 1:0+4 2:0+8 0=0,12,4");
    EXPECT_EQ(of({ldr_imm(r1, r0, 8), ldr_imm(r2, r0, -4), str_imm(r3, r0)}),
              "0:0+12 1:0+0 2:0+4 0=-12,16,4s");
}

/* One check of several costs as much as two of one. */
TEST(Accesses, TwoAreCheckedAlone)
{
    EXPECT_EQ(of({ldr_imm(r1, r0)}), "");
    EXPECT_EQ(of({ldr_imm(r1, r0), ldr_imm(r2, r0, 4)}), "");
    EXPECT_EQ(of({ldm(r0, {r1, r2})}), "");
    EXPECT_EQ(of({ldm(r0, {r1, r2}), ldr_imm(r3, r0, 12)}), "0:0+0 1:0+12 0=0,16,4");
    EXPECT_EQ(of({str_imm(r1, r0), str_imm(r2, r0, 4)}), "");
    EXPECT_EQ(of({str_imm(r1, r0), str_imm(r2, r0, 4)}, true), "0:0+0 1:0+4 0=0,8,4s");
}

TEST(Accesses, BasesAreFollowedThroughAdditions)
{
    EXPECT_EQ(of({ldr_post(r1, r0, 4), ldr_post(r2, r0, 4), ldr_post(r3, r0, 4)}),
              "0:0+0 1:0+4 2:0+8 0=0,12,4");
    EXPECT_EQ(of({ldr_pre(r1, r0, 4), ldr_pre(r2, r0, -12), ldr_imm(r3, r0)}),
              "0:0+12 1:0+0 2:0+0 0=-12,16,4");
    EXPECT_EQ(of({add_imm(r4, r0, 16), ldr_imm(r1, r0), mov(r5, r4), ldr_imm(r2, r5),
                  subs_imm(r5, r5, 4), ldr_imm(r3, r5)}),
              "1:0+0 3:0+16 5:0+12 0=0,20,4");
    EXPECT_EQ(of({push({r4, r5}), ldr_imm(r1, sp, 8), pop({r4, r5})}),
              "0:0+0 1:0+8 2:0+0 0=0,12,4s");
    EXPECT_EQ(of({stm_w(r0, {r4, r5}), str_imm(r1, r0)}), "0:0+0 1:0+8 0=0,12,4s");
    EXPECT_EQ(of({block_transfer(true, DA, r0, true, 6), ldr_imm(r3, r0)}),
              "0:0+4 1:0+0 0=-4,12,4");
}

TEST(Accesses, AnotherBaseIsAnotherGroup)
{
    EXPECT_EQ(of({ldr_imm(r1, r0), ldr_imm(r2, r5), ldr_imm(r3, r0, 4), ldr_imm(r4, r5, 4),
                  ldr_imm(r1, r0, 8), ldr_imm(r2, r5, 8)}),
              "0:0+0 1:1+0 2:0+4 3:1+4 4:0+8 5:1+8 0=0,12,4 1=0,12,4");
    /* r0 is something else behind each */
    for (const uint32_t change :
         {ldr_imm(r0, r0), ldr_pre(r0, r0, 4), add(r0, r0, r1), when(EQ, add_imm(r0, r0, 4)),
          ldr_reg(r0, r4, r5), transfer_reg(LOAD_WORD, false, false, true, r4, r0, r1),
          mov_imm(r0, 4), data_imm(ORR, false, r0, r0, 4), ldm(r0, {r0}), umull(r0, r1, r2, r3)}) {
        EXPECT_EQ(of({ldr_imm(r1, r0), change, ldr_imm(r2, r0, 4), ldr_imm(r3, r0, 8)}), "")
            << std::hex << change;
    }
}

TEST(Accesses, WhatMayBeLeftOutIsInNone)
{
    EXPECT_EQ(of({ldr_imm(r1, r0), when(EQ, ldr_imm(r2, r0, 4)), ldr_imm(r3, r0, 8)}), "");
    EXPECT_EQ(of({ldr_imm(r1, r0), when(EQ, ldr_imm(r2, r0, 40)), ldr_imm(r3, r0, 8),
                  ldr_imm(r4, r0, 4)}),
              "0:0+0 2:0+8 3:0+4 0=0,12,4");
    EXPECT_EQ(of({ldr_imm(r1, r0), when(EQ, ldr_post(r2, r0, 4)), ldr_imm(r3, r0, 8),
                  ldr_imm(r4, r0, 4)}),
              "");
}

TEST(Accesses, WhatAsksThePortsIsInNone)
{
    const std::vector<uint32_t> words = {ldr_imm(r1, r0), ldr_imm(r2, r0, 4), ldr_imm(r3, r0, 8),
                                         ldr_imm(r4, r0, 12)};
    EXPECT_EQ(of(words, false, 1u << 1), "0:0+0 2:0+8 3:0+12 0=0,16,4");
    EXPECT_EQ(of(words, false, 3u << 1), "");
}

TEST(Accesses, BytesAndHalvesAndWords)
{
    EXPECT_EQ(of({ldrb_imm(r1, r0, 1), ldrb_imm(r2, r0, 2), strb_imm(r3, r0)}),
              "0:0+1 1:0+2 2:0+0 0=-1,3,1s");
    EXPECT_EQ(of({ldrh_imm(r1, r0, 2), ldrb_imm(r2, r0, 1), ldrh_imm(r3, r0, 6)}),
              "0:0+2 1:0+1 2:0+6 0=-2,8,2");
    EXPECT_EQ(of({ldrb_imm(r1, r0, 7), ldrh_imm(r2, r0, 2), ldr_imm(r3, r0, 4)}),
              "0:0+7 1:0+2 2:0+4 0=-7,8,4");
    /* the group begins where its alignment says, before the first byte of the accesses */
    EXPECT_EQ(of({ldr_imm(r1, r0), ldrb_imm(r2, r0, -3), ldrsb_imm(r3, r0, 4)}),
              "0:0+4 1:0+1 2:0+8 0=-4,9,4");
}

/* A full block has one more operation, which leads on to the next block and is of no
 * instruction of it. */
TEST(Accesses, OfAFullBlock)
{
    constexpr unsigned FULL = 32;
    std::vector<uint32_t> words(FULL, mov(r5, r6));
    words[0] = ldr_imm(r1, r0);
    words[1] = ldr_imm(r2, r0, 4);
    words[FULL - 1] = ldr_imm(r3, r0, 8);
    EXPECT_EQ(of(words), "0:0+0 1:0+4 31:0+8 0=0,12,4");
    EXPECT_EQ(of(words, false, 1u << (FULL - 1)), "");
}

/* No alignment can be right for all of them. */
TEST(Accesses, WhatCannotBeAlignedTogetherIsInNone)
{
    EXPECT_EQ(of({ldr_imm(r1, r0), ldr_imm(r2, r0, 2), ldr_imm(r3, r0, 6)}), "");
    EXPECT_EQ(of({ldr_imm(r1, r0), ldrh_imm(r2, r0, 1), ldrh_imm(r3, r0, 3), ldr_imm(r4, r0, 4),
                  ldr_imm(r5, r0, 8)}),
              "0:0+0 3:0+4 4:0+8 0=0,12,4");
    EXPECT_EQ(of({ldrh_imm(r1, r0), ldr_imm(r2, r0, 2), ldrh_imm(r3, r0, 6)}),
              "0:0+2 1:0+4 2:0+8 0=-2,10,4");
}

TEST(Accesses, AGroupHas128BytesAtMost)
{
    EXPECT_EQ(of({ldr_imm(r1, r0), ldr_imm(r2, r0, 4), ldr_imm(r3, r0, 124)}),
              "0:0+0 1:0+4 2:0+124 0=0,128,4");
    EXPECT_EQ(of({ldr_imm(r1, r0), ldr_imm(r2, r0, 4), ldr_imm(r3, r0, 128)}), "");
    EXPECT_EQ(of({ldr_imm(r1, r0), ldr_imm(r2, r0, -4), ldr_imm(r3, r0, -124)}),
              "0:0+124 1:0+120 2:0+0 0=-124,128,4");
    EXPECT_EQ(of({ldr_imm(r1, r0), ldr_imm(r2, r0, -4), ldr_imm(r3, r0, -128)}), "");
}

/* Half of the address space away: the difference of two addresses is no number of 32 bits. */
TEST(Accesses, WhatIsFarAwayIsInNone)
{
    for (const int32_t offset : {-8, -4, 0, 4}) {
        EXPECT_EQ(of({ldr_imm(r1, r0), add_imm(r5, r0, 0x80000000), ldr_imm(r2, r5, offset),
                      ldr_imm(r3, r0, 4)}),
                  "")
            << offset;
        EXPECT_EQ(of({ldr_imm(r1, r0), ldr_imm(r2, r0, 4), add_imm(r5, r0, 0x80000000),
                      ldr_imm(r3, r5, offset), ldr_imm(r4, r0, 8)}),
                  "0:0+0 1:0+4 4:0+8 0=0,12,4")
            << offset;
    }
}

} // namespace
