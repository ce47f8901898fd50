/* What goes with what: every shipped network of up to MOST_PARAMETERS in every mode, mapping,
 * exchange and number format is planned or refused once, and for the reason that the table of
 * mappings knows; hints are true. */
#include "tests/unit/plan_fixture.h"

extern "C" {
#include "sim/mapping/mapping.h"
#include "sim/networks/operators.h"
#include "sim/networks/quantise.h"
#include "sim/run_control/number_formats.h"
}

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>

namespace
{

/* Plans of larger networks take gigabytes, and minutes; they differ from fc128's in size alone. The
 * images are digits, which xor does not take: tests/system/own_data_test.cpp maps it. */
enum { MOST_PARAMETERS = 150000 };

const char *const MODES[] = {"infer", "train"};
const char *const KINDS[] = {"replica_per_core", "replica_per_chip", "neuron_blocks",
                             "neuron_columns",   "neuron_per_core",  "feature_maps_per_core"};
const char *const FORMATS[] = {"int8", "int16", "s16.15", "float32", "float64"};
const char *const EXCHANGES[] = {"rings", "tree"};

struct combination {
    std::string network, mode, kind, format, exchange;

    std::string text() const
    {
        return "name: test\nmode: " + mode +
               "\nboard: {shape: spin5}\ndata: {set: synthetic, test_images: 20" +
               (mode == "train" ? ", train_images: 96" : "") + "}\nnetwork: {name: " + network +
               ", number_format: " + format + "}\nmapping: {kind: " + kind +
               ", chips: 48, cores_per_chip: 16" +
               (kind == "replica_per_chip" ? ", cores_per_image: 4" : "") + "}\n" +
               (mode == "train" && format != "float64"
                    ? "train: {global_batch: 48, exchange: " + exchange + "}\n"
                    : "");
    }
};

bool is_left_out(const std::string &path)
{
    struct network network = {};
    struct diagnostic said_of = {};
    EXPECT_EQ(network_load(path.c_str(), &network, &said_of), STATUS_OK) << said(said_of);
    const bool left_out = network_parameters(&network) > MOST_PARAMETERS ||
                          network_values(network.input) != DIGITS_PIXELS;
    network_deinit(&network);
    return left_out;
}

std::vector<combination> all_combinations()
{
    std::vector<combination> all;
    for (const auto &file : std::filesystem::directory_iterator(networks_folder())) {
        if (file.path().extension() != ".yaml" || is_left_out(file.path())) {
            continue;
        }
        for (const char *mode : MODES) {
            for (const char *kind : KINDS) {
                for (const char *format : FORMATS) {
                    for (const char *exchange : EXCHANGES) {
                        if (mode == std::string("train") || exchange == std::string("rings")) {
                            all.push_back({file.path().stem(), mode, kind, format, exchange});
                        }
                    }
                }
            }
        }
    }
    return all;
}

/* As a run is prepared, but for its program and weights. */
class prepared
{
  public:
    explicit prepared(const combination &what, const std::vector<std::string> &more = {})
        : text(what.text()), test("synthetic", DATASET_TEST, 20),
          train("synthetic", DATASET_TRAIN, 96)
    {
        struct config_request request = {};
        request.path = "test.yaml";
        request.text = text.data();
        request.text_bytes = text.size();
        request.configs_folder = SPINN_CONFIGS_FOLDER;
        std::vector<const char *> sets;
        for (const std::string &set : more) {
            sets.push_back(set.c_str());
        }
        request.sets = sets.data();
        request.set_count = sets.size();
        status = config_load(&request, &config, &said_of);
        EXPECT_EQ(status, STATUS_OK) << text << said(said_of);
        const std::string path = networks_folder() + "/" + what.network + ".yaml";
        EXPECT_EQ(network_load(path.c_str(), &network, &said_of), STATUS_OK) << said(said_of);
        operators = operators_needed(&config, &network);
        check();
        make(what);
    }
    ~prepared()
    {
        load_plan_deinit(&plan);
        weights_deinit(&weights);
        std::free(table);
        network_deinit(&network);
        config_deinit(&config);
    }
    prepared(const prepared &) = delete;
    prepared &operator=(const prepared &) = delete;

    std::string text;
    struct sim_config config = {};
    struct diagnostic said_of = {};
    enum status status = STATUS_OK;
    enum operators operators = OPERATORS_NONE;
    struct load_plan plan = {};

  private:
    void check()
    {
        struct mapping_program program = {};
        status = number_formats_check(&config, &said_of);
        status = status == STATUS_OK ? number_formats_use(&config, &network, &said_of) : status;
        status = status == STATUS_OK ? operators_check(&config, &network, &said_of) : status;
        status =
            status == STATUS_OK ? mapping_program(&config, &network, &program, &said_of) : status;
    }
    void make(const combination &what)
    {
        if (status != STATUS_OK) {
            return;
        }
        EXPECT_EQ(layer_table_make(&network, &table, &said_of), STATUS_OK) << said(said_of);
        if (what.format == "int8") {
            weights.block = std::calloc(1, weights_block_bytes(&network, table));
            EXPECT_EQ(quantise(&network, &table, &weights, &train.dataset, &said_of), STATUS_OK)
                << said(said_of);
        }
        struct plan_request request = {};
        request.config = &config;
        request.network = &network;
        request.table = table;
        request.images = &test.dataset;
        request.train_images = what.mode == "train" ? &train.dataset : nullptr;
        request.program = &program.image;
        request.tight = load_plan_needs_tight(&request); /* as a job does it */
        status = load_plan_make(&request, &plan, &said_of);
    }

    images test, train;
    fake_program program;
    struct network network = {};
    struct nn_table *table = nullptr;
    struct weights weights = {};
};

std::vector<std::vector<std::string>> matrix()
{
    char *text = nullptr;
    size_t bytes = 0;
    FILE *stream = open_memstream(&text, &bytes);
    mapping_matrix(stream);
    (void)fclose(stream);
    std::istringstream rows(text);
    std::free(text);
    std::vector<std::vector<std::string>> table;
    for (std::string row; std::getline(rows, row);) {
        std::vector<std::string> cells;
        std::istringstream from(row.substr(1));
        for (std::string cell; std::getline(from, cell, '|');) {
            cells.push_back(cell.substr(1, cell.size() - 2));
        }
        table.push_back(cells);
    }
    return table;
}

/* Whether the matrix has a row for it. */
bool goes_together(const std::vector<std::vector<std::string>> &table, const combination &what,
                   enum operators operators)
{
    return std::any_of(table.begin(), table.end(), [&](const std::vector<std::string> &row) {
        const std::string formats = " " + row.at(4 + operators) + " ";
        return row[0] == what.mode && row[1] == what.kind &&
               (row[2] == "-" || row[2] == what.exchange) &&
               formats.find(" " + what.format + " ") != std::string::npos;
    });
}

/* What a hint says to set: "mapping.chips: 43 is the least with which it fits". */
std::vector<std::string> advised(const std::string &hint)
{
    std::vector<std::string> sets;
    for (size_t at = hint.find("mapping."); at != std::string::npos;
         at = hint.find("mapping.", at + 1)) {
        std::string set = hint.substr(at, hint.find_first_of(" ,;", hint.find(' ', at) + 1) - at);
        set.replace(set.find(": "), 2, "=");
        sets.push_back(set);
    }
    return sets;
}

TEST(MappingMatrix, EveryCombinationIsPlannedOrRefusedForAKnownReason)
{
    const std::vector<combination> all = all_combinations();
    const std::vector<std::vector<std::string>> table = matrix();
    EXPECT_EQ(all.size(), 900u);
    std::map<std::string, int> reasons;
    for (const combination &what : all) {
        const prepared made(what);
        const std::string text = made.said_of.text;
        const bool no_program =
            contains(text, "the machine has no program that") || contains(text, "is a mapping");
        if (made.status == STATUS_OK) {
            EXPECT_TRUE(goes_together(table, what, made.operators)) << made.text;
            EXPECT_EQ(text, "") << made.text;
            reasons["planned"]++;
            continue;
        }
        EXPECT_EQ(made.status, STATUS_CONFIGURATION) << made.text;
        EXPECT_NE(made.said_of.key[0], '\0') << made.text << text;
        EXPECT_NE(made.said_of.hint[0], '\0') << made.text << text;
        EXPECT_FALSE(no_program && goes_together(table, what, made.operators)) << made.text << text;
        EXPECT_EQ(made.plan.core, nullptr);
        reasons[no_program ? "no program" : contains(text, "DTCM") ? "DTCM" : "else"]++;
    }
    const std::map<std::string, int> expected = {
        {"planned", 54}, {"no program", 437}, {"DTCM", 62}, {"else", 347}};
    EXPECT_EQ(reasons, expected);
}

TEST(MappingMatrix, WhatDoesNotFitIsToldWhatDoes)
{
    int followed = 0;
    int least = 0;
    for (const combination &what : all_combinations()) {
        const prepared made(what);
        const std::string hint = made.said_of.hint;
        if (!contains(made.said_of.text, "DTCM") || !contains(hint, "it fits")) {
            continue;
        }
        std::vector<std::string> sets = advised(hint);
        const size_t number = sets.back().find('=') + 1;
        if (what.kind == "replica_per_chip" && contains(hint, "mapping.kind")) {
            sets.insert(sets.begin(), "mapping.cores_per_image=null"); /* the others have none */
        }
        if (contains(sets.back(), "mapping.chips") && std::stoi(sets.back().substr(number)) > 48) {
            sets.insert(sets.begin(), {"board.shape=torus", "board.width=8", "board.height=8"});
        }
        EXPECT_EQ(prepared(what, sets).status, STATUS_OK) << made.text << hint;
        followed++;
        if (contains(hint, "is the least") && sets.back().substr(number) != "1") {
            const int fewer = std::stoi(sets.back().substr(number)) - 1;
            sets.back() = sets.back().substr(0, number) + std::to_string(fewer);
            EXPECT_NE(prepared(what, sets).status, STATUS_OK) << made.text << hint;
            least++;
        }
    }
    EXPECT_EQ(followed, 52);
    EXPECT_EQ(least, 17);
}

} // namespace
