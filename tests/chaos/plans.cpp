/* plans.cpp - see plans.h. */
#include "tests/chaos/plans.h"

#include "tests/support/arm_asm.h"

#include <algorithm>
#include <sstream>

extern "C" {
#include "models/chip/vic.h"
}

namespace
{

constexpr uint32_t SDRAM_AT = 0x60000000;
constexpr uint32_t SYSTEM_RAM_AT = 0xe5000000;
constexpr uint32_t UNBUFFERED = 0x10000000;
constexpr uint32_t SYSCTL_KEY = 0x5ec00000;
constexpr uint32_t NO_DIVISOR = 0xa3; /* of a timer: one-shot, 32 bits, interrupt */
constexpr uint32_t PERIODIC = 0xe2;
constexpr uint32_t ARM_AREAS = PLAN_AREAS - 1; /* the last area is for Thumb code */
constexpr uint32_t BODY_MOST = 40;

constexpr uint32_t bit(unsigned source)
{
    return 1u << source;
}

class author
{
  public:
    author(random_source *from, const plan_scope &scope) : from_(*from), scope_(scope)
    {
    }

    plan write()
    {
        plan_.control = chance(70) ? 0x1f7e : 0x1f76; /* with a write buffer, or without */
        plan_.core = bit(scope_.id.p);
        plan_.rounds = 1 + below(scope_.rounds);
        theme_ = below(8);
        plan_.end = below(3);
        plan_.plain = chance(25) ? 1 : 0;
        plan_.forward_key = chance(60) ? key() : 0;
        choose_sources();
        for (unsigned i = 0; i < 2; i++) {
            plan_.timer_load[i] = (chance(30) ? 150 : 400) + below(chance(50) ? 600 : 4000);
            plan_.timer_control[i] =
                chance(i == 0 ? 85 : 50) ? (chance(75) ? PERIODIC : NO_DIVISOR) : 0;
            plan_.timer_control[i] |= chance(10) ? 4 : 0; /* a prescaler */
        }
        const unsigned ops = 2 + below(chance(50) ? 8 : 30);
        for (unsigned i = 0; i < ops; i++) {
            add(chance(40) ? theme_operation() : main_operation());
        }
        plan_.ops = ops;
        for (unsigned source = 0; source < PLAN_SOURCES; source++) {
            if ((plan_.enable & bit(source)) != 0) {
                write_handler(source);
            }
        }
        return plan_;
    }

  private:
    uint32_t below(uint32_t limit)
    {
        return from_.below(limit);
    }
    bool chance(unsigned percent)
    {
        return from_.chance(percent);
    }
    uint32_t word()
    {
        return static_cast<uint32_t>(from_.random());
    }
    uint32_t key()
    {
        return scope_.keys[below(static_cast<uint32_t>(scope_.keys.size()))];
    }
    void add(const plan_op &op)
    {
        plan_.op[used_++] = op;
    }

    void choose_sources()
    {
        std::vector<unsigned> sources;
        const auto with = [&](unsigned percent, unsigned source) {
            if (chance(percent)) {
                sources.push_back(source);
            }
        };
        with(90, VIC_SOURCE_TIMER1);
        with(60, VIC_SOURCE_TIMER2);
        with(70, VIC_SOURCE_SOFTWARE);
        with(60, VIC_SOURCE_DMA_DONE);
        with(70, VIC_SOURCE_SYSCTL);
        with(20, VIC_SOURCE_ROUTER_DUMP);
        with(15, VIC_SOURCE_ROUTER_COUNTER);
        with(15, VIC_SOURCE_WATCHDOG);
        if (chance(30)) {
            with(100, VIC_SOURCE_COMMS_RECEIVED);
        } else {
            with(85, VIC_SOURCE_COMMS_MULTICAST);
            with(60, VIC_SOURCE_COMMS_POINT_TO_POINT);
            with(60, VIC_SOURCE_COMMS_NEAREST_NEIGHBOUR);
        }
        with(40, chance(50) ? VIC_SOURCE_COMMS_EMPTY : VIC_SOURCE_COMMS_NOT_FULL);
        for (unsigned i = static_cast<unsigned>(sources.size()); i > 1; i--) {
            std::swap(sources[i - 1], sources[below(i)]);
        }
        const unsigned slots = static_cast<unsigned>(sources.size()) - (chance(30) ? 1 : 0);
        for (unsigned i = 0; i < sources.size(); i++) {
            plan_.enable |= bit(sources[i]);
            if (i < slots) {
                plan_.slot_source[i] = static_cast<uint8_t>(sources[i] + 1);
            }
        }
        if (chance(40) && !sources.empty()) {
            plan_.select = bit(sources[below(static_cast<uint32_t>(sources.size()))]);
        }
        plan_.nested = chance(50) ? word() & ~VIC_RECEIVE_SOURCES : 0;
    }

    void write_handler(unsigned source)
    {
        plan_handler &handler = plan_.handler[source];
        handler.first = static_cast<uint8_t>(used_);
        handler.count = static_cast<uint8_t>(below(5));
        for (unsigned i = 0; i < handler.count; i++) {
            add(chance(30) && theme_ == 0 ? packet() : handler_operation());
        }
    }

    /* ---- code that the guest writes ---- */

    uint32_t body_word()
    {
        std::vector<uint32_t> code;
        while (code.empty()) {
            emit_body(&from_, &code, 1, false);
        }
        return code[0];
    }

    plan_op generate_arm()
    {
        std::vector<uint32_t> code;
        emit_body(&from_, &code, 20, false);
        code.resize(std::min<size_t>(code.size(), BODY_MOST));
        code.push_back(bx(lr));
        return copied(PLAN_GENERATE, below(ARM_AREAS), code);
    }

    /* Thumb: r7 is the data's address; nothing else is an address. */
    uint32_t thumb_half()
    {
        const uint32_t d = below(7);
        const uint32_t s = below(7);
        switch (below(7)) {
        case 0:
            return 0x2000 | below(4) << 11 | d << 8 | below(256);
        case 1:
            return 0x4000 | below(16) << 6 | s << 3 | d;
        case 2:
            return below(3) << 11 | below(32) << 6 | s << 3 | d;
        case 3:
            return 0x1800 | below(4) << 9 | below(7) << 6 | s << 3 | d;
        case 4:
            return 0x6000 | below(4) << 11 | below(32) << 6 | 7 << 3 | d;
        case 5:
            return 0x8000 | below(2) << 11 | below(32) << 6 | 7 << 3 | d;
        default:
            return 0xd000 | below(14) << 8; /* over the next one */
        }
    }

    plan_op generate_thumb()
    {
        std::vector<uint32_t> code;
        const unsigned words = 1 + below(20);
        for (unsigned i = 0; i < words; i++) {
            const uint32_t low = thumb_half();
            code.push_back(low | thumb_half() << 16);
        }
        code.push_back(0x47704770); /* BX lr, twice: the last one may skip one */
        return copied(PLAN_GENERATE_THUMB, ARM_AREAS, code);
    }

    plan_op copied(plan_operation operation, uint32_t area, const std::vector<uint32_t> &code)
    {
        if (words_ + code.size() > PLAN_WORDS) {
            return {PLAN_CALL, 0, 0, 0, 0};
        }
        std::copy(code.begin(), code.end(), plan_.word + words_);
        const plan_op op = {static_cast<uint8_t>(operation), static_cast<uint8_t>(area),
                            static_cast<uint16_t>(code.size()), words_, word()};
        words_ += static_cast<uint32_t>(code.size());
        return op;
    }

    /* ---- places ---- */

    uint32_t sdram()
    {
        return SDRAM_AT + (chance(50) ? UNBUFFERED : 0) + 0x800 * below(4) + 4 * below(64);
    }

    uint32_t memory()
    {
        return chance(70) ? sdram() : SYSTEM_RAM_AT + (chance(50) ? UNBUFFERED : 0) + 4 * below(64);
    }

    uint32_t readable()
    {
        static const uint32_t PLACES[] = {
            0x11000004, 0x11000010, 0x11000014, 0x21000024, 0x1f000000, 0x1f000004,
            0x1f000008, 0x2f000008, 0x1f000010, 0x10000000, 0x1000000c, 0x10000010,
            0x20000018, 0x30000014, 0x30000018, 0x3000001c, 0x30000104, 0x3000010c,
            0xf2000064, 0xf2000058, 0xf2000038, 0xf1000000, 0xf1000004, 0xf1000014,
            0xf1000028, 0xf1000300, 0xf0000000, 0xf4000000, 0x00000040, 0x00000000};
        return chance(40) ? memory() : PLACES[below(sizeof PLACES / sizeof *PLACES)];
    }

    /* Words and what may be written there. */
    plan_op write_register()
    {
        static const struct {
            uint32_t address, values;
        } PLACES[] = {{0xf2000058, 0xff},       {0xe200005c, 0xff},       {0xf100002c, 0xffff},
                      {0xf1000200, 0x01ffffff}, {0xf1000030, 0x7},        {0x30000028, 0x3},
                      {0x40000010, 0x3f},       {0x30000018, 0x00001c00}, {0x2100000c, 0xff},
                      {0x20000000, 0x20000000}, {0x30000024, 0x3e0}};
        const auto &place = PLACES[below(sizeof PLACES / sizeof *PLACES)];
        return {PLAN_WRITE, 0, 1, place.address, word() & place.values};
    }

    /* What changes other cores, links, clocks or the router. */
    plan_op control_something()
    {
        const uint32_t others = bit(below(18)) & scope_.cores & ~bit(scope_.id.p);
        const auto write = [](uint32_t address, uint32_t value) {
            return plan_op{PLAN_WRITE, 0, 1, address, value};
        };
        switch (below(8)) {
        case 0:
            return write(0xf2000004, SYSCTL_KEY | others); /* stalls */
        case 1:
            return write(0xf2000024, SYSCTL_KEY | others); /* resets */
        case 2:
            return write(0xf2000200, SYSCTL_KEY | bit(below(6) + 8 * below(2))); /* links off */
        case 3:
            return write(0xf2000200, SYSCTL_KEY);
        case 4:
            return write(0xf2000060, word()); /* clocks */
        case 5:
            return write(0xf3000000, 200 + below(4000)); /* watchdog */
        case 6:
            return write(0xf3000008, 1 + 2 * (below(20) / 19));
        default:
            return write(0xf1000000, below(64) << 16 | (1 + below(3)) << 8 | below(4) << 1 | 1);
        }
    }

    /* ---- operations ---- */

    plan_op packet()
    {
        const auto flags = static_cast<uint8_t>(below(4));
        const auto rounds = static_cast<uint16_t>(1 + below(60));
        switch (below(7)) {
        case 0:
        case 1: {
            const uint32_t to =
                scope_.destinations[below(static_cast<uint32_t>(scope_.destinations.size()))];
            return {PLAN_POINT_TO_POINT, flags, rounds, to, word()};
        }
        case 2:
        case 3: {
            const bool direct = chance(30); /* a peek or poke of the neighbour's memory */
            const auto link = static_cast<uint16_t>(chance(80) ? below(6) : 6 + below(2));
            return {PLAN_NEIGHBOUR, static_cast<uint8_t>(direct ? flags | 2 : flags & 1), link,
                    direct ? SDRAM_AT + UNBUFFERED + 4 * below(64) : word(), word()};
        }
        default:
            return {PLAN_MULTICAST, flags, rounds, key() | below(4), word()};
        }
    }

    plan_op transfer()
    {
        const uint32_t bytes = 4 * (1 + below(chance(70) ? 40 : 400));
        const uint32_t description = bytes | (chance(50) ? 1u << 19 : 0) |
                                     (chance(15) ? 1u << 20 : 0) | below(5) << 21 |
                                     (chance(50) ? 1u << 24 : 0);
        return {PLAN_TRANSFER, static_cast<uint8_t>(chance(30)),
                static_cast<uint16_t>(4 * below(400)), memory() & ~3u, description};
    }

    plan_op timer()
    {
        const auto which = static_cast<uint8_t>(below(2));
        switch (below(3)) {
        case 0:
            return {PLAN_TIMER, which, 0, 300 + below(3000), 0};
        case 1:
            return {PLAN_TIMER, which, 0x18, 300 + below(3000), 0};
        default:
            return {PLAN_TIMER, which, 8, chance(80) ? PERIODIC : NO_DIVISOR, 0};
        }
    }

    uint32_t some_sources()
    {
        return chance(50) ? plan_.enable & ~VIC_TRANSMIT_SOURCES
                          : plan_.enable & word() & ~VIC_TRANSMIT_SOURCES;
    }

    /* What may stand in a handler, too. */
    plan_op handler_operation()
    {
        const auto flag = static_cast<uint8_t>(below(2));
        switch (below(22)) {
        case 0:
            return {PLAN_WORK, static_cast<uint8_t>(below(PLAN_FUNCTIONS)), 0, 0, 0};
        case 1:
        case 2:
            return {PLAN_DELAY, 0, 0, below(40), 1};
        case 3:
        case 4:
            return {PLAN_STORE, static_cast<uint8_t>(2 * below(60)), 0, 0, word()};
        case 5:
        case 6:
        case 7: {
            plan_op op = packet();
            op.b = op.operation == PLAN_NEIGHBOUR ? op.b : static_cast<uint16_t>(below(4));
            return op;
        }
        case 8:
        case 9:
            return {PLAN_SOFT, 0, 0, 0, 0};
        case 10:
            return {PLAN_SIGNAL, flag, 0, scope_.cores & word(), 0};
        case 11:
            return timer();
        case 12:
        case 13:
            return {PLAN_READ, 0, 1, readable(), word()};
        case 14:
            return {PLAN_WRITE, 0, static_cast<uint16_t>(1 + below(16)), memory(), word()};
        case 15:
            return {PLAN_SWAP, flag, 0, memory(), word()};
        case 16:
            return transfer();
        case 17:
            return {PLAN_LOCK, static_cast<uint8_t>(below(3)), static_cast<uint16_t>(1 + below(3)),
                    SDRAM_AT + UNBUFFERED + 0x2000, 1};
        case 18:
            return {PLAN_CALL, static_cast<uint8_t>(below(ARM_AREAS)), 0, 0, 0};
        case 19:
            return {chance(50) ? uint8_t{PLAN_ENABLE} : uint8_t{PLAN_DISABLE}, flag, 0,
                    some_sources(), 0};
        case 20:
            return chance(20) ? plan_op{PLAN_SLEEP, 0, 0, 0, 0}
                              : plan_op{PLAN_FAULT, static_cast<uint8_t>(below(4)), 0, 0, 0};
        default:
            return {PLAN_PATCH, static_cast<uint8_t>(below(ARM_AREAS)),
                    static_cast<uint16_t>(below(16)), 0, body_word()};
        }
    }

    plan_op main_operation()
    {
        static const uint8_t MASKS[] = {0x80, 0x40, 0xc0};
        const auto flag = static_cast<uint8_t>(below(2));
        switch (below(22)) {
        case 0:
        case 1:
        case 2:
            return {PLAN_WORK, static_cast<uint8_t>(below(PLAN_FUNCTIONS)), 0, 0, 0};
        case 3:
            return {PLAN_DELAY, 0, 0, below(200), 1};
        case 4:
        case 5:
            return packet();
        case 6:
        case 7:
            return {PLAN_POLL, static_cast<uint8_t>(below(4)), static_cast<uint16_t>(1 + below(60)),
                    0, 0};
        case 8:
            return {PLAN_LOCK, static_cast<uint8_t>(below(3)), static_cast<uint16_t>(1 + below(20)),
                    SDRAM_AT + UNBUFFERED + 0x2000, 1};
        case 9:
        case 10:
            return {PLAN_SLEEP, 0, 0, 0, 0};
        case 11:
            return {PLAN_MASKED, MASKS[below(3)], static_cast<uint16_t>(chance(20)), below(60), 0};
        case 12:
            return {PLAN_ENABLE, flag, 0, plan_.enable & ~VIC_TRANSMIT_SOURCES, 0};
        case 13:
            return generate_arm();
        case 14:
            return generate_thumb();
        case 15:
            return {PLAN_BUDGET, 0, 0, below(6), key()};
        case 16:
            return scope_.controls && chance(40) ? control_something() : write_register();
        default:
            return handler_operation();
        }
    }

    /* What this core does more often than others. */
    plan_op theme_operation()
    {
        switch (theme_) {
        case 0:
            return packet();
        case 1:
            return {PLAN_POLL, 2, static_cast<uint16_t>(1 + below(30)), 0, 0};
        case 2:
            return {PLAN_LOCK, 0, static_cast<uint16_t>(1 + below(20)),
                    SDRAM_AT + UNBUFFERED + 0x2000, 1};
        case 3:
            return chance(50) ? generate_arm()
                              : plan_op{PLAN_CALL, static_cast<uint8_t>(below(3)), 0, 0, 0};
        case 4:
            return chance(50) ? plan_op{PLAN_SOFT, 0, 0, 0, 0}
                              : plan_op{PLAN_SIGNAL, 0, 0, scope_.cores & word(), 0};
        case 5:
            return {PLAN_SLEEP, 0, 0, 0, 0};
        case 6:
            return transfer();
        default:
            return {PLAN_STORE, static_cast<uint8_t>(2 * below(60)), 0, 0, word()};
        }
    }

    random_source &from_;
    const plan_scope &scope_;
    plan plan_ = {};
    uint32_t theme_ = 0;
    uint32_t used_ = 0;
    uint32_t words_ = 0;
};

} // namespace

plan random_plan(random_source *from, const plan_scope &scope)
{
    return author(from, scope).write();
}

std::string text_of(const plan &plan)
{
    static const char *const NAMES[] = {
#define OPERATION(name, help) #name,
        PLAN_OPERATIONS(OPERATION)
#undef OPERATION
    };
    std::ostringstream text;
    text << std::hex << "  enable " << plan.enable << " select " << plan.select << " nested "
         << plan.nested << " plain " << plan.plain << " forward " << plan.forward_key << " control "
         << plan.control << " end " << plan.end << "\n  timers " << plan.timer_load[0] << " "
         << plan.timer_control[0] << ", " << plan.timer_load[1] << " " << plan.timer_control[1]
         << "\n";
    const auto list = [&](unsigned first, unsigned count) {
        for (unsigned i = first; i < first + count; i++) {
            const plan_op &op = plan.op[i];
            text << "    " << NAMES[op.operation] << " " << +op.a << " " << op.b << " " << op.c
                 << " " << op.d << "\n";
        }
    };
    text << "  main, " << std::dec << plan.rounds << std::hex << " rounds:\n";
    list(0, plan.ops);
    for (unsigned source = 0; source < PLAN_SOURCES; source++) {
        if ((plan.enable >> source & 1) != 0) {
            text << "  source " << std::dec << source << std::hex << ":\n";
            list(plan.handler[source].first, plan.handler[source].count);
        }
    }
    return text.str();
}
