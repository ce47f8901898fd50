/* result_folder.h - a result folder made from one input: all its files, each behind a line
 * "== NAME", and the manifest that matches them. */
#pragma once
#include "tests/fuzz/harness.h"

#include <algorithm>
#include <map>

extern "C" {
#include "sim/data/sha256.h"
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
            put(name, "");
        }
        sign();
    }

    /* Only what differs from the input before is written. */
    void make(const uint8_t *bytes, size_t size)
    {
        bool changed = false;
        for (const auto &[name, text] : files_of(std::string(bytes, bytes + size))) {
            if (written_[name].text != text) {
                put(name, text);
                changed = true;
            }
        }
        if (changed) {
            sign();
        }
    }

  private:
    struct file {
        std::string text, row; /* of the manifest */
    };

    void put(const std::string &name, const std::string &text)
    {
        struct sha256 hash = {};
        uint8_t digest[SHA256_BYTES];
        char hex[SHA256_HEX_CHARS];
        sha256_init(&hash);
        sha256_update(&hash, text.data(), text.size());
        sha256_final(&hash, digest);
        sha256_hex(digest, hex);
        (void)fuzz_file(prefix_ + name, text.data(), text.size());
        written_[name] = {text, name + "," + std::to_string(text.size()) + "," + hex + "\n"};
    }

    void sign() const
    {
        std::string manifest = "file,bytes,sha256\n";
        for (const auto &[name, content] : written_) {
            manifest += content.row;
        }
        (void)fuzz_file(prefix_ + MANIFEST_FILE, manifest.data(), manifest.size());
    }

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

    std::string prefix_, first_;
    std::map<std::string, file> written_;
};
