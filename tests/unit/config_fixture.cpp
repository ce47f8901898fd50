/* config_fixture.cpp - see config_fixture.h. */
#include "tests/unit/config_fixture.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include <unistd.h>

loaded::loaded(const std::string &text, const options &how)
{
    std::vector<const char *> sets;
    for (const std::string &set : how.sets) {
        sets.push_back(set.c_str());
    }
    struct config_request request = {};
    request.path = how.path.c_str();
    request.program = how.program;
    request.text = how.from_file ? nullptr : text.data();
    request.text_bytes = text.size();
    request.configs_folder = how.configs_folder.c_str();
    request.sets = sets.data();
    request.set_count = sets.size();
    request.fragment = how.fragment;
    status = config_load(&request, &config, &diagnostic);
}

loaded::~loaded()
{
    config_deinit(&config);
}

/* The text that a function writes to a stream. */
template <typename Writer> static std::string written_by(Writer writer)
{
    char *text = nullptr;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    const enum status status = writer(stream);
    (void)fclose(stream);
    std::string written(text, size);
    free(text);
    EXPECT_EQ(status, STATUS_OK);
    return written;
}

std::string loaded::dump() const
{
    return written_by([this](FILE *stream) { return config_dump(&config, stream); });
}

std::string loaded::explain() const
{
    return written_by([this](FILE *stream) { return config_explain(&config, stream); });
}

std::string loaded::canonical(enum config_part part) const
{
    return written_by(
        [this, part](FILE *stream) { return config_canonical(&config, part, stream); });
}

size_t loaded::bounds() const
{
    return (size_t)std::count_if(std::begin(config.accept), std::end(config.accept),
                                 [](const config_accept &bound) { return config_accepts(&bound); });
}

std::string loaded::where() const
{
    return std::string(diagnostic.file) + ":" + std::to_string(diagnostic.line) + ":" +
           std::to_string(diagnostic.column) + " " + diagnostic.key;
}

testing::AssertionResult is_good(const loaded &attempt)
{
    if (attempt.status == STATUS_OK) {
        return testing::AssertionSuccess();
    }
    return testing::AssertionFailure() << attempt.where() << ": " << attempt.diagnostic.text << " ("
                                       << attempt.diagnostic.hint << ")";
}

testing::AssertionResult is_refused(const loaded &attempt, const std::string &where,
                                    const std::string &text, const std::string &hint)
{
    const std::string got_text = attempt.diagnostic.text;
    const std::string got_hint = attempt.diagnostic.hint;
    if (attempt.status == STATUS_CONFIGURATION && attempt.where() == where &&
        got_text.find(text) != std::string::npos && got_hint.find(hint) != std::string::npos) {
        return testing::AssertionSuccess();
    }
    return testing::AssertionFailure() << "status " << attempt.status << ", " << attempt.where()
                                       << ": " << got_text << " (" << got_hint << ")";
}

temporary_folder::temporary_folder()
{
    std::string pattern = testing::TempDir() + "spinnsim_config_XXXXXX";
    folder_ = mkdtemp(pattern.data());
}

temporary_folder::~temporary_folder()
{
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

std::string temporary_folder::write(const std::string &name, const std::string &content) const
{
    const std::filesystem::path file = folder_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << content;
    return file.string();
}

std::string temporary_folder::path(const std::string &name) const
{
    return (folder_ / name).string();
}
