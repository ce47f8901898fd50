/* program.cpp - see program.h. */
#include "tests/chaos/program.h"

#include "tests/chaos/plans.h"
#include "tests/unit/ahead_scene.h"

#include <cstring>
#include <deque>
#include <sstream>

extern "C" {
#include "models/chip/sdram.h"
#include "models/network/p2p_table.h"
}

namespace
{

constexpr uint32_t RTR_CONTROL = 0;
constexpr uint32_t RTR_FR_NN = 0x84;
constexpr uint32_t KEY_OF_CORES = 0x02000000; /* chip << 16 | core << 8 */
constexpr uint32_t KEY_OF_TREES = 0x03000000; /* tree << 8 */
constexpr uint32_t KEY_OF_NOBODY = 0x04000000;
constexpr unsigned TREES = 2;
constexpr uint64_t COLD_PS = 500 * US; /* native code is made after 100,000 cycles of all cores */

/* ---- the machine ---- */

struct choice {
    uint64_t machine_parameters::*field;
    std::vector<uint64_t> values;
};

/* Values of parameters that decide what may happen when; the default is as likely as another. */
const std::vector<choice> &choices()
{
    static const std::vector<choice> CHOICES = {
        {&machine_parameters::router_core_transit_ps, {605000, 135000, 400000, 20000, 1}},
        {&machine_parameters::router_core_injection_ps, {135000, 20000, 1, 300000}},
        {&machine_parameters::router_core_buffer, {6, 1, 2, 8}},
        {&machine_parameters::router_pipeline_stages, {5, 1, 8}},
        {&machine_parameters::router_wait1, {64, 0, 16, 255}},
        {&machine_parameters::router_wait2, {0, 32, 64}},
        {&machine_parameters::link_packet_ps, {136970, 20000, 500000}},
        {&machine_parameters::link_packet_north_ps, {149300, 30000}},
        {&machine_parameters::link_buffer, {3, 1, 8}},
        {&machine_parameters::link_credit_latency_ps, {136970, 0, 1, 400000}},
        {&machine_parameters::chip_signal_floor_ps, {135000, 5000, 1, 1000000}},
        {&machine_parameters::chip_control_interval_ps, {100000000, 50000000, 10000000, 1000000}},
        {&machine_parameters::chip_peripheral_read_cycles, {3, 0, 10}},
        {&machine_parameters::chip_peripheral_write_cycles, {2, 0, 7}},
        {&machine_parameters::chip_noc_request_ps, {16500, 0, 40000}},
        {&machine_parameters::chip_noc_response_ps, {16500, 0, 33000}},
        {&machine_parameters::chip_ahb_service_ps, {22500, 0, 90000}},
        {&machine_parameters::chip_ahb_latency_ps, {49500, 0}},
        {&machine_parameters::chip_burst_word_cycles, {4, 0, 9}},
        {&machine_parameters::chip_dma_setup_cycles, {20, 1, 40}},
        {&machine_parameters::chip_dma_word_ps, {14700, 1, 30000}},
        {&machine_parameters::chip_dma_burst_words, {32, 1, 8}},
        {&machine_parameters::chip_tcm_banks, {2, 1, 8}},
        {&machine_parameters::chip_dma_contention, {1, 0}},
        {&machine_parameters::clock_cpu_hz, {200000000, 150000000, 100000000, 250000000}},
        {&machine_parameters::clock_router_divider, {3, 2, 5}},
        {&machine_parameters::sdram_cas_clocks, {3, 0, 12}},
        {&machine_parameters::sdram_burst_words, {8, 1, 16}},
        {&machine_parameters::sdram_refresh_interval_ps, {7800000, 1000000}},
    };
    return CHOICES;
}

/* The same of policies that a machine may have; drawn apart from all else. */
const std::vector<choice> &policies()
{
    static const std::vector<choice> POLICIES = {
        {&machine_parameters::sdram_policy, {SDRAM_CLOSED, SDRAM_OPEN, SDRAM_INTERLEAVED}},
        {&machine_parameters::sdram_banks, {4, 1, 8}},
        {&machine_parameters::sdram_ras_clocks, {7, 0, 20}},
        {&machine_parameters::sdram_rrd_clocks, {2, 0, 9}},
        {&machine_parameters::sdram_wr_clocks, {3, 0, 12}},
        {&machine_parameters::link_spread_ppm, {0, 30000, 500000}},
        {&machine_parameters::link_seed, {0, 1, 2, 3, 4, 5, 6, 7}},
    };
    return POLICIES;
}

void choose_policies(chaos_program *program)
{
    random_source from;
    from.random.seed(program->seed * 2654435761u + 2);
    for (const choice &choice : policies()) {
        program->parameters.*choice.field =
            choice.values[from.below(static_cast<uint32_t>(choice.values.size()))];
    }
}

void choose_parameters(random_source *from, chaos_program *program)
{
    const bool as_usual = from->chance(25);
    for (const choice &choice : choices()) {
        const uint64_t value =
            choice.values[from->below(static_cast<uint32_t>(choice.values.size()))];
        if (!as_usual && from->chance(50)) {
            program->parameters.*choice.field = value;
        }
    }
    if (!as_usual) {
        choose_policies(program);
    }
    if (!as_usual && from->chance(40) &&
        !program->warm) { /* native code has the core's times in it */
        size_t count = 0;
        const arm968_timing_row *row = arm968_timing_rows(&count);
        for (size_t i = 0; i < count; i++) {
            if (from->chance(20)) {
                const auto value = static_cast<uint16_t>(row[i].minimum + from->below(4));
                memcpy(reinterpret_cast<char *>(&program->timing) + row[i].offset, &value,
                       sizeof value);
            }
        }
    }
}

void choose_machine(random_source *from, chaos_program *program, topology *chips)
{
    topology_request &request = program->topology;
    const uint32_t draw = from->below(100);
    request.shape = TOPOLOGY_RECTANGLE;
    request.width = request.height = 1;
    if (draw >= 92) {
        request.shape = TOPOLOGY_SPIN5;
    } else if (draw >= 50) {
        static const topology_shape SHAPES[] = {TOPOLOGY_RECTANGLE, TOPOLOGY_TORUS, TOPOLOGY_SPIN3};
        request.shape = SHAPES[from->below(3)];
        request.width = request.height = 2;
    }
    struct diagnostic why = {};
    if (topology_make(chips, &request, &why) != STATUS_OK) {
        abort();
    }
    program->chips = static_cast<unsigned>(chips->count);
}

/* ---- routes ---- */

/* For each chip its link on a shortest way to a chip; TOPOLOGY_LINKS for that chip itself. */
std::vector<unsigned> ways_to(const topology &chips, size_t to)
{
    std::vector<unsigned> link(chips.count, TOPOLOGY_LINKS + 1);
    std::deque<size_t> reached = {to};
    link[to] = TOPOLOGY_LINKS;
    while (!reached.empty()) {
        const size_t at = reached.front();
        reached.pop_front();
        for (unsigned out = 0; out < TOPOLOGY_LINKS; out++) {
            const int32_t next = chips.chip[at].neighbour[out];
            if (next != TOPOLOGY_NO_CHIP && link[static_cast<size_t>(next)] > TOPOLOGY_LINKS) {
                link[static_cast<size_t>(next)] = topology_opposite(out);
                reached.push_back(static_cast<size_t>(next));
            }
        }
    }
    return link;
}

machine_chip place_of(const topology &chips, size_t chip)
{
    return {chips.chip[chip].x, chips.chip[chip].y};
}

uint32_t key_of(size_t chip, unsigned core)
{
    return KEY_OF_CORES | static_cast<uint32_t>(chip) << 16 | core << 8;
}

/* Each core can be reached by its key, from everywhere; each chip by its address. */
void write_routes(const topology &chips, unsigned cores, chaos_program *program)
{
    for (size_t to = 0; to < chips.count; to++) {
        const std::vector<unsigned> link = ways_to(chips, to);
        const auto address = static_cast<uint16_t>(chips.chip[to].x << 8 | chips.chip[to].y);
        for (size_t at = 0; at < chips.count; at++) {
            const machine_chip place = place_of(chips, at);
            if (at != to) {
                program->routes.push_back({place, key_of(to, 0), 0xffff0000, 1u << link[at]});
                program->p2p_routes.push_back({place, address, link[at]});
                continue;
            }
            program->p2p_routes.push_back({place, address, P2P_ROUTE_MONITOR});
            for (unsigned p = 1; p <= cores; p++) {
                program->routes.push_back({place, key_of(to, p), 0xffffff00, 1u << (6 + p)});
            }
        }
    }
}

/* Packets with these keys reach random cores of all chips beyond the sender's. */
void write_tree(random_source *from, const topology &chips, unsigned cores, unsigned number,
                chaos_program *program)
{
    const std::vector<unsigned> link =
        ways_to(chips, from->below(static_cast<uint32_t>(chips.count)));
    std::vector<uint32_t> route(chips.count);
    for (size_t at = 0; at < chips.count; at++) {
        route[at] |= (from->below(1u << cores)) << 7;
        if (link[at] < TOPOLOGY_LINKS) {
            const auto parent = static_cast<size_t>(chips.chip[at].neighbour[link[at]]);
            route[parent] |= 1u << topology_opposite(link[at]);
        }
    }
    for (size_t at = 0; at < chips.count; at++) {
        program->routes.push_back(
            {place_of(chips, at), KEY_OF_TREES | number << 8, 0xffffff00, route[at]});
    }
}

void write_registers(random_source *from, const topology &chips, unsigned cores,
                     chaos_program *program)
{
    for (size_t at = 0; at < chips.count; at++) {
        const uint32_t control = static_cast<uint32_t>(program->parameters.router_wait2) << 24 |
                                 static_cast<uint32_t>(program->parameters.router_wait1) << 16 |
                                 (1 + from->below(cores)) << 8 | from->below(4) << 1 | 1;
        program->registers.push_back({place_of(chips, at), RTR_CONTROL, control});
        program->registers.push_back({place_of(chips, at), RTR_FR_NN, from->below(64) << 26});
    }
}

/* ---- compiled programs ---- */

segment segment_of(const plan &plan)
{
    segment made = {PLAN_AT, std::vector<uint8_t>(sizeof plan)};
    memcpy(made.bytes.data(), &plan, sizeof plan);
    return made;
}

std::vector<uint32_t> choose_marks(random_source *from, const guest &guest)
{
    std::vector<uint32_t> marks;
    for (unsigned i = 0; i < 3 && from->chance(15); i++) {
        marks.push_back(from->below(guest.code_end) & ~(guest.thumb ? 1u : 3u));
    }
    return marks;
}

void write_cores(random_source *from, const topology &chips, unsigned cores, chaos_program *program)
{
    plan_scope scope = {};
    for (size_t at = 0; at < chips.count; at++) {
        for (unsigned p = 1; p <= cores; p++) {
            scope.keys.push_back(key_of(at, p));
        }
        scope.destinations.push_back(static_cast<uint32_t>(chips.chip[at].x) << 8 |
                                     chips.chip[at].y);
    }
    for (unsigned tree = 0; tree < TREES; tree++) {
        write_tree(from, chips, cores, tree, program);
        scope.keys.push_back(KEY_OF_TREES | tree << 8);
    }
    scope.keys.push_back(KEY_OF_NOBODY);
    scope.destinations.push_back(0x3f3f);
    scope.cores = ((1u << cores) - 1) << 1;
    scope.controls = from->chance(30);
    scope.rounds = program->cold ? 10000 : 60;
    for (size_t at = 0; at < chips.count; at++) {
        for (unsigned p = 1; p <= cores; p++) {
            if (chips.count > 4 && from->chance(30)) {
                continue; /* a core that is never started */
            }
            const machine_chip place = place_of(chips, at);
            scope.id = {place.x, place.y, static_cast<uint8_t>(p)};
            program->cores.push_back({scope.id,
                                      {segment_of(random_plan(from, scope))},
                                      program->image->entry,
                                      choose_marks(from, *program->image)});
        }
    }
}

const char *name_of(topology_shape shape)
{
    static const char *const NAMES[] = {"rectangle", "torus", "spin3", "spin5", "boards"};
    return NAMES[shape];
}

void make_compiled(random_source *from, chaos_program *program)
{
    topology chips = {};
    choose_machine(from, program, &chips);
    const bool board = chips.count > 4;
    unsigned cores = board ? 1 + from->below(2) : 1 + from->below(4);
    if (chips.count == 1 && from->chance(15)) {
        cores = 16;
    }
    program->parameters.chip_cores = cores + 1 + from->below(2);
    program->end_ps = (board ? 10 + from->below(15) : 20 + from->below(80)) * US + from->below(US);
    if (program->cold && !board) {
        program->end_ps += COLD_PS;
    }
    program->sample_cycles = from->chance(25) ? 20 + from->below(2000) : 0;
    write_routes(chips, cores, program);
    write_registers(from, chips, cores, program);
    write_cores(from, chips, cores, program);
    program->what = program->image->name + ", " + std::to_string(chips.count) + " chips (" +
                    name_of(program->topology.shape) + "), " + std::to_string(cores) +
                    " cores each" +
                    (program->warm   ? ", warm"
                     : program->cold ? ", cold"
                                     : "");
    topology_deinit(&chips);
}

/* ---- programs of words ---- */

/* One of tests/unit/ahead_scene.h; its routes are those of a row of chips. */
void make_emitted(random_source *from, chaos_program *program)
{
    const scene scene = random_scene(static_cast<uint32_t>(from->random()));
    program->topology.shape = TOPOLOGY_RECTANGLE;
    program->topology.width = program->chips = scene.chips;
    program->topology.height = 1;
    program->sample_cycles = scene.sample_cycles;
    program->end_ps = scene.end_ps;
    for (const scene_core &from_core : scene.cores) {
        chaos_core core = {from_core.id, {}, from_core.parts.back().base(), from_core.marks};
        for (const Program &part : from_core.parts) {
            segment words = {part.base(), std::vector<uint8_t>(4 * part.words().size())};
            memcpy(words.bytes.data(), part.words().data(), words.bytes.size());
            core.segments.push_back(words);
        }
        program->cores.push_back(core);
    }
    for (const scene_route &route : scene_routes(scene)) {
        program->routes.push_back({{route.x, 0}, route.key, route.mask, route.route});
    }
    program->what = "words, " + std::to_string(scene.chips) + " chips in a row";
}

std::shared_ptr<const guest> guest_of(uint32_t number)
{
    static std::shared_ptr<const guest> last;
    static uint32_t last_number;
    if (last == nullptr || last_number != number) {
        last = make_guest(number);
        last_number = number;
    }
    return last;
}

} // namespace

chaos_program make_chaos_program(uint32_t seed)
{
    chaos_program program;
    random_source from;
    const uint32_t guest = seed / PROGRAMS_OF_A_GUEST;
    from.random.seed(seed * 2654435761u + 1);
    program.seed = seed;
    program.parameters = machine_parameters_default();
    program.parameters.sdram_bytes = 1u << 20;
    program.timing = arm968_timing_default();
    if (seed % 5 == 4) {
        choose_parameters(&from, &program);
        make_emitted(&from, &program);
        return program;
    }
    program.warm = guest % 8 == 3;
    program.cold = !program.warm && seed % 12 == 7;
    program.image = guest_of(guest);
    choose_parameters(&from, &program);
    make_compiled(&from, &program);
    return program;
}

std::string listing_of(const chaos_program &program)
{
    std::ostringstream text;
    text << "program " << program.seed << ": " << program.what << ", until " << program.end_ps
         << " ps, samples every " << program.sample_cycles << " cycles\n";
    const machine_parameters usual = machine_parameters_default();
    const auto parameter = [&](const char *name, uint64_t value, uint64_t usual_value) {
        if (value != usual_value) {
            text << "  " << name << " " << value << "\n";
        }
    };
#define PARAMETER(group, key, field, ...)                                                          \
    parameter(#group "." #key, program.parameters.field, usual.field);
#include "models/machine/parameters.def"
#undef PARAMETER
    size_t count = 0;
    const arm968_timing_row *row = arm968_timing_rows(&count);
    for (size_t i = 0; i < count; i++) {
        uint16_t value = 0;
        memcpy(&value, reinterpret_cast<const char *>(&program.timing) + row[i].offset,
               sizeof value);
        parameter((std::string("timing.") + row[i].name).c_str(), value, row[i].default_value);
    }
    for (const chaos_core &core : program.cores) {
        text << "core (" << +core.id.x << "," << +core.id.y << "," << +core.id.p << ")";
        for (const uint32_t mark : core.marks) {
            text << " mark " << mark;
        }
        text << "\n";
        if (program.image != nullptr) {
            plan plan;
            memcpy(&plan, core.segments[0].bytes.data(), sizeof plan);
            text << text_of(plan);
        }
    }
    return text.str();
}
