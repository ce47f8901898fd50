/* execution.cpp - see execution.h. */
#include "tests/chaos/execution.h"

#include "models/common/run_ahead.h"
#include "tests/cycles/random_bodies.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <sstream>

namespace
{

enum { DROPS_KEPT = 64, STOPS_MOST = 30 };

/* Any failure here is a fault of this program, or of the simulator. */
void need(enum status status, const char *what, const diagnostic *why = nullptr)
{
    if (status != STATUS_OK) {
        std::cerr << "chaos: " << what << ": " << (why == nullptr ? "refused" : why->text) << "\n";
        abort();
    }
}

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

/* ---- what observers are told ---- */

using told_map = std::map<std::string, std::vector<std::string>>;

bool tell_mark(void *context, machine_core core, uint32_t address, uint64_t cycle)
{
    (*static_cast<told_map *>(context))["mark of " + name_of(core)].push_back(
        std::to_string(address) + " at cycle " + std::to_string(cycle));
    return false;
}

bool tell_fault(void *context, machine_core core, struct arm968_fault fault)
{
    (*static_cast<told_map *>(context))["fault"].push_back(
        name_of(core) + " kind " + std::to_string(fault.kind) + " pc " + std::to_string(fault.pc) +
        " address " + std::to_string(fault.address));
    return false;
}

void tell_sample(void *context, machine_core core, uint32_t pc)
{
    (*static_cast<told_map *>(context))["sample of " + name_of(core)].push_back(std::to_string(pc));
}

/* ---- a machine with a program ---- */

class session
{
  public:
    session(const chaos_program &program, const chaos_way &way) : program_(program), way_(way)
    {
        machine_ = make();
        load();
    }

    void run(uint64_t end_ps)
    {
        std::vector<uint64_t> stops = stops_before(end_ps);
        for (size_t i = 0; i < stops.size(); i++) {
            (void)machine_run_until(machine_.get(), stops[i]);
            look();
            if (i < way_.loads) {
                reload();
            }
        }
        stop_ = machine_run_until(machine_.get(), end_ps);
    }

    chaos_sight see(bool wants_bytes);

  private:
    owned make()
    {
        machine_config config = {};
        config.parameters = program_.parameters;
        config.timing = program_.timing;
        config.topology = program_.topology;
        config.observer.context = &told_;
        config.observer.guest_error = tell_fault;
        config.tier = way_.tier;
        config.run_ahead = way_.run_ahead;
        config.threads = way_.threads;
        if (way_.records) {
            config.observer.mark = tell_mark;
            config.observer.sample = takes_samples() ? tell_sample : nullptr;
            config.sample_cycles = takes_samples() ? program_.sample_cycles : 0;
            config.drop_records = DROPS_KEPT;
        }
        machine *made = nullptr;
        diagnostic why = {};
        need(machine_create(&config, &made, &why), "create", &why);
        owned machine(made);
        if (way_.records) {
            set_records(made);
        }
        return machine;
    }

    /* The time of the next sample is no part of a machine's state. */
    bool takes_samples() const
    {
        return program_.sample_cycles != 0 && way_.loads == 0;
    }

    void set_records(machine *machine) const
    {
        static const machine_purpose PURPOSES[] = {{0x02000000, 0xff000000, 1},
                                                   {0x03000000, 0xff000000, 2}};
        need(machine_set_purposes(machine, PURPOSES, 2), "purposes");
        for (const chaos_core &core : program_.cores) {
            for (const uint32_t mark : core.marks) {
                need(machine_add_mark(machine, core.id, mark), "mark");
            }
        }
    }

    void write(machine_core core, const segment &from)
    {
        need(machine_write(machine_.get(), core, from.address, from.bytes.data(),
                           static_cast<uint32_t>(from.bytes.size())),
             "write");
    }

    void load()
    {
        std::map<std::pair<uint8_t, uint8_t>, unsigned> entries;
        for (const chaos_route &route : program_.routes) {
            need(machine_set_route(machine_.get(), route.at.x, route.at.y,
                                   entries[{route.at.x, route.at.y}]++, route.key, route.mask,
                                   route.route),
                 "route");
        }
        for (const chaos_p2p_route &route : program_.p2p_routes) {
            need(machine_set_p2p_route(machine_.get(), route.at.x, route.at.y, route.destination,
                                       route.route),
                 "point-to-point route");
        }
        for (const chaos_register &reg : program_.registers) {
            need(machine_write_router(machine_.get(), reg.at.x, reg.at.y, reg.offset, reg.value),
                 "router register");
        }
        for (const chaos_core &core : program_.cores) {
            if (program_.image != nullptr) {
                for (const segment &part : program_.image->segments) {
                    write(core.id, part);
                }
            }
            for (const segment &part : core.segments) {
                write(core.id, part);
            }
            need(machine_start_core(machine_.get(), core.id, core.entry, 0), "start");
        }
    }

    std::vector<uint64_t> stops_before(uint64_t end_ps) const
    {
        std::vector<uint64_t> stops;
        if (way_.stops == 0) {
            return stops;
        }
        random_source from;
        from.random.seed(way_.stops);
        const uint32_t count = 1 + from.below(STOPS_MOST);
        for (uint32_t i = 0; i < count; i++) {
            const uint64_t part = static_cast<uint32_t>(from.random());
            stops.push_back((program_.end_ps >> 20) * (part & 0xfffff) + (part >> 20));
        }
        std::sort(stops.begin(), stops.end());
        stops.erase(std::remove_if(stops.begin(), stops.end(),
                                   [&](uint64_t stop) { return stop >= end_ps; }),
                    stops.end());
        return stops;
    }

    /* What a recorder reads at the end of an interval. */
    void look() const
    {
        uint64_t sum = 0;
        const machine *machine = machine_.get();
        machine_each_counter(
            machine,
            [](void *context, const machine_counter *counter) {
                *static_cast<uint64_t *>(context) += counter->value;
            },
            &sum);
        for (const chaos_core &core : program_.cores) {
            uint64_t shares[MACHINE_SHARES_MAX];
            machine_core_shares(machine, core.id, shares);
            (void)machine_core_view(machine, core.id);
            (void)machine_core_time_ps(machine, core.id);
        }
        (void)machine_quiet_since_ps(machine);
    }

    void reload()
    {
        size_t size = 0;
        uint8_t *bytes = machine_save(machine_.get(), &size);
        machine_ = make();
        need(machine_load(machine_.get(), bytes, size), "load");
        free(bytes);
    }

    const chaos_program &program_;
    const chaos_way &way_;
    told_map told_;
    owned machine_;
    machine_stop stop_ = MACHINE_REACHED;
};

uint64_t digest_of(const uint8_t *bytes, size_t count)
{
    uint64_t digest = 0x9e3779b97f4a7c15u;
    for (; count >= 8; bytes += 8, count -= 8) {
        uint64_t word = 0;
        memcpy(&word, bytes, 8);
        digest = (digest ^ word) * 0xff51afd7ed558ccdu;
        digest ^= digest >> 32;
    }
    for (; count > 0; bytes++, count--) {
        digest = (digest ^ *bytes) * 0xff51afd7ed558ccdu;
    }
    return digest;
}

struct page_reader {
    std::vector<chaos_page> *pages;
    bool wants_bytes;
};

void read_page(void *context, uint8_t x, uint8_t y, uint32_t address, int instance,
               const uint8_t *bytes, uint32_t count)
{
    const auto &reader = *static_cast<page_reader *>(context);
    reader.pages->push_back({x, y, instance, address, digest_of(bytes, count), {}});
    if (reader.wants_bytes) {
        reader.pages->back().bytes.assign(bytes, bytes + count);
    }
}

void see_drops(const machine *machine, std::vector<std::string> *lines)
{
    std::vector<machine_drop> drops(machine_drop_count(machine));
    if (!drops.empty()) {
        machine_drops(machine, drops.data());
    }
    for (const machine_drop &drop : drops) {
        std::ostringstream text;
        text << "at " << drop.time_ps << " ps, tried " << drop.tried_ps << " held "
             << drop.held_since_ps << " key " << drop.key << " payload " << drop.payload << " by "
             << drop.holder_key << " chip " << +drop.x << "," << +drop.y << " type " << +drop.type
             << " arrival " << +drop.arrival << " output " << +drop.output << " reason "
             << +drop.reason << " holder " << +drop.holder;
        lines->push_back(text.str());
    }
    lines->push_back("unrecorded " + std::to_string(machine_drops_unrecorded(machine)));
}

chaos_sight session::see(bool wants_bytes)
{
    chaos_sight sight;
    const machine *machine = machine_.get();
    machine_each_counter(
        machine,
        [](void *context, const machine_counter *counter) {
            static_cast<std::vector<machine_counter> *>(context)->push_back(*counter);
        },
        &sight.counters);
    page_reader reader = {&sight.pages, wants_bytes};
    machine_each_written(machine, read_page, &reader);
    for (const chaos_core &core : program_.cores) {
        std::ostringstream text;
        text << "registers of " << name_of(core.id) << " at "
             << machine_core_time_ps(machine, core.id);
        for (unsigned i = 0; i < 16; i++) {
            text << " " << machine_core_register(machine, core.id, i);
        }
        sight.lines.push_back(text.str());
    }
    for (size_t i = 0; i < machine_unmodelled_count(machine); i++) {
        const struct machine_unmodelled place = machine_unmodelled(machine, i);
        sight.lines.push_back(std::string("unmodelled ") + place.block + " " +
                              std::to_string(place.offset) + ": " + std::to_string(place.count) +
                              ", first " + std::to_string(place.first_core));
    }
    sight.lines.push_back("stop " + std::to_string(stop_) + " at " +
                          std::to_string(machine_time_ps(machine)) + " ps, quiet since " +
                          std::to_string(machine_quiet_since_ps(machine)));
    if (way_.records) {
        machine_each_traffic(
            machine,
            [](void *context, const machine_traffic *row) {
                static_cast<std::vector<machine_traffic> *>(context)->push_back(*row);
            },
            &sight.traffic);
        see_drops(machine, &told_["drop"]);
        sight.told = told_;
        sight.has_samples = takes_samples();
    }
    sight.late = machine_late_interrupts(machine);
    sight.native_runs = machine_native(machine).runs;
    return sight;
}

/* ---- differences ---- */

class report
{
  public:
    explicit report(unsigned most) : most_(most)
    {
    }
    void add(const std::string &line)
    {
        if (lines_++ < most_) {
            text_ += "  " + line + "\n";
        }
    }
    std::string text() const
    {
        return lines_ <= most_ ? text_
                               : text_ + "  and " + std::to_string(lines_ - most_) + " more\n";
    }

  private:
    unsigned most_;
    unsigned lines_ = 0;
    std::string text_;
};

void compare_counters(const chaos_sight &one, const chaos_sight &other, report *report)
{
    for (size_t i = 0; i < one.counters.size(); i++) {
        const machine_counter &a = one.counters[i];
        if (i >= other.counters.size() || a.value != other.counters[i].value) {
            std::ostringstream text;
            text << a.component << "." << a.info->name << " of (" << +a.x << "," << +a.y << ","
                 << a.instance << "): " << a.value << " and "
                 << (i < other.counters.size() ? other.counters[i].value : 0);
            report->add(text.str());
        }
    }
}

void compare_pages(const chaos_sight &one, const chaos_sight &other, report *report)
{
    if (one.pages.size() != other.pages.size()) {
        report->add("pages written: " + std::to_string(one.pages.size()) + " and " +
                    std::to_string(other.pages.size()));
    }
    for (size_t i = 0; i < std::min(one.pages.size(), other.pages.size()); i++) {
        const chaos_page &a = one.pages[i];
        const chaos_page &b = other.pages[i];
        if (a.digest == b.digest && a.address == b.address && a.instance == b.instance) {
            continue;
        }
        size_t byte = 0;
        while (byte < std::min(a.bytes.size(), b.bytes.size()) && a.bytes[byte] == b.bytes[byte]) {
            byte++;
        }
        std::ostringstream text;
        text << "memory of (" << +a.x << "," << +a.y << "," << a.instance << ") from 0x" << std::hex
             << a.address;
        if (byte < std::min(a.bytes.size(), b.bytes.size())) {
            text << ": byte 0x" << a.address + byte << " is 0x" << +a.bytes[byte] << " and 0x"
                 << +b.bytes[byte];
        }
        report->add(text.str());
    }
}

void compare_lines(const std::string &what, const std::vector<std::string> &one,
                   const std::vector<std::string> &other, report *report)
{
    for (size_t i = 0; i < std::max(one.size(), other.size()); i++) {
        const std::string a = i < one.size() ? one[i] : "nothing";
        const std::string b = i < other.size() ? other[i] : "nothing";
        if (a != b) {
            report->add(what + a + "\n    and " + b);
            return; /* those behind it differ for the same reason */
        }
    }
}

bool same_traffic(const machine_traffic &a, const machine_traffic &b)
{
    return a.x == b.x && a.y == b.y && a.link == b.link && a.type == b.type &&
           a.purpose == b.purpose && a.sent == b.sent && a.received == b.received &&
           a.dropped == b.dropped && a.refused == b.refused && a.busy_ps == b.busy_ps;
}

void compare_records(const chaos_sight &one, const chaos_sight &other, report *report)
{
    if (!std::equal(one.traffic.begin(), one.traffic.end(), other.traffic.begin(),
                    other.traffic.end(), same_traffic)) {
        report->add("traffic of links");
    }
    told_map keys = one.told;
    keys.insert(other.told.begin(), other.told.end());
    for (const auto &[who, unused] : keys) {
        if (who.compare(0, 6, "sample") == 0 && !(one.has_samples && other.has_samples)) {
            continue;
        }
        const auto a = one.told.find(who);
        const auto b = other.told.find(who);
        static const std::vector<std::string> NOTHING;
        compare_lines(who + ": ", a == one.told.end() ? NOTHING : a->second,
                      b == other.told.end() ? NOTHING : b->second, report);
    }
}

} // namespace

std::string difference(const chaos_sight &one, const chaos_sight &other, unsigned most)
{
    report report(most);
    if (one.late + other.late != 0) {
        report.add("late interrupts: " + std::to_string(one.late) + " and " +
                   std::to_string(other.late));
    }
    compare_counters(one, other, &report);
    compare_lines("", one.lines, other.lines, &report);
    compare_pages(one, other, &report);
    if (!one.told.empty() && !other.told.empty()) {
        compare_records(one, other, &report);
    }
    return report.text();
}

chaos_way reference_way()
{
    return {RUN_AHEAD_OFF, 1, TIER_INTERPRETER, 0, 0, true};
}

/* Native code of everything is made anew for each machine, and the compiler takes longer than all
 * other ways together: it is one way of a cold program. */
enum { WAYS_SEED = 40503, CHIPS_OF_EIGHT_THREADS = 16 };

chaos_way way_of(const chaos_program &program, unsigned number)
{
    random_source from;
    from.random.seed(program.seed * WAYS_SEED + number);
    chaos_way way = reference_way();
    const uint32_t ahead = from.below(10);
    way.run_ahead = ahead < 5   ? RUN_AHEAD_AUTO
                    : ahead < 9 ? 1 + from.below(1000000)
                                : RUN_AHEAD_OFF;
    way.threads = program.chips < 4 ? 1 : 1 + from.below(2);
    if (program.chips >= CHIPS_OF_EIGHT_THREADS && from.chance(25)) {
        way.threads = 8;
    }
    way.stops = from.chance(50) ? 1 + from.below(1000000) : 0;
    way.loads = way.stops != 0 && from.chance(50) ? 1 + from.below(3) : 0;
    way.records = from.chance(60);
    if (program.warm) {
        way.tier = from.chance(70) ? TIER_TRANSLATOR : TIER_AUTO;
    } else if (number == 0 && program.cold) {
        way.tier = TIER_EVERYTHING;
    } else if (from.chance(10)) {
        way.tier = TIER_AUTO; /* cold: too short for native code to come */
    }
    if (number == 1 && way.run_ahead == RUN_AHEAD_OFF) {
        way.run_ahead = RUN_AHEAD_AUTO; /* at least one runs ahead */
    }
    return way;
}

std::string text_of(const chaos_way &way)
{
    std::string text = "ahead ";
    text += way.run_ahead == RUN_AHEAD_OFF    ? "off"
            : way.run_ahead == RUN_AHEAD_AUTO ? "auto"
                                              : std::to_string(way.run_ahead);
    text += ", " + std::to_string(way.threads) + " threads, " + tier_name(way.tier);
    text += way.stops == 0 ? ", no stops" : ", stops " + std::to_string(way.stops);
    text += ", " + std::to_string(way.loads) + " loads";
    return text + (way.records ? ", recorded" : "");
}

chaos_sight execute(const chaos_program &program, const chaos_way &way, uint64_t end_ps,
                    bool wants_bytes)
{
    session session(program, way);
    session.run(end_ps);
    return session.see(wants_bytes);
}

void warm_up(const chaos_program &program)
{
    chaos_way way = reference_way();
    way.tier = TIER_TRANSLATOR;
    way.records = false;
    (void)execute(program, way, program.end_ps + 4000 * UINT64_C(1000000));
}
