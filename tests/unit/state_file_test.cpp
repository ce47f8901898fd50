/* state_file_test.cpp - the file of a saved run: what is written is read; whatever has been changed,
 * cut off or written by somebody else is refused. */
#include "tests/unit/data_fixture.h"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <random>

extern "C" {
#include "sim/state/state_file.h"
#include "sim/state/state_format.h"
}

namespace
{

using bytes = std::vector<uint8_t>;

/* A page that begins with a number. */
bytes page_of(uint32_t number)
{
    bytes page(STATE_PAGE_BYTES);
    std::mt19937 draw(number);
    for (size_t i = 0; number != 0 && i < 1000; i++) {
        page[i] = static_cast<uint8_t>(draw());
    }
    return page;
}

class StateFile : public ::testing::Test
{
  protected:
    std::string path(const std::string &name) const
    {
        return folder.file(name);
    }

    /* Three sections and some pages. */
    void fill(state_writer *writer) const
    {
        state_writer_init(writer);
        state_add(writer, "text", 3, "hello", 5);
        state_add(writer, "empty", 1, "", 0);
        state_add(writer, "large", 1, large.data(), large.size());
        std::vector<const uint8_t *> list;
        for (const bytes &page : pages) {
            list.push_back(page.empty() ? nullptr : page.data());
        }
        state_add_pages(writer, list.data(), list.size());
    }

    bytes packed(bool sealed) const
    {
        state_writer writer;
        fill(&writer);
        uint8_t *all = nullptr;
        size_t size = 0;
        diagnostic why = {};
        EXPECT_EQ(state_pack(&writer, sealed, &all, &size, &why), STATUS_OK) << why.text;
        bytes copy(all, all + size);
        free(all);
        state_writer_deinit(&writer);
        return copy;
    }

    /* Why bytes are refused; "" when they are not. */
    static std::string refusal(const bytes &file, bool sealed = true)
    {
        state_file state = {};
        diagnostic why = {};
        const status status = state_take(&state, "name", sealed, file.data(), file.size(), &why);
        if (status == STATUS_OK) {
            state_close(&state);
            return "";
        }
        EXPECT_EQ(status, STATUS_CONFIGURATION);
        EXPECT_STREQ(why.file, "name");
        EXPECT_NE(std::string(why.hint), "");
        return why.text;
    }

    void expect_content(const state_file &file) const
    {
        uint8_t *read = nullptr;
        size_t size = 0;
        diagnostic why = {};
        ASSERT_EQ(state_section(&file, "text", 3, &read, &size, &why), STATUS_OK) << why.text;
        EXPECT_EQ(std::string(reinterpret_cast<char *>(read), size), "hello");
        free(read);
        ASSERT_EQ(state_section(&file, "empty", 1, &read, &size, &why), STATUS_OK) << why.text;
        EXPECT_EQ(size, 0u);
        free(read);
        ASSERT_EQ(state_section(&file, "large", 1, &read, &size, &why), STATUS_OK) << why.text;
        EXPECT_TRUE(bytes(read, read + size) == large);
        free(read);
        state_pages its = {};
        ASSERT_EQ(state_read_pages(&file, &its, &why), STATUS_OK) << why.text;
        ASSERT_EQ(its.pages, pages.size());
        for (size_t i = 0; i < pages.size(); i++) {
            const bytes page = pages[i].empty() ? page_of(0) : pages[i];
            if (its.page[i] == nullptr) {
                EXPECT_TRUE(page == page_of(0)) << i;
            } else {
                EXPECT_TRUE(bytes(its.page[i], its.page[i] + STATE_PAGE_BYTES) == page) << i;
            }
        }
        state_pages_free(&its);
    }

    temporary_folder folder;
    environment_variable cache{"XDG_CACHE_HOME", folder.path().c_str()}; /* of the key */
    /* Longer than two parts, so that it is cut. */
    const bytes large = [] {
        bytes all(2 * STATE_PART_BYTES + 5);
        for (size_t i = 0; i < all.size(); i++) {
            all[i] = static_cast<uint8_t>(i / 7);
        }
        return all;
    }();
    const std::vector<bytes> pages = {page_of(1), page_of(0), page_of(2), page_of(1), {}, page_of(2)};
};

TEST_F(StateFile, IsReadAsItWasWritten)
{
    state_writer writer;
    state_file file = {};
    diagnostic why = {};
    fill(&writer);
    ASSERT_EQ(state_write(&writer, path("new/a.spinn").c_str(), &why), STATUS_OK) << why.text;
    state_writer_deinit(&writer);
    ASSERT_EQ(state_open(&file, path("new/a.spinn").c_str(), &why), STATUS_OK) << why.text;
    expect_content(file);
    state_close(&file);
}

TEST_F(StateFile, StoresEqualPagesOnce)
{
    const bytes file = packed(false);
    state_file state = {};
    diagnostic why = {};
    ASSERT_EQ(state_take(&state, "name", false, file.data(), file.size(), &why), STATUS_OK);
    const struct state_section *stored = state_find(&state, STATE_PAGES);
    ASSERT_NE(stored, nullptr);
    EXPECT_EQ(stored->bytes, 2u * STATE_PAGE_BYTES) << "pages 1 and 2";
    state_close(&state);
}

TEST_F(StateFile, AMissingSectionAndAnotherVersionAreRefused)
{
    const bytes file = packed(false);
    state_file state = {};
    diagnostic why = {};
    uint8_t *read = nullptr;
    size_t size = 0;
    ASSERT_EQ(state_take(&state, "name", false, file.data(), file.size(), &why), STATUS_OK);
    EXPECT_EQ(state_section(&state, "absent", 1, &read, &size, &why), STATUS_CONFIGURATION);
    EXPECT_EQ(state_section(&state, "text", 2, &read, &size, &why), STATUS_CONFIGURATION);
    EXPECT_EQ(state_find(&state, "tex"), nullptr);
    state_close(&state);
}

TEST_F(StateFile, EveryChangedByteIsFound)
{
    const bytes good = packed(true);
    ASSERT_EQ(refusal(good), "");
    for (size_t i = 0; i < good.size(); i += 1 + i / 97) {
        bytes bad = good;
        bad[i] = static_cast<uint8_t>(bad[i] ^ 0x10);
        EXPECT_NE(refusal(bad), "") << i;
    }
}

TEST_F(StateFile, EveryCutIsFound)
{
    const bytes good = packed(true);
    for (size_t size = 0; size < good.size(); size += 1 + size / 11) {
        const std::string why = refusal(bytes(good.begin(), good.begin() + static_cast<long>(size)));
        EXPECT_NE(why, "") << size;
        if (size > sizeof(state_head)) {
            EXPECT_EQ(why, "the saved state is cut off: " + std::to_string(good.size() - size) +
                               " bytes are missing or too many");
        }
    }
    bytes longer = good;
    longer.push_back(0);
    EXPECT_EQ(refusal(longer), "the saved state is damaged: 1 bytes are missing or too many");
}

TEST_F(StateFile, WithoutItsSealItIsRefused)
{
    const std::string text =
        "the saved state lacks this user's seal: somebody else has written it, or on another "
        "computer";
    EXPECT_EQ(refusal(packed(false)), text);
    EXPECT_EQ(refusal(packed(false), false), "");
    bytes other = packed(true);
    other[offsetof(state_head, seal)] ^= 1;
    EXPECT_EQ(refusal(other), text);
}

TEST_F(StateFile, AnotherVersionIsNamed)
{
    bytes other = packed(true);
    other[offsetof(state_head, version)] = 9;
    EXPECT_EQ(refusal(other), "a saved state of version 9; this spinnsim reads version 1");
}

TEST_F(StateFile, OtherFilesAreRefusedUnread)
{
    state_file file = {};
    diagnostic why = {};
    std::ofstream(path("text")) << "include: [boards/one_chip.yaml]\n";
    EXPECT_EQ(state_open(&file, path("text").c_str(), &why), STATUS_CONFIGURATION);
    EXPECT_STREQ(why.text, "this is no saved state");
    std::ofstream(path("short")) << "abc";
    EXPECT_EQ(state_open(&file, path("short").c_str(), &why), STATUS_CONFIGURATION);
    EXPECT_STREQ(why.text, "this is no saved state");
    std::ofstream(path("empty")).flush();
    EXPECT_EQ(state_open(&file, path("empty").c_str(), &why), STATUS_CONFIGURATION);
    EXPECT_EQ(state_open(&file, path("absent").c_str(), &why), STATUS_CONFIGURATION);
    EXPECT_EQ(state_open(&file, folder.path().c_str(), &why), STATUS_CONFIGURATION);
}

/* A table that lies, with digests that are right. */
TEST_F(StateFile, ATableThatLiesIsRefused)
{
    const auto with_row = [&](size_t row, const auto &change) {
        bytes file = packed(false);
        state_head head;
        state_row at;
        uint8_t *place = file.data() + sizeof head + row * sizeof at;
        memcpy(&head, file.data(), sizeof head);
        memcpy(&at, place, sizeof at);
        change(&head, &at);
        memcpy(place, &at, sizeof at);
        state_digest(&head, file.data() + sizeof head, file.size() - sizeof head, head.digest);
        memcpy(file.data(), &head, sizeof head);
        return file;
    };
    const std::string text = "the saved state has no good table";
    EXPECT_EQ(refusal(with_row(0, [](state_head *, state_row *row) { row->stored += 1; }), false),
              text);
    EXPECT_EQ(refusal(with_row(0, [](state_head *, state_row *row) { row->stored = UINT64_MAX; }),
                      false),
              text);
    EXPECT_EQ(refusal(with_row(2, [](state_head *, state_row *row) { row->bytes = UINT64_MAX; }),
                      false),
              text);
    EXPECT_EQ(refusal(with_row(0, [](state_head *, state_row *row) { row->packed = 2; }), false),
              text);
    EXPECT_EQ(refusal(with_row(0,
                               [](state_head *, state_row *row) {
                                   memset(row->name, 'x', sizeof row->name);
                               }),
                      false),
              text);
    EXPECT_EQ(refusal(with_row(0, [](state_head *head, state_row *) { head->sections = 33; }),
                      false),
              text);
    EXPECT_EQ(refusal(with_row(0, [](state_head *head, state_row *) { head->sections = 4; }),
                      false),
              text);
}

} // namespace
