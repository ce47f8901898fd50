/* gdb_toy.h - a target of GDB that is easy to look into: three processes, the last one not listed,
 * with registers of real cores and 64 bytes of memory each; what happens in a run is told to it
 * before. */
#pragma once
#include "tests/support/gdb_answer.h"

#include <cstring>
#include <deque>
#include <string>
#include <vector>

extern "C" {
#include "models/arm968/arm968.h"
#include "sim/gdb/points.h"
#include "sim/gdb/registers.h"
#include "sim/gdb/session.h"
}

class gdb_toy
{
  public:
    enum : unsigned { PROCESSES = 3 };
    enum : uint32_t { BASE = 0x1000, BYTES = 64 };

    explicit gdb_toy(bool goes_back = false)
    {
        target.context = this;
        target.processes = PROCESSES;
        target.goes_back = goes_back;
        target.process = [](void *toy, unsigned process) { return of(toy).about(process); };
        target.read_register = [](void *toy, unsigned process, unsigned number, uint32_t *value) {
            return gdb_read_register(of(toy).core[process - 1], number, value);
        };
        target.write_register = [](void *toy, unsigned process, unsigned number, uint32_t value) {
            return gdb_write_register(of(toy).core[process - 1], number, value);
        };
        target.read_memory = [](void *toy, unsigned process, uint32_t address, uint8_t *bytes,
                                size_t count) {
            const uint32_t offset = address - BASE;
            const size_t there = offset < BYTES ? BYTES - offset : 0;
            const size_t got = count < there ? count : there;
            if (got > 0) {
                memcpy(bytes, of(toy).memory[process - 1] + offset, got);
            }
            return got;
        };
        target.write_memory = [](void *toy, unsigned process, uint32_t address,
                                 const uint8_t *bytes, size_t count) {
            const uint32_t offset = address - BASE;
            if (offset >= BYTES || BYTES - offset < count) {
                return false;
            }
            memcpy(of(toy).memory[process - 1] + offset, bytes, count);
            return true;
        };
        target.set_point = [](void *toy, const struct gdb_point *point) {
            return point->kind == GDB_WATCH_READ ? GDB_UNKNOWN
                                                 : gdb_points_add(&of(toy).points, point);
        };
        target.remove_point = [](void *toy, const struct gdb_point *point) {
            gdb_points_remove(&of(toy).points, point);
            return GDB_DONE;
        };
        target.remove_all_points = [](void *toy) { of(toy).points.count = 0; };
        target.resume = [](void *toy, enum gdb_resume how, unsigned process) {
            of(toy).how = how;
            of(toy).resumed = process;
            of(toy).resumes++;
        };
        target.run = [](void *toy) { return of(toy).next(); };
        static const struct gdb_monitor MONITORS[] = {
            {"say", "TEXT", "says it",
             [](void *toy, unsigned process, const char *arguments, FILE *out) {
                 (void)toy;
                 (void)fprintf(out, "%u: %s\n", process, arguments);
             }},
            {"much", "", "says much",
             [](void *toy, unsigned process, const char *arguments, FILE *out) {
                 (void)toy;
                 (void)process;
                 (void)arguments;
                 (void)fprintf(out, "%s", std::string(10000, 'm').c_str());
             }},
            {}};
        target.monitors = MONITORS;
        for (unsigned i = 0; i < PROCESSES; i++) {
            struct arm968_config config = {};
            config.timing = arm968_timing_default();
            config.id = 0x41059681;
            core[i] = arm968_create(&config);
            memset(memory[i], static_cast<int>(0x10 * (i + 1)), BYTES);
        }
    }
    ~gdb_toy()
    {
        for (struct arm968 *each : core) {
            arm968_destroy(each);
        }
    }
    gdb_toy(const gdb_toy &) = delete;
    gdb_toy &operator=(const gdb_toy &) = delete;

    struct gdb_target target = {};
    struct arm968 *core[PROCESSES] = {};
    uint8_t memory[PROCESSES][BYTES] = {};
    struct gdb_points points = {};
    std::deque<struct gdb_stop> stops; /* of the next runs; none left: GDB_RUNS */
    enum gdb_resume how = GDB_CONTINUE;
    unsigned resumed = 0, resumes = 0, pauses = 0;

  private:
    static gdb_toy &of(void *toy)
    {
        return *static_cast<gdb_toy *>(toy);
    }
    static struct gdb_process about(unsigned process)
    {
        static const struct gdb_process ABOUT[PROCESSES] = {
            {"core 0,0,1", "/toy/one.elf", true},
            {"core <2> & \"2\"", nullptr, true},
            {"core 0,0,3", "/toy/three.elf", false}};
        return ABOUT[process - 1];
    }
    struct gdb_stop next()
    {
        struct gdb_stop stop = {};
        stop.why = GDB_RUNS;
        stop.process = 1;
        if (!stops.empty()) {
            stop = stops.front();
            stops.pop_front();
        }
        return stop;
    }
};

/* The client's side of a session. */
class gdb_toy_client
{
  public:
    explicit gdb_toy_client(const gdb_toy &toy)
    {
        const struct gdb_sink sink = {this, [](void *client, const uint8_t *bytes, size_t count) {
                                          static_cast<gdb_toy_client *>(client)->sent_.append(
                                              reinterpret_cast<const char *>(bytes), count);
                                      }};
        session = gdb_session_create(&toy.target, sink);
    }
    ~gdb_toy_client()
    {
        gdb_session_destroy(session);
    }
    gdb_toy_client(const gdb_toy_client &) = delete;
    gdb_toy_client &operator=(const gdb_toy_client &) = delete;

    static std::string frame(const std::string &data)
    {
        std::vector<uint8_t> to(GDB_FRAME_BYTES);
        to.resize(
            gdb_frame(to.data(), reinterpret_cast<const uint8_t *>(data.data()), data.size()));
        return std::string(to.begin(), to.end());
    }
    /* What comes back for these bytes. */
    std::string raw(const std::string &bytes)
    {
        gdb_session_take(session, reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size());
        return take();
    }
    /* The data of the answers to a packet, each behind a blank but the first; acknowledgements are
     * left out. */
    std::string ask(const std::string &data)
    {
        return answers(raw(frame(data)));
    }
    /* Runs the target once; the answers. */
    std::string run()
    {
        gdb_session_run(session);
        return answers(take());
    }
    static std::string answers(const std::string &bytes, bool stripped = true)
    {
        std::vector<struct gdb_input> input(1);
        std::string all;
        bool any = false;
        for (const char byte : bytes) {
            if (gdb_input_put(input.data(), static_cast<uint8_t>(byte)) == GDB_EVENT_PACKET) {
                const std::string data(input[0].data, input[0].data + input[0].bytes);
                all += (any ? " " : "") + (stripped ? gdb_without_registers(data) : data);
                any = true;
            }
        }
        return all;
    }
    std::string take()
    {
        std::string sent;
        sent.swap(sent_);
        return sent;
    }
    struct gdb_session *session;

  private:
    std::string sent_;
};
