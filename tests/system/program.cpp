/* program.cpp - see program.h. */
#include "tests/system/program.h"

extern "C" {
#include "models/machine/machine.h"
#include "sim/results/manifest.h"
#include "sim/results/results.h"
}

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace fs = std::filesystem;

static std::string read_file(const fs::path &path)
{
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

finished run_command(const words &command, const std::string &folder)
{
    char out[] = "/tmp/spinnsim_out_XXXXXX";
    char err[] = "/tmp/spinnsim_err_XXXXXX";
    const int out_file = mkstemp(out);
    const int err_file = mkstemp(err);
    const pid_t child = fork();
    if (child == 0) {
        std::vector<char *> argv;
        for (const std::string &word : command) {
            argv.push_back(const_cast<char *>(word.c_str()));
        }
        argv.push_back(nullptr);
        if (chdir(folder.c_str()) == 0 && dup2(out_file, 1) >= 0 && dup2(err_file, 2) >= 0 &&
            dup2(open("/dev/null", O_RDONLY), 0) >= 0) {
            execvp(argv[0], argv.data());
        }
        _exit(127);
    }
    int ended = 0;
    waitpid(child, &ended, 0);
    finished result = {WIFEXITED(ended) ? WEXITSTATUS(ended) : -1, read_file(out), read_file(err)};
    close(out_file);
    close(err_file);
    unlink(out);
    unlink(err);
    return result;
}

void SystemTest::SetUp()
{
    char name[] = "/tmp/spinnsim_test_XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder = name;
}

void SystemTest::TearDown()
{
    fs::remove_all(folder);
}

bool SystemTest::has_programs()
{
    return SPINN_HAVE_WORKLOADS != 0;
}

finished SystemTest::spinnsim(const words &arguments) const
{
    words command = {SPINN_PROGRAM};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return run_command(command, folder);
}

finished SystemTest::run(const std::string &what, const std::string &out, const words &more) const
{
    words arguments = {"run", what, "--force", "--out", out};
    arguments.insert(arguments.end(), more.begin(), more.end());
    finished result = spinnsim(arguments);
    EXPECT_EQ(result.status, 0) << result.out << result.err;
    return result;
}

std::string SystemTest::path(const std::string &name) const
{
    return folder + "/" + name;
}

void SystemTest::write(const std::string &name, const std::string &text) const
{
    std::ofstream(path(name), std::ios::binary) << text;
}

std::string SystemTest::read(const std::string &name) const
{
    return read_file(path(name));
}

bool SystemTest::exists(const std::string &name) const
{
    return fs::exists(path(name));
}

words SystemTest::files(const std::string &name) const
{
    words found;
    for (const auto &entry : fs::directory_iterator(path(name))) {
        found.push_back(entry.path().filename().string());
    }
    std::sort(found.begin(), found.end());
    return found;
}

void SystemTest::sign(const std::string &out) const
{
    const int at = open(path(out).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    FILE *manifest = fopen(path(out + "/" + MANIFEST_FILE).c_str(), "we");
    ASSERT_NE(manifest, nullptr) << out;
    EXPECT_TRUE(manifest_write(manifest, at)) << out;
    (void)fclose(manifest);
    (void)close(at);
}

::testing::AssertionResult SystemTest::matches_manifest(const std::string &out) const
{
    struct diagnostic diagnostic = {};
    return manifest_check(path(out).c_str(), &diagnostic) == STATUS_OK
               ? ::testing::AssertionSuccess()
               : ::testing::AssertionFailure() << diagnostic.file << ": " << diagnostic.text;
}

double SystemTest::number(const std::string &out, const std::string &key) const
{
    struct results results = {};
    struct diagnostic diagnostic = {};
    struct result_value value = {};
    if (results_open(&results, path(out).c_str(), &diagnostic) != STATUS_OK) {
        ADD_FAILURE() << diagnostic.text;
        return 0;
    }
    const bool found = results_find(&results, key.c_str(), &value) && value.is_number;
    EXPECT_TRUE(found) << key << " in " << out;
    const double number = value.value;
    results_close(&results);
    return number;
}

std::string SystemTest::text(const std::string &out, const std::string &key) const
{
    struct results results = {};
    struct diagnostic diagnostic = {};
    struct result_value value = {};
    if (results_open(&results, path(out).c_str(), &diagnostic) != STATUS_OK) {
        ADD_FAILURE() << diagnostic.text;
        return "";
    }
    const bool found = results_find(&results, key.c_str(), &value);
    EXPECT_TRUE(found) << key << " in " << out;
    const std::string text = found ? value.text : "";
    results_close(&results);
    return text;
}

std::map<std::string, uint64_t> SystemTest::counters(const std::string &out) const
{
    std::map<std::string, uint64_t> sums;
    machine_each_counter_name(
        [](void *all, const char *component, const struct counter_info *info) {
            (*static_cast<std::map<std::string, uint64_t> *>(
                all))[std::string(component) + "." + info->name] = 0;
        },
        &sums);
    const words rows = lines(read(out + "/counters.csv"));
    for (size_t i = 1; i < rows.size(); i++) {
        words field;
        std::stringstream row(rows[i]);
        for (std::string part; std::getline(row, part, ',');) {
            field.push_back(part);
        }
        if (field.size() == 8 && field[0] == "run") {
            sums[field[1] + "." + field[5]] += std::stoull(field[7]);
        }
    }
    EXPECT_FALSE(rows.empty()) << out;
    return sums;
}

std::string experiment(const std::string &name)
{
    return std::string(SPINN_SOURCE_DIR) + "/configs/experiments/" + name + ".yaml";
}

std::string program(const std::string &name)
{
    return std::string(SPINN_WORKLOAD_DIR) + "/" + name + ".elf";
}

std::string lasting(const std::string &file, const std::string &text)
{
    return text.substr(0, file == "summary.json"   ? text.find("\n  \"host\":")
                          : file == "manifest.csv" ? text.find("\nsummary.json,")
                                                   : std::string::npos);
}

words lines(const std::string &text)
{
    words found;
    std::stringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        found.push_back(line);
    }
    return found;
}

std::vector<std::map<std::string, std::string>> table_rows(const std::string &text)
{
    std::vector<std::map<std::string, std::string>> rows;
    words head;
    for (const std::string &line : lines(text)) {
        words field(1);
        bool quoted = false; /* a comma between quotes divides nothing */
        for (const char character : line) {
            quoted ^= character == '"';
            if (character == ',' && !quoted) {
                field.emplace_back();
            } else {
                field.back() += character;
            }
        }
        if (head.empty()) {
            head = field;
            continue;
        }
        EXPECT_EQ(field.size(), head.size()) << line;
        rows.emplace_back();
        for (size_t i = 0; i < field.size() && i < head.size(); i++) {
            rows.back()[head[i]] = field[i];
        }
    }
    return rows;
}

std::string read_text(const std::string &path)
{
    return read_file(path);
}

std::string boot_image_of(const std::string &name)
{
    const std::string file = read_text(program(name));
    Elf32_Ehdr header;
    std::string image;
    memcpy(&header, file.data(), sizeof header);
    for (unsigned i = 0; i < header.e_phnum; i++) {
        Elf32_Phdr part;
        memcpy(&part, file.data() + header.e_phoff + i * sizeof part, sizeof part);
        if (part.p_type == PT_LOAD && part.p_filesz > 0 && part.p_vaddr < 0x8000) {
            image.resize(std::max<size_t>(image.size(), part.p_vaddr + part.p_filesz));
            image.replace(part.p_vaddr, part.p_filesz, file, part.p_offset, part.p_filesz);
        }
    }
    image.resize((image.size() + 3) / 4 * 4);
    return image;
}
