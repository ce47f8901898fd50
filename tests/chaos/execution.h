/* execution.h - ways to execute a program, and everything that can be observed of an execution. */
#pragma once
#include "tests/chaos/program.h"

#include <map>
#include <string>
#include <vector>

/* How a machine is run.  None of it may affect a result. */
struct chaos_way {
    uint64_t run_ahead; /* models/common/run_ahead.h */
    unsigned threads;
    enum tier tier;
    uint32_t stops; /* seed of the times at which the run stops, and is looked at; 0: it does not */
    uint32_t loads; /* number of stops at which the machine is saved and loaded into a new one */
    bool records;   /* drops, traffic by purpose, samples and marks are recorded */
};

/* The way that all others are compared with. */
chaos_way reference_way();

/* Way `number` of a program; they follow from its seed. */
chaos_way way_of(const chaos_program &program, unsigned number);
std::string text_of(const chaos_way &way);

/* Bytes of a machine's memory that a guest may have written. */
struct chaos_page {
    uint8_t x, y;
    int instance;
    uint32_t address;
    uint64_t digest;
    std::vector<uint8_t> bytes; /* only if they are wanted */
};

/* What was observed.  Of an execution without records, `told` is empty. */
struct chaos_sight {
    std::vector<machine_counter> counters;
    std::vector<machine_traffic> traffic;
    std::vector<chaos_page> pages;
    std::vector<std::string> lines;                       /* registers, unmodelled, end */
    std::map<std::string, std::vector<std::string>> told; /* drops, marks, faults, samples */
    bool has_samples = false;
    uint64_t late = 0;
    uint64_t native_runs = 0;
};

/* Executes a program up to end_ps. */
chaos_sight execute(const chaos_program &program, const chaos_way &way, uint64_t end_ps,
                    bool wants_bytes = false);

/* What differs between two executions of a program, the first things first, at most `most` lines;
 * empty: nothing. */
std::string difference(const chaos_sight &one, const chaos_sight &other, unsigned most = 12);

/* Runs a program's guest long enough that the native code of its compiled part is kept on disk. */
void warm_up(const chaos_program &program);
