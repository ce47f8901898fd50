/* results.cpp - a result folder: the report, and joules again from its counters. */
#include "tests/fuzz/result_folder.h"

#include <cstdlib>

extern "C" {
#include "sim/config/config.h"
#include "sim/reports/report.h"
#include "sim/results/recorder.h"
#include "sim/results/result_files.h"
}

namespace
{

void report(const std::string &folder)
{
    const char *names[] = {folder.c_str()};
    struct diagnostic diagnostic = {};
    const struct report_request report = {names, 1, PAGE_MARKDOWN, ""};
    (void)fuzz_is_good(report_write(fuzz_nowhere(), &report, &diagnostic), diagnostic);
}

void price(const struct sim_config &config, const std::string &folder)
{
    static struct record record; /* large */
    struct diagnostic diagnostic = {};
    record = {};
    if (!fuzz_is_good(tally_read(&record.tally, folder.c_str(), &diagnostic), diagnostic)) {
        return;
    }
    if (fuzz_is_good(energy_account_of(&record.energy, &config.energy, &record.tally, &diagnostic),
                     diagnostic)) {
        for (const char *file : {"phases.csv", "energy.csv"}) {
            (void)result_file_write(result_file_find(file), fuzz_nowhere(), &record);
        }
        energy_print(fuzz_nowhere(), &record.energy);
    }
    record_deinit(&record);
}

void energy(const std::string &folder)
{
    const std::string path = folder + "/config.yaml";
    struct config_request request = {};
    struct sim_config config = {};
    struct diagnostic diagnostic = {};
    request.path = path.c_str();
    if (fuzz_is_good(config_load(&request, &config, &diagnostic), diagnostic)) {
        price(config, folder);
        config_deinit(&config);
    }
}

} // namespace

void fuzz_one(const uint8_t *bytes, size_t size)
{
    static fuzz_result_folder folder(
        "", {"summary.json", "config.yaml", "counters.csv", "sampled.csv"});
    folder.make(bytes, size);
    report(fuzz_folder());
    energy(fuzz_folder());
}
