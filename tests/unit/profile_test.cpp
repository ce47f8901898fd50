/* profile_test.cpp - which function an address belongs to, and what jumps between functions mean.
 */
#include "sim/profile/call_profile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

class Profile : public ::testing::Test
{
  protected:
    void symbol(uint32_t address, uint32_t size, bool function, const char *name)
    {
        symbols.push_back({address, size, function, name});
    }

    const struct elf_image *image()
    {
        segment.address = 0x8000;
        segment.file_bytes = 0x1000;
        segment.memory_bytes = 0x1000;
        elf.segment = &segment;
        elf.segment_count = 1;
        elf.symbol = symbols.data();
        elf.symbol_count = symbols.size();
        return &elf;
    }

    static std::string name(struct function_map *map, uint32_t address)
    {
        char room[FUNCTION_NAME_CHARS];
        return function_name(function_map_at(map, address), room);
    }

    std::vector<struct elf_symbol> symbols;
    struct elf_segment segment = {};
    struct elf_image elf = {};
};

TEST_F(Profile, FunctionsReachToTheirEndAndLabelsToTheNextSymbol)
{
    symbol(0x8000, 0, false, "_start");
    symbol(0x8010, 0x20, true, "first");
    symbol(0x8018, 0, false, "inner");
    symbol(0x8040, 0, false, "between");
    symbol(0x8100, 0x80, true, "second");
    symbol(0x8140, 0x10, true, "third");
    struct function_map map;
    ASSERT_EQ(function_map_init(&map, image()), STATUS_OK);
    EXPECT_EQ(name(&map, 0x7ffc), "0x00007f00");
    EXPECT_EQ(name(&map, 0x8000), "_start");
    EXPECT_EQ(name(&map, 0x800c), "_start");
    EXPECT_EQ(name(&map, 0x8010), "first");
    EXPECT_EQ(name(&map, 0x8018), "first");
    EXPECT_EQ(name(&map, 0x802f), "first");
    EXPECT_EQ(name(&map, 0x8030), "0x00008030");
    EXPECT_EQ(name(&map, 0x803f), "0x00008030");
    EXPECT_EQ(name(&map, 0x8040), "between");
    EXPECT_EQ(name(&map, 0x80ff), "between");
    EXPECT_EQ(name(&map, 0x8100), "second");
    EXPECT_EQ(name(&map, 0x813f), "second");
    EXPECT_EQ(name(&map, 0x8140), "third");
    EXPECT_EQ(name(&map, 0x814f), "third");
    EXPECT_EQ(name(&map, 0x8150), "0x00008150");
    EXPECT_EQ(function_map_at(&map, 0x8150)->last, 0x81ffu);
    EXPECT_EQ(name(&map, 0xffffffff), "0xffffff00");
    function_map_deinit(&map);
}

TEST_F(Profile, ALabelEndsWithWhatIsLoaded)
{
    symbol(0x8ff0, 0, false, "last");
    struct function_map map;
    ASSERT_EQ(function_map_init(&map, image()), STATUS_OK);
    EXPECT_EQ(name(&map, 0x8fff), "last");
    EXPECT_EQ(name(&map, 0x9000), "0x00009000");
    function_map_deinit(&map);
}

TEST_F(Profile, OfSeveralNamesAFunctionsLastIsTaken)
{
    symbol(0x8000, 0, false, "zero");
    symbol(0x8000, 16, true, "__aeabi_memcpy");
    symbol(0x8000, 16, true, "memcpy");
    symbol(0x8000, 0, false, "nothing");
    struct function_map map;
    ASSERT_EQ(function_map_init(&map, image()), STATUS_OK);
    EXPECT_EQ(name(&map, 0x8000), "memcpy");
    EXPECT_EQ(function_map_at(&map, 0x8000)->last, 0x800fu);
    function_map_deinit(&map);
}

TEST_F(Profile, AFunctionAtTheEndOfMemoryDoesNotWrap)
{
    symbol(0xfffffff0, 0x20, true, "last");
    struct function_map map;
    ASSERT_EQ(function_map_init(&map, image()), STATUS_OK);
    EXPECT_EQ(name(&map, 0xffffffff), "last");
    EXPECT_EQ(name(&map, 0), "0x00000000");
    function_map_deinit(&map);
}

enum : uint32_t { OUTER = 0x8000, MIDDLE = 0x8100, INNER = 0x8200, TOP = 0x9000, SVC = 0xd3 };

class Calls : public Profile
{
  protected:
    void SetUp() override
    {
        symbol(OUTER, 0x100, true, "outer");
        symbol(MIDDLE, 0x100, true, "middle");
        symbol(INNER, 0x100, true, "inner");
        profile = call_profile_create(image());
        now = {OUTER, 0, TOP, SVC, 0, 0};
    }
    void TearDown() override
    {
        call_profile_destroy(profile);
    }

    /* One instruction of one cycle, after which the core is here. */
    void step(uint32_t pc, uint32_t lr, uint32_t sp, uint32_t cpsr = SVC)
    {
        const struct core_view next = {pc, lr, sp, cpsr, now.instructions + 1, now.cycle + 1};
        ASSERT_EQ(call_profile_step(profile, &now, &next), STATUS_OK);
        now = next;
    }
    void call(uint32_t pc, uint32_t cpsr = SVC)
    {
        step(pc, now.pc + 4, now.sp, cpsr);
    }
    void go(uint32_t pc)
    {
        step(pc, now.lr, now.sp);
    }

    std::string stacks()
    {
        std::string text;
        call_profile_stacks(
            profile,
            [](void *context, const struct function_range *const *stack, unsigned depth,
               uint64_t cycles) {
                auto *out = static_cast<std::string *>(context);
                for (unsigned i = 0; i < depth; i++) {
                    *out += std::string(i == 0 ? "" : ";") + stack[i]->symbol;
                }
                *out += " " + std::to_string(cycles) + "\n";
            },
            &text);
        return text;
    }

    struct call_profile *profile = nullptr;
    struct core_view now = {};
};

TEST_F(Calls, ALoopBackToAReturnAddressIsNoReturnWhileTheStackIsDeeper)
{
    call(MIDDLE);                       /* returns to OUTER + 4 */
    step(MIDDLE + 4, now.lr, TOP - 8);  /* push */
    call(MIDDLE);                       /* recursion, from MIDDLE + 4 */
    step(MIDDLE + 4, now.lr, TOP - 16); /* push */
    go(MIDDLE + 8);                     /* here the first activation goes on, with TOP - 8 */
    go(MIDDLE + 12);
    EXPECT_EQ(stacks(), "outer 1\nouter;middle 2\nouter;middle;middle 3\n");
    step(MIDDLE + 8, now.lr, TOP - 8); /* the return */
    go(MIDDLE + 12);
    EXPECT_EQ(stacks(), "outer 1\nouter;middle 3\nouter;middle;middle 4\n");
}

TEST_F(Calls, ATailCallTakesThePlaceOfItsCallerAndReturnsForIt)
{
    call(MIDDLE);
    go(INNER);
    go(OUTER + 4);
    go(OUTER + 8);
    EXPECT_EQ(stacks(), "outer 2\nouter;middle 1\nouter;inner 1\n");
}

TEST_F(Calls, AJumpIntoAFunctionGoesBackToItsActivation)
{
    call(MIDDLE);
    step(MIDDLE + 4, now.lr, TOP - 8);
    call(INNER);
    step(OUTER + 0x40, now.lr, TOP - 4); /* longjmp, to a stack pointer that no call had */
    go(OUTER + 0x44);
    EXPECT_EQ(stacks(), "outer 2\nouter;middle 2\nouter;middle;inner 1\n");
}

TEST_F(Calls, AnExceptionIsACallThatAChangeOfModeEnds)
{
    constexpr uint32_t ABORT = 0xd7;
    go(OUTER + 4);
    step(0x10, OUTER + 12, 0x9800, ABORT); /* a data abort, and its handler */
    step(INNER, OUTER + 12, 0x9800, ABORT);
    step(INNER + 4, OUTER + 12, 0x9800, SVC); /* changes the mode, but goes on */
    step(INNER + 8, OUTER + 12, 0x9800, ABORT);
    step(OUTER + 8, 0, TOP, SVC); /* skips the instruction */
    go(OUTER + 12);
    struct function_account *list;
    size_t count;
    list = call_profile_functions(profile, &count);
    ASSERT_EQ(count, 3u);
    EXPECT_STREQ(list[0].range.symbol, "outer");
    EXPECT_EQ(list[0].cycles, 3u);
    EXPECT_EQ(list[0].cycles_with_callees, 7u);
    EXPECT_STREQ(list[1].range.symbol, "inner");
    EXPECT_EQ(list[1].cycles, 3u);
    EXPECT_EQ(list[1].calls, 1u);
    EXPECT_EQ(list[2].range.first, 0u);
    EXPECT_EQ(list[2].calls, 1u);
    free(list);
}

TEST_F(Calls, DepthIsTakenForOneFromTheLimitOn)
{
    for (unsigned depth = 2; depth <= CALL_STACK_DEPTH + 10; depth++) {
        call(depth % 2 == 0 ? MIDDLE : INNER);
    }
    go(now.pc + 4);
    const std::string text = stacks();
    const std::string last = text.substr(text.rfind('\n', text.size() - 2) + 1);
    EXPECT_EQ(std::count(last.begin(), last.end(), ';'), CALL_STACK_DEPTH - 1);
    EXPECT_EQ(last.substr(last.rfind(' ')), " 11\n");
    size_t count;
    struct function_account *list = call_profile_functions(profile, &count);
    ASSERT_EQ(count, 3u);
    EXPECT_EQ(list[0].cycles + list[1].cycles + list[2].cycles, CALL_STACK_DEPTH + 10u);
    EXPECT_EQ(list[0].calls + list[1].calls, CALL_STACK_DEPTH + 9u);
    free(list);
}

TEST_F(Calls, AStopBeforeAnInstructionCountsNothing)
{
    const struct core_view same = now;
    ASSERT_EQ(call_profile_step(profile, &now, &same), STATUS_OK);
    call(MIDDLE);
    EXPECT_EQ(stacks(), "outer 1\n");
}
