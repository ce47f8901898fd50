/* Programs that are linked for an experiment: kept by content, made again when damaged, and what is
 * said when one cannot be made. */
#include "tests/system/program.h"

extern "C" {
#include "sim/load/elf_image.h"
#include "sim/load/program_link.h"
}

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <unistd.h>

namespace
{

namespace fs = std::filesystem;

/* The user's cache is in the test's folder. */
class ProgramLink : public SystemTest
{
  protected:
    void SetUp() override
    {
        SystemTest::SetUp();
        if (!has_programs()) {
            GTEST_SKIP() << "no ARM programs were built";
        }
        const char *cache = getenv("XDG_CACHE_HOME");
        const char *search = getenv("PATH");
        had_cache_ = cache != nullptr;
        cache_ = had_cache_ ? cache : "";
        search_ = search == nullptr ? "" : search;
        fs::create_directories(path("cache"));
        setenv("XDG_CACHE_HOME", path("cache").c_str(), 1);
    }

    void TearDown() override
    {
        if (had_cache_) {
            setenv("XDG_CACHE_HOME", cache_.c_str(), 1);
        } else {
            unsetenv("XDG_CACHE_HOME");
        }
        setenv("PATH", search_.c_str(), 1);
        unsetenv("TMPDIR");
        SystemTest::TearDown();
    }

    /* No program is found from now on. */
    void without_linker() const
    {
        setenv("PATH", path("cache").c_str(), 1);
    }

    /* Training of 16-bit values by a rule and with the square loss. */
    static program_recipe training(const std::string &rule)
    {
        program_recipe recipe = {};
        snprintf(recipe.name, sizeof recipe.name, "train_int16_%s", rule.c_str());
        snprintf(recipe.format, sizeof recipe.format, "int16");
        snprintf(recipe.update, sizeof recipe.update, "update_%s", rule.c_str());
        for (const char *object :
             {"train_group", "circle", "train_core", "exchange", "exchange_packets"}) {
            program_recipe_add(recipe.object, PROGRAM_OBJECTS, "%s", object);
        }
        program_recipe_add(recipe.defined, PROGRAM_SYMBOLS, "nn_loss_error=nn_square_error_int16");
        program_recipe_add(recipe.wanted, PROGRAM_SYMBOLS, "nn_square_error_int16");
        return recipe;
    }

    enum status link(const program_recipe &recipe, const std::string &folder = SPINN_WORKLOAD_DIR)
    {
        char *made = nullptr;
        said_of = {};
        const enum status status = program_link(&recipe, folder.c_str(), &made, &said_of);
        elf = made == nullptr ? "" : made;
        free(made);
        return status;
    }

    std::string elf;
    struct diagnostic said_of = {};

  private:
    bool had_cache_ = false;
    std::string cache_, search_;
};

TEST_F(ProgramLink, KeepsAProgramByItsContent)
{
    ASSERT_EQ(link(training("adagrad")), STATUS_OK) << said_of.text;
    const std::string first = elf;
    const std::string bytes = read_text(first);
    EXPECT_EQ(fs::path(first).parent_path(), path("cache/spinnsim/programs"));
    EXPECT_EQ(bytes.substr(0, 4), "\x7f"
                                  "ELF");
    without_linker();
    ASSERT_EQ(link(training("adagrad")), STATUS_OK) << said_of.text;
    EXPECT_EQ(elf, first);
    EXPECT_EQ(read_text(elf), bytes);
    EXPECT_EQ(files("cache/spinnsim/programs"),
              (words{".link", fs::path(first).filename().string()}));
    EXPECT_TRUE(files("cache/spinnsim/programs/.link").empty()) << "nothing is left";
}

TEST_F(ProgramLink, LinksADamagedProgramAgain)
{
    ASSERT_EQ(link(training("momentum")), STATUS_OK) << said_of.text;
    const std::string bytes = read_text(elf);
    std::string changed = bytes;
    changed[bytes.size() / 2] = static_cast<char>(changed[bytes.size() / 2] ^ 1);
    for (const std::string &damaged : {changed, bytes.substr(0, 100), std::string()}) {
        std::ofstream(elf, std::ios::binary) << damaged;
        ASSERT_EQ(link(training("momentum")), STATUS_OK) << said_of.text;
        EXPECT_EQ(read_text(elf), bytes);
    }
}

/* Whether a function is in a program. */
bool has(const std::string &elf, const char *function)
{
    struct elf_image image = {};
    const bool loaded = elf_image_read(&image, elf.c_str(), nullptr) == STATUS_OK;
    EXPECT_TRUE(loaded) << elf;
    const bool found = loaded && elf_image_find(&image, function) != nullptr;
    elf_image_deinit(&image);
    return found;
}

TEST_F(ProgramLink, HasOnlyWhatItsRecipeNames)
{
    ASSERT_EQ(link(training("momentum")), STATUS_OK) << said_of.text;
    const std::string descent = elf;
    ASSERT_EQ(link(training("accelegrad")), STATUS_OK) << said_of.text;
    EXPECT_NE(elf, descent);
    EXPECT_FALSE(has(descent, "nn_softmax_error_int16"));
    EXPECT_TRUE(has(descent, "nn_square_error_int16"));
    EXPECT_FALSE(has(descent, "nn_conv2d_int16"));
    EXPECT_FALSE(has(descent, "accelegrad_begin"));
    EXPECT_TRUE(has(elf, "accelegrad_begin"));
}

/* Kernels are weak: without this a program would run and leave them out. */
TEST_F(ProgramLink, IsRefusedWithoutAPartThatItsRecipeWants)
{
    program_recipe recipe = training("momentum");
    program_recipe_add(recipe.wanted, PROGRAM_SYMBOLS, "nn_activation_forgotten");
    EXPECT_EQ(link(recipe), STATUS_INTERNAL);
    EXPECT_NE(strstr(said_of.text, "nn_activation_forgotten"), nullptr) << said_of.text;
}

TEST_F(ProgramLink, MarksLayersByNumberAndByName)
{
    program_recipe recipe = training("momentum");
    program_recipe_add(recipe.wanted, PROGRAM_SYMBOLS, "layer_00_forward");
    program_recipe_add(recipe.wanted, PROGRAM_SYMBOLS, "layer_01_forward");
    program_recipe_add(recipe.defined, PROGRAM_SYMBOLS, "conv1_forward=layer_01_forward");
    ASSERT_EQ(link(recipe), STATUS_OK) << said_of.text;
    struct elf_image image = {};
    ASSERT_EQ(elf_image_read(&image, elf.c_str(), nullptr), STATUS_OK);
    const struct elf_symbol *first = elf_image_find(&image, "layer_00_forward");
    const struct elf_symbol *second = elf_image_find(&image, "layer_01_forward");
    const struct elf_symbol *named = elf_image_find(&image, "conv1_forward");
    ASSERT_TRUE(first != nullptr && second != nullptr && named != nullptr);
    EXPECT_EQ(second->address, first->address + 4) << "where mark_layer() looks for it";
    EXPECT_EQ(named->address, second->address);
    EXPECT_TRUE(named->function);
    EXPECT_EQ(elf_image_find(&image, "layer_02_forward"), nullptr);
    elf_image_deinit(&image);
}

/* Names that are one name in C, and one that is like a mark by number. */
TEST_F(ProgramLink, PhasesAreOfTheirLayersWhateverTheirNames)
{
    fs::create_directories(path("networks"));
    write("networks/own.yaml",
          "name: own\nvariant: modern\ninput: {channels: 1, height: 28, width: 28}\n"
          "formats: {weight_fraction: 13, activation_fraction: 11, input_shift: 3}\nlayers:\n"
          "  - {name: layer_02, type: dense, units: 16, activation: relu}\n"
          "  - {name: a-b, type: dense, units: 12, activation: relu}\n"
          "  - {name: a_b, type: dense, units: 10, activation: softmax}\n");
    write("test.yaml",
          "include: [boards/one_chip.yaml, timing/arm968.yaml, energy/spinnaker1.yaml]\n"
          "name: test\nmode: train\ndata: {set: synthetic, train_images: 16, test_images: 1}\n"
          "network: {name: own}\nmapping: {kind: replica_per_chip, cores_per_image: 4, "
          "cores_per_chip: 16}\n"
          "train: {epochs: 1, global_batch: 16}\n");
    run("test.yaml", "out");
    std::map<std::string, std::string> times;
    for (const std::string &row : lines(read("out/phases.csv"))) {
        for (const std::string name : {"layer_02", "a-b", "a_b"}) {
            if (row.compare(0, 15 + name.size(), "train,backward," + name) == 0) {
                times[name] = row;
            }
        }
    }
    ASSERT_EQ(times.size(), 3u) << read("out/phases.csv");
    const auto cycles = [&](const char *name) {
        return std::stoul(times.at(name).substr(times.at(name).find(name) + strlen(name) + 1));
    };
    EXPECT_GT(cycles("layer_02"), 4 * cycles("a-b")) << "it has 784 inputs of 16 units";
    EXPECT_GT(cycles("a-b"), 0u);
    EXPECT_GT(cycles("a_b"), 0u);
}

/* Everything at once. */
TEST_F(ProgramLink, SaysByHowMuchAProgramIsTooLarge)
{
    program_recipe recipe = training("adagrad");
    for (const char *wanted :
         {"nn_average_pool2d", "nn_average_pool_events", "nn_activate", "nn_dropout_int16",
          "nn_rbf", "nn_softmax_error_int16", "nn_competitive_error_int16",
          "nn_conv2d_linked_int16", "nn_conv2d_int16", "nn_conv2d_gradient_int16",
          "nn_relu_events_int16", "nn_max_pool2d_int16"}) {
        program_recipe_add(recipe.wanted, PROGRAM_SYMBOLS, "%s", wanted);
    }
    EXPECT_EQ(link(recipe), STATUS_CONFIGURATION);
    const std::string said = said_of.text;
    EXPECT_EQ(said.find("program train_int16_adagrad is "), 0u) << said;
    EXPECT_NE(said.find(" bytes too large for the code memory of a core; its largest part is "
                        "train_group with "),
              std::string::npos)
        << said;
    EXPECT_EQ(files("cache/spinnsim/programs"), words{".link"});
    EXPECT_TRUE(files("cache/spinnsim/programs/.link").empty()) << "nothing is left";
}

/* An installed tree on a machine without a linker. */
TEST_F(ProgramLink, FindsAProgramThatCameWithTheParts)
{
    fs::create_directories(path("installed"));
    fs::copy(SPINN_WORKLOAD_DIR "/parts", path("installed/parts"), fs::copy_options::recursive);
    const program_recipe recipe = training("sgd");
    char *made = nullptr;
    ASSERT_EQ(program_ship(&recipe, path("installed").c_str(), &made, &said_of), STATUS_OK)
        << said_of.text;
    const std::string shipped = made;
    free(made);
    EXPECT_EQ(fs::path(shipped).parent_path(), path("installed/programs"));
    without_linker();
    ASSERT_EQ(link(recipe, path("installed")), STATUS_OK) << said_of.text;
    EXPECT_EQ(elf, shipped);
    EXPECT_FALSE(fs::exists(path("cache/spinnsim/programs")));
    std::ofstream(path("installed/parts/int16/fast/train_core.o"), std::ios::app) << "changed";
    EXPECT_EQ(link(recipe, path("installed")), STATUS_CONFIGURATION) << "it is of other parts";
}

TEST_F(ProgramLink, IsListedWithItsSizes)
{
    const finished result = spinnsim({"program", experiment("lenet1_train"), experiment("hello"),
                                      experiment("lenet1_synthetic")});
    ASSERT_EQ(result.status, 0) << result.err;
    const words rows = lines(result.out);
    ASSERT_EQ(rows.size(), 3u) << "hello has no network: " << result.out;
    EXPECT_EQ(rows[0], "experiment,program,way,code_bytes,code_free_bytes,data_bytes,path");
    EXPECT_EQ(rows[1].compare(0, 47, "lenet1_train,lenet1_train_int16_momentum,thumb,"), 0);
    EXPECT_EQ(rows[2].compare(0, 41, "lenet1_synthetic,lenet1_infer_int16,fast,"), 0);
    unsigned code = 0;
    unsigned room = 0;
    ASSERT_EQ(sscanf(rows[2].c_str() + 41, "%u,%u,", &code, &room), 2);
    EXPECT_EQ(code + room, 32768u);
    EXPECT_TRUE(fs::exists(rows[2].substr(rows[2].rfind(',') + 1)));
    const finished refused = spinnsim({"program", experiment("gone")});
    EXPECT_EQ(refused.status, 2);
    EXPECT_NE(refused.err.find("gone.yaml: cannot read"), std::string::npos) << refused.err;
}

TEST_F(ProgramLink, OfAUserWithoutAHomeIsATemporaryFile)
{
    fs::create_directories(path("temporary"));
    setenv("TMPDIR", path("temporary").c_str(), 1);
    fs::permissions(path("cache"), fs::perms::all);
    ASSERT_EQ(link(training("sgd")), STATUS_OK) << said_of.text;
    EXPECT_EQ(fs::path(elf).parent_path(), path("temporary/spinnsim-" + std::to_string(getuid())));
}

TEST_F(ProgramLink, SaysWhatIsMissing)
{
    EXPECT_EQ(link(training("adam"), path("nowhere")), STATUS_CONFIGURATION);
    EXPECT_STREQ(said_of.text, "a part of the program for this experiment is missing");
    without_linker();
    EXPECT_EQ(link(training("adam")), STATUS_CONFIGURATION);
    EXPECT_STREQ(said_of.text, "the program for this experiment has to be linked, and there is no "
                               "arm-none-eabi-ld");
    EXPECT_STREQ(said_of.hint, "apt-get install binutils-arm-none-eabi");
    fs::permissions(path("cache/spinnsim"), fs::perms::all);
    fs::create_directories(path("temporary"));
    fs::permissions(path("temporary"), fs::perms::all);
    setenv("TMPDIR", path("temporary").c_str(), 1);
    EXPECT_EQ(link(training("adam")), STATUS_CONFIGURATION);
    EXPECT_STREQ(said_of.text, "the program for this experiment has to be linked, and there is no "
                               "folder for it");
}

} // namespace
