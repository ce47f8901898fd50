/* results_fixture.h - shared by the tests that make result folders by hand. */
#pragma once
#include <gtest/gtest.h>

#include <fcntl.h>
#include <string>
#include <unistd.h>

extern "C" {
#include "sim/results/manifest.h"
}

/* Writes the manifest that matches a result folder's files, as a forger would. */
inline void sign_results(const std::string &folder)
{
    const int at = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    FILE *manifest = fopen((folder + "/" + MANIFEST_FILE).c_str(), "we");
    ASSERT_NE(manifest, nullptr) << folder;
    EXPECT_TRUE(manifest_write(manifest, at)) << folder;
    (void)fclose(manifest);
    (void)close(at);
}
