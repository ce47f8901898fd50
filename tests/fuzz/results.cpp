/* results.cpp - a result folder: the report, joules again from its counters, and a golden.  The
 * input is all its files, each behind a line "== NAME". */
#include "tests/fuzz/harness.h"

#include <cstdlib>
#include <map>
#include <sstream>

extern "C" {
#include "sim/config/config.h"
#include "sim/reports/report.h"
#include "sim/results/golden.h"
#include "sim/results/recorder.h"
#include "sim/results/result_files.h"
}

namespace
{

std::map<std::string, std::string> files_of(const std::string &text)
{
    std::map<std::string, std::string> files = {{"summary.json", ""},
                                                {"config.yaml", ""},
                                                {"counters.csv", ""},
                                                {"sampled.csv", ""},
                                                {"golden.csv", ""}};
    std::string *file = &files["summary.json"];
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
        const std::string line = text.substr(at, end - at);
        const auto named = line.compare(0, 3, "== ") == 0
                               ? files.find(line.substr(3, line.size() - 4))
                               : files.end();
        if (named != files.end()) {
            file = &named->second;
        } else {
            *file += line;
        }
        at = end;
    }
    return files;
}

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

void compare(const std::string &folder)
{
    struct golden golden = {};
    struct diagnostic diagnostic = {};
    if (fuzz_is_good(golden_read(&golden, (folder + "/golden.csv").c_str(), &diagnostic),
                     diagnostic)) {
        golden_deinit(&golden);
    }
}

} // namespace

void fuzz_one(const uint8_t *bytes, size_t size)
{
    for (const auto &[name, text] : files_of(std::string(bytes, bytes + size))) {
        (void)fuzz_file(name, text.data(), text.size());
    }
    report(fuzz_folder());
    energy(fuzz_folder());
    compare(fuzz_folder());
}
