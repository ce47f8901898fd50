/* What reaches a core in the middle of a long run of its own comes at the very instruction, as when
 * all cores go on together, one instruction after the other. */
#include "tests/unit/machine_fixture.h"

#include <gtest/gtest.h>

namespace
{

constexpr uint32_t COMMS = 0x10000000;
constexpr uint32_t SET_IRQ = 0xf2000008;
constexpr uint32_t CODE_OF_SYSTEM = 0x5ec00000;
constexpr uint32_t FROM_SYSTEM = 1u << 18;
constexpr uint32_t MULTICAST_WAITING = 1u << 24;
constexpr uint32_t IRQ_VECTOR = 0x18;
constexpr uint32_t HANDLER = 0x200;
constexpr uint32_t RETURN = 0xe25ef004; /* SUBS pc, lr, #4 */
constexpr uint32_t KEY = 0x42;
constexpr unsigned SENDER = 5;
constexpr unsigned OTHER = 9;
constexpr uint64_t FLOOR_PS = 135000;
constexpr uint64_t CLOCK_PS = 7500; /* of the router */
constexpr uint64_t PIPELINE = 5;
constexpr uint64_t SYNC = 2;
constexpr uint64_t END_PS = 30 * US;

uint64_t up(uint64_t time_ps, uint64_t period_ps)
{
    return (time_ps + period_ps - 1) / period_ps;
}

/* Reproducible, and no worse than needed. */
class Dice
{
  public:
    explicit Dice(uint32_t seed) : state_(seed)
    {
    }
    uint32_t below(uint32_t bound)
    {
        state_ = state_ * 1664525u + 1013904223u;
        return (state_ >> 8) % bound;
    }

  private:
    uint32_t state_;
};

struct late_case {
    bool packet;
    unsigned body;   /* NOPs of core 0's loop, between an ADD and a branch */
    unsigned rounds; /* of core 0's wait before the loop, 4 cycles each */
    unsigned wait;   /* cycles of the sender before it sends */
};

/* Core 0 loops in its ITCM; core 5 interrupts it; core 9 goes in and out of the SDRAM. */
class Late
{
  public:
    explicit Late(const late_case &what) : what_(what)
    {
        const uint32_t source = what.packet ? MULTICAST_WAITING : FROM_SYSTEM;
        EXPECT_EQ(machine_set_route(bench_.get(), 0, 0, 0, KEY, UINT32_MAX, 1u << 6), STATUS_OK);
        bench_.load(0, Program(IRQ_VECTOR).branch(HANDLER));
        Program handler(HANDLER);
        handler.set(0, DTCM).emit({str_imm(lr, 0), str_imm(2, 0, 4)});
        handler.store(VIC + 0x14, source);
        handler.emit({RETURN});
        bench_.load(0, handler);
        Program program(0x1000);
        program.store(VIC + 0x10, source);
        program.set(2, 0).unmask().delay(what.rounds);
        loop_ = program.here();
        program.emit({add_imm(2, 2, 1)}).nops(what.body).branch(loop_);
        bench_.run(0, program);
        bench_.mark(0, IRQ_VECTOR);
        Program sender;
        sender.nops(what.wait % 4).delay(1 + what.wait / 4);
        send_ =
            what.packet ? sender.store(COMMS + 8, KEY) : sender.store(SET_IRQ, CODE_OF_SYSTEM | 1);
        bench_.run(SENDER, sender.sleep());
        bench_.mark(SENDER, send_);
        Program other;
        other.set(0, SDRAM).set(2, 0);
        const uint32_t again = other.here();
        other.emit({ldr_imm(1, 0), add_imm(2, 2, 1), str_imm(2, 0)}).delay(7).branch(again);
        bench_.run(OTHER, other);
    }
    /* In so many steps; with steps of a cycle nobody gets ahead of anybody. */
    void run(uint64_t step_ps)
    {
        for (uint64_t time_ps = step_ps; time_ps < END_PS; time_ps += step_ps) {
            bench_.until(time_ps);
        }
        bench_.until(END_PS);
        EXPECT_EQ(machine_late_interrupts(bench_.get()), 0u);
    }
    /* Of core 0: where it was interrupted, and its count there. */
    uint32_t pc()
    {
        return bench_.word(0, DTCM) - 4;
    }
    uint32_t count()
    {
        return bench_.word(0, DTCM + 4);
    }
    /* The cycle at which the line is seen, by the clocks and delays alone. */
    uint64_t seen() const
    {
        const uint64_t cause_ps = bench_.cycle_of(send_) * CYCLE_PS;
        if (what_.packet) {
            const uint64_t left_ps = (up(cause_ps, CLOCK_PS) + PIPELINE) * CLOCK_PS;
            return up(left_ps + transit_ps(), CYCLE_PS) + SYNC;
        }
        return up(cause_ps + FLOOR_PS, CYCLE_PS) + SYNC;
    }
    uint32_t loop() const
    {
        return loop_;
    }

    MachineBench bench_;

  private:
    late_case what_;
    uint32_t loop_ = 0, send_ = 0;
};

/* Core 0 takes a signal of the system controller by a handler that lets no further one in. */
void take_signals(MachineBench &bench)
{
    bench.load(0, Program(IRQ_VECTOR).branch(HANDLER));
    Program handler(HANDLER);
    handler.store(VIC + 0x14, FROM_SYSTEM);
    handler.emit({RETURN});
    bench.load(0, handler);
}

late_case random_case(Dice &dice)
{
    return {dice.below(2) == 1, dice.below(200), 1 + dice.below(60), dice.below(4000)};
}

} // namespace

TEST(MachineLate, InterruptsTakeTheSameInstructionAsOneStepAtATime)
{
    Dice dice(1);
    for (int i = 0; i < 24; i++) {
        const late_case what = random_case(dice);
        Late whole(what);
        whole.run(END_PS);
        Late stepped(what);
        stepped.run(CYCLE_PS);
        EXPECT_EQ(whole.pc(), stepped.pc()) << i;
        EXPECT_EQ(whole.count(), stepped.count()) << i;
        EXPECT_EQ(whole.bench_.counters(), stepped.bench_.counters()) << i;
        EXPECT_EQ(whole.bench_.memory(), stepped.bench_.memory()) << i;
    }
}

TEST(MachineLate, InterruptsTakeTheInstructionThatTheClocksSay)
{
    Dice dice(2);
    unsigned in_branch = 0;
    for (int i = 0; i < 400; i++) {
        late_case what = random_case(dice);
        what.wait += 400; /* the loop is under way */
        what.body = i % 4 == 0 ? what.body % 4 : what.body;
        Late late(what);
        late.run(END_PS);
        ASSERT_NE(late.bench_.cycle_of(IRQ_VECTOR), UINT64_MAX);
        /* Core 0 comes to the loop at a cycle that it takes for what stands before it. */
        const uint64_t round = what.body + 4; /* the branch takes 3 */
        Late probe(what);
        probe.bench_.mark(0, probe.loop());
        probe.run(END_PS);
        const uint64_t since = late.seen() - probe.bench_.cycle_of(probe.loop());
        const uint64_t at = since % round;
        const bool next = at > what.body + 1; /* the branch is under way */
        EXPECT_EQ(late.pc(), late.loop() + (next ? 0 : 4 * at)) << i;
        EXPECT_EQ(late.count(), since / round + (at > 0 ? 1 : 0)) << i;
        in_branch += next;
    }
    EXPECT_GT(in_branch, 10u);
}

/* A signal that a core posts to itself may come before the instruction that posts it has ended: the
 * core takes it behind that instruction, and that is not late. */
TEST(MachineLate, ASignalOfTheCoreItselfWithinItsInstructionIsNotLate)
{
    for (const uint64_t floor_ps : {UINT64_C(1), CYCLE_PS - 1, CYCLE_PS, CYCLE_PS + 1, FLOOR_PS}) {
        machine_config config = bench_config();
        config.parameters.chip_signal_floor_ps = floor_ps;
        MachineBench bench(config);
        take_signals(bench);
        Program program(0x1000);
        program.write_buffer_on();
        program.store(VIC + 0x10, FROM_SYSTEM);
        program.unmask();
        const uint32_t at = program.store(SET_IRQ & ~(1u << 28), CODE_OF_SYSTEM | 1);
        bench.run(0, program.nops(100).sleep());
        bench.mark(0, at);
        bench.mark(0, IRQ_VECTOR);
        bench.until(END_PS);
        EXPECT_EQ(machine_late_interrupts(bench.get()), 0u) << floor_ps;
        const uint64_t entry = 3;
        EXPECT_EQ(bench.between(at, IRQ_VECTOR), up(floor_ps, CYCLE_PS) + SYNC + entry) << floor_ps;
    }
}

/* The same of a core that waits for its store to be answered, and is alone: the store is performed
 * where the core makes it. */
TEST(MachineLate, ASignalOfTheCoreItselfWhileItsStoreIsUnderWayIsNotLate)
{
    for (const uint64_t floor_ps : {UINT64_C(1), CYCLE_PS, 5 * CYCLE_PS, FLOOR_PS}) {
        std::vector<uint64_t> taken;
        for (const uint64_t run_ahead : {RUN_AHEAD_OFF, RUN_AHEAD_AUTO}) {
            machine_config config = bench_config();
            config.parameters.chip_signal_floor_ps = floor_ps;
            config.run_ahead = run_ahead;
            MachineBench bench(config);
            take_signals(bench);
            Program program(0x1000);
            program.store(VIC + 0x10, FROM_SYSTEM);
            program.unmask();
            const uint32_t at = program.store(SET_IRQ, CODE_OF_SYSTEM | 1);
            bench.run(0, program.nops(100).sleep());
            bench.mark(0, at);
            bench.mark(0, IRQ_VECTOR);
            bench.until(END_PS);
            EXPECT_EQ(machine_late_interrupts(bench.get()), 0u) << floor_ps;
            taken.push_back(bench.between(at, IRQ_VECTOR));
        }
        EXPECT_EQ(taken[0], taken[1]) << floor_ps;
        EXPECT_LT(taken[0], 100u) << floor_ps;
    }
}
