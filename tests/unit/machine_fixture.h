/* machine_fixture.h - a test bench with a machine: programs in machine words, recorded marks and
 * faults, counters by name.  The bench owns the machine. */
#pragma once
#include "tests/support/arm_asm.h"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "models/machine/machine.h"

constexpr uint32_t CODE = 0x100; /* where programs begin, behind the vectors */
constexpr uint32_t DTCM = 0x00400000;
constexpr uint32_t SDRAM = 0x60000000; /* buffered */
constexpr uint32_t SDRAM_UNBUFFERED = 0x70000000;
constexpr uint32_t SYSTEM_RAM = 0xe5000000;
constexpr uint32_t SYSTEM_CONTROLLER = 0xe2000000;
constexpr uint32_t TIMER = 0x11000000;
constexpr uint32_t VIC = 0x1f000000;
constexpr uint32_t DMA = 0x30000000;
constexpr uint32_t DMA_BUFFERED = 0x40000000;
constexpr uint64_t CYCLE_PS = 5000; /* 200 MHz */
constexpr uint64_t US = 1000000;

/* A program for one core, word by word. */
class Program
{
  public:
    explicit Program(uint32_t base = CODE) : base_(base)
    {
    }
    uint32_t here() const
    {
        return base_ + 4 * static_cast<uint32_t>(words_.size());
    }
    uint32_t base() const
    {
        return base_;
    }
    const std::vector<uint32_t> &words() const
    {
        return words_;
    }
    Program &emit(std::initializer_list<uint32_t> words);
    Program &nops(unsigned count);
    /* rd = value, by a MOV and as many ORRs as it needs; a cycle each. */
    Program &set(unsigned rd, uint32_t value);
    Program &branch(uint32_t to, arm_condition condition = AL);
    /* [address] = value through r10 and r11; returns the store's own address. */
    uint32_t store(uint32_t address, uint32_t value);
    /* A loop of `rounds` rounds of 2 instructions, 4 cycles each (2 for the last); uses r9. */
    Program &delay(uint32_t rounds);
    Program &write_buffer_on();
    /* Unmasks IRQ and FIQ, in SVC mode. */
    Program &unmask();
    /* Waits for interrupts, for ever. */
    Program &sleep();

  private:
    uint32_t base_;
    std::vector<uint32_t> words_;
};

struct recorded_mark {
    unsigned core;
    uint32_t address;
    uint64_t cycle;
    uint64_t time_ps;
    uint64_t bytes_written; /* to the SDRAM by this core so far */
};

struct recorded_fault {
    unsigned core;
    struct arm968_fault fault;
};

using counter_key = std::tuple<std::string, int, std::string>; /* component, instance, counter */
using counter_map = std::map<counter_key, uint64_t>;

machine_config bench_config();

/* Of the bench's machine: time that a packet takes from a router to a core's communications
 * controller; number of packets that a core holds up when it reads none (one of them is in its
 * controller). */
uint64_t transit_ps();
unsigned packets_held_up();

class MachineBench
{
  public:
    explicit MachineBench(const machine_config &config = bench_config());
    ~MachineBench();
    MachineBench(const MachineBench &) = delete;
    MachineBench &operator=(const MachineBench &) = delete;

    machine *get()
    {
        return machine_;
    }

    void load(unsigned core, const Program &program);
    void start(unsigned core, uint32_t entry = CODE, uint32_t argument = 0);
    void run(unsigned core, const Program &program); /* load, start */
    void mark(unsigned core, uint32_t address);
    machine_stop until(uint64_t time_ps);

    uint32_t word(unsigned core, uint32_t address);
    void set_word(unsigned core, uint32_t address, uint32_t value);
    uint32_t reg(unsigned core, unsigned index);

    uint64_t counter(const char *component, int instance, const char *name);
    counter_map counters();
    /* All memory that guests have written, with addresses. */
    std::string memory();
    uint64_t time_ps();

    /* Cycles from the first arrival at mark `from` to the first at mark `to`. */
    uint64_t between(uint32_t from, uint32_t to) const;
    /* The cycle of the first arrival at a mark; UINT64_MAX: not reached. */
    uint64_t cycle_of(uint32_t address) const;

    std::vector<recorded_mark> marks;
    std::vector<recorded_fault> faults;
    bool stop_at_fault = false;

  private:
    machine *machine_ = nullptr;
};
