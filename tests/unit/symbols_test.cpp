/* symbols_test.cpp - function, file and line of an address, and callers by frame information:
 * of debug information that is written here byte by byte. */
#include "tests/support/dwarf_builder.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <map>
#include <unistd.h>

extern "C" {
#include "sim/symbols/frame_rules.h"
#include "sim/symbols/line_table.h"
#include "sim/symbols/symbols.h"
}

namespace
{

dwarf_bytes range(const std::vector<uint8_t> &data)
{
    return {data.data(), data.size(), false};
}

/* The lines of a section. */
class Lines
{
  public:
    explicit Lines(const dwarf::bytes &line, const dwarf::bytes &strings = {})
        : line_(line.data), strings_(strings.data)
    {
        line_sections sections = {};
        sections.line = range(line_);
        sections.line_str = range(strings_);
        EXPECT_EQ(line_table_init(&table, &sections), STATUS_OK);
    }
    ~Lines()
    {
        line_table_deinit(&table);
    }
    /* "folder/name:line", or "". */
    std::string at(uint32_t address, code_span function = {0, 0}) const
    {
        const line_row *row = line_table_find(&table, address, function);
        if (row == nullptr) {
            return "";
        }
        const line_file none = {"?", "?"};
        const line_file &file = row->file == LINE_NO_FILE ? none : table.file[row->file];
        return std::string(file.folder) + "/" + file.name + ":" + std::to_string(row->line);
    }
    line_table table = {};

  private:
    std::vector<uint8_t> line_, strings_;
};

dwarf::bytes three_rows(uint32_t address)
{
    return dwarf::at(address)
        .u8(dwarf::ADVANCE_LINE)
        .u8(9)
        .u8(dwarf::COPY)
        .all(dwarf::row(2, 1))
        .u8(dwarf::SET_FILE)
        .u8(2)
        .all(dwarf::row(2, -5))
        .u8(dwarf::ADVANCE_PC)
        .u8(2)
        .all(dwarf::end_sequence());
}

} // namespace

TEST(SymbolsLines, EachVersionHasTheSameRows)
{
    for (const unsigned version : {2u, 3u, 4u}) {
        const Lines lines(dwarf::line_unit(version, three_rows(0x8000)));
        EXPECT_EQ(lines.at(0x7fff), "");
        EXPECT_EQ(lines.at(0x8000), "./src/a.c:10") << version;
        EXPECT_EQ(lines.at(0x8003), "./src/a.c:10");
        EXPECT_EQ(lines.at(0x8004), "./src/a.c:11");
        EXPECT_EQ(lines.at(0x8008), "/b.c:6") << "the second file, five lines back";
        EXPECT_EQ(lines.at(0x800b), "/b.c:6");
        EXPECT_EQ(lines.at(0x800c), "") << "the sequence has ended";
    }
}

TEST(SymbolsLines, Version5HasItsNamesElsewhereAndCountsFrom0)
{
    const dwarf::bytes program =
        dwarf::at(0x8000).u8(dwarf::COPY).u8(dwarf::ADVANCE_PC).u8(2).all(dwarf::end_sequence());
    const Lines lines(dwarf::line_unit_5(program), dwarf::line_strings());
    EXPECT_EQ(lines.at(0x8000), "src/a.c:1");
    const Lines without(dwarf::line_unit_5(program));
    EXPECT_EQ(without.at(0x8000), "/:1") << "a name beyond the section is empty";
}

TEST(SymbolsLines, DiscardedCodeAt0IsNoCode)
{
    dwarf::bytes both = dwarf::line_unit(3, three_rows(0));
    EXPECT_EQ(Lines(both).at(4), "./src/a.c:11") << "alone, it may be true";
    both.all(dwarf::line_unit(3, three_rows(0)));
    both.all(dwarf::line_unit(3, three_rows(4)));
    const Lines lines(both);
    EXPECT_EQ(lines.at(0), "");
    EXPECT_EQ(lines.at(4), "./src/a.c:10") << "of what lies there";
    EXPECT_EQ(lines.at(0, {0, 12}), "./src/a.c:10") << "a function has exactly these bounds";
    EXPECT_EQ(lines.at(0, {0, 16}), "");
}

TEST(SymbolsLines, ADamagedUnitLeavesTheOthers)
{
    const dwarf::bytes unknown = dwarf::bytes().part(dwarf::bytes().u16(6).u32(0));
    const dwarf::bytes backwards = dwarf::at(0x9000)
                                       .u8(dwarf::COPY)
                                       .all(dwarf::at(0x8000))
                                       .u8(dwarf::COPY)
                                       .all(dwarf::end_sequence());
    dwarf::bytes section = unknown;
    section.all(dwarf::line_unit(3, backwards)).all(dwarf::line_unit(3, three_rows(0x8000)));
    section.u32(1000).u8(3); /* longer than the section */
    const Lines lines(section);
    EXPECT_EQ(lines.table.sequences, 1u);
    EXPECT_EQ(lines.at(0x8004), "./src/a.c:11");
    EXPECT_EQ(lines.at(0x9000), "");
}

/* ---- frames ---- */

namespace
{

bool rules_at(const dwarf::bytes &section, uint32_t address, frame_rules *rules,
              code_span function = {0, 0})
{
    return frame_rules_find(range(section.data), address, function, rules);
}

} // namespace

TEST(SymbolsFrames, RulesHoldFromTheirInstructionOn)
{
    dwarf::bytes section = dwarf::common_entry();
    dwarf::bytes program = dwarf::pushes_r4_lr();
    program.u8(0x0a).u8(0x44).u8(0x0e).u8(0).u8(0xc4).u8(0xce); /* kept; 8 bytes on: popped */
    program.u8(0x42).u8(0x0b);                                  /* 4 bytes on: as kept */
    section.all(dwarf::frame_entry(0x8000, 0x40, program));
    frame_rules rules;
    EXPECT_FALSE(rules_at(section, 0x7fff, &rules));
    EXPECT_FALSE(rules_at(section, 0x8040, &rules));
    ASSERT_TRUE(rules_at(section, 0x8000, &rules));
    EXPECT_EQ(rules.address_register, 13u);
    EXPECT_EQ(rules.address_offset, 0);
    EXPECT_EQ(rules.return_register, 14u);
    EXPECT_EQ(rules.of[14].kind, FRAME_SAME);
    EXPECT_EQ(rules.of[4].kind, FRAME_SAME);
    EXPECT_EQ(rules.of[0].kind, FRAME_LOST);
    EXPECT_EQ(rules.of[13].kind, FRAME_COMPUTED);
    for (const uint32_t address : {0x8004u, 0x800bu, 0x8010u, 0x803fu}) {
        ASSERT_TRUE(rules_at(section, address, &rules));
        EXPECT_EQ(rules.address_offset, 8) << std::hex << address;
        EXPECT_EQ(rules.of[14].kind, FRAME_STORED);
        EXPECT_EQ(rules.of[14].offset, -4);
        EXPECT_EQ(rules.of[4].offset, -8);
    }
    ASSERT_TRUE(rules_at(section, 0x800c, &rules));
    EXPECT_EQ(rules.address_offset, 0);
    EXPECT_EQ(rules.of[14].kind, FRAME_SAME);
}

TEST(SymbolsFrames, OtherInstructionsAndOnesThatAreNone)
{
    const auto with = [](const dwarf::bytes &program) {
        return dwarf::common_entry().all(dwarf::frame_entry(0x8000, 0x40, program));
    };
    frame_rules rules;
    ASSERT_TRUE(rules_at(with(dwarf::bytes().u8(0x0d).u8(11)), 0x8000, &rules));
    EXPECT_EQ(rules.address_register, 11u);
    ASSERT_TRUE(rules_at(with(dwarf::bytes().u8(0x12).u8(13).u8(0x7e)), 0x8000, &rules));
    EXPECT_EQ(rules.address_offset, 8) << "-2 units of -4 bytes";
    ASSERT_TRUE(rules_at(with(dwarf::bytes().u8(0x09).u8(14).u8(3)), 0x8000, &rules));
    EXPECT_EQ(rules.of[14].kind, FRAME_IN_REGISTER);
    EXPECT_EQ(rules.of[14].offset, 3);
    ASSERT_TRUE(rules_at(with(dwarf::bytes().u8(0x10).u8(14).u8(1).u8(0x50)), 0x8000, &rules));
    EXPECT_EQ(rules.of[14].kind, FRAME_LOST) << "by an expression";
    EXPECT_FALSE(rules_at(with(dwarf::bytes().u8(0x0f).u8(1).u8(0x50)), 0x8000, &rules));
    EXPECT_FALSE(rules_at(with(dwarf::bytes().u8(0x3f)), 0x8000, &rules)) << "no instruction";
    EXPECT_FALSE(rules_at(with(dwarf::bytes().u8(0x0b)), 0x8000, &rules)) << "nothing was kept";
    EXPECT_FALSE(rules_at(with(dwarf::bytes().u8(0x05)), 0x8000, &rules)) << "cut off";
}

TEST(SymbolsFrames, DiscardedCodeAt0HasNone)
{
    dwarf::bytes section = dwarf::common_entry();
    section.all(dwarf::frame_entry(0, 0x100, dwarf::pushes_r4_lr()));
    frame_rules rules;
    EXPECT_TRUE(rules_at(section, 0x20, &rules)) << "alone, it may be true";
    section.all(dwarf::frame_entry(0, 0x30, dwarf::bytes()));
    EXPECT_FALSE(rules_at(section, 0x20, &rules));
    EXPECT_TRUE(rules_at(section, 0x20, &rules, {0, 0x30}));
    EXPECT_EQ(rules.address_offset, 0) << "that of the function";
}

/* ---- the whole ---- */

class Symbols : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        path = ::testing::TempDir() + "symbols_" + std::to_string(getpid()) + ".elf";
        load(dwarf::three_functions());
    }
    void TearDown() override
    {
        symbols_close(symbols);
        elf_image_deinit(&image);
        (void)remove(path.c_str());
    }
    void load(const std::vector<uint8_t> &file)
    {
        struct diagnostic diagnostic = {};
        symbols_close(symbols);
        elf_image_deinit(&image);
        std::ofstream(path, std::ios::binary)
            .write(reinterpret_cast<const char *>(file.data()),
                   static_cast<std::streamsize>(file.size()));
        ASSERT_EQ(elf_image_read(&image, path.c_str(), &diagnostic), STATUS_OK) << diagnostic.text;
        symbols = symbols_open(&image);
        ASSERT_NE(symbols, nullptr);
    }
    std::string at(uint32_t address) const
    {
        char text[SYMBOLS_TEXT_CHARS];
        const symbols_place place = symbols_find(symbols, address);
        return symbols_text(&place, address, text);
    }
    static bool read(const void *context, uint32_t address, uint8_t *bytes, uint32_t count)
    {
        const auto *test = static_cast<const Symbols *>(context);
        const uint8_t *code = elf_image_bytes(&test->image, address, count);
        const auto word = test->memory.find(address);
        if (code != nullptr) {
            memcpy(bytes, code, count);
        } else if (word != test->memory.end() && count == 4) {
            memcpy(bytes, &word->second, 4);
        }
        return code != nullptr || (word != test->memory.end() && count == 4);
    }
    /* "third:32 < second:22 < first:12", and why it ends there. */
    std::string callers(std::array<uint32_t, 16> registers, unsigned room = 8)
    {
        std::array<symbols_frame, 8> frame = {};
        const unsigned count =
            symbols_backtrace(symbols, registers.data(), read, this, frame.data(), room, &end);
        std::string text;
        for (unsigned i = 0; i < count; i++) {
            const symbols_place &place = frame[i].place;
            text += (i == 0                            ? ""
                     : frame[i].how == SYMBOLS_BY_LINK ? " <~ "
                                                       : " < ") +
                    std::string(place.function == nullptr ? "?" : place.function) + ":" +
                    std::to_string(place.line);
        }
        return text;
    }

    std::string path;
    elf_image image = {};
    struct symbols *symbols = nullptr;
    std::map<uint32_t, uint32_t> memory;
    symbols_end end = SYMBOLS_ROOM;
};

TEST_F(Symbols, AnAddressHasFunctionFileAndLine)
{
    EXPECT_TRUE(symbols_have_lines(symbols));
    EXPECT_EQ(at(0x8000), "first  src/a.c:10");
    EXPECT_EQ(at(0x8004), "first+0x4  src/a.c:11");
    EXPECT_EQ(at(0x805c), "third+0x1c  src/a.c:32");
    EXPECT_EQ(at(0x8060), "0x00008060");
    EXPECT_EQ(at(0x10), "0x00000010");
}

TEST_F(Symbols, CallersAreFoundByFramesAndForTheLastByTheLinkRegister)
{
    /* In the third function: sp 0x1000 has what the second has pushed, 0x1008 the first. */
    memory = {{0x1000, 4}, {0x1004, 0x8008}, {0x1008, 4}, {0x100c, 0x7000}};
    std::array<uint32_t, 16> registers = {};
    registers[13] = 0x1000;
    registers[14] = 0x8028;
    registers[15] = 0x8044;
    EXPECT_EQ(callers(registers), "third:31 <~ second:21 < first:11");
    EXPECT_EQ(end, SYMBOLS_OUTSIDE) << "0x7000 is no code";
    EXPECT_EQ(callers(registers, 2), "third:31 <~ second:21");
    EXPECT_EQ(end, SYMBOLS_ROOM);
    EXPECT_EQ(callers(registers, 0), "");
    registers[14] = 0x802c; /* no call stands before it */
    EXPECT_EQ(callers(registers), "third:31");
    EXPECT_EQ(end, SYMBOLS_NO_RULES);
    registers[14] = 0x8028;
    memory[0x1004] = 0x8048; /* into the third, which has no frame information */
    EXPECT_EQ(callers(registers), "third:31 <~ second:21 < third:31");
    EXPECT_EQ(end, SYMBOLS_NO_RULES);
    memory.erase(0x1004);
    EXPECT_EQ(callers(registers), "third:31 <~ second:21");
    EXPECT_EQ(end, SYMBOLS_UNREAD);
}

TEST_F(Symbols, AStackThatDoesNotShrinkEndsTheWalk)
{
    std::array<uint32_t, 16> registers = {};
    registers[13] = 0xfffffffc; /* the frame lies at 4 */
    registers[15] = 0x8024;
    memory = {{0, 0x8028}, {0xfffffffc, 1}};
    EXPECT_EQ(callers(registers), "second:21");
    EXPECT_EQ(end, SYMBOLS_STUCK);
}

TEST_F(Symbols, AJumpToNowhereKnowsItsCallerByTheLinkRegister)
{
    std::array<uint32_t, 16> registers = {};
    memory = {{0x1000, 4}, {0x1004, 0x7000}};
    registers[13] = 0x1000;
    registers[14] = 0x8008;
    registers[15] = 0x50000000;
    EXPECT_EQ(callers(registers), "?:0 <~ first:11");
}

TEST_F(Symbols, AProgramWithoutLinesHasFunctions)
{
    load(dwarf::elf(0x8000, std::vector<uint8_t>(0x40, 0), {{"alone", 0x8000, 0x20}}, {}));
    EXPECT_FALSE(symbols_have_lines(symbols));
    EXPECT_EQ(at(0x8008), "alone+0x8");
    std::array<uint32_t, 16> registers = {};
    registers[15] = 0x8008;
    EXPECT_EQ(callers(registers), "alone:0");
    EXPECT_EQ(end, SYMBOLS_NO_RULES);
}

TEST_F(Symbols, LongNamesOfFilesLoseTheirBeginning)
{
    const std::string folder(100, 'd');
    dwarf::bytes header = dwarf::header_begin(3);
    header.text(folder).u8(0).text(std::string(40, 'n')).u8(1).u8(0).u8(0).u8(0);
    const dwarf::bytes program =
        dwarf::at(0x8000).u8(dwarf::COPY).u8(dwarf::ADVANCE_PC).u8(2).all(dwarf::end_sequence());
    const dwarf::bytes unit = dwarf::bytes().part(dwarf::bytes().u16(3).part(header).all(program));
    load(dwarf::elf(0x8000, std::vector<uint8_t>(0x40, 0), {}, {{".debug_line", unit.data}}));
    const symbols_place place = symbols_find(symbols, 0x8000);
    EXPECT_EQ(std::string(place.file), std::string(86, 'd') + "/" + std::string(40, 'n'));
    EXPECT_EQ(strlen(place.file), SYMBOLS_FILE_CHARS - 1u);
}
