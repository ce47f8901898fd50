/* every_pattern_test.cpp - each pattern of the decode tables, with random fields, interpreted and
 * translated: the same registers, memories, cycles and counts, whatever the word does.  What it
 * should do is told by the other tests. */
#include "tests/support/arm_asm.h"
#include "tests/support/core_bench.h"
#include "tests/support/thumb_asm.h"

extern "C" {
#define class insn_class /* the private header is C */
#include "models/arm968/disassemble.h"
#include "models/arm968/insn.h"
#undef class
}

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace
{

constexpr unsigned WORDS = 8; /* of each pattern */
constexpr size_t TOGETHER = 16 * WORDS;
constexpr unsigned WARM_UPS = 2;
constexpr unsigned STATES = 4;
constexpr uint32_t SLOTS_AT = 0x4000; /* above what small addresses reach */
constexpr uint32_t SLOT_BYTES = 8;    /* the instruction, and a branch away from it */
constexpr uint32_t END = 0x3ff0;
constexpr uint32_t CONTROL = CONTROL_LOW | CONTROL_V;
constexpr uint64_t CYCLES = 120; /* more than a block needs to be entered whole */

struct slot {
    const struct isa_pattern *pattern;
    uint32_t word, address;
    bool thumb;
};

uint32_t random_word(const struct isa_pattern &pattern, std::mt19937 *random)
{
    const uint32_t word = (static_cast<uint32_t>((*random)()) & ~pattern.mask) | pattern.value;
    return pattern.conditional ? when(AL, word) : word;
}

/* All patterns of both tables, one after the other. */
std::vector<slot> all_slots()
{
    std::mt19937 random(968);
    std::vector<slot> slots;
    for (const bool thumb : {false, true}) {
        unsigned count = 0;
        const struct isa_pattern *patterns =
            thumb ? insn_thumb_patterns(&count) : insn_arm_patterns(&count);
        for (unsigned i = 0; i < count * WORDS; i++) {
            const struct isa_pattern &pattern = patterns[i / WORDS];
            const uint32_t word = i % WORDS == 0 ? pattern.sample : random_word(pattern, &random);
            slots.push_back({&pattern, word, 0, thumb});
        }
    }
    return slots;
}

bench_config config_of(struct arm968_translator *translator)
{
    bench_config config;
    config.translator = translator;
    config.control = CONTROL; /* low addresses, where much is stored, hold no code */
    return config;
}

/* Exceptions return behind their instruction or to where they came from; from outside. */
void load(core_bench *bench, const std::vector<slot> &slots)
{
    bench->outside.regions = {{HIGH_VECTOR_BASE, 0x1000, REGION_ANSWERS, 0}};
    bench->arm(HIGH_VECTOR_BASE,
               {movs(pc, lr), movs(pc, lr), movs(pc, lr), subs_imm(pc, lr, 0), subs_imm(pc, lr, 4),
                movs(pc, lr), subs_imm(pc, lr, 4), subs_imm(pc, lr, 4)});
    bench->arm(END, {branch_to_self()});
    for (const slot &it : slots) {
        if (it.thumb) {
            bench->thumb(it.address,
                         {static_cast<uint16_t>(it.word), thumb::nop(), thumb::branch_to_self()});
        } else {
            bench->arm(it.address, {it.word, b(it.address + 4, END)});
        }
    }
}

/* Low registers point behind the vectors, high ones pointers into DTCM; in any mode. */
void set_state(core_bench *bench, const slot &it, uint32_t seed)
{
    static const uint32_t MODES[7] = {0x10, 0x11, 0x12, 0x13, 0x17, 0x1b, 0x1f};
    std::mt19937 random(seed);
    const uint32_t flags = static_cast<uint32_t>(random()) & 0xf8000000u;
    const uint32_t mode = MODES[random() % 7];
    arm968_set_cpsr(bench->cpu, flags | 0xc0 | mode);
    if (mode != 0x10 && mode != 0x1f) {
        arm968_set_spsr(bench->cpu, static_cast<enum arm968_mode>(mode), flags | 0xdf);
    }
    for (unsigned i = 0; i < 15; i++) {
        const auto value = static_cast<uint32_t>(random());
        bench->set(i, i < 8 ? 0x100 + value % 64 * 4 : DTCM_BASE + 0x8000 + (value & 0xffcu));
    }
    bench->start(it.address, it.thumb);
}

struct pair_of_cores {
    pair_of_cores(const std::vector<slot> &slots, struct arm968_translator *translator)
        : native(config_of(translator)), reference(config_of(nullptr))
    {
        load(&native, slots);
        load(&reference, slots);
    }

    void run(const slot &it, uint32_t seed)
    {
        set_state(&native, it, seed);
        set_state(&reference, it, seed);
        const enum arm968_stop stop = native.run(CYCLES);
        const bool same = stop == reference.run(CYCLES) && same_now();
        if (!same) {
            char text[ARM968_TEXT_CHARS];
            arm968_disassemble(it.word, it.address, it.thumb, text);
            ADD_FAILURE() << it.pattern->name << ": " << std::hex << it.word << " " << text
                          << "\nnative " << view_of(native.cpu) << "interpreted "
                          << view_of(reference.cpu);
        }
        settle(&native);
        settle(&reference);
    }

    /* Nothing pending, and awake. */
    void settle(core_bench *bench) const
    {
        arm968_set_cpsr(bench->cpu, 0xdf);
        bench->start(END);
        arm968_set_line(bench->cpu, ARM968_IRQ, true, bench->cycle());
        (void)bench->run(CYCLES);
        arm968_set_line(bench->cpu, ARM968_IRQ, false, bench->cycle());
        (void)bench->run(CYCLES);
        arm968_set_control(bench->cpu, CONTROL);
    }

    bool same_now() const
    {
        size_t count = 0;
        (void)arm968_counter_info(&count);
        bool same = view_of(native.cpu) == view_of(reference.cpu) &&
                    native.itcm == reference.itcm && native.dtcm == reference.dtcm;
        for (size_t i = 0; i < count; i++) {
            same = same &&
                   counter_value(&native.counters(), i) == counter_value(&reference.counters(), i);
        }
        return same;
    }

    core_bench native, reference;
};

bool stores(const slot &it)
{
    const std::string name = it.pattern->name;
    return name.rfind("st", 0) == 0 || name.rfind("swp", 0) == 0 || name == "push";
}

/* Cut into what is translated together: what stores, and may so write the code, is alone. */
std::vector<std::vector<slot>> groups_of(const std::vector<slot> &slots)
{
    std::vector<std::vector<slot>> groups(1);
    for (slot it : slots) {
        const std::vector<slot> &now = groups.back();
        const bool other = !now.empty() && now.back().pattern != it.pattern;
        if (other && (stores(it) || stores(now.back()) || now.size() == TOGETHER)) {
            groups.emplace_back();
        }
        it.address = SLOTS_AT + SLOT_BYTES * static_cast<uint32_t>(groups.back().size());
        groups.back().push_back(it);
    }
    return groups;
}

/* A group: interpreted, translated, and run again; counts the runs with native code. */
void run_together(const std::vector<slot> &slots, std::map<std::string, uint64_t> *counts)
{
    struct arm968_translator_options options = {};
    options.samples = UINT32_MAX; /* only when asked */
    options.quick = true;
    struct arm968_translator *translator = arm968_translator_create(&options);
    pair_of_cores both(slots, translator);
    const size_t count = slots.size();
    for (unsigned i = 0; i < WARM_UPS * count && !::testing::Test::HasFailure(); i++) {
        both.run(slots[i % count], i);
    }
    EXPECT_TRUE(arm968_translate(both.native.cpu));
    for (unsigned i = 0; i < STATES * count && !::testing::Test::HasFailure(); i++) {
        const slot &it = slots[i % count];
        const uint64_t before = arm968_native_runs(both.native.cpu);
        both.run(it, 1000000 + i);
        (*counts)[(it.thumb ? "T " : "") + std::string(it.pattern->name)] +=
            arm968_native_runs(both.native.cpu) > before ? 1 : 0;
    }
    arm968_translator_destroy(translator);
}

TEST(EveryPattern, DoesTheSameInBothTiers)
{
    std::map<std::string, uint64_t> counts;
    for (const std::vector<slot> &group : groups_of(all_slots())) {
        if (!HasFailure()) {
            run_together(group, &counts);
        }
    }
    for (const auto &it : counts) {
        EXPECT_GT(it.second, 0u) << it.first;
    }
}

} // namespace
