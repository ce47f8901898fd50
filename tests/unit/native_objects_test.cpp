/* native_objects_test.cpp - compiled objects on disk: what is stored comes back, and nothing else
 * is loaded. */
#include <gtest/gtest.h>

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

extern "C" {
#include "models/arm968/translate/compile.h"
#include "models/arm968/translate/object_cache.h"
}

namespace
{

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
        request.compiler = "cc";
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

TEST_F(NativeObjects, AreNotMadeWhenCancelled)
{
    compile_cancel(&process);
    EXPECT_EQ(compiled(SOURCE).handle, nullptr);
}

TEST_F(NativeObjects, LeaveNothingElseBehind)
{
    const char *old = getenv("TMPDIR");
    ASSERT_EQ(setenv("TMPDIR", base.c_str(), 1), 0);
    EXPECT_COMPILED_AGAIN();
    EXPECT_EQ(compiled("this is not C").handle, nullptr);
    if (old == nullptr) {
        unsetenv("TMPDIR");
    } else {
        setenv("TMPDIR", old, 1);
    }
    unsigned count = 0;
    for (const auto &entry : std::filesystem::directory_iterator(base)) {
        EXPECT_EQ(entry.path().filename(), "spinnsim");
        count++;
    }
    EXPECT_EQ(count, 1u);
}

} // namespace
