/* result_folder.h - a result folder made from one input: all its files, each behind a line
 * "== NAME", and the manifest that matches them. */
#pragma once
#include "tests/fuzz/harness.h"

#include <algorithm>
#include <fcntl.h>
#include <map>
#include <unistd.h>

extern "C" {
#include "sim/results/manifest.h"
}

class fuzz_result_folder
{
  public:
    /* Of these files at most; `path` is in fuzz_folder(), "" is that folder itself. */
    fuzz_result_folder(const std::string &path, std::initializer_list<const char *> names)
        : prefix_(path.empty() ? "" : path + "/"), first_(*names.begin())
    {
        for (const char *name : names) {
            (void)fuzz_file(prefix_ + name, "", 0);
            written_[name] = "";
        }
        folder_ = open((fuzz_folder() + "/" + path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        sign();
    }
    ~fuzz_result_folder()
    {
        (void)close(folder_);
    }
    fuzz_result_folder(const fuzz_result_folder &) = delete;
    fuzz_result_folder &operator=(const fuzz_result_folder &) = delete;

    /* Only what differs from the input before is written. */
    void make(const uint8_t *bytes, size_t size)
    {
        bool changed = false;
        for (auto &[name, text] : files_of(std::string(bytes, bytes + size))) {
            if (written_[name] != text) {
                (void)fuzz_file(prefix_ + name, text.data(), text.size());
                written_[name] = text;
                changed = true;
            }
        }
        if (changed) {
            sign();
        }
    }

  private:
    /* Lines behind no name are of the first file. */
    std::map<std::string, std::string> files_of(const std::string &text) const
    {
        std::map<std::string, std::string> files;
        for (const auto &[name, content] : written_) {
            files[name] = "";
        }
        std::string *file = &files[first_];
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

    void sign() const
    {
        const std::string manifest =
            fuzz_text_of([this](FILE *stream) { (void)manifest_write(stream, folder_); });
        (void)fuzz_file(prefix_ + MANIFEST_FILE, manifest.data(), manifest.size());
    }

    std::string prefix_, first_;
    int folder_ = -1;
    std::map<std::string, std::string> written_;
};
