#include "tests/unit/ahead_scene.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <memory>
#include <sstream>

namespace
{

constexpr unsigned EVERY_CORE = 0xff; /* in the place of a core in a key */
constexpr unsigned ROUTED_CORES = 6;
constexpr uint32_t LINK_EAST = 1u << 0;
constexpr uint32_t LINK_WEST = 1u << 3;

struct destroyer {
    void operator()(machine *machine) const
    {
        machine_destroy(machine);
    }
};
using owned = std::unique_ptr<machine, destroyer>;

std::string name_of(machine_core core)
{
    return "(" + std::to_string(core.x) + "," + std::to_string(core.y) + "," +
           std::to_string(core.p) + ")";
}

/* What observers are told, core by core: of different chips it comes in any order. */
struct told {
    std::map<std::string, std::vector<std::string>> of;
};

bool tell_mark(void *context, machine_core core, uint32_t address, uint64_t cycle)
{
    auto &told = *static_cast<struct told *>(context);
    told.of[name_of(core)].push_back("mark " + std::to_string(address) + " at " +
                                     std::to_string(cycle));
    return false;
}

bool tell_fault(void *context, machine_core core, struct arm968_fault fault)
{
    auto &told = *static_cast<struct told *>(context);
    told.of["faults"].push_back(name_of(core) + " " + std::to_string(fault.kind) + " " +
                                std::to_string(fault.pc) + " " + std::to_string(fault.address));
    return false;
}

void tell_sample(void *context, machine_core core, uint32_t pc)
{
    auto &told = *static_cast<struct told *>(context);
    told.of["samples of " + name_of(core)].push_back(std::to_string(pc));
}

void set_routes(machine *machine, const scene &scene)
{
    std::map<uint8_t, unsigned> entries;
    for (const scene_route &route : scene_routes(scene)) {
        ASSERT_EQ(machine_set_route(machine, route.x, 0, entries[route.x]++, route.key, route.mask,
                                    route.route),
                  STATUS_OK);
    }
}

owned make_machine(const scene &scene, const way &way, const machine_observer &observer)
{
    machine_config config = bench_config();
    config.parameters = scene.parameters;
    config.topology.shape = TOPOLOGY_RECTANGLE;
    config.topology.width = scene.chips;
    config.topology.height = 1;
    config.observer = observer;
    config.sample_cycles = scene.sample_cycles;
    config.drop_records = 32;
    config.run_ahead = way.run_ahead;
    config.threads = way.threads;
    config.tier = way.tier;
    machine *made = nullptr;
    diagnostic why = {};
    EXPECT_EQ(machine_create(&config, &made, &why), STATUS_OK) << why.text;
    return owned(made);
}

owned make_machine(const scene &scene, const way &way, told *told)
{
    const machine_observer observer = {
        told,    tell_mark, tell_fault, scene.sample_cycles ? tell_sample : nullptr,
        nullptr, nullptr,   nullptr};
    return make_machine(scene, way, observer);
}

void set_marks(machine *machine, const scene &scene)
{
    for (const scene_core &core : scene.cores) {
        for (const uint32_t mark : core.marks) {
            ASSERT_EQ(machine_add_mark(machine, core.id, mark), STATUS_OK);
        }
    }
}

void start_all(machine *machine, const scene &scene)
{
    set_routes(machine, scene);
    set_marks(machine, scene);
    for (const scene_core &core : scene.cores) {
        for (const Program &part : core.parts) {
            ASSERT_EQ(machine_write(machine, core.id, part.base(), part.words().data(),
                                    static_cast<uint32_t>(4 * part.words().size())),
                      STATUS_OK);
        }
        ASSERT_EQ(machine_start_core(machine, core.id, core.parts.back().base(), 0), STATUS_OK);
    }
}

/* The state of a machine, into one that runs in another way. */
owned change_machine(owned from, const scene &scene, const way &way, told *told)
{
    size_t size = 0;
    uint8_t *bytes = machine_save(from.get(), &size);
    struct way other = way;
    other.run_ahead = way.run_ahead == RUN_AHEAD_OFF ? RUN_AHEAD_AUTO : RUN_AHEAD_OFF;
    owned to = make_machine(scene, other, told);
    EXPECT_EQ(machine_load(to.get(), bytes, size), STATUS_OK);
    free(bytes);
    set_marks(to.get(), scene);
    return to;
}

void see_counters(const machine *machine, sight *sight)
{
    machine_each_counter(
        machine,
        [](void *context, const machine_counter *counter) {
            static_cast<std::vector<std::string> *>(context)->push_back(
                std::string(counter->component) + "." + counter->info->name + " of (" +
                std::to_string(counter->x) + "," + std::to_string(counter->y) + "," +
                std::to_string(counter->instance) + ") = " + std::to_string(counter->value));
        },
        &sight->lines);
    machine_each_traffic(
        machine,
        [](void *context, const machine_traffic *row) {
            std::ostringstream text;
            text << "traffic " << +row->x << "," << +row->link << "," << +row->type << " "
                 << row->sent << " " << row->received << " " << row->dropped << " " << row->refused
                 << " " << row->busy_ps;
            static_cast<std::vector<std::string> *>(context)->push_back(text.str());
        },
        &sight->lines);
}

void see_drops(const machine *machine, sight *sight)
{
    std::vector<machine_drop> drops(machine_drop_count(machine) + 1);
    machine_drops(machine, drops.data());
    drops.pop_back();
    for (const machine_drop &drop : drops) {
        std::ostringstream text;
        text << "drop " << drop.time_ps << " " << drop.tried_ps << " " << drop.held_since_ps << " "
             << drop.key << " " << drop.payload << " " << drop.holder_key << " " << +drop.x << " "
             << +drop.arrival << " " << +drop.output << " " << +drop.reason << " " << +drop.holder;
        sight->lines.push_back(text.str());
    }
    sight->lines.push_back("unrecorded " + std::to_string(machine_drops_unrecorded(machine)));
}

void see_cores(const machine *machine, const scene &scene, sight *sight)
{
    for (const scene_core &core : scene.cores) {
        std::ostringstream text;
        text << "registers of " << name_of(core.id);
        for (unsigned i = 0; i < 16; i++) {
            text << " " << machine_core_register(machine, core.id, i);
        }
        sight->lines.push_back(text.str());
    }
}

sight see(const machine *machine, const scene &scene, const told &told)
{
    sight sight;
    see_counters(machine, &sight);
    see_drops(machine, &sight);
    see_cores(machine, scene, &sight);
    for (size_t i = 0; i < machine_unmodelled_count(machine); i++) {
        const struct machine_unmodelled place = machine_unmodelled(machine, i);
        sight.lines.push_back(std::string("unmodelled ") + place.block + " " +
                              std::to_string(place.offset) + " " + std::to_string(place.count) +
                              " " + std::to_string(place.first_core));
    }
    for (const auto &[who, list] : told.of) {
        for (const std::string &line : list) {
            sight.lines.push_back(who + ": " + line);
        }
    }
    machine_each_written(
        machine,
        [](void *context, uint8_t x, uint8_t y, uint32_t address, int instance,
           const uint8_t *bytes, uint32_t count) {
            auto &text = *static_cast<std::string *>(context);
            text += std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(instance) +
                    "@" + std::to_string(address) + ":";
            text.append(reinterpret_cast<const char *>(bytes), count);
        },
        &sight.memory);
    sight.late = machine_late_interrupts(machine);
    sight.native_runs = machine_native(machine).runs;
    return sight;
}

} // namespace

uint32_t key_to(machine_core core, uint32_t low)
{
    return 0x01000000u | static_cast<uint32_t>(core.x) << 16 | static_cast<uint32_t>(core.p) << 8 |
           low;
}

std::vector<scene_route> scene_routes(const scene &scene)
{
    std::vector<scene_route> routes;
    for (uint32_t x = 0; x < scene.chips; x++) {
        const auto at = static_cast<uint8_t>(x);
        for (uint32_t to = 0; to < scene.chips; to++) {
            for (unsigned p = 1; p <= ROUTED_CORES; p++) {
                const uint32_t key = key_to({static_cast<uint8_t>(to), 0, static_cast<uint8_t>(p)});
                const uint32_t route = to == x ? 1u << (6 + p) : to > x ? LINK_EAST : LINK_WEST;
                routes.push_back({at, key, 0xffffff00, route});
            }
        }
        const uint32_t all = ((1u << ROUTED_CORES) - 1) << 7;
        routes.push_back({at, key_to({at, 0, EVERY_CORE}), 0xffffff00, all});
    }
    return routes;
}

scene::scene() : parameters(bench_config().parameters)
{
    parameters.sdram_bytes = 1u << 20;
}

uint64_t sight::sum(const std::string &counter) const
{
    uint64_t sum = 0;
    for (const std::string &line : lines) {
        if (line.compare(0, counter.size() + 1, counter + " ") == 0) {
            sum += strtoull(line.c_str() + line.find('=') + 1, nullptr, 10);
        }
    }
    return sum;
}

std::string scene_state(const machine *machine, const scene &scene)
{
    const sight sight = see(machine, scene, told());
    std::string text = std::to_string(machine_time_ps(machine)) + " ps\n";
    for (const std::string &line : sight.lines) {
        text += line + "\n";
    }
    return text + sight.memory;
}

machine *scene_machine(const scene &scene, const way &way, const machine_observer &observer)
{
    owned machine = make_machine(scene, way, observer);
    start_all(machine.get(), scene);
    return machine.release();
}

sight run_scene(const scene &scene, const way &way)
{
    told told;
    owned machine = make_machine(scene, way, &told);
    start_all(machine.get(), scene);
    if (way.change_ps != 0) {
        (void)machine_run_until(machine.get(), way.change_ps);
        machine = change_machine(std::move(machine), scene, way, &told);
    }
    for (uint64_t to_ps = way.slice_ps; way.slice_ps != 0 && to_ps < scene.end_ps;
         to_ps += way.slice_ps) {
        const machine_stop stop = machine_run_until(machine.get(), to_ps);
        EXPECT_LE(machine_time_ps(machine.get()), to_ps);
        if (stop == MACHINE_REACHED) {
            EXPECT_EQ(machine_time_ps(machine.get()), to_ps);
        }
    }
    const machine_stop stop = machine_run_until(machine.get(), scene.end_ps);
    sight sight = see(machine.get(), scene, told);
    sight.lines.push_back("stop " + std::to_string(stop) + " at " +
                          std::to_string(machine_time_ps(machine.get())));
    sight.lines.push_back("quiet since " + std::to_string(machine_quiet_since_ps(machine.get())));
    return sight;
}

std::string difference(const sight &one, const sight &other)
{
    std::string text;
    unsigned shown = 0;
    for (size_t i = 0; i < std::max(one.lines.size(), other.lines.size()) && shown < 12; i++) {
        const std::string a = i < one.lines.size() ? one.lines[i] : "nothing";
        const std::string b = i < other.lines.size() ? other.lines[i] : "nothing";
        if (a != b) {
            text += "  " + a + "\n    and " + b + "\n";
            shown++;
        }
    }
    if (one.memory != other.memory) {
        text += "  memories\n";
    }
    if (one.late + other.late != 0) {
        text += "  late interrupts\n";
    }
    return text;
}
