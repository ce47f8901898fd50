/* gdb.cpp - bytes of a client of GDB's protocol, over a toy target that has been told to be quiet:
 * wrong sums do not matter then, and every changed packet is performed. */
#include "tests/fuzz/harness.h"
#include "tests/support/gdb_toy.h"

namespace
{

enum : unsigned { RUNS_MOST = 4 };

/* All that goes out is complete packets. */
void expect_packets(const std::string &sent)
{
    static struct gdb_input input = {};
    for (const char byte : sent) {
        const enum gdb_event event = gdb_input_put(&input, static_cast<uint8_t>(byte));
        if (event == GDB_EVENT_BAD_SUM || event == GDB_EVENT_TOO_LONG ||
            event == GDB_EVENT_INTERRUPT) {
            fuzz_fail("an answer that is no packet: " + sent);
        }
        if (event == GDB_EVENT_PACKET) {
            fuzz_touch(input.data, input.bytes);
        }
    }
    if (input.state != GDB_INPUT_OUTSIDE) {
        fuzz_fail("an answer without an end: " + sent);
    }
}

/* Stops of a target, one after the other. */
struct gdb_stop any_stop(unsigned number)
{
    static const enum gdb_why WHYS[] = {GDB_RUNS,          GDB_STEPPED,   GDB_AT_BREAKPOINT,
                                        GDB_AT_WATCHPOINT, GDB_SIGNALLED, GDB_AT_BEGIN};
    struct gdb_stop stop = {};
    stop.why = WHYS[number % (sizeof WHYS / sizeof *WHYS)];
    stop.process = 1 + number % gdb_toy::PROCESSES;
    stop.number = number;
    stop.point.kind = static_cast<enum gdb_point_kind>(number % GDB_POINT_KINDS);
    stop.point.address = number;
    stop.text = number % 3 == 0 ? "why" : nullptr;
    return stop;
}

} // namespace

void fuzz_one(const uint8_t *bytes, size_t size)
{
    gdb_toy toy(size % 2 == 0);
    gdb_toy_client client(toy);
    expect_packets(client.raw("+$qSupported:multiprocess+#c6$QStartNoAckMode#b0"));
    unsigned stops = 0;
    for (size_t at = 0; at < size && gdb_session_end(client.session) == GDB_GOES_ON; at++) {
        gdb_session_take(client.session, bytes + at, 1);
        for (unsigned i = 0; i < RUNS_MOST && gdb_session_runs(client.session); i++) {
            toy.stops = {any_stop(++stops)};
            gdb_session_run(client.session);
        }
        expect_packets(client.take());
    }
    if (toy.points.count > GDB_POINTS_MAX) {
        fuzz_fail("more points than there is room for");
    }
    (void)fuzz_is_good(STATUS_OK, {});
}
