/* harness.cpp - see harness.h. */
#include "tests/fuzz/harness.h"

#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

void fuzz_fail(const std::string &what)
{
    (void)fprintf(stderr, "fuzz: %s\n", what.c_str());
    abort();
}

namespace
{
uint64_t good;
}

uint64_t fuzz_good()
{
    return good;
}

bool fuzz_is_good(enum status status, const struct diagnostic &diagnostic)
{
    if (status == STATUS_OK) {
        good++;
        return true;
    }
    if (status == STATUS_INTERNAL) {
        fuzz_fail(std::string("a fault of ours: ") + diagnostic.text);
    }
    if (diagnostic.text[0] == '\0') {
        fuzz_fail("refused without a message");
    }
    return false;
}

namespace
{

class temporary_folder
{
  public:
    temporary_folder()
    {
        struct stat info = {};
        const bool in_memory = stat("/dev/shm", &info) == 0 && access("/dev/shm", W_OK) == 0;
        path_ = in_memory ? "/dev/shm/spinnsim_fuzz_XXXXXX" : "/tmp/spinnsim_fuzz_XXXXXX";
        if (mkdtemp(path_.data()) == nullptr) {
            fuzz_fail("no folder for temporary files");
        }
    }
    ~temporary_folder()
    {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    temporary_folder(const temporary_folder &) = delete;
    temporary_folder &operator=(const temporary_folder &) = delete;

    const std::string &path() const
    {
        return path_;
    }

  private:
    std::string path_;
};

} // namespace

const std::string &fuzz_folder()
{
    static const temporary_folder FOLDER;
    return FOLDER.path();
}

std::string fuzz_file(const std::string &name, const void *bytes, size_t size)
{
    std::string path = fuzz_folder() + "/" + name;
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0 || write(file, bytes, size) != static_cast<ssize_t>(size) || close(file) != 0) {
        fuzz_fail("cannot write " + path);
    }
    return path;
}

void fuzz_no_console()
{
    static const bool DONE = [] {
        const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
        return dup2(nowhere, 0) == 0 && dup2(nowhere, 1) == 1;
    }();
    if (!DONE) {
        fuzz_fail("no /dev/null");
    }
}

FILE *fuzz_nowhere()
{
    static FILE *stream = fopen("/dev/null", "we");
    return stream;
}

void fuzz_touch(const void *bytes, size_t size)
{
    const auto *at = static_cast<const volatile uint8_t *>(bytes);
    for (size_t i = 0; i < size; i++) {
        (void)at[i];
    }
}
