/* native_fixture.h - compiled objects on disk: a cache of the test's own, and a compiler. */
#pragma once
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

extern "C" {
#include "models/arm968/translate/compile.h"
#include "models/arm968/translate/keeper.h"
#include "models/arm968/translate/object_cache.h"
#include "models/common/trusted_folder.h"
}

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
            if (!entry.is_directory()) { /* of keepers */
                found = entry.path();
                count++;
            }
        }
        EXPECT_EQ(count, 1u);
        return found;
    }

    /* A compiler that is a shell script. */
    void use_script(const std::string &commands)
    {
        script = base + "/cc";
        std::ofstream(script) << "#!/bin/sh\n" << commands;
        EXPECT_EQ(chmod(script.c_str(), 0700), 0);
        compiler = script.c_str();
    }

    std::string base, script;
    const char *compiler = "cc";
    struct compile_process process = {};
};

constexpr char SOURCE[] = "int value = 968;\n";

/* A process that lives, not one that nobody has asked about since it ended. */
inline bool lives(const std::string &pid)
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
