/* native_objects_test.cpp - compiled objects on disk: what is stored comes back, and nothing else
 * is loaded. */
#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

extern "C" {
#include "models/arm968/translate/compile.h"
#include "models/arm968/translate/object_cache.h"
}

namespace
{

/* A variable of the environment, nullptr: unset, for a while. */
class variable
{
  public:
    variable(const char *variable_name, const char *value) : name(variable_name)
    {
        const char *before = getenv(name);
        was_set = before != nullptr;
        old = was_set ? before : "";
        set(value);
    }
    ~variable()
    {
        set(was_set ? old.c_str() : nullptr);
    }
    variable(const variable &) = delete;
    variable &operator=(const variable &) = delete;

  private:
    void set(const char *value) const
    {
        if (value == nullptr) {
            unsetenv(name);
        } else {
            setenv(name, value, 1);
        }
    }

    const char *name;
    bool was_set;
    std::string old;
};

class NativeObjects : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        char name[] = "/tmp/spinnsim_native_XXXXXX";
        ASSERT_NE(mkdtemp(name), nullptr);
        base = name;
        ASSERT_EQ(setenv("XDG_CACHE_HOME", name, 1), 0);
        pthread_mutex_init(&process.mutex, nullptr);
    }

    void TearDown() override
    {
        pthread_mutex_destroy(&process.mutex);
        std::filesystem::remove_all(base);
    }

    struct compile_result compiled(const std::string &text)
    {
        struct compile_request request = {};
        request.compiler = compiler;
        request.cached = true;
        request.text = text.c_str();
        request.size = text.size();
        request.process = &process;
        struct compile_result result = {};
        compile(&request, &result);
        return result;
    }

    static int value_of(void *handle)
    {
        return *static_cast<const int *>(dlsym(handle, "value"));
    }

    /* The one file in the folder. */
    std::filesystem::path only() const
    {
        std::filesystem::path found;
        unsigned count = 0;
        for (const auto &entry : std::filesystem::directory_iterator(base + "/spinnsim/native")) {
            found = entry.path();
            count++;
        }
        EXPECT_EQ(count, 1u);
        return found;
    }

    std::string base;
    const char *compiler = "cc";
    struct compile_process process = {};
};

const char SOURCE[] = "int value = 968;\n";

/* Each case stores an object, spoils it, and wants it compiled again. */
#define EXPECT_COMPILED_AGAIN()                                                                    \
    do {                                                                                           \
        const struct compile_result again = compiled(SOURCE);                                      \
        ASSERT_NE(again.handle, nullptr);                                                          \
        EXPECT_FALSE(again.from_cache);                                                            \
        EXPECT_EQ(value_of(again.handle), 968);                                                    \
        dlclose(again.handle);                                                                     \
    } while (0)

TEST_F(NativeObjects, AreCompiledOnce)
{
    EXPECT_COMPILED_AGAIN();
    const struct compile_result kept = compiled(SOURCE);
    ASSERT_NE(kept.handle, nullptr);
    EXPECT_TRUE(kept.from_cache);
    EXPECT_EQ(kept.cpu_seconds, 0);
    EXPECT_EQ(value_of(kept.handle), 968);
    dlclose(kept.handle);
    const struct compile_result other = compiled("int value = 1;\n");
    EXPECT_FALSE(other.from_cache);
    EXPECT_EQ(value_of(other.handle), 1);
    dlclose(other.handle);
}

/* The loader takes two files of one name for one. */
TEST_F(NativeObjects, OfTwoTextsAreTwo)
{
    const std::string texts[] = {SOURCE, "int value = 17;\n"};
    for (const std::string &text : texts) {
        dlclose(compiled(text).handle);
    }
    void *handle[2];
    for (const int i : {0, 1}) {
        const struct compile_result kept = compiled(texts[i]);
        EXPECT_TRUE(kept.from_cache);
        handle[i] = kept.handle;
        ASSERT_NE(handle[i], nullptr);
    }
    EXPECT_EQ(value_of(handle[0]), 968);
    EXPECT_EQ(value_of(handle[1]), 17);
    dlclose(handle[0]);
    dlclose(handle[1]);
}

TEST_F(NativeObjects, AreForThisUserOnly)
{
    EXPECT_COMPILED_AGAIN();
    struct stat about = {};
    ASSERT_EQ(stat((base + "/spinnsim/native").c_str(), &about), 0);
    EXPECT_EQ(about.st_mode & 0777u, 0700u);
    ASSERT_EQ(stat(only().c_str(), &about), 0);
    EXPECT_EQ(about.st_mode & 0777u, 0600u);
    ASSERT_EQ(chmod(only().c_str(), 0620), 0);
    EXPECT_COMPILED_AGAIN();
}

TEST_F(NativeObjects, AreNotLoadedFromAFolderOfOthers)
{
    EXPECT_COMPILED_AGAIN();
    ASSERT_EQ(chmod((base + "/spinnsim/native").c_str(), 0770), 0);
    EXPECT_COMPILED_AGAIN();
}

TEST_F(NativeObjects, AreNotLoadedWhenAByteHasChanged)
{
    EXPECT_COMPILED_AGAIN();
    const std::filesystem::path file = only();
    const auto size = static_cast<std::streamoff>(std::filesystem::file_size(file));
    std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekg(size / 2);
    const int byte = bytes.get();
    bytes.seekp(size / 2);
    bytes.put(static_cast<char>(byte ^ 1));
    bytes.close();
    EXPECT_COMPILED_AGAIN();
}

TEST_F(NativeObjects, AreNotLoadedWhenCutShort)
{
    EXPECT_COMPILED_AGAIN();
    std::filesystem::resize_file(only(), 100);
    EXPECT_COMPILED_AGAIN();
}

TEST_F(NativeObjects, AreNotLoadedThroughLinks)
{
    EXPECT_COMPILED_AGAIN();
    const std::filesystem::path file = only();
    const std::filesystem::path elsewhere = base + "/elsewhere.so";
    std::filesystem::rename(file, elsewhere);
    std::filesystem::create_symlink(elsewhere, file);
    EXPECT_COMPILED_AGAIN();
}

TEST_F(NativeObjects, WithoutACompilerThereAreNone)
{
    struct compile_request request = {};
    request.compiler = "no_such_compiler";
    request.text = SOURCE;
    request.size = sizeof SOURCE - 1;
    request.process = &process;
    struct compile_result result = {};
    compile(&request, &result);
    EXPECT_EQ(result.handle, nullptr);
}

/* The folder is that of XDG_CACHE_HOME, else of HOME; only absolute ones count. */
TEST_F(NativeObjects, AreKeptBelowHomeOtherwise)
{
    const std::string home = base + "/home";
    ASSERT_EQ(mkdir(home.c_str(), 0700), 0);
    const variable old("HOME", home.c_str());
    for (const char *cache : {static_cast<const char *>(nullptr), "relative"}) {
        const variable unset("XDG_CACHE_HOME", cache);
        dlclose(compiled(SOURCE).handle);
        EXPECT_TRUE(std::filesystem::exists(home + "/.cache/spinnsim/native"));
        const struct compile_result kept = compiled(SOURCE);
        EXPECT_TRUE(kept.from_cache);
        dlclose(kept.handle);
    }
}

TEST_F(NativeObjects, AreNotKeptWithoutAFolder)
{
    const std::string long_name = "/" + std::string(600, 'x');
    for (const char *cache : {"", long_name.c_str()}) {
        for (const char *home : {static_cast<const char *>(nullptr), "relative"}) {
            const variable old_cache("XDG_CACHE_HOME", cache);
            const variable old_home("HOME", home);
            EXPECT_COMPILED_AGAIN();
            EXPECT_COMPILED_AGAIN();
        }
    }
}

TEST_F(NativeObjects, AreNotMadeWithoutAPlaceToCompile)
{
    const std::string long_name = "/" + std::string(300, 'x');
    for (const char *folder : {"/no/such/folder", long_name.c_str()}) {
        const variable old("TMPDIR", folder);
        EXPECT_EQ(compiled(SOURCE).handle, nullptr);
    }
    const variable relative("TMPDIR", "relative"); /* is not used */
    EXPECT_COMPILED_AGAIN();
}

TEST_F(NativeObjects, OfTwoCompilersAreTwo)
{
    const std::string other = base + "/cc";
    std::ofstream(other) << "#!/bin/sh\nexec cc \"$@\"\n";
    ASSERT_EQ(chmod(other.c_str(), 0700), 0);
    EXPECT_COMPILED_AGAIN();
    compiler = other.c_str();
    EXPECT_COMPILED_AGAIN();
    const struct compile_result kept = compiled(SOURCE);
    EXPECT_TRUE(kept.from_cache);
    dlclose(kept.handle);
    compiler = "no_such_compiler"; /* there is nothing to tell it by */
    EXPECT_EQ(compiled(SOURCE).handle, nullptr);
    compiler = "/no/such/compiler";
    EXPECT_EQ(compiled(SOURCE).handle, nullptr);
}

TEST_F(NativeObjects, AreTheNewestOnes)
{
    EXPECT_COMPILED_AGAIN();
    const std::filesystem::path first = only();
    const std::string folder = base + "/spinnsim/native/";
    const auto begin = std::filesystem::last_write_time(first) - std::chrono::hours(1);
    std::filesystem::last_write_time(first, begin);
    for (unsigned i = 0; i < 300; i++) { /* newer each; the folder has room for 256 */
        const std::string name = folder + std::to_string(i) + ".so";
        std::ofstream(name) << "x";
        std::filesystem::last_write_time(name, begin + std::chrono::seconds(i + 1));
    }
    dlclose(compiled("int value = 1;\n").handle); /* takes the place of the oldest */
    EXPECT_FALSE(std::filesystem::exists(first));
    EXPECT_TRUE(std::filesystem::exists(folder + "0.so"));
    dlclose(compiled("int value = 2;\n").handle);
    EXPECT_FALSE(std::filesystem::exists(folder + "0.so"));
    EXPECT_TRUE(std::filesystem::exists(folder + "1.so"));
}

TEST_F(NativeObjects, AreNotLoadedWhenEmptyOrAFolder)
{
    EXPECT_COMPILED_AGAIN();
    const std::filesystem::path file = only();
    for (const std::uintmax_t size : {0, 16, 17}) {
        std::filesystem::resize_file(file, size);
        EXPECT_COMPILED_AGAIN();
    }
    std::filesystem::remove(file);
    ASSERT_EQ(mkdir(file.c_str(), 0700), 0);
    EXPECT_COMPILED_AGAIN();
}

/* Nobody writes into it: reading it would wait for ever. */
TEST_F(NativeObjects, AreNotLoadedFromAPipe)
{
    EXPECT_COMPILED_AGAIN();
    const std::filesystem::path file = only();
    std::filesystem::remove(file);
    ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
    EXPECT_COMPILED_AGAIN();
    EXPECT_TRUE(std::filesystem::is_regular_file(file)) << "the new object takes its place";
    std::filesystem::remove(file);
    ASSERT_EQ(mkfifo((file.string().substr(0, file.string().size() - 3) + ".made").c_str(), 0600),
              0);
    EXPECT_COMPILED_AGAIN();
}

/* The file's bytes are what was stored, and the object is another one than is wanted: it is
 * replaced, once. */
TEST_F(NativeObjects, CarryTheDigestThatIsWanted)
{
    const std::string with =
        std::string(SOURCE) + "const unsigned long long spinnsim_digest[2] = {5, 6};\n";
    struct object_key digest = {5, 6};
    struct compile_request request = {};
    request.compiler = compiler;
    request.cached = true;
    request.text = with.c_str();
    request.size = with.size();
    request.process = &process;
    const auto compile_it = [&](const struct object_key *wanted) {
        struct compile_result result = {};
        request.digest = wanted;
        compile(&request, &result);
        if (result.handle != nullptr) {
            dlclose(result.handle);
        }
        return result;
    };
    const struct compile_result first = compile_it(&digest);
    ASSERT_NE(first.handle, nullptr);
    size_t size = 0;
    const struct compile_result other = compiled(SOURCE);
    uint8_t *bytes = object_cache_read(other.key, OBJECT_CODE, &size);
    ASSERT_NE(bytes, nullptr);
    object_cache_store(first.key, OBJECT_CODE, bytes, size - OBJECT_TAIL_BYTES);
    free(bytes);
    dlclose(other.handle);

    EXPECT_EQ(compile_load(first.key, &digest), nullptr);
    const struct compile_result again = compile_it(&digest);
    EXPECT_NE(again.handle, nullptr);
    EXPECT_FALSE(again.from_cache);
    EXPECT_TRUE(compile_it(&digest).from_cache);
    digest.low++;
    const struct compile_result never = compile_it(&digest);
    EXPECT_EQ(never.handle, nullptr) << "a compiler that makes something else";
}

/* An object from the disk has no folder that a killed program could leave. */
TEST_F(NativeObjects, AreLoadedFromMemory)
{
    EXPECT_COMPILED_AGAIN();
    const variable nowhere("TMPDIR", "/no/such/folder");
    const struct compile_result kept = compiled(SOURCE);
    ASSERT_NE(kept.handle, nullptr);
    EXPECT_TRUE(kept.from_cache);
    dlclose(kept.handle);
}

TEST_F(NativeObjects, AreNotMadeWhenCancelled)
{
    compile_cancel(&process);
    EXPECT_EQ(compiled(SOURCE).handle, nullptr);
}

/* The compiler keeps its own files where they are taken away, even when it does not live to do it.
 */
TEST_F(NativeObjects, LeaveNothingOfACompilerThatIsEnded)
{
    const std::string ended = base + "/cc";
    const std::string folder = base + "/temporary";
    std::ofstream(ended) << "#!/bin/sh\necho >\"${TMPDIR:-/tmp}/cc_half.s\" && kill -KILL $$\n";
    ASSERT_EQ(chmod(ended.c_str(), 0700), 0);
    ASSERT_EQ(mkdir(folder.c_str(), 0700), 0);
    const variable old("TMPDIR", folder.c_str());
    compiler = ended.c_str();
    EXPECT_EQ(compiled(SOURCE).handle, nullptr);
    EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST_F(NativeObjects, LeaveNothingElseBehind)
{
    {
        const variable old("TMPDIR", base.c_str());
        EXPECT_COMPILED_AGAIN();
        EXPECT_EQ(compiled("this is not C").handle, nullptr);
    }
    unsigned count = 0;
    for (const auto &entry : std::filesystem::directory_iterator(base)) {
        EXPECT_EQ(entry.path().filename(), "spinnsim");
        count++;
    }
    EXPECT_EQ(count, 1u);
}

/* A process that lives, not one that nobody has asked about since it ended. */
bool lives(const std::string &pid)
{
    std::ifstream about("/proc/" + pid + "/stat");
    std::string number;
    std::string name;
    std::string state;
    return static_cast<bool>(about >> number >> name >> state) && state != "Z";
}

/* Until it is so; false: not in time. */
template <typename Condition> bool comes_true(const Condition &condition)
{
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!condition()) {
        if (std::chrono::steady_clock::now() > deadline) {
            return false;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
}

/* Not even when nobody is asked whether this program may be ended. */
TEST_F(NativeObjects, LeaveNothingWhenTheProgramIsKilled)
{
    const std::string slow = base + "/cc";
    const std::string folder = base + "/temporary";
    const std::string pid_file = base + "/pid";
    std::ofstream(slow) << "#!/bin/sh\necho $$ >" << pid_file << "\n"
                        << "echo >\"$TMPDIR/cc_half.s\"\nsleep 100\n";
    ASSERT_EQ(chmod(slow.c_str(), 0700), 0);
    ASSERT_EQ(mkdir(folder.c_str(), 0700), 0);
    const variable old("TMPDIR", folder.c_str());
    compiler = slow.c_str();
    const pid_t program = fork();
    ASSERT_GE(program, 0);
    if (program == 0) {
        (void)compiled(SOURCE);
        _exit(0);
    }
    std::string compiler_pid;
    ASSERT_TRUE(comes_true([&] {
        return !std::filesystem::is_empty(folder) &&
               static_cast<bool>(std::ifstream(pid_file) >> compiler_pid);
    }));
    EXPECT_TRUE(lives(compiler_pid));
    ASSERT_EQ(kill(program, SIGKILL), 0);
    ASSERT_EQ(waitpid(program, nullptr, 0), program);
    EXPECT_TRUE(comes_true([&] { return std::filesystem::is_empty(folder); }));
    EXPECT_TRUE(comes_true([&] { return !lives(compiler_pid); }));
}

/* ---- what a keeper makes ---- */

TEST_F(NativeObjects, HaveOneWorkshopEach)
{
    char path[OBJECT_PATH_CHARS];
    struct object_key key = object_key_begin();
    EXPECT_FALSE(object_cache_awaits(key));
    ASSERT_TRUE(object_cache_workshop(key, path));
    EXPECT_TRUE(object_cache_awaits(key));
    struct stat about = {};
    ASSERT_EQ(stat(path, &about), 0);
    EXPECT_EQ(about.st_mode & 0777u, 0700u);
    EXPECT_FALSE(object_cache_workshop(key, path)); /* somebody works there */
    for (unsigned other = 1; other < 8; other++) {
        key.low++;
        EXPECT_TRUE(object_cache_workshop(key, path)) << other;
    }
    key.low++;
    EXPECT_FALSE(object_cache_workshop(key, path)); /* that would be too many */
}

TEST_F(NativeObjects, HaveNoWorkshopForEver)
{
    char path[OBJECT_PATH_CHARS];
    struct object_key key = object_key_begin();
    ASSERT_TRUE(object_cache_workshop(key, path));
    const std::string forgotten = path;
    std::ofstream(forgotten + "/code.c") << SOURCE;
    const auto now = std::filesystem::last_write_time(forgotten);
    key.low++;
    std::filesystem::last_write_time(forgotten, now - std::chrono::minutes(59));
    ASSERT_TRUE(object_cache_workshop(key, path));
    EXPECT_TRUE(std::filesystem::exists(forgotten));
    key.low++;
    std::filesystem::last_write_time(forgotten, now - std::chrono::minutes(61));
    ASSERT_TRUE(object_cache_workshop(key, path));
    EXPECT_FALSE(std::filesystem::exists(forgotten));
}

class Kept : public NativeObjects
{
  protected:
    /* Leaves a text to a keeper; false: it is not accepted. */
    bool leave(const std::string &text)
    {
        struct compile_request request = {};
        request.compiler = compiler;
        request.text = text.c_str();
        request.size = text.size();
        auto keeper = std::make_unique<struct compile_keeper>();
        struct object_key key;
        const bool accepted = compile_prepare(keeper.get(), &request, &key);
        compile_leave(keeper.get(), compiler, COMPILE_WELL);
        return accepted;
    }
    /* Files of an extension, and folders, beside the objects. */
    size_t count(const std::string &extension) const
    {
        size_t found = 0;
        for (const auto &entry : std::filesystem::directory_iterator(base + "/spinnsim/native")) {
            found +=
                entry.is_directory() ? extension.empty() : entry.path().extension() == extension;
        }
        return found;
    }
};

TEST_F(Kept, BecomesAnObjectWhenItIsWanted)
{
    ASSERT_TRUE(leave(SOURCE));
    ASSERT_TRUE(comes_true([&] { return count("") == 0; }));
    EXPECT_EQ(count(".made"), 1u);
    EXPECT_TRUE(leave(SOURCE)); /* it is there: nobody works on it again */
    EXPECT_EQ(count(""), 0u);
    const struct compile_result kept = compiled(SOURCE);
    ASSERT_NE(kept.handle, nullptr);
    EXPECT_TRUE(kept.from_cache);
    EXPECT_EQ(value_of(kept.handle), 968);
    dlclose(kept.handle);
    EXPECT_EQ(count(".made"), 0u);
    EXPECT_EQ(count(".so"), 1u);
}

TEST_F(Kept, IsNotWhatOthersCouldHaveMade)
{
    ASSERT_TRUE(leave(SOURCE));
    ASSERT_TRUE(comes_true([&] { return count("") == 0; }));
    ASSERT_EQ(chmod(only().c_str(), 0770), 0);
    EXPECT_COMPILED_AGAIN();
}

TEST_F(Kept, IsNothingWithoutACompilerOrAFolder)
{
    const std::string broken = base + "/cc";
    std::ofstream(broken) << "#!/bin/sh\nexit 1\n";
    ASSERT_EQ(chmod(broken.c_str(), 0700), 0);
    compiler = broken.c_str();
    EXPECT_TRUE(leave(SOURCE));
    EXPECT_TRUE(comes_true([&] { return count("") == 0; }));
    EXPECT_EQ(count(".made"), 0u);
    compiler = "no_such_compiler";
    EXPECT_FALSE(leave(SOURCE));
    compiler = "cc";
    const variable old_cache("XDG_CACHE_HOME", "");
    const variable old_home("HOME", nullptr);
    EXPECT_FALSE(leave(SOURCE));
}

/* Nobody who reads what this program says waits for the keeper, and nobody inherits a zombie. */
TEST_F(Kept, HoldsNothingOfThisProgram)
{
    const std::string slow = base + "/cc";
    std::ofstream(slow) << "#!/bin/sh\nsleep 1\nexec cc \"$@\"\n";
    ASSERT_EQ(chmod(slow.c_str(), 0700), 0);
    compiler = slow.c_str();
    int ends[2];
    ASSERT_EQ(pipe(ends), 0); /* inherited by who is not careful */
    EXPECT_TRUE(leave(SOURCE));
    close(ends[1]);
    char byte;
    EXPECT_EQ(read(ends[0], &byte, 1), 0); /* would block while the keeper has the other end ... */
    EXPECT_EQ(count(""), 1u);              /* ... which is still at work */
    close(ends[0]);
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
    EXPECT_EQ(errno, ECHILD);
    EXPECT_TRUE(comes_true([&] { return count("") == 0; }));
    EXPECT_EQ(count(".made"), 1u);
}

} // namespace
