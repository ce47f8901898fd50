/* patched_code_test.cpp - random programs that store into their own code and beside it, function by
 * function, and run what they have made: with blocks of their own, shared with other cores, on
 * several threads, translated.  Each ends where a core does that forgets all it knows of its code
 * before every instruction. */
#include "tests/cycles/twins.h"
#include "tests/support/amount.h"
#include "tests/support/arm_asm.h"

#include <thread>

namespace
{

/* A function is SLOTS words that may be stored to, the way back twice, as the last of the words may
 * skip one, and LITERALS words that are read, and stored to as well. */
enum : unsigned { FUNCTIONS = 24, SLOTS = 10, LITERALS = 4, WORDS = SLOTS + 2 + LITERALS };
enum : unsigned { COMMANDS = 300, COMMAND_WORDS = 5 };
constexpr uint32_t FUNCTIONS_AT = CODE_BASE + 0x100;
constexpr uint32_t COMMANDS_AT = DTCM_BASE + 0x1000;

uint32_t function_at(unsigned number)
{
    return FUNCTIONS_AT + 4 * WORDS * number;
}

/* A word that may stand in slot `slot` of a function. */
uint32_t random_insn(std::mt19937 *random, unsigned slot)
{
    const auto reg = [random] { return static_cast<unsigned>((*random)() % 4); };
    const auto small = static_cast<uint32_t>((*random)() % 256);
    const int32_t literal = 4 * static_cast<int32_t>(SLOTS - slot + (*random)() % LITERALS);
    switch ((*random)() % 10) {
    case 0:
        return data_imm(EOR, false, reg(), reg(), small);
    case 1:
        return add(reg(), reg(), reg());
    case 2:
        return subs_imm(reg(), reg(), small);
    case 3:
        return when(NE, add_imm(reg(), reg(), small));
    case 4:
        return when(CS, b(0, 8)); /* over one word */
    case 5:
        return mul(0, 1, 2);
    case 6:
        return ldr_imm(reg(), r7, 4 * static_cast<int32_t>(small % 16)); /* DTCM */
    case 7:
        return when(MI, ldr_imm(reg(), pc, literal));
    default:
        return ldr_imm(reg(), pc, literal);
    }
}

/* The loop: a command is where to store two words and which functions to call. */
std::vector<uint32_t> command_loop()
{
    std::vector<uint32_t> code = {block_transfer(true, IA, r10, true, 0x0370), /* r4 r5 r6 r8 r9 */
                                  stm(r4, {r5, r6})};
    const auto here = [&code] { return CODE_BASE + 4 * static_cast<uint32_t>(code.size()); };
    code.push_back(str_imm(r5, r9));
    for (unsigned i = 0; i < FUNCTIONS; i += 2) {
        code.push_back(data_imm(TST, true, 0, r8, 1u << i % 8));
        code.push_back(when(NE, bl(here(), function_at(i + (i / 2) % 2))));
    }
    code.insert(code.end(), {mov(lr, pc), bx(r8)});
    code.push_back(subs_imm(r11, r11, 1));
    code.push_back(when(NE, b(here(), CODE_BASE)));
    code.push_back(branch_to_self());
    return code;
}

/* Equal seeds make equal images; `commands` says what is done with them. */
void load(core_bench *bench, uint32_t image, uint32_t commands)
{
    std::mt19937 random(image);
    bench->arm(CODE_BASE, command_loop());
    for (unsigned i = 0; i < FUNCTIONS; i++) {
        std::vector<uint32_t> words;
        for (unsigned slot = 0; slot < SLOTS; slot++) {
            words.push_back(random_insn(&random, slot));
        }
        words.insert(words.end(), {bx(lr), bx(lr)});
        for (unsigned n = 0; n < LITERALS; n++) {
            words.push_back(static_cast<uint32_t>(random()));
        }
        bench->arm(function_at(i), words);
    }
    random.seed(commands);
    const uint32_t calm = 1 + random() % 4; /* one command of so many changes an instruction */
    for (unsigned i = 0; i < COMMANDS; i++) {
        const uint32_t of = function_at(random() % FUNCTIONS);
        const uint32_t slot = random() % (SLOTS - 1);
        const bool code = random() % calm == 0;
        const uint32_t to = code ? of + 4 * slot : of + 4 * (SLOTS + 2);
        const uint32_t first = code ? random_insn(&random, slot) : random();
        const uint32_t second = code ? random_insn(&random, slot + 1) : random();
        const uint32_t beside = of + 4 * (SLOTS + 4) + (random() % 2 == 0 ? 0 : 0x3000);
        bench->set_words(COMMANDS_AT + 4 * COMMAND_WORDS * i,
                         {to, first, second, function_at(random() % FUNCTIONS), beside});
    }
    bench->set(7, DTCM_BASE);
    bench->set(10, COMMANDS_AT);
    bench->set(11, COMMANDS);
    bench->start(CODE_BASE);
}

/* Up to a cycle, and everything forgotten before each instruction. */
void run_forgetful(core_bench *bench, uint64_t cycle)
{
    while (bench->cycle() < cycle) {
        struct arm968_snapshot snapshot;
        arm968_save(bench->cpu, &snapshot);
        arm968_load(bench->cpu, &snapshot);
        (void)bench->step();
    }
}

void expect_same(const core_bench &one, const core_bench &reference)
{
    EXPECT_EQ(view_of(one.cpu), view_of(reference.cpu));
    EXPECT_TRUE(same_counters(one.counters(), reference.counters()));
    EXPECT_TRUE(same_memories(one, reference));
}

constexpr uint64_t SLICES = 15, SLICE_CYCLES = 3001; /* enough for all commands */

unsigned programs()
{
    return static_cast<unsigned>(amount("SPINNSIM_PATCHED_PROGRAMS", 6));
}

TEST(PatchedCode, EndsAsForgottenCodeDoes)
{
    for (uint32_t seed = 0; seed < programs() && !HasFailure(); seed++) {
        SCOPED_TRACE(seed);
        core_bench whole;
        core_bench reference;
        for (core_bench *bench : {&whole, &reference}) {
            load(bench, seed, seed + 1000);
        }
        for (uint64_t slice = 1; slice <= SLICES && !HasFailure(); slice++) {
            (void)arm968_run(whole.cpu, slice * SLICE_CYCLES);
            run_forgetful(&reference, slice * SLICE_CYCLES);
            expect_same(whole, reference);
        }
        EXPECT_EQ(whole.reg(11), 0u);
    }
}

TEST(PatchedCode, EndsTheSameTranslated)
{
    uint64_t runs = 0;
    for (uint32_t seed = 100; seed < 100 + programs() / 2 && !HasFailure(); seed++) {
        SCOPED_TRACE(seed);
        translator_pointer translator = on_demand();
        twins it(&translator);
        for (core_bench *bench : {&it.native, &it.reference}) {
            load(bench, seed, seed + 1000);
        }
        for (uint64_t slice = 1; slice <= SLICES && !HasFailure(); slice++) {
            it.run(SLICE_CYCLES, 500);
            if (slice % 4 == 2) {
                (void)arm968_translate(it.native.cpu);
            }
        }
        runs += it.native_runs();
    }
    EXPECT_GT(runs, 20u * programs());
}

/* What cores come to that run one after the other on so many threads, all with one image, each with
 * commands of its own. */
class SharedPatchedCode : public ::testing::TestWithParam<unsigned>
{
};

TEST_P(SharedPatchedCode, EndsAsAlone)
{
    constexpr unsigned CORES = 8;
    for (uint32_t seed = 200; seed < 200 + programs() / 2 && !HasFailure(); seed++) {
        SCOPED_TRACE(seed);
        struct arm968_code_library *library = arm968_code_library_create();
        translator_pointer translator = make_translator(5, true);
        std::vector<std::unique_ptr<core_bench>> shared;
        for (unsigned i = 0; i < CORES; i++) {
            shared.push_back(std::make_unique<core_bench>(configured(translator.get(), library)));
            load(shared.back().get(), seed, seed + 1000 + i);
        }
        std::vector<std::thread> threads;
        for (unsigned t = 0; t < GetParam(); t++) {
            threads.emplace_back([&shared, t] {
                for (uint64_t slice = 1; slice <= SLICES; slice++) {
                    for (unsigned i = t; i < CORES; i += GetParam()) {
                        (void)arm968_run(shared[i]->cpu, slice * SLICE_CYCLES);
                    }
                }
            });
        }
        for (std::thread &thread : threads) {
            thread.join();
        }
        for (unsigned i = 0; i < CORES; i++) {
            core_bench alone;
            load(&alone, seed, seed + 1000 + i);
            (void)arm968_run(alone.cpu, SLICES * SLICE_CYCLES);
            expect_same(*shared[i], alone);
        }
        translator.reset();
        shared.clear();
        arm968_code_library_destroy(library);
    }
}

INSTANTIATE_TEST_SUITE_P(Threads, SharedPatchedCode, ::testing::Values(1u, 4u));

} // namespace
