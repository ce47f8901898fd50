/* What a session answers, packet by packet, over a toy target. */
#include "tests/support/gdb_toy.h"

#include <gtest/gtest.h>

namespace
{

const char ABILITIES[] = "qSupported:multiprocess+;swbreak+;hwbreak+;xmlRegisters=i386";

std::string hex(const std::string &text)
{
    std::string digits(2 * text.size(), ' ');
    gdb_hex(&digits[0], reinterpret_cast<const uint8_t *>(text.data()), text.size());
    return digits;
}

struct gdb_stop stop_of(enum gdb_why why, unsigned process, unsigned number = 0)
{
    struct gdb_stop stop = {};
    stop.why = why;
    stop.process = process;
    stop.number = number;
    return stop;
}

struct gdb_stop stop_at(enum gdb_why why, struct gdb_point point)
{
    struct gdb_stop stop = {};
    stop.why = why;
    stop.process = point.process;
    stop.point = point;
    return stop;
}

/* A client that knows of processes. */
class GdbSession : public testing::Test
{
  protected:
    void SetUp() override
    {
        (void)client_.ask(ABILITIES);
    }
    std::string ask(const std::string &data)
    {
        return client_.ask(data);
    }
    bool runs() const
    {
        return gdb_session_runs(client_.session);
    }
    enum gdb_end end() const
    {
        return gdb_session_end(client_.session);
    }
    gdb_toy toy_;
    gdb_toy_client client_{toy_};
};

} // namespace

TEST_F(GdbSession, TellsWhatItCanDo)
{
    EXPECT_EQ(ask(ABILITIES),
              "PacketSize=4000;QStartNoAckMode+;multiprocess+;swbreak+;hwbreak+;vContSupported+;"
              "qXfer:features:read+;qXfer:threads:read+;qXfer:exec-file:read+");
    gdb_toy back(true);
    gdb_toy_client other(back);
    EXPECT_NE(other.ask("qSupported").find(";ReverseStep+;ReverseContinue+"), std::string::npos);
    EXPECT_EQ(ask("vMustReplyEmpty"), "");
    EXPECT_EQ(ask("vFile:open:2f,0,0"), "");
    EXPECT_EQ(ask("qTStatus"), "");
    EXPECT_EQ(ask(""), "");
    EXPECT_EQ(ask("bs"), "") << "a target that does not go back";
}

TEST_F(GdbSession, AcknowledgesUntilItIsToldNotTo)
{
    EXPECT_EQ(client_.raw("$qC#b4"), "+$QCp1.1#94");
    EXPECT_EQ(client_.raw("-"), "$QCp1.1#94");
    EXPECT_EQ(client_.raw("$qC#b5"), "-");
    EXPECT_EQ(client_.raw("+"), "");
    EXPECT_EQ(client_.raw(gdb_toy_client::frame("QStartNoAckMode")), "+$OK#9a");
    EXPECT_EQ(client_.raw("$qC#b4"), "$QCp1.1#94");
    EXPECT_EQ(client_.raw("$qC#00"), "$QCp1.1#94");
    EXPECT_EQ(client_.raw("-"), "");
}

TEST_F(GdbSession, RefusesWhatIsTooLong)
{
    EXPECT_EQ(client_.raw("$" + std::string(GDB_PACKET_BYTES + 1, 'm') + "#00"), "+$E07#ac");
}

TEST_F(GdbSession, ListsItsProcesses)
{
    EXPECT_EQ(ask("?"), "T05thread:p1.1;");
    EXPECT_EQ(ask("qfThreadInfo"), "mp1.1,p2.1");
    EXPECT_EQ(ask("qsThreadInfo"), "l");
    EXPECT_EQ(ask("qAttached:1"), "1");
    EXPECT_EQ(ask("qXfer:threads:read::0,1000"),
              "l<?xml version=\"1.0\"?>\n<threads>\n<thread id=\"p1.1\" name=\"core 0,0,1\"/>\n"
              "<thread id=\"p2.1\" name=\"core &#60;2&#62; &#38; &#34;2&#34;\"/>\n</threads>\n");
    EXPECT_EQ(ask("qXfer:exec-file:read:3:0,ff"), "l/toy/three.elf");
    EXPECT_EQ(ask("qXfer:exec-file:read:3:3,4"), "my/th");
    EXPECT_EQ(ask("qXfer:exec-file:read:3:e,4"), "l");
    EXPECT_EQ(ask("qXfer:exec-file:read:3:f,4"), "E16") << "behind the end";
    EXPECT_EQ(ask("qXfer:exec-file:read:2:0,ff"), "E02");
    EXPECT_EQ(ask("qXfer:exec-file:read:4:0,ff"), "E16");
    EXPECT_EQ(ask("qXfer:exec-file:read::0,ff"), "l/toy/one.elf");
    EXPECT_EQ(ask("Tp3.1"), "OK");
    EXPECT_EQ(ask("Tp4.1"), "E03");
    EXPECT_EQ(ask("T0"), "E03");
}

TEST_F(GdbSession, AttachesAndDetaches)
{
    EXPECT_EQ(ask("vAttach;3"), "T05thread:p3.1;");
    EXPECT_EQ(ask("qfThreadInfo"), "mp1.1,p2.1,p3.1");
    EXPECT_EQ(ask("qC"), "QCp3.1");
    EXPECT_EQ(ask("D;3"), "OK");
    EXPECT_EQ(ask("qC"), "QCp1.1");
    EXPECT_EQ(ask("D;4"), "E03");
    EXPECT_EQ(ask("D;1"), "OK");
    EXPECT_EQ(end(), GDB_GOES_ON);
    EXPECT_EQ(ask("qfThreadInfo"), "mp2.1");
    EXPECT_EQ(ask("D;2"), "OK");
    EXPECT_EQ(end(), GDB_DETACHED);
    EXPECT_EQ(ask("qC"), "") << "nothing is heard any more";
}

TEST_F(GdbSession, DetachesAllAndDies)
{
    EXPECT_EQ(ask("D"), "OK");
    EXPECT_EQ(end(), GDB_DETACHED);
    gdb_toy_client other(toy_);
    EXPECT_EQ(other.ask("k"), "");
    EXPECT_EQ(gdb_session_end(other.session), GDB_DEAD);
    gdb_toy_client third(toy_);
    EXPECT_EQ(third.ask("vKill;1"), "OK");
    EXPECT_EQ(gdb_session_end(third.session), GDB_DEAD);
}

TEST_F(GdbSession, ReadsAndWritesRegisters)
{
    arm968_set_register(toy_.core[0], 3, 0x12345678);
    arm968_set_register(toy_.core[1], 3, 0xcafe);
    EXPECT_EQ(ask("p3"), "78563412");
    EXPECT_EQ(ask("Hgp2.1"), "OK");
    EXPECT_EQ(ask("p3"), "feca0000");
    EXPECT_EQ(ask("Hg-1"), "OK");
    EXPECT_EQ(ask("Pd=00104000"), "OK");
    EXPECT_EQ(arm968_register(toy_.core[1], 13), 0x00401000u);
    EXPECT_EQ(ask("P22=01000000"), "OK"); /* r9_fiq */
    EXPECT_EQ(arm968_banked_register(toy_.core[1], ARM968_FIQ_MODE, 9), 1u);
    EXPECT_EQ(ask("p22"), "01000000");
    EXPECT_EQ(ask("P28=d0000000"), "OK"); /* spsr_fiq */
    EXPECT_EQ(arm968_spsr(toy_.core[1], ARM968_FIQ_MODE), 0xd0u);
    EXPECT_EQ(ask("p19"), "d3000000") << "SVC, interrupts masked";
    for (const char *wrong : {"p35", "p", "pg", "p3x", "p100000000", "P3", "P3=", "P3=1234567",
                              "P3=123456789", "P35=00000000", "Hx1", "H", "Hgp4", "Hg1x"}) {
        EXPECT_EQ(ask(wrong), "E16") << wrong;
    }
}

/* 16 registers, 8 of 12 bytes and one of 4 for floating point, cpsr. */
TEST_F(GdbSession, SendsTheRegistersOfAPlainArm)
{
    for (unsigned i = 0; i < 16; i++) {
        arm968_set_register(toy_.core[0], i, 0x10 * i);
    }
    const std::string all = ask("g");
    ASSERT_EQ(all.size(), 2u * (16 * 4 + 8 * 12 + 4 + 4));
    EXPECT_EQ(all.substr(0, 16), "0000000010000000");
    EXPECT_EQ(all.substr(2 * 60, 8), "f0000000");
    EXPECT_EQ(all.substr(2 * 64, 200), std::string(200, '0'));
    EXPECT_EQ(all.substr(2 * 164), "d3000000");
    EXPECT_EQ(ask("p10"), std::string(24, '0'));
    EXPECT_EQ(ask("p18"), std::string(8, '0'));
    EXPECT_EQ(ask("P10=" + std::string(24, '0')), "OK");

    std::string changed = all;
    changed.replace(8, 8, "0a000000");
    EXPECT_EQ(ask("G" + changed), "OK");
    EXPECT_EQ(arm968_register(toy_.core[0], 1), 10u);
    EXPECT_EQ(ask("g"), changed);
    EXPECT_EQ(ask("G" + changed.substr(2)), "E16");
    EXPECT_EQ(ask("G" + changed + "00"), "E16");
    EXPECT_EQ(ask("Gx" + changed.substr(1)), "E16");
}

TEST_F(GdbSession, SendsTheRegistersThatItHasDescribed)
{
    std::string text;
    for (std::string part = "m"; part[0] == 'm';) {
        char offset[32];
        (void)snprintf(offset, sizeof offset, "%zx,400", text.size());
        part = ask(std::string("qXfer:features:read:target.xml:") + offset);
        ASSERT_TRUE(part[0] == 'm' || part[0] == 'l') << part;
        text += part.substr(1);
    }
    EXPECT_EQ(text.find("<?xml version=\"1.0\"?>\n"), 0u);
    EXPECT_EQ(text.substr(text.size() - 10), "</target>\n");
    for (const char *line :
         {"<architecture>armv5te</architecture>", "<feature name=\"org.gnu.gdb.arm.core\">",
          "<reg name=\"r0\" bitsize=\"32\" type=\"uint32\" regnum=\"0\"/>",
          "<reg name=\"sp\" bitsize=\"32\" type=\"data_ptr\" regnum=\"13\"/>",
          "<reg name=\"pc\" bitsize=\"32\" type=\"code_ptr\" regnum=\"15\"/>",
          "<reg name=\"cpsr\" bitsize=\"32\" type=\"uint32\" regnum=\"25\"/>",
          "<feature name=\"org.spinnsim.arm.banked\">"}) {
        EXPECT_NE(text.find(line), std::string::npos) << line;
    }
    EXPECT_NE(text.find("<reg name=\"spsr_und\" bitsize=\"32\" type=\"uint32\" regnum=\"52\" "
                        "group=\"banked\" save-restore=\"no\"/>"),
              std::string::npos);
    EXPECT_EQ(ask("qXfer:features:read:other.xml:0,100"), "");

    size_t count;
    (void)gdb_registers(&count);
    EXPECT_EQ(count, 44u);
    std::string all = ask("g");
    ASSERT_EQ(all.size(), 8 * count);
    EXPECT_EQ(all.substr(8 * 16, 8), "d3000000");
    EXPECT_EQ(ask("p10"), "E16");

    EXPECT_EQ(ask("Hgp2.1"), "OK");
    EXPECT_EQ(ask("g").size(), 2u * 168) << "described was the other process only";
    EXPECT_EQ(ask("Hgp1.1"), "OK");

    /* sp and sp_svc are one register: sp counts.  The mode of the packet decides what sp is. */
    all.replace(8 * 13, 8, "11110000");             /* sp */
    all.replace(8 * (17 + 44 - 26), 8, "22220000"); /* sp_svc */
    EXPECT_EQ(ask("G" + all), "OK");
    EXPECT_EQ(arm968_register(toy_.core[0], 13), 0x1111u);
    all.replace(8 * 16, 8, "d1000000"); /* FIQ */
    EXPECT_EQ(ask("G" + all), "OK");
    EXPECT_EQ(arm968_banked_register(toy_.core[0], ARM968_FIQ_MODE, 13), 0x1111u);
    EXPECT_EQ(arm968_banked_register(toy_.core[0], ARM968_SUPERVISOR, 13), 0x2222u);
}

TEST_F(GdbSession, ReadsAndWritesMemory)
{
    EXPECT_EQ(ask("m1000,4"), "10101010");
    EXPECT_EQ(ask("m103e,4"), "1010") << "as far as there is memory";
    EXPECT_EQ(ask("m1040,4"), "E0e");
    EXPECT_EQ(ask("mfff,4"), "E0e");
    EXPECT_EQ(ask("mffffffff,ffffffffffffffff"), "E0e");
    EXPECT_EQ(ask("m1000,0"), "");
    EXPECT_EQ(ask("m1000,ffffffffffffffff").size(), 128u);
    EXPECT_EQ(ask("M1002,2:abCD"), "OK");
    EXPECT_EQ(ask("m1000,5"), "1010abcd10");
    EXPECT_EQ(ask(std::string("X1000,3:\0#$", 11)), "OK");
    EXPECT_EQ(ask("m1000,5"), "002324cd10");
    EXPECT_EQ(ask("X1000,0:"), "OK");
    EXPECT_EQ(ask("M103f,2:abcd"), "E0e");
    EXPECT_EQ(ask("X0,1:a"), "E0e");
    EXPECT_EQ(ask("Hgp2"), "OK");
    EXPECT_EQ(ask("m1000,2"), "2020");
    for (const char *wrong :
         {"m", "m1000", "m1000,", "m1000,4x", "m,4", "m100000000,4", "m1000,11111111111111111",
          "M1000,2:abc", "M1000,2:ab", "M1000,1:abcd", "M1000,2", "M1000,2:abxy", "X1000,2:a",
          "X1000,1:ab", "X1000,1", "X1000,ffffffffffffffff:a", "M1000,8000000000000001:ab"}) {
        EXPECT_EQ(ask(wrong), "E16") << wrong;
    }
}

TEST_F(GdbSession, SetsPointsOnce)
{
    EXPECT_EQ(ask("Z0,8000,4"), "OK");
    EXPECT_EQ(ask("Z0,8000,4"), "OK");
    EXPECT_EQ(ask("Hgp2"), "OK");
    EXPECT_EQ(ask("Z2,1000,8"), "OK");
    ASSERT_EQ(toy_.points.count, 2u);
    EXPECT_EQ(toy_.points.of[0].process, 1u);
    EXPECT_EQ(toy_.points.of[1].process, 2u);
    EXPECT_EQ(toy_.points.of[1].bytes, 8u);
    EXPECT_TRUE(gdb_points_watch(&toy_.points));
    const struct gdb_access last = {0x1007, 1, false, true};
    const struct gdb_access behind = {0x1008, 4, false, true};
    const struct gdb_access before = {0xffc, 4, false, true};
    const struct gdb_access into = {0xffc, 8, false, true};
    const struct gdb_access load = {0x1000, 4, true, false};
    EXPECT_EQ(gdb_points_watched(&toy_.points, 2, &last), &toy_.points.of[1]);
    EXPECT_EQ(gdb_points_watched(&toy_.points, 2, &into), &toy_.points.of[1]);
    for (const struct gdb_access *other : {&behind, &before, &load}) {
        EXPECT_EQ(gdb_points_watched(&toy_.points, 2, other), nullptr);
    }
    EXPECT_EQ(gdb_points_watched(&toy_.points, 1, &last), nullptr);
    EXPECT_NE(gdb_points_break(&toy_.points, 1, 0x8000), nullptr);
    EXPECT_EQ(gdb_points_break(&toy_.points, 2, 0x8000), nullptr);
    EXPECT_EQ(gdb_points_break(&toy_.points, 2, 0x1000), nullptr);
    EXPECT_EQ(ask("z2,1000,8"), "OK");
    EXPECT_EQ(ask("z2,1000,8"), "OK");
    EXPECT_EQ(ask("Hgp1"), "OK");
    EXPECT_EQ(ask("z0,8000,4"), "OK");
    EXPECT_EQ(toy_.points.count, 0u);
    EXPECT_EQ(ask("Z3,1000,4"), "") << "the toy has none of this kind";
    EXPECT_EQ(ask("Z2,1000,0"), "E1c");
    for (const char *wrong : {"Z", "Z5,0,4", "Z0", "Z0,1000", "Z0,1000,4;X", "z9,1,1", "Z0,,4"}) {
        EXPECT_EQ(ask(wrong), "E16") << wrong;
    }
    for (unsigned i = 0; i < GDB_POINTS_MAX; i++) {
        char packet[32];
        (void)snprintf(packet, sizeof packet, "Z1,%x,4", 4 * i);
        ASSERT_EQ(ask(packet), "OK");
    }
    EXPECT_EQ(ask("Z1,ffff0,4"), "E1c");
}

TEST_F(GdbSession, RunsUntilTheTargetStops)
{
    EXPECT_EQ(ask("vCont?"), "vCont;c;C;s;S");
    EXPECT_EQ(ask("vCont;c"), "");
    EXPECT_TRUE(runs());
    EXPECT_EQ(toy_.how, GDB_CONTINUE);
    EXPECT_EQ(toy_.resumed, 1u);
    EXPECT_EQ(ask("qC"), "") << "while it runs only Ctrl-C is heard";
    EXPECT_EQ(client_.run(), "");
    EXPECT_TRUE(runs());
    toy_.stops = {stop_at(GDB_AT_BREAKPOINT, {GDB_BREAK_SOFTWARE, 2, 0x8000, 4})};
    EXPECT_EQ(client_.run(), "T05swbreak:;thread:p2.1;");
    EXPECT_FALSE(runs());
    EXPECT_EQ(ask("?"), "T05swbreak:;thread:p2.1;");
    EXPECT_EQ(ask("qC"), "QCp2.1");
}

TEST_F(GdbSession, TellsWhyTheTargetStopped)
{
    const struct gdb_stop stops[] = {
        stop_of(GDB_STEPPED, 1),
        stop_at(GDB_AT_BREAKPOINT, {GDB_BREAK_HARDWARE, 1, 0, 4}),
        stop_at(GDB_AT_WATCHPOINT, {GDB_WATCH_WRITE, 1, 0x1004, 4}),
        stop_at(GDB_AT_WATCHPOINT, {GDB_WATCH_READ, 1, 0x1004, 4}),
        stop_at(GDB_AT_WATCHPOINT, {GDB_WATCH_ACCESS, 1, 0x1004, 4}),
        stop_of(GDB_SIGNALLED, 1, GDB_SIGNAL_SEGV),
        stop_of(GDB_AT_BEGIN, 1),
    };
    const char *const told[] = {"T05thread:p1.1;",
                                "T05hwbreak:;thread:p1.1;",
                                "T05watch:1004;thread:p1.1;",
                                "T05rwatch:1004;thread:p1.1;",
                                "T05awatch:1004;thread:p1.1;",
                                "T0bthread:p1.1;",
                                "T05replaylog:begin;thread:p1.1;"};
    for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
        toy_.stops = {stops[i]};
        EXPECT_EQ(ask("c"), "");
        EXPECT_EQ(client_.run(), told[i]);
    }
}

TEST_F(GdbSession, TellsTheRegistersOfWhatHasStopped)
{
    arm968_set_register(toy_.core[1], 3, 0x12345678);
    arm968_set_register(toy_.core[1], 15, 0x8000);
    toy_.stops = {stop_of(GDB_STEPPED, 2)};
    (void)ask("vCont;c");
    gdb_session_run(client_.session);
    const std::string told = gdb_toy_client::answers(client_.take(), false);
    EXPECT_EQ(told.find("T05thread:p2.1;00:00000000;"), 0u) << told;
    EXPECT_NE(told.find(";03:78563412;"), std::string::npos) << told;
    EXPECT_NE(told.find(";0f:00800000;19:d3000000;"), std::string::npos) << told;
    EXPECT_EQ(told.size(), 15 + 17 * 12u);
}

TEST_F(GdbSession, ShowsATextBeforeAStop)
{
    struct gdb_stop stop = stop_of(GDB_SIGNALLED, 1, GDB_SIGNAL_ILL);
    stop.text = "why";
    toy_.stops = {stop};
    (void)ask("c");
    EXPECT_EQ(client_.run(), "O" + hex("why") + " O0a T04thread:p1.1;");
    EXPECT_EQ(ask("?"), "T04thread:p1.1;");
}

TEST_F(GdbSession, StepsOneProcess)
{
    EXPECT_EQ(ask("vCont;s:p2.1;c"), "");
    EXPECT_EQ(toy_.how, GDB_STEP);
    EXPECT_EQ(toy_.resumed, 2u);
    toy_.stops = {stop_of(GDB_STEPPED, 2)};
    (void)client_.run();
    EXPECT_EQ(ask("vCont;S05:p1.1;c:p-1.-1"), "");
    EXPECT_EQ(toy_.resumed, 1u);
    toy_.stops = {stop_of(GDB_STEPPED, 1)};
    (void)client_.run();
    EXPECT_EQ(ask("Hcp2.-1"), "OK");
    EXPECT_EQ(ask("s"), "");
    EXPECT_EQ(toy_.resumed, 2u);
    toy_.stops = {stop_of(GDB_STEPPED, 2)};
    (void)client_.run();
    EXPECT_EQ(ask("s8000"), "");
    EXPECT_EQ(arm968_register(toy_.core[1], 15), 0x8000u);
    toy_.stops = {stop_of(GDB_STEPPED, 2)};
    (void)client_.run();
    EXPECT_EQ(ask("C05;9000"), "");
    EXPECT_EQ(arm968_register(toy_.core[1], 15), 0x9000u);
    EXPECT_EQ(toy_.how, GDB_CONTINUE);
    toy_.stops = {stop_of(GDB_STEPPED, 1)};
    (void)client_.run();
    EXPECT_EQ(ask("s"), "");
    EXPECT_EQ(toy_.resumed, 2u) << "Hc stays";
    toy_.stops = {stop_of(GDB_STEPPED, 1)};
    (void)client_.run();
    EXPECT_EQ(ask("Hc0"), "OK");
    EXPECT_EQ(ask("s"), "");
    EXPECT_EQ(toy_.resumed, 1u) << "that of the last stop";
    EXPECT_EQ(toy_.resumes, 7u);
}

/* GDB's default is to let one inferior run; the others then change behind its back. */
TEST_F(GdbSession, TellsOnceHowToLetAllRun)
{
    const std::string hint = ask("vCont;c:p1.-1");
    EXPECT_NE(hint.find(hex("`set schedule-multiple on`")), std::string::npos) << hint;
    toy_.stops = {stop_of(GDB_STEPPED, 2)};
    (void)client_.run();
    EXPECT_EQ(ask("vCont;c:p2.-1"), "");
    toy_.stops = {stop_of(GDB_STEPPED, 2)};
    (void)client_.run();
    gdb_toy_client steps(toy_);
    (void)steps.ask(ABILITIES);
    EXPECT_EQ(steps.ask("vCont;s:p2.1"), "") << "GDB steps one only in any case";
    gdb_toy_client one(toy_);
    (void)one.ask(ABILITIES);
    EXPECT_EQ(one.ask("D;2"), "OK");
    EXPECT_EQ(one.ask("vCont;c:p1.-1"), "") << "there is no other";
}

TEST_F(GdbSession, RefusesToRunWhatIsMalformed)
{
    for (const char *wrong :
         {"vCont", "vCont;", "vCont;x", "vCont;c:", "vCont;c:p4.1", "vCont;C", "vCont;c:p1.2",
          "vCont;c;", "vContc", "cx", "c8000x", "C", "Cx", "C05x", "s100000000"}) {
        EXPECT_EQ(ask(wrong), "E16") << wrong;
        EXPECT_FALSE(runs()) << wrong;
    }
    EXPECT_EQ(toy_.resumes, 0u);
}

TEST_F(GdbSession, StopsAtCtrlC)
{
    EXPECT_EQ(client_.raw("\x03"), "") << "of a target that stands nothing is told";
    (void)ask("c");
    EXPECT_EQ(client_.run(), "");
    EXPECT_EQ(client_.raw("\x03"), "");
    EXPECT_EQ(client_.run(), "T02thread:p1.1;");
    EXPECT_FALSE(runs());
    (void)ask("c");
    EXPECT_EQ(client_.run(), "") << "the next run is another one";
    EXPECT_EQ(client_.raw("\x03"), "");
    toy_.stops = {stop_at(GDB_AT_BREAKPOINT, {GDB_BREAK_SOFTWARE, 1, 0, 4})};
    EXPECT_EQ(client_.run(), "T05swbreak:;thread:p1.1;") << "what has happened goes first";
}

TEST_F(GdbSession, EndsWithTheTarget)
{
    toy_.stops = {stop_of(GDB_EXITED, 1, 7)};
    (void)ask("c");
    EXPECT_EQ(client_.run(), "W07;process:1");
    EXPECT_EQ(end(), GDB_FINISHED);
    EXPECT_FALSE(runs());
    gdb_toy_client old(toy_);
    toy_.stops = {stop_of(GDB_KILLED, 1, 11)};
    (void)old.ask("c");
    EXPECT_EQ(old.run(), "X0b");
}

TEST_F(GdbSession, EndsWithTheTargetsOwner)
{
    const struct gdb_stop end_of_run = stop_of(GDB_EXITED, 1, 3);
    gdb_session_finish(client_.session, &end_of_run);
    EXPECT_EQ(client_.take(), "") << "a target that stands";
    EXPECT_EQ(end(), GDB_GOES_ON);
    (void)ask("c");
    gdb_session_finish(client_.session, &end_of_run);
    EXPECT_EQ(gdb_toy_client::answers(client_.take()), "W03;process:1");
    EXPECT_EQ(end(), GDB_FINISHED);
}

/* GDB has an internal error at the end of a process that it does not know. */
TEST_F(GdbSession, EndsAProcessThatTheClientKnows)
{
    toy_.stops = {stop_of(GDB_EXITED, 3)};
    EXPECT_EQ(ask("D;1"), "OK");
    (void)ask("vCont;c");
    EXPECT_EQ(client_.run(), "W00;process:2");
}

TEST_F(GdbSession, GoesBackWhereTheTargetDoes)
{
    gdb_toy back(true);
    gdb_toy_client client(back);
    EXPECT_EQ(client.ask("bs"), "");
    EXPECT_EQ(back.how, GDB_STEP_BACK);
    back.stops = {stop_of(GDB_STEPPED, 1)};
    (void)client.run();
    EXPECT_EQ(client.ask("bc"), "");
    EXPECT_EQ(back.how, GDB_CONTINUE_BACK);
}

/* To a client that knows no processes they are threads, and it is told no kind of breakpoint. */
TEST_F(GdbSession, SpeaksWithOldClients)
{
    gdb_toy_client old(toy_);
    (void)old.ask("qSupported");
    EXPECT_EQ(old.ask("?"), "T05thread:1;");
    EXPECT_EQ(old.ask("qfThreadInfo"), "m1,2");
    EXPECT_EQ(old.ask("Hg2"), "OK");
    EXPECT_EQ(old.ask("m1000,1"), "20");
    EXPECT_EQ(old.ask("Hg0"), "OK");
    EXPECT_EQ(old.ask("qC"), "QC2");
    toy_.stops = {stop_at(GDB_AT_BREAKPOINT, {GDB_BREAK_SOFTWARE, 1, 0, 4})};
    (void)old.ask("c");
    EXPECT_EQ(old.run(), "T05thread:1;");
}

TEST_F(GdbSession, PerformsCommandsOfMonitor)
{
    EXPECT_EQ(ask("qRcmd," + hex("say  hello you")), "O" + hex("1: hello you\n") + " OK");
    EXPECT_EQ(ask("qRcmd," + hex("help")),
              "O" + hex("help - this list\nsay TEXT - says it\nmuch - says much\n") + " OK");
    EXPECT_EQ(ask("qRcmd,"), ask("qRcmd," + hex("help")));
    EXPECT_EQ(ask("qRcmd," + hex("sayx")),
              "O" + hex("no command 'sayx'; `monitor help` lists them\n") + " OK");
    EXPECT_EQ(ask("qRcmd,7"), "E16");
    EXPECT_EQ(ask("qRcmd,7x"), "E16");
    const std::string much = ask("qRcmd," + hex("much"));
    EXPECT_EQ(much.size(), 2 * 10000u + 2 /* O */ + 1 + 3) << "in two parts";
}
