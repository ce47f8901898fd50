/* other_emulator_test.cpp - fresh random vectors on this core, interpreted and translated, and on
 * an emulator made by others.  SPINNSIM_VECTORS: how many in each test. */
#include "tests/isa/fresh/other_core.h"
#include "tests/support/amount.h"
#include "tests/support/core_bench.h"
#include "tests/support/slow_decoder.h"

extern "C" {
#define class insn_class /* the private header is C */
#include "models/arm968/insn.h"
#undef class
}

#include <gtest/gtest.h>

#include <memory>
#include <set>

namespace
{

constexpr uint64_t VECTORS = 20000;
constexpr unsigned SLOTS = 2000;           /* in a batch, at most */
constexpr unsigned TRANSLATED_STATES = 50; /* for each slot of translated code */
constexpr unsigned WARM_UPS = 3;        /* states with which code is run before it is translated */
constexpr uint64_t LONGEST_RUN = 20000; /* cycles */

uint64_t vectors()
{
    return amount("SPINNSIM_VECTORS", VECTORS);
}

/* This project's core with the code of a batch. */
struct own_core {
    own_core(const fresh_batch &batch, struct arm968_translator *translator)
        : bench(config_of(translator))
    {
        std::copy(batch.code.begin(), batch.code.end(), bench.itcm.begin());
        (void)arm968_add_breakpoint(bench.cpu, FRESH_END);
    }

    static bench_config config_of(struct arm968_translator *translator)
    {
        bench_config config;
        config.code_bytes = FRESH_CODE_BYTES;
        config.data_bytes = FRESH_DATA_BYTES;
        config.translator = translator;
        return config;
    }

    /* True when it has arrived at the end. */
    bool run(const fresh_slot &slot, const fresh_state &state)
    {
        arm968_set_cpsr(bench.cpu, state.cpsr);
        if (mode_has_spsr(state.cpsr)) {
            arm968_set_spsr(bench.cpu, static_cast<enum arm968_mode>(state.cpsr & 0x1f),
                            state.spsr);
        }
        for (unsigned i = 0; i < 15; i++) {
            bench.set(i, state.r[i]);
        }
        bench.set(15, slot.address);
        return bench.run(LONGEST_RUN) == ARM968_STOP_BREAKPOINT && bench.reg(15) == FRESH_END;
    }

    fresh_view view() const
    {
        fresh_view view = {};
        for (unsigned i = 0; i < 16; i++) {
            view.r[i] = bench.reg(i);
        }
        view.cpsr = bench.cpsr();
        if (mode_has_spsr(view.cpsr)) {
            view.spsr = arm968_spsr(bench.cpu, static_cast<enum arm968_mode>(view.cpsr & 0x1f));
        }
        return view;
    }

    core_bench bench;
};

/* The models side by side; data memories are kept the same. */
struct trial {
    trial(uint32_t seed, unsigned slots, struct arm968_translator *translator)
        : builder(seed), batch(builder.make_batch(slots)), own(batch, translator),
          other_data(FRESH_DATA_BYTES), other(&batch.code, other_data.data())
    {
        for (size_t i = 0; i < other_data.size(); i += 4) {
            const uint32_t word = builder.any_word();
            memcpy(&other_data[i], &word, sizeof word);
        }
        own.bench.dtcm = other_data;
        same_banks(true);
    }

    void poke(const fresh_state &state)
    {
        if (state.pokes) {
            const uint32_t offset = state.poke_address - FRESH_DATA_BASE;
            memcpy(&other_data[offset], &state.poke_value, 4);
            memcpy(&own.bench.dtcm[offset], &state.poke_value, 4);
        }
    }

    /* One vector; false when the models differ. */
    bool agree(const fresh_slot &slot)
    {
        const fresh_state state = builder.make_state(slot);
        poke(state);
        const bool other_ends = other.run(slot, state);
        const bool own_ends = own.run(slot, state);
        const fresh_view expected = other.view();
        const fresh_view got = own.view();
        const bool same_data = own.bench.dtcm == other_data;
        if (other_ends && own_ends && got == expected && same_data) {
            return true;
        }
        ADD_FAILURE() << batch.listing(slot) << "from\n"
                      << before(state, slot) << "other emulator " << (other_ends ? "" : "(failed) ")
                      << expected << "this core " << (own_ends ? "" : "(elsewhere) ") << got
                      << (same_data ? "" : "data memories differ\n");
        own.bench.dtcm = other_data;
        return false;
    }

    static fresh_view before(const fresh_state &state, const fresh_slot &slot)
    {
        fresh_view view = {};
        std::copy(state.r, state.r + 15, view.r);
        view.r[15] = slot.address;
        view.cpsr = state.cpsr;
        view.spsr = state.spsr;
        return view;
    }

    /* Registers of all modes: set to the same, or compared. */
    void same_banks(bool set)
    {
        for (const uint32_t mode : {0x11u, 0x12u, 0x13u, 0x17u, 0x1bu, 0x1fu}) {
            if (set) {
                fresh_state state = {};
                for (uint32_t &value : state.r) {
                    value = builder.any_word();
                }
                state.cpsr = mode | 0xc0;
                const fresh_slot end = {FRESH_END - 16, 0,     false, false,
                                        NO_REGISTER,    false, {},    {}};
                ASSERT_TRUE(other.run(end, state));
                ASSERT_TRUE(own.run(end, state));
            } else {
                other.enter_mode(mode | 0xc0);
                arm968_set_cpsr(own.bench.cpu, mode | 0xc0);
                EXPECT_EQ(own.view(), other.view());
            }
        }
    }

    fresh_builder builder;
    fresh_batch batch;
    own_core own;
    std::vector<uint8_t> other_data;
    other_core other;
};

/* Instructions by name, those of Thumb state with a T in front. */
using names = std::set<std::string>;

void note_names(const fresh_batch &batch, const fresh_slot &slot, names *seen)
{
    for (uint32_t at = slot.address; at < slot.end; at += slot.thumb ? 2 : 4) {
        uint32_t word = 0;
        memcpy(&word, &batch.code[at], slot.thumb ? 2 : 4);
        seen->insert(slot.thumb ? "T " + slow_name_thumb(static_cast<uint16_t>(word))
                                : slow_name_arm(word));
    }
}

/* The patterns of the decode tables that are not among the names. */
names missing(const names &seen)
{
    names all;
    unsigned count = 0;
    const struct isa_pattern *patterns = insn_arm_patterns(&count);
    for (unsigned i = 0; i < count; i++) {
        const std::string name = patterns[i].name;
        all.insert(name.rfind("pld", 0) == 0 ? "pld" : name); /* the slow decoder knows one */
    }
    patterns = insn_thumb_patterns(&count);
    for (unsigned i = 0; i < count; i++) {
        all.insert(std::string("T ") + patterns[i].name);
    }
    for (const std::string &name : seen) {
        all.erase(name);
    }
    return all;
}

const names LEFT_OUT = {"bkpt", "cdp",        "cdp2", "ldc",    "ldc2",  "mcr",
                        "mrc",  "mcr_absent", "swi",  "T bkpt", "T swi", "T undefined"};

TEST(OtherEmulator, InterpreterAgrees)
{
    uint64_t done = 0;
    names seen;
    for (uint32_t seed = 1; done < vectors() && !HasFailure(); seed++) {
        trial it(seed, SLOTS, nullptr);
        for (const fresh_slot &slot : it.batch.slots) {
            if (!it.agree(slot)) {
                break;
            }
            note_names(it.batch, slot, &seen);
            done++;
        }
        if (!HasFailure()) {
            it.same_banks(false);
        }
    }
    std::cout << done << " vectors\n";
    EXPECT_TRUE(HasFailure() || missing(seen) == LEFT_OUT)
        << ::testing::PrintToString(missing(seen));
}

/* Each slot is compiled once and run with many states; native code must really be run. */
TEST(OtherEmulator, TranslatorAgrees)
{
    uint64_t done = 0;
    uint64_t native = 0;
    for (uint32_t seed = 1; done < vectors() && !HasFailure(); seed++) {
        struct arm968_translator_options options = {};
        options.samples = UINT32_MAX; /* only when asked */
        options.quick = seed % 8 != 0;
        std::unique_ptr<struct arm968_translator, decltype(&arm968_translator_destroy)> translator(
            arm968_translator_create(&options), arm968_translator_destroy);
        const uint64_t slots = (vectors() - done + TRANSLATED_STATES - 1) / TRANSLATED_STATES;
        trial it(1000000 + seed, slots < SLOTS ? static_cast<unsigned>(slots) : SLOTS,
                 translator.get());
        for (unsigned i = 0; i < WARM_UPS * it.batch.slots.size() && !HasFailure(); i++) {
            (void)it.agree(it.batch.slots[i % it.batch.slots.size()]);
        }
        while (arm968_translate(it.own.bench.cpu)) {
        }
        EXPECT_EQ(arm968_translator_counts(translator.get()).failures, 0u);
        for (const fresh_slot &slot : it.batch.slots) {
            for (unsigned i = 0; i < TRANSLATED_STATES && !HasFailure(); i++) {
                const uint64_t before = arm968_native_runs(it.own.bench.cpu);
                (void)it.agree(slot);
                native += arm968_native_runs(it.own.bench.cpu) > before ? 1 : 0;
                done++;
            }
        }
        if (!HasFailure()) {
            it.same_banks(false);
        }
    }
    std::cout << done << " vectors, " << native << " with native code\n";
    EXPECT_GT(native, done * 95 / 100);
}

} // namespace
