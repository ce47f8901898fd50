/* YAML itself: what is refused that yaml-cpp would let pass, and that no input does worse than
 * that. */
#include "tests/support/processor_time.h"
#include "tests/unit/config_fixture.h"

#include <random>

TEST(ConfigYaml, DuplicateKeysAreRefusedWithBothPlaces)
{
    EXPECT_TRUE(is_refused(loaded("name: a\nseed: 1\nname: b\n"), "test.yaml:3:1 name",
                           "given twice", "line 1"));
    EXPECT_TRUE(is_refused(loaded("board: {width: 1, height: 2, width: 1}\n"),
                           "test.yaml:1:30 board.width", "given twice", "line 1"));
    EXPECT_TRUE(is_refused(loaded("board:\n  width: 1\nchip: {}\nboard:\n  height: 1\n"),
                           "test.yaml:4:1 board", "given twice", "line 1"));
    EXPECT_TRUE(is_refused(loaded("name: a\n\"name\": a\n"), "test.yaml:2:1 name", "given twice"));
    EXPECT_TRUE(is_refused(loaded("energy: {a: {kind: derived, kind: derived}}\n"),
                           "test.yaml:1:29 energy.a.kind", "given twice"));
}

TEST(ConfigYaml, AnchorsAliasesAndTagsAreRefused)
{
    EXPECT_TRUE(is_refused(loaded("name: &n x\n"), "test.yaml:1:7 ", "anchors and aliases"));
    EXPECT_TRUE(is_refused(loaded("board: &b {width: 1}\n"), "test.yaml:1:8 ", "anchors"));
    EXPECT_TRUE(is_refused(loaded("name: &n\n"), "test.yaml:1:7 ", "anchors"));
    EXPECT_TRUE(is_refused(loaded("app: [&n x, *n]\n"), "test.yaml:1:7 app", "anchors"));
    EXPECT_TRUE(is_refused(loaded("seed: !!int 1\n"), "test.yaml:1:7 ", "tags"));
    EXPECT_TRUE(is_refused(loaded("name: !x\n"), "test.yaml:1:7 ", "tags"));
    EXPECT_TRUE(is_refused(loaded("board: !x {width: 1}\n"), "test.yaml:1:8 ", "tags"));
    EXPECT_TRUE(is_refused(loaded("<<: {name: x}\n"), "test.yaml:1:1 ", "\"<<\" is not a key"));
}

TEST(ConfigYaml, ASecondDocumentIsRefused)
{
    EXPECT_TRUE(is_good(loaded("---\n" + network_run)));
    EXPECT_TRUE(is_good(loaded(network_run + "...\n")));
    EXPECT_TRUE(is_refused(loaded("name: x\n---\nseed: 1\n"), "test.yaml:2:1 ",
                           "something follows the end"));
    EXPECT_TRUE(is_refused(loaded("name: x\n...\nseed: 1\n"), "test.yaml:3:1 ",
                           "something follows the end"));
}

TEST(ConfigYaml, BrokenYamlHasAPlace)
{
    EXPECT_TRUE(is_refused(loaded("name: a: b\n"), "test.yaml:1:8 ", "not YAML"));
    EXPECT_TRUE(is_refused(loaded("board: {width: 1\nname: x\n"), "test.yaml:2:5 ", "not YAML"));
    EXPECT_TRUE(
        is_refused(loaded("board:\n  width: 1\n height: 1\n"), "test.yaml:3:2 ", "not YAML"));
    EXPECT_TRUE(is_refused(loaded("seed: 1\nname: \"abc\n"), "test.yaml:2:7 ", "never closed"));
    EXPECT_TRUE(is_refused(loaded("seed: 1\nname: 'it''s\n"), "test.yaml:2:7 ", "never closed"));
    EXPECT_TRUE(is_refused(loaded("name\n"), "test.yaml:1:1 ", "\"name\" where keys are expected"));
    EXPECT_TRUE(is_refused(loaded("- name\n"), "test.yaml:1:1 ", "a list where keys"));
    EXPECT_TRUE(is_refused(loaded("? [a]\n: 1\n"), "test.yaml:1:3 ", "as a key"));
    EXPECT_TRUE(is_refused(loaded("{a: 1}: 1\n"), "test.yaml:1:1 ", "as a key"));
    EXPECT_TRUE(is_refused(loaded(": 1\n"), "test.yaml:1:1 ", "a key is missing"));
    EXPECT_TRUE(is_refused(loaded("board.width: 1\n"), "test.yaml:1:1 ",
                           "\"board.width\" is not a key", "groups are nested"));
    EXPECT_TRUE(
        is_refused(loaded(std::string(65, 'k') + ": 1\n"), "test.yaml:1:1 ", "is not a key"));
}

TEST(ConfigYaml, TabsAndBytesThatAreNoTextAreRefused)
{
    EXPECT_TRUE(is_refused(loaded("board:\n\twidth: 1\n"), "test.yaml:2:1 ", "a tab"));
    EXPECT_TRUE(is_refused(loaded("board:\n  \twidth: 1\n"), "test.yaml:2:3 ", "a tab"));
    EXPECT_TRUE(is_good(loaded(network_run + "\t\n \t# comment\nseed:\t1\t# one\n")));
    EXPECT_TRUE(is_refused(loaded("name: a\nseed: \xff\n"), "test.yaml:2:7 ", "no UTF-8"));
    EXPECT_TRUE(is_refused(loaded("name: \xc0\x80\n"), "test.yaml:1:7 ", "no UTF-8"));
    EXPECT_TRUE(is_refused(loaded("name: \xed\xa0\x80\n"), "test.yaml:1:7 ", "no UTF-8"));
    EXPECT_TRUE(is_refused(loaded("name: \xf4\x90\x80\x80\n"), "test.yaml:1:7 ", "no UTF-8"));
    EXPECT_TRUE(is_refused(loaded("name: \xe2\x82"), "test.yaml:1:7 ", "no UTF-8"));
    EXPECT_TRUE(
        is_refused(loaded(std::string("name: a\0b\n", 10)), "test.yaml:1:8 ", "control character"));
    EXPECT_TRUE(is_refused(loaded("name: a\rseed: 1\n"), "test.yaml:1:8 ", "control character"));
    EXPECT_TRUE(is_refused(loaded("name: \xc2\x85\n"), "test.yaml:1:7 ", "control character"));
    EXPECT_TRUE(
        is_refused(loaded("name: \"a\\0b\"\n"), "test.yaml:1:7 name", "control characters"));
}

TEST(ConfigYaml, LineEndsAndByteOrderMarksDoNotMovePlaces)
{
    std::string windows;
    for (char c : "name: test\nboard: {widht: 1}\n") {
        if (c == '\n') {
            windows += '\r';
        }
        if (c != '\0') {
            windows += c;
        }
    }
    EXPECT_TRUE(is_refused(loaded(windows), "test.yaml:2:9 board.widht", "unknown key"));
    EXPECT_TRUE(
        is_refused(loaded("\xef\xbb\xbf" + windows), "test.yaml:2:9 board.widht", "unknown key"));
    EXPECT_TRUE(is_refused(loaded("\xef\xbb\xbfnome: x\n"), "test.yaml:1:1 nome", "unknown key"));
    EXPECT_TRUE(
        is_refused(loaded("# ü €\nname: \"x\"\nseed: !!int 1\n"), "test.yaml:3:7 ", "tags"));
}

TEST(ConfigYaml, TextsMayBeFoldedButNotOfSeveralLines)
{
    const std::string head = network_run.substr(0, network_run.size() - 2);
    const loaded folded("name: >\n  folded\ndata: {set: synthetic}\nnetwork: {name: lenet1}\n");
    ASSERT_TRUE(is_good(folded));
    EXPECT_STREQ(folded->name, "folded");
    EXPECT_TRUE(
        is_refused(loaded("name: |\n  one\n  two\n"), "test.yaml:1:7 name", "several lines", ">-"));
}

/* Only double quotes have escapes, and only a path may need them. */
TEST(ConfigYaml, ControlCharactersAreEscapedAndOfPathsOnly)
{
    const loaded path("name: test\napp: [{file: \"a\\nb\\x85\\t.aplx\\n\"}]\n");
    ASSERT_TRUE(is_good(path));
    EXPECT_STREQ(path->app[0].file, "a\nb\xc2\x85\t.aplx\n");
    EXPECT_TRUE(is_refused(loaded("name: \"a\\n\"\n"), "test.yaml:1:7 name", "is not a name"));
    EXPECT_TRUE(is_refused(loaded("app: [{file: 'a\n\n b'}]\n"), "test.yaml:1:14 app[0].file",
                           "several lines"));
    EXPECT_TRUE(is_refused(loaded("energy: {a: {source: \"a\\x1b\"}}\n"),
                           "test.yaml:1:22 energy.a.source", "\"a?\" has control characters"));
}

TEST(ConfigYaml, LimitsAreStated)
{
    std::string deep;
    for (int i = 0; i < 2000; i++) {
        deep += "[";
    }
    EXPECT_EQ(loaded("app: " + deep).status, STATUS_CONFIGURATION);
    EXPECT_TRUE(is_refused(loaded("app: [[[[[[[[[1]]]]]]]]]\n"),
                           "test.yaml:1:13 app[0][0][0][0][0][0]", "nested too deeply"));
    std::string many = "app: [";
    for (int i = 0; i < 1001; i++) {
        many += "1, ";
    }
    EXPECT_TRUE(is_refused(loaded(many + "]\n"), "test.yaml:1:3007 app", "too many entries"));
    EXPECT_TRUE(
        is_refused(loaded(network_run + std::string((1 << 20) - network_run.size() + 1, ' ')),
                   "test.yaml:0:0 ", "larger than", "1 MiB"));
    EXPECT_TRUE(is_good(loaded(network_run + std::string((1 << 20) - network_run.size(), '\n'))));
}

TEST(ConfigYaml, LargeNonsenseIsRefusedQuickly)
{
    const double before = processor_seconds();
    for (const char *piece : {"[", "{", "- ", "a: ", "\"", "'", "x", "? ", "!", "&", "*", ":", ",",
                              "{a: [", "\"x\": ", "a:\n", "%", "|\n", "[]: "}) {
        std::string text;
        while (text.size() < 200000) {
            text += piece;
        }
        EXPECT_EQ(loaded(text).status, STATUS_CONFIGURATION) << piece;
    }
    EXPECT_LT(processor_seconds() - before, 30);
}

TEST(ConfigYaml, LongValuesAreCutInMessages)
{
    const loaded attempt("seed: " + std::string(5000, 'x') + "\n");
    EXPECT_TRUE(is_refused(attempt, "test.yaml:1:7 seed", "...\" is not a whole number"));
    EXPECT_LT(strlen(attempt.diagnostic.text), 200u);
    std::string euros;
    for (int i = 0; i < 100; i++) {
        euros += "€";
    }
    const loaded cut("seed: x" + euros + "\n");
    EXPECT_TRUE(is_refused(cut, "test.yaml:1:7 seed", "€...\" is not a whole number"));
}

/* Whatever the bytes are: loaded, or refused with a message; what is loaded survives a dump. */
TEST(ConfigYaml, NoInputIsWorseThanRefused)
{
    const std::vector<std::string> seeds = {
        network_run + "mode: train\ntrain: {epochs: 2, learning_rate: 0.01}\n"
                      "accept: {accuracy: {min: 0.9}, seconds: {max: 5}}\n"
                      "clock: {cpu: 160 MHz}\nchip:\n  dma_word: 14.7 ns\n",
        "include: [boards/one_chip.yaml, timing/arm968.yaml, energy/spinnaker1.yaml]\n" +
            network_run,
        "name: x\napp:\n  - {file: \"a b.elf\", chips: \"0,0\", cores: [1, 3-5]}\n  - file: "
        "c.aplx\n"
        "    cores: 7\n    app_id: 17\n",
        "energy:\n  board_profile: a\n  board_a: {value: 1 W, low: 1 W, high: 2 W, per: board, "
        "kind: derived, source: \"x\\\"y\"}\n  free: [\"core.*\"]\nname: y\n"};
    const std::vector<std::string> pieces = {
        "{",   "}",    "[",  "]",    ":",     "- ",  "\n",  "  ",  "\"", "'",     "&a ",  "*a",
        "!!",  "|",    ">",  "%",    "---\n", "? ",  "#",   "\t",  "\r", "~",     "null", "0x1",
        "1e3", "\xef", "\\", "<<: ", ", ",    "app", "1-3", "010", "W",  "energy"};
    std::mt19937 random(20);
    size_t good = 0;
    for (int run = 0; run < 6000; run++) {
        std::string text = seeds[random() % seeds.size()];
        if (random() % 4 == 0) {
            text = text.substr(0, random() % (text.size() + 1));
        }
        for (size_t change = random() % 5; change > 0 && !text.empty(); change--) {
            const size_t at = random() % text.size();
            switch (random() % 4) {
            case 0:
                text[at] = static_cast<char>(random() % 256);
                break;
            case 1:
                text.insert(at, pieces[random() % pieces.size()]);
                break;
            case 2:
                text.erase(at, random() % 12);
                break;
            default:
                text.insert(at, text.substr(random() % text.size(), random() % 40));
                break;
            }
        }
        loaded::options options;
        options.fragment = random() % 2 == 0;
        const loaded first(text, options);
        if (first.status != STATUS_OK) {
            ASSERT_EQ(first.status, STATUS_CONFIGURATION) << text;
            ASSERT_STRNE(first.diagnostic.text, "") << text;
            ASSERT_STRNE(first.diagnostic.file, "") << text;
            continue;
        }
        good++;
        const std::string dump = first.dump();
        const loaded second(dump, options);
        ASSERT_TRUE(is_good(second)) << text << "\n--- dumped as\n" << dump;
        ASSERT_EQ(second.dump(), dump) << text;
    }
    EXPECT_GT(good, 500u);
}
