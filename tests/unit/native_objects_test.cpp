/* native_objects_test.cpp - compiled objects on disk: what is stored comes back, and nothing else
 * is loaded. */
#include "tests/unit/native_fixture.h"

#include <csignal>
#include <memory>
#include <sys/wait.h>

namespace
{

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

/* Objects made when spinnsim was built: read where the user has none, if nobody else can have
 * written them. */
TEST_F(NativeObjects, MadeWithTheBuildAreRead)
{
    dlclose(compiled(SOURCE).handle);
    const std::string built = base + "/built";
    ASSERT_EQ(mkdir(built.c_str(), 0755), 0);
    const std::string object = built + "/" + only().filename().string();
    std::filesystem::rename(only(), object);
    const struct {
        const char *folder;
        mode_t folder_mode, mode;
        bool used;
    } cases[] = {{built.c_str(), 0755, 0644, true},
                 {built.c_str(), 0755, 0444, true},
                 {built.c_str(), 0755, 0664, false},
                 {built.c_str(), 0755, 0646, false},
                 {built.c_str(), 0775, 0644, false},
                 {"built", 0755, 0644, false},
                 {"", 0755, 0644, false},
                 {nullptr, 0755, 0644, false}};
    for (const auto &of : cases) {
        const variable native("SPINNSIM_NATIVE", of.folder);
        ASSERT_EQ(chmod(built.c_str(), of.folder_mode), 0);
        ASSERT_EQ(chmod(object.c_str(), of.mode), 0);
        std::filesystem::remove_all(base + "/spinnsim");
        const struct compile_result result = compiled(SOURCE);
        ASSERT_NE(result.handle, nullptr);
        EXPECT_EQ(result.from_cache, of.used) << &of - cases;
        EXPECT_EQ(value_of(result.handle), 968);
        dlclose(result.handle);
        EXPECT_EQ(
            std::filesystem::exists(base + "/spinnsim/native/" + object.substr(built.size() + 1)),
            !of.used);
    }
}

TEST_F(NativeObjects, SpoiltOnesOfTheBuildAreNotUsed)
{
    dlclose(compiled(SOURCE).handle);
    const std::string object = base + "/" + only().filename().string();
    std::filesystem::rename(only(), object);
    const variable native("SPINNSIM_NATIVE", base.c_str());
    {
        std::fstream file(object, std::ios::in | std::ios::out);
        file.seekp(100);
        file.put('\x5a');
    }
    EXPECT_COMPILED_AGAIN();
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

} // namespace
