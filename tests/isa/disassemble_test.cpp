/* disassemble_test.cpp - instructions as text: exact forms, and some 400,000 random words and all
 * half-words as objdump of the GNU tools for ARM writes them. */
#include "models/arm968/disassemble.h"

extern "C" {
#define class insn_class /* the private header is C */
#include "models/arm968/insn.h"
#undef class
}

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <set>
#include <string>
#include <unistd.h>
#include <vector>

static std::string arm(uint32_t word, uint32_t pc = 0)
{
    char text[ARM968_TEXT_CHARS];
    arm968_disassemble(word, pc, false, text);
    return text;
}

static std::string thumb(uint32_t word, uint32_t pc = 0)
{
    char text[ARM968_TEXT_CHARS];
    arm968_disassemble(word, pc, true, text);
    return text;
}

TEST(Disassemble, ArmFormsOfTheirOwn)
{
    EXPECT_EQ(arm(0xe1a00000), "nop");
    EXPECT_EQ(arm(0x01a00000), "moveq r0, r0");
    EXPECT_EQ(arm(0xe1b0f00e), "movs pc, lr");
    EXPECT_EQ(arm(0xe1a00061), "rrx r0, r1");
    EXPECT_EQ(arm(0xe1a001a1), "lsr r0, r1, #3");
    EXPECT_EQ(arm(0xe1a00021), "lsr r0, r1, #32");
    EXPECT_EQ(arm(0xe3a00102), "mov r0, #-2147483648");
    EXPECT_EQ(arm(0xe3a00004), "mov r0, #4");
    EXPECT_EQ(arm(0xe3a00f01), "mov r0, #1, 30");
    EXPECT_EQ(arm(0xe3a00b01), "mov r0, #1024");
    EXPECT_EQ(arm(0xe3a00e40), "mov r0, #64, 28");
    EXPECT_EQ(arm(0x18b10006), "ldmne r1!, {r1, r2}");
    EXPECT_EQ(arm(0xe3a00f00), "mov r0, #0, 30");
    EXPECT_EQ(arm(0xe92d4010), "push {r4, lr}");
    EXPECT_EQ(arm(0xe8fd8010), "ldm sp!, {r4, pc}^");
    EXPECT_EQ(arm(0x09980003), "ldmibeq r8, {r0, r1}");
    EXPECT_EQ(arm(0xe52d0004), "push {r0}");
    EXPECT_EQ(arm(0xe4b10000), "ldrt r0, [r1], #0");
    EXPECT_EQ(arm(0xe5110000), "ldr r0, [r1, #-0]");
    EXPECT_EQ(arm(0xe32ff0d3), "msr CPSR_fsxc, #211");
    EXPECT_EQ(arm(0xeafffffe, 0x8000), "b 0x8000");
    EXPECT_EQ(arm(0xfb000000, 0x8000), "blx 0x800a");
    EXPECT_EQ(arm(0xee110f10), "mrc 15, 0, r0, cr1, cr0, {0}");
    EXPECT_EQ(arm(0xe7f000f0), "undefined");
    EXPECT_EQ(arm(0xf0000000), "undefined");
}

TEST(Disassemble, ThumbFormsOfTheirOwn)
{
    EXPECT_EQ(thumb(0x46c0), "nop");
    EXPECT_EQ(thumb(0x0012), "movs r2, r2");
    EXPECT_EQ(thumb(0x0800), "lsrs r0, r0, #32");
    EXPECT_EQ(thumb(0xb500), "push {lr}");
    EXPECT_EQ(thumb(0xbd10), "pop {r4, pc}");
    EXPECT_EQ(thumb(0xca65), "ldmia r2, {r0, r2, r5, r6}");
    EXPECT_EQ(thumb(0xce18), "ldmia r6!, {r3, r4}");
    EXPECT_EQ(thumb(0xd0fe, 0x8000), "beq 0x8000");
    EXPECT_EQ(thumb(0xf801f000, 0x80aa), "bl 0x80b0");
    EXPECT_EQ(thumb(0xfffff7ff, 0x8000), "bl 0x8002");
    EXPECT_EQ(thumb(0xe802f000, 0x80aa), "blx 0x80b0");
    EXPECT_EQ(thumb(0x0000f000, 0x80aa), "bl (first half)");
    EXPECT_EQ(thumb(0xf801), "bl (second half)");
    EXPECT_EQ(thumb(0xde05), "undefined");
    EXPECT_EQ(thumb(0xb100), "undefined");
}

TEST(Disassemble, TheLongestTextFits)
{
    EXPECT_EQ(arm(0x197fffff),
              "ldmdbne pc!, {r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, sl, fp, ip, sp, lr, pc}^");
}

TEST(Disassemble, EveryPatternHasAText)
{
    unsigned count;
    const struct isa_pattern *pattern = insn_arm_patterns(&count);
    for (unsigned i = 0; i < count; i++) {
        EXPECT_NE(arm(pattern[i].sample), "") << pattern[i].name;
        EXPECT_EQ(arm(pattern[i].sample).find('%'), std::string::npos) << pattern[i].name;
    }
    pattern = insn_thumb_patterns(&count);
    for (unsigned i = 0; i < count; i++) {
        EXPECT_NE(thumb(pattern[i].sample), "") << pattern[i].name;
        EXPECT_EQ(thumb(pattern[i].sample).find('%'), std::string::npos) << pattern[i].name;
    }
}

/* ---- against objdump ---- */

class Objdump : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        if (system("arm-none-eabi-objdump --version >/dev/null 2>&1") != 0) {
            GTEST_SKIP() << "arm-none-eabi-objdump is not installed";
        }
        arm_pattern = insn_arm_patterns(&arm_count);
        thumb_pattern = insn_thumb_patterns(&thumb_count);
    }

    /* What it writes for each of these, by index; comments cut off, its few other spellings made
     * ours. */
    template <typename Word>
    static std::map<size_t, std::string> objdump(const std::vector<Word> &words)
    {
        char name[] = "/tmp/spinnsim_words_XXXXXX";
        const int file = mkstemp(name);
        const size_t bytes = words.size() * sizeof(Word);
        EXPECT_EQ(write(file, words.data(), bytes), static_cast<ssize_t>(bytes));
        close(file);
        const std::string command =
            std::string("arm-none-eabi-objdump -D -b binary -m armv5te --no-show-raw-insn ") +
            (sizeof(Word) == 2 ? "-M force-thumb " : "") + name;
        std::map<size_t, std::string> texts;
        FILE *out = popen(command.c_str(), "r");
        char line[512];
        unsigned address;
        int at;
        while (out != nullptr && fgets(line, sizeof line, out) != nullptr) {
            at = 0;
            if (sscanf(line, " %x:\t%n", &address, &at) == 1 && at != 0) {
                texts[address / sizeof(Word)] = ours(line + at, sizeof(Word) == 4);
            }
        }
        pclose(out);
        unlink(name);
        return texts;
    }

    static std::string ours(const std::string &line, bool arm)
    {
        if (line.find("<UNDEFINED>") != std::string::npos) {
            return "undefined";
        }
        std::string text;
        for (const char c : line.substr(0, line.find('@'))) {
            if (strchr(" \t\n", c) == nullptr) {
                text += c;
            } else if (!text.empty() && text.back() != ' ') {
                text += ' ';
            }
        }
        text.resize(text.find_last_not_of(' ') + 1);
        replace(&text, "APSR_nzcv", "pc");
        replace(&text, ".n ", " ");
        if (text.find(" sp!, ") != std::string::npos) {
            replace(&text, "stmfd", "push");
            replace(&text, "ldmfd", "pop");
            if (text.compare(0, 3, "pus") == 0 || text.compare(0, 3, "pop") == 0) {
                replace(&text, " sp!, ", " ");
            }
        }
        if (arm) {
            replace(&text, "stmia", "stm");
        }
        if (text.compare(0, 3, "udf") == 0) {
            return "undefined";
        }
        return text;
    }

    static void replace(std::string *text, const std::string &what, const std::string &with)
    {
        const size_t at = text->find(what);
        if (at != std::string::npos) {
            text->replace(at, what.size(), with);
        }
    }

    const struct isa_pattern *arm_pattern = nullptr;
    const struct isa_pattern *thumb_pattern = nullptr;
    unsigned arm_count = 0;
    unsigned thumb_count = 0;
    std::mt19937 random{968};
};

/* What the architecture says of the bits that should be 0 or 1, where they should not all be 0. */
static uint32_t should_be_one(const struct isa_pattern *pattern)
{
    static const std::map<std::string, uint32_t> ONES = {
        {"clz", 0x000f0f00}, {"bx", 0x000fff00},  {"blx", 0x000fff00},
        {"mrs", 0x000f0000}, {"msr", 0x0000f000}, {"msr_imm", 0x0000f000},
    };
    const auto found = ONES.find(pattern->name);
    return found == ONES.end() ? 0 : found->second;
}

/* The word with its should-be bits as they should be. */
static uint32_t as_it_should_be(const struct isa_pattern *pattern, uint32_t word)
{
    uint32_t should_be = 0;
    for (unsigned i = 0; i < 32; i++) {
        should_be |= pattern->bits[i] == '.' ? 0x80000000u >> i : 0;
    }
    if (strstr(pattern->bits, "Iiii") == nullptr && strstr(pattern->bits, "iiii1") != nullptr &&
        strchr(pattern->bits, 'I') != nullptr && (word & 0x00400000) == 0) {
        should_be |= 0xf00; /* half-words by a register have no constant */
    }
    return (word & ~should_be) | should_be_one(pattern);
}

/* Why objdump is not asked about a word, "" if it is: there it knows more than ARMv5TE has, or
 * shows a word otherwise. */
static std::string excluded(const struct isa_pattern *pattern, uint32_t word)
{
    if (pattern == nullptr && word >> 28 == 15) {
        return "undefined: later architectures' unconditional instructions";
    }
    if (pattern == nullptr && (word & 0x0d900000) == 0x01000000) {
        return "undefined: comparisons without S, where it shows the comparison";
    }
    if (pattern == nullptr && (word & 0x0e000090) == 0x00000090) {
        return "undefined: half-words as User mode";
    }
    if (pattern == nullptr) {
        return "";
    }
    if (as_it_should_be(pattern, word) != word) {
        return "should-be bits, which the core ignores";
    }
    if ((word & 0x0c000000) == 0x0c000000 && (word & 0x0f000000) != 0x0f000000) {
        static const std::set<unsigned> PLAIN = {0, 3, 7, 14};
        const unsigned coprocessor = (word >> 8) & 15;
        const bool transfer = (word & 0x02000000) == 0;
        if (PLAIN.count(coprocessor) == 0 && (coprocessor != 15 || transfer)) {
            return "coprocessors with instructions of their own";
        }
        if (transfer && (word & 0xff) == 0) {
            return "coprocessor transfers without an offset, where it leaves out the zero";
        }
    }
    const std::string name = pattern->name;
    const bool half = name.compare(0, 4, "ldrd") == 0 || name.compare(0, 4, "strd") == 0 ||
                      name.compare(0, 4, "ldrh") == 0 || name.compare(0, 4, "ldrs") == 0 ||
                      name.compare(0, 4, "strh") == 0;
    if (half && (word & 0x012f0000) == 0x012f0000) {
        return "write-back to pc, which it leaves out";
    }
    return "";
}

TEST_F(Objdump, ArmWords)
{
    enum : unsigned { PER_PATTERN = 1000, RANDOM = 300000 };
    std::vector<uint32_t> words;
    for (unsigned i = 0; i < arm_count; i++) {
        const struct isa_pattern *pattern = &arm_pattern[i];
        for (unsigned n = 0; n < PER_PATTERN; n++) {
            const uint32_t word =
                (static_cast<uint32_t>(random()) & ~pattern->mask) | pattern->value;
            words.push_back(as_it_should_be(pattern, word));
        }
    }
    for (unsigned n = 0; n < RANDOM; n++) {
        words.push_back(static_cast<uint32_t>(random()));
    }
    const std::map<size_t, std::string> texts = objdump(words);
    ASSERT_EQ(texts.size(), words.size());
    std::map<std::string, unsigned> left_out;
    unsigned compared = 0;
    for (size_t i = 0; i < words.size(); i++) {
        const struct isa_pattern *pattern = insn_match(arm_pattern, arm_count, words[i]);
        const std::string why = excluded(pattern, words[i]);
        if (!why.empty()) {
            left_out[why]++;
            continue;
        }
        compared++;
        ASSERT_EQ(arm(words[i], 4 * static_cast<uint32_t>(i)), texts.at(i))
            << std::hex << words[i] << " " << (pattern == nullptr ? "" : pattern->name);
    }
    EXPECT_EQ(left_out.size(), 7u);
    EXPECT_GT(compared, 300000u);
}

TEST_F(Objdump, AllThumbHalves)
{
    std::vector<uint16_t> halves;
    for (uint32_t half = 0; half < 0xe800; half++) { /* what is behind are halves of BL and BLX */
        const struct isa_pattern *pattern = insn_match(thumb_pattern, thumb_count, half);
        const bool should_be = pattern != nullptr && strchr(pattern->bits, '.') != nullptr &&
                               strcmp(pattern->name, "undefined") != 0;
        if (pattern != nullptr && !(should_be && (half & 7) != 0)) {
            halves.push_back(static_cast<uint16_t>(half));
        }
    }
    const std::map<size_t, std::string> texts = objdump(halves);
    ASSERT_EQ(texts.size(), halves.size());
    for (size_t i = 0; i < halves.size(); i++) {
        ASSERT_EQ(thumb(halves[i], 2 * static_cast<uint32_t>(i)), texts.at(i))
            << std::hex << halves[i];
    }
    EXPECT_EQ(halves.size(), 56608u);
}

TEST_F(Objdump, ThumbLongBranches)
{
    std::vector<uint16_t> halves;
    for (unsigned i = 0; i < 20000; i++) {
        const auto word = static_cast<uint32_t>(random());
        halves.push_back(static_cast<uint16_t>(0xf000 | (word & 0x7ff)));
        const uint32_t low = word >> 16 & 0x7ff;
        halves.push_back(
            static_cast<uint16_t>((word >> 31) != 0 ? 0xf800 | low : 0xe800 | (low & ~1u)));
    }
    const std::map<size_t, std::string> texts = objdump(halves);
    for (size_t i = 0; i < halves.size(); i += 2) {
        const uint32_t pair = halves[i] | static_cast<uint32_t>(halves[i + 1]) << 16;
        ASSERT_EQ(thumb(pair, 2 * static_cast<uint32_t>(i)), texts.at(i)) << std::hex << pair;
    }
}
