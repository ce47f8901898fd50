/* configuration.cpp - a configuration: a text with its includes from configs/, and overrides in
 * lines "#set key=value".  What is good is written and loads again to the same. */
#include "tests/fuzz/harness.h"

#include <sstream>

extern "C" {
#include "sim/config/config.h"
}

namespace
{

enum : size_t { MOST_SETS = 16 };

std::vector<std::string> sets_of(const std::string &text)
{
    static const std::string MARK = "#set ";
    std::vector<std::string> sets;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line) && sets.size() < MOST_SETS;) {
        if (line.compare(0, MARK.size(), MARK) == 0) {
            sets.push_back(line.substr(MARK.size()));
        }
    }
    return sets;
}

enum status load(const std::string &text, const std::vector<std::string> &sets,
                 struct sim_config *config, struct diagnostic *diagnostic)
{
    std::vector<const char *> set;
    set.reserve(sets.size());
    for (const std::string &one : sets) {
        set.push_back(one.c_str());
    }
    struct config_request request = {};
    request.path = "experiment.yaml";
    request.text = text.data();
    request.text_bytes = text.size();
    request.configs_folder = SPINN_CONFIGS_FOLDER;
    request.sets = set.data();
    request.set_count = set.size();
    return config_load(&request, config, diagnostic);
}

std::string canonical(const struct sim_config &config)
{
    return fuzz_text_of([&config](FILE *stream) {
        (void)config_canonical(&config, CONFIG_PART_SIMULATION, stream);
        (void)config_canonical(&config, CONFIG_PART_ENERGY, stream);
    });
}

void expect_dump_loads(const struct sim_config &config)
{
    const std::string dump =
        fuzz_text_of([&config](FILE *stream) { (void)config_dump(&config, stream); });
    struct sim_config again = {};
    struct diagnostic diagnostic = {};
    if (load(dump, {}, &again, &diagnostic) != STATUS_OK) {
        fuzz_fail("what was written does not load: " + std::string(diagnostic.key) + ": " +
                  diagnostic.text + "\n" + dump);
    }
    if (canonical(again) != canonical(config)) {
        fuzz_fail("what was written loads to something else:\n" + canonical(config) + "---\n" +
                  canonical(again));
    }
    config_deinit(&again);
}

} // namespace

void fuzz_one(const uint8_t *bytes, size_t size)
{
    const std::string text(bytes, bytes + size);
    struct sim_config config = {};
    struct diagnostic diagnostic = {};
    if (!fuzz_is_good(load(text, sets_of(text), &config, &diagnostic), diagnostic)) {
        return;
    }
    struct topology topology = {};
    if (config.topology.width * config.topology.height <= 64) {
        (void)fuzz_is_good(config_topology(&config, &topology, &diagnostic), diagnostic);
        topology_deinit(&topology);
    }
    (void)config_explain(&config, fuzz_nowhere());
    expect_dump_loads(config);
    config_deinit(&config);
}
