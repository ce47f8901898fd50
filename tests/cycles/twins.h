/* twins.h - a core with a translator beside one without, stopped at the same places and compared.
 */
#pragma once
#include "tests/cycles/trace.h"
#include "tests/support/arm_asm.h"

#include <memory>
#include <random>

using translator_pointer =
    std::unique_ptr<struct arm968_translator, decltype(&arm968_translator_destroy)>;

/* Quick, so that tests do not wait for the compiler. */
inline translator_pointer make_translator(uint32_t samples, bool wait,
                                          const char *compiler = nullptr)
{
    struct arm968_translator_options options = {};
    options.samples = samples;
    options.quick = true;
    options.wait = wait;
    options.compiler = compiler;
    return {arm968_translator_create(&options), arm968_translator_destroy};
}

inline translator_pointer on_demand()
{
    return make_translator(UINT32_MAX, false);
}

inline bench_config configured(struct arm968_translator *translator,
                               struct arm968_code_library *library,
                               const struct arm968_timing &timing = arm968_timing_default())
{
    bench_config config;
    config.timing = timing;
    config.translator = translator;
    config.library = library;
    return config;
}

/* A core with a translator and one without, with the same code. */
struct twins {
    /* The translator is given up before the cores. */
    explicit twins(translator_pointer *owner, struct arm968_code_library *library = nullptr,
                   const struct arm968_timing &timing = arm968_timing_default())
        : translator(owner), native(configured(owner->get(), library, timing)),
          reference(configured(nullptr, nullptr, timing))
    {
    }
    ~twins()
    {
        translator->reset();
    }
    twins(const twins &) = delete;
    twins &operator=(const twins &) = delete;

    void arm(uint32_t address, const std::vector<uint32_t> &code)
    {
        native.arm(address, code);
        reference.arm(address, code);
    }
    void thumb(uint32_t address, const std::vector<uint16_t> &code)
    {
        native.thumb(address, code);
        reference.thumb(address, code);
    }
    void set(unsigned index, uint32_t value)
    {
        native.set(index, value);
        reference.set(index, value);
    }
    void start(uint32_t address, bool thumb_state = false)
    {
        native.start(address, thumb_state);
        reference.start(address, thumb_state);
    }
    /* r0 and those behind it. */
    void set_data(uint32_t seed, unsigned count)
    {
        for (unsigned i = 0; i < count; i++) {
            set(i, seed * (2 * i + 1) * 2654435761u);
        }
    }
    void system_mode()
    {
        native.set_mode(ARM968_SYSTEM, MASK_F);
        reference.set_mode(ARM968_SYSTEM, MASK_F);
    }
    void line(bool level, uint64_t cycle)
    {
        arm968_set_line(native.cpu, ARM968_IRQ, level, cycle);
        arm968_set_line(reference.cpu, ARM968_IRQ, level, cycle);
    }
    void control(uint32_t value)
    {
        arm968_set_control(native.cpu, value);
        arm968_set_control(reference.cpu, value);
    }

    /* So many cycles with stops at the same random places. */
    void run(uint64_t cycles, uint64_t longest)
    {
        const uint64_t end = reference.cycle() + cycles;
        while (reference.cycle() < end && !::testing::Test::HasFailure()) {
            run_to(reference.cycle() + 1 + random() % longest);
        }
    }
    /* For each distance from `most` down to 1: so many cycles with stops that far from each other,
     * and a long run, so that native code that is left soon is not given up. */
    void run_at_each_distance(uint64_t cycles, uint64_t most)
    {
        for (uint64_t distance = most; distance != 0; distance--) {
            run_to(reference.cycle() + 1000 + distance);
            const uint64_t end = reference.cycle() + cycles;
            while (reference.cycle() < end && !::testing::Test::HasFailure()) {
                run_to(reference.cycle() + distance);
            }
            ASSERT_FALSE(::testing::Test::HasFailure()) << "stopped each " << distance;
        }
    }
    /* Begins anywhere, is translated, and runs with stops near and far and an interrupt now and
     * then, whose handler returns at once. */
    void run_translated(const std::vector<uint64_t> &distances)
    {
        arm(0x18, {subs_imm(pc, lr, 4)});
        run(20000, 20000);
        ASSERT_TRUE(arm968_translate(native.cpu));
        for (const uint64_t longest : distances) {
            for (unsigned i = 0; i < 4 && !::testing::Test::HasFailure(); i++) {
                line(true, reference.cycle() + 1000);
                run(1000 + longest, longest);
                line(false, reference.cycle());
                run(4 * longest, longest);
            }
        }
        EXPECT_GT(native_runs(), 50u);
    }
    void run_to(uint64_t horizon)
    {
        ASSERT_EQ(arm968_run(native.cpu, horizon), arm968_run(reference.cpu, horizon));
        ASSERT_EQ(view_of(native.cpu), view_of(reference.cpu));
        ASSERT_TRUE(same_counters(native.counters(), reference.counters()));
        ASSERT_TRUE(same_memories(native, reference));
    }
    uint64_t native_runs() const
    {
        return arm968_native_runs(native.cpu);
    }

    translator_pointer *translator;
    core_bench native, reference;
    std::mt19937 random{968};
};
