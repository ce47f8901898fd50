/* machine_parts_test.cpp - a machine's state as data and pages: a machine that takes it goes on as
 * the one that gave it would have; with other free parameters, as one that got these then. */
#include "tests/unit/ahead_scene.h"

#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>

extern "C" {
#include "models/machine/free_parameters.h"
#include "models/machine/machine_parts.h"
}

namespace
{

constexpr uint64_t CUT_PS = 40 * US;
constexpr unsigned SCENES = 8;

machine *made(const scene &scene, const way &way = {})
{
    return scene_machine(scene, way, {nullptr, nullptr, nullptr, nullptr, nullptr, nullptr});
}

/* A machine of its own, with a state that has been copied out of it. */
struct saved {
    explicit saved(const machine *machine)
    {
        diagnostic why = {};
        EXPECT_EQ(machine_save_parts(machine, &parts, &why), STATUS_OK) << why.text;
        for (size_t i = 0; i < parts.pages; i++) {
            pages.emplace_back(parts.page[i], parts.page[i] + MACHINE_PAGE_BYTES);
        }
        for (size_t i = 0; i < parts.pages; i++) {
            parts.page[i] = pages[i].data();
        }
    }
    ~saved()
    {
        machine_parts_free(&parts);
    }
    saved(const saved &) = delete;
    saved &operator=(const saved &) = delete;

    machine_parts parts = {};
    std::vector<std::vector<uint8_t>> pages;
};

std::string run_on(machine *machine, const scene &scene)
{
    (void)machine_run_until(machine, scene.end_ps);
    std::string state = scene_state(machine, scene);
    machine_destroy(machine);
    return state;
}

TEST(MachineParts, AnotherMachineGoesOn)
{
    for (uint32_t seed = 1; seed <= SCENES; seed++) {
        SCOPED_TRACE(seed);
        const scene scene = random_scene(seed, 2);
        const std::string whole = run_on(made(scene), scene);
        machine *first = made(scene, {RUN_AHEAD_AUTO, 2});
        (void)machine_run_until(first, CUT_PS);
        const saved state(first);
        EXPECT_EQ(run_on(first, scene), whole) << "saving changes nothing";
        machine *second = made(scene, {RUN_AHEAD_OFF, 1});
        ASSERT_EQ(machine_load_parts(second, &state.parts), STATUS_OK);
        EXPECT_EQ(machine_time_ps(second), CUT_PS);
        EXPECT_EQ(run_on(second, scene), whole);
    }
}

/* A machine that has run further has other bytes in the pages that it has touched. */
TEST(MachineParts, NothingOfTheMachineThatLoadsIsLeft)
{
    const scene one = random_scene(3, 2);
    const scene other = random_scene(5, 2);
    machine *first = made(one);
    (void)machine_run_until(first, CUT_PS);
    const saved state(first);
    const std::string then = scene_state(first, one);
    machine_destroy(first);
    machine *second = made(other);
    (void)machine_run_until(second, 2 * CUT_PS);
    ASSERT_EQ(machine_load_parts(second, &state.parts), STATUS_OK);
    EXPECT_EQ(scene_state(second, one), then);
    machine_destroy(second);
}

TEST(MachineParts, APageOfZerosNeedsNoBytes)
{
    static const std::vector<uint8_t> ZERO(MACHINE_PAGE_BYTES);
    const scene scene = random_scene(1, 1);
    const std::string whole = run_on(made(scene), scene);
    machine *first = made(scene);
    (void)machine_run_until(first, CUT_PS);
    saved state(first);
    size_t zeros = 0;
    for (size_t i = 0; i < state.parts.pages; i++) {
        if (state.pages[i] == ZERO) {
            state.parts.page[i] = nullptr;
            zeros++;
        }
    }
    EXPECT_GT(zeros, 100u);
    machine_destroy(first);
    machine *second = made(scene);
    ASSERT_EQ(machine_load_parts(second, &state.parts), STATUS_OK);
    EXPECT_EQ(run_on(second, scene), whole);
}

/* Samples that are due where the machine was cut are not lost, nor taken twice. */
TEST(MachineParts, SamplesGoOn)
{
    struct samples {
        static void take(void *context, machine_core core, uint32_t pc)
        {
            static_cast<samples *>(context)->text +=
                std::to_string(core.x) + "," + std::to_string(core.p) + "@" + std::to_string(pc) +
                "\n";
        }
        std::string text;
    };
    for (const uint64_t cycles : {1u, 7u, 100u}) {
        SCOPED_TRACE(cycles);
        scene scene = random_scene(2, 1);
        scene.sample_cycles = cycles;
        samples whole;
        samples cut;
        machine *one =
            scene_machine(scene, {}, {&whole, nullptr, nullptr, samples::take, nullptr, nullptr});
        (void)machine_run_until(one, CUT_PS);
        (void)machine_run_until(one, scene.end_ps);
        machine_destroy(one);
        machine *first =
            scene_machine(scene, {}, {&cut, nullptr, nullptr, samples::take, nullptr, nullptr});
        (void)machine_run_until(first, CUT_PS);
        const saved state(first);
        machine_destroy(first);
        machine *second =
            scene_machine(scene, {}, {&cut, nullptr, nullptr, samples::take, nullptr, nullptr});
        ASSERT_EQ(machine_load_parts(second, &state.parts), STATUS_OK);
        (void)machine_run_until(second, scene.end_ps);
        machine_destroy(second);
        EXPECT_TRUE(cut.text == whole.text) << "other samples";
        EXPECT_GT(whole.text.size(), 100u);
    }
}

/* ---- parameters ---- */

uint64_t *value_of(machine_parameters *parameters, size_t row)
{
    return reinterpret_cast<uint64_t *>(parameters) + row;
}

const uint64_t DEFAULTS[] = {
#define PARAMETER(group, key, field, kind, default_value, minimum, maximum, help, source)          \
    default_value,
#include "models/machine/parameters.def"
#undef PARAMETER
};

/* Another value that the parameter may have. */
uint64_t another(size_t row, uint64_t value)
{
    static const struct {
        uint64_t minimum, maximum;
    } RANGE[] = {
#define PARAMETER(group, key, field, kind, default_value, minimum, maximum, help, source)          \
    {minimum, maximum},
#include "models/machine/parameters.def"
#undef PARAMETER
    };
    const uint64_t larger = value + value / 3 + 1;
    return larger <= RANGE[row].maximum ? larger : RANGE[row].minimum;
}

std::string name_of(const free_parameter &row)
{
    return std::string(row.group) + "." + row.key;
}

/* For each free parameter: the state in a machine that has another value from the beginning, and the
 * machine that got the value then. */
TEST(MachineParts, AForkIsARunThatChangedAParameterThen)
{
    size_t felt = 0;
    for (size_t row = 0; row < FREE_PARAMETERS; row++) {
        if (!FREE_PARAMETER[row].free) {
            continue;
        }
        SCOPED_TRACE(name_of(FREE_PARAMETER[row]));
        bool differs = false;
        for (uint32_t seed = 1; seed <= SCENES / 2; seed++) {
            SCOPED_TRACE(seed);
            const scene before = random_scene(seed, 2);
            scene after = before;
            uint64_t *value = value_of(&after.parameters, row);
            *value = another(row, *value);
            machine *changed = made(before);
            (void)machine_run_until(changed, CUT_PS);
            const saved state(changed);
            machine *forked = made(after, {RUN_AHEAD_OFF, 1});
            ASSERT_EQ(machine_load_parts(forked, &state.parts), STATUS_OK);
            ASSERT_EQ(machine_set_parameters(changed, &after.parameters), STATUS_OK);
            const std::string one = run_on(changed, before);
            EXPECT_TRUE(run_on(forked, before) == one) << "another run";
            differs = differs || one != run_on(made(before), before);
        }
        felt += differs;
    }
    EXPECT_GE(felt, 12u) << "so many parameters matter to these programs";
}

TEST(MachineParts, BoundParametersAreRefused)
{
    const scene before = random_scene(1, 1);
    machine *machine = made(before);
    const saved state(machine);
    for (size_t row = 0; row < FREE_PARAMETERS; row++) {
        if (FREE_PARAMETER[row].free) {
            continue;
        }
        SCOPED_TRACE(name_of(FREE_PARAMETER[row]));
        machine_parameters other = before.parameters;
        *value_of(&other, row) = another(row, *value_of(&other, row));
        EXPECT_EQ(free_parameters_bound(&before.parameters, &other), &FREE_PARAMETER[row]);
        EXPECT_EQ(machine_set_parameters(machine, &other), STATUS_CONFIGURATION);
        EXPECT_GT(strlen(FREE_PARAMETER[row].reason), 10u);
    }
    scene slower = before;
    slower.parameters.clock_cpu_hz = 100000000;
    struct machine *other = made(slower);
    EXPECT_EQ(machine_load_parts(other, &state.parts), STATUS_CONFIGURATION);
    machine_destroy(other);
    machine_destroy(machine);
}

TEST(MachineParts, RowsAreThoseOfTheParameters)
{
    static const char *const NAMES[] = {
#define PARAMETER(group, key, field, kind, default_value, minimum, maximum, help, source)          \
    #group "." #key,
#include "models/machine/parameters.def"
#undef PARAMETER
    };
    static_assert(sizeof NAMES / sizeof *NAMES == FREE_PARAMETERS, "one number in two places");
    static_assert(sizeof DEFAULTS / sizeof *DEFAULTS == FREE_PARAMETERS, "as above");
    for (size_t i = 0; i < FREE_PARAMETERS; i++) {
        EXPECT_EQ(name_of(FREE_PARAMETER[i]), NAMES[i]);
        EXPECT_EQ(free_parameter_of(NAMES[i]), &FREE_PARAMETER[i]);
    }
    EXPECT_EQ(free_parameter_of("link.packets"), nullptr);
    EXPECT_EQ(free_parameter_of("link"), nullptr);
    EXPECT_EQ(free_parameter_of(""), nullptr);
}

/* ---- what cannot be saved, or loaded ---- */

TEST(MachineParts, ReplacedMemoryIsNotSaved)
{
    const scene scene = random_scene(1, 1);
    machine *machine = made(scene);
    machine_memory_port port = machine_builtin_memory(machine, 0, 0);
    port.access = [](void *, uint64_t arrival_ps, uint32_t, uint8_t *, uint32_t, bool) {
        return arrival_ps;
    };
    machine_set_memory_port(machine, 0, 0, port);
    machine_parts parts = {};
    diagnostic why = {};
    EXPECT_EQ(machine_save_parts(machine, &parts, &why), STATUS_CONFIGURATION);
    EXPECT_STREQ(why.text,
                 "the memory of chip 0,0 is not the machine's own, and cannot be saved with it");
    machine_parts_free(&parts);
    machine_destroy(machine);
}

TEST(MachineParts, AStateThatIsTooShortOrTooLongIsRefused)
{
    const scene scene = random_scene(1, 1);
    machine *first = made(scene);
    (void)machine_run_until(first, CUT_PS);
    const saved state(first);
    machine *second = made(scene);
    machine_parts parts = state.parts;
    for (const size_t bytes : {size_t{0}, size_t{8}, parts.data_bytes / 2, parts.data_bytes - 1}) {
        parts.data_bytes = bytes;
        EXPECT_EQ(machine_load_parts(second, &parts), STATUS_CONFIGURATION) << bytes;
    }
    parts = state.parts;
    for (const size_t pages : {size_t{0}, parts.pages - 1}) {
        parts.pages = pages;
        EXPECT_EQ(machine_load_parts(second, &parts), STATUS_CONFIGURATION) << pages;
    }
    const struct scene larger = random_scene(1, 2);
    machine *third = made(larger);
    EXPECT_EQ(machine_load_parts(third, &state.parts), STATUS_CONFIGURATION);
    machine_destroy(first);
    machine_destroy(second);
    machine_destroy(third);
}

} // namespace
