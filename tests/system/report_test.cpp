/* report_test.cpp - the page of `spinnsim report`: well-formed, complete in one file, with nothing
 * in it that a name brought in. */
#include "tests/system/program.h"

#include <algorithm>
#include <filesystem>

namespace
{

/* Looks whether a page is well-formed XML: elements end as they began, attributes stand in quotes,
 * and & begins an entity that XML has by itself. */
class well_formed
{
  public:
    explicit well_formed(const std::string &text) : page(text)
    {
        for (size_t i = 0; i < page.size() && fault.empty();) {
            i = page[i] == '<' ? tag(i) : character(i);
        }
        if (fault.empty() && !open.empty()) {
            fault = "open: " + open.back();
        }
    }

    std::string fault; /* "": none */

  private:
    size_t say(size_t at, const char *what)
    {
        fault = std::string(what) + ": " + page.substr(at, 60);
        return page.size();
    }

    size_t character(size_t at)
    {
        const auto c = static_cast<unsigned char>(page[at]);
        if (c < 0x20 && c != '\n') {
            return say(at, "control character");
        }
        if (c == '&') {
            const std::string name = page.substr(at + 1, page.find(';', at) - at - 1);
            const words known = {"amp", "lt", "gt", "quot", "#39"};
            if (std::find(known.begin(), known.end(), name) == known.end()) {
                return say(at, "entity");
            }
        }
        return at + 1;
    }

    /* name="value" ...; the place behind them. */
    size_t attributes(size_t at)
    {
        while (at < page.size() && page[at] == ' ') {
            const size_t quote = page.find("=\"", at);
            const size_t end = quote == std::string::npos ? quote : page.find('"', quote + 2);
            if (end == std::string::npos ||
                page.substr(at, end - at).find('<') != std::string::npos) {
                return say(at, "attribute");
            }
            at = end + 1;
        }
        return at;
    }

    size_t tag(size_t begin)
    {
        if (page.compare(begin, 9, "<!DOCTYPE") == 0) {
            return page.find('>', begin) + 1;
        }
        const bool ends = page[begin + 1] == '/';
        const size_t from = begin + 1 + (ends ? 1 : 0);
        const size_t behind = page.find_first_of(" />", from);
        const std::string name = page.substr(from, behind - from);
        const size_t at = attributes(behind);
        if (name.empty() || at >= page.size()) {
            return fault.empty() ? say(begin, "tag") : page.size();
        }
        if (page.compare(at, 2, "/>") == 0) {
            return at + 2;
        }
        if (page[at] != '>' || (ends && (open.empty() || open.back() != name))) {
            return say(begin, "tag that does not fit");
        }
        if (ends) {
            open.pop_back();
        } else {
            open.push_back(name);
        }
        return at + 1;
    }

    const std::string &page;
    words open;
};

} // namespace

class Report : public SystemTest
{
  protected:
    void SetUp() override
    {
        SystemTest::SetUp();
        made("a", "100 MHz", "plain", "Is it fast?");
        made("b", "200 MHz", "plain", "Is it fast?");
    }

    void made(const std::string &name, const std::string &clock, const std::string &experiment,
              const std::string &question) const
    {
        std::filesystem::create_directories(path(name));
        write(name + "/summary.json",
              "{\"schema\": 1, \"name\": \"" + experiment +
                  "\", \"status\": \"done\", \"identity\": {\"sim_hash\": \"5" +
                  clock.substr(0, 1) +
                  "c0ffee\", \"elf_digests\": [{\"program\": \"x\", \"sha256\": \"77\"}]}, "
                  "\"seconds\": " +
                  (clock == "100 MHz" ? "0.002" : "0.001") +
                  ", \"remarks\": [{\"key\": \"energy.link\", \"text\": \"is "
                  "extrapolated\"}, {\"text\": \"a stack ran below its end\"}], \"energy\": "
                  "{\"joules\": "
                  "{\"low\": 0.001, \"default\": 0.003, \"high\": 0.004}}}\n");
        write(name + "/config.yaml",
              "name: x\nquestion: \"" + question + "\"\nclock: {cpu: " + clock +
                  "}\nseed: 1\nrecord: {timeline: " + (clock == "100 MHz" ? "true" : "false") +
                  "}\n");
        sign(name);
    }

    std::string page(const words &more) const
    {
        words all = {"report", "--out", "page.html"};
        all.insert(all.end(), more.begin(), more.end());
        const finished result = spinnsim(all);
        EXPECT_EQ(result.status, 0) << result.err;
        EXPECT_EQ(result.err, "");
        EXPECT_EQ(result.out, "");
        const std::string html = read("page.html");
        EXPECT_EQ(well_formed(html).fault, "");
        return html;
    }

    static size_t count(const std::string &text, const std::string &part)
    {
        size_t found = 0;
        for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
            found++;
        }
        return found;
    }
};

TEST_F(Report, HasQuestionDifferencesTablesAndIdentity)
{
    const std::string html = page({"b", "a"});
    const std::string differs = "<thead><tr><th>run</th><th>clock.cpu</th></tr></thead>\n<tbody>\n"
                                "<tr><td>1. plain</td><td>200 MHz</td></tr>\n"
                                "<tr><td>2. plain</td><td>100 MHz</td></tr>\n</tbody>";
    const std::string joules = "<td class=\"number\">3.000 (1.000 to 4.000)</td>";
    EXPECT_EQ(count(html, differs), 1u);
    const std::string least = "<tr><td>Machine time (ms)</td><td class=\"number\">1</td><td>1. "
                              "clock.cpu 200 MHz</td><td class=\"number\">2</td><td>2. clock.cpu "
                              "100 MHz</td></tr>";
    EXPECT_EQ(count(html, "<p>2 runs: 2 done</p>"), 1u);
    EXPECT_EQ(count(html, least), 1u);
    EXPECT_LT(html.find(least), html.find("<h2>Figures</h2>"));
    EXPECT_LT(html.find("<h2>Figures</h2>"), html.find("<details><summary>All results"));
    EXPECT_LT(html.find("<details><summary>All results"), html.find(differs));
    EXPECT_EQ(count(html, "<tr><td>1. plain</td><td>200 MHz</td><td>done</td>"), 1u)
        << "rows have the axes";
    EXPECT_EQ(count(html, "max-width:76em"), 0u) << "a wide window is used";
    EXPECT_EQ(count(html, joules), 2u);
    EXPECT_EQ(count(html, "<title>plain: 2 runs</title>"), 1u);
    EXPECT_EQ(count(html, "<p class=\"question\">Is it fast?</p>"), 1u);
    EXPECT_EQ(count(html, "<th class=\"number\">energy [mJ]</th>"), 1u);
    EXPECT_EQ(count(html, "<td class=\"number\">2.000</td>"), 1u);
    EXPECT_EQ(count(html, "<p>1. plain: energy.link: is extrapolated</p>"), 1u);
    EXPECT_EQ(count(html, "<p>2. plain: a stack ran below its end</p>"), 1u);
    EXPECT_EQ(count(html, "<td>sim_hash</td><td>52c0ffee</td>"), 1u);
    EXPECT_EQ(count(html, "<td>elf_digests[0].sha256</td><td>77</td>"), 2u);
    EXPECT_EQ(count(html, "<pre>spinnsim run &#39;b/config.yaml&#39; --out again\n</pre>"), 1u);
    EXPECT_EQ(count(html, "<pre>name: x\n"), 2u);
    for (const char *none : {"<script", "http://", "https://", "<link", "<iframe", "url("}) {
        EXPECT_EQ(count(html, none), std::string("http://") == none ? 1u : 0u)
            << none << ": the name space alone";
    }
    EXPECT_EQ(count(html, "src=\""), count(html, "src=\"data:image/svg+xml;base64,"));
}

TEST_F(Report, OfASweepsFolderIsOrderedByWhatDiffers)
{
    made("sweep/1", "200 MHz", "plain", "");
    made("sweep/2", "100 MHz", "plain", "");
    made("sweep/3", "50 MHz", "plain", "");
    write("sweep/plain-sweep.csv", "point\n");
    const std::string html = page({"sweep"});
    EXPECT_NE(html.find("<tr><td>1. plain</td><td>50 MHz</td></tr>\n<tr><td>2. plain</td><td>100 "
                        "MHz</td></tr>\n"
                        "<tr><td>3. plain</td><td>200 MHz</td></tr>"),
              std::string::npos);
    EXPECT_EQ(html.find("question\">"), std::string::npos);
    if (run_command({"gnuplot", "--version"}).status != 0) {
        EXPECT_EQ(count(html, "No figure: figures need gnuplot, which is not installed."), 1u);
        return;
    }
    EXPECT_EQ(count(html, "<figcaption>Machine time over Core clock</figcaption>"), 1u);
    const std::string markdown = spinnsim({"report", "sweep"}).out;
    EXPECT_EQ(count(markdown, " MHz | done |"), 3u) << markdown;
}

TEST_F(Report, NamesAreText)
{
    const std::string name = "</title><script>alert(1)</script>&amp; ]]>'";
    made("a'b <i>&", "100 MHz", name, "<img src=x onerror='x'>?");
    const std::string html = page({"a'b <i>&", "b"});
    EXPECT_EQ(count(html, "<script"), 0u);
    EXPECT_EQ(count(html, "<img src=x"), 0u);
    EXPECT_NE(
        html.find(
            "<td>1. &lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;amp; ]]&gt;&#39;</td>"),
        std::string::npos);
    EXPECT_NE(html.find("<p class=\"question\">&lt;img src=x onerror=&#39;x&#39;&gt;?</p>"),
              std::string::npos);
    EXPECT_NE(
        html.find(
            "spinnsim run &#39;a&#39;\\&#39;&#39;b &lt;i&gt;&amp;/config.yaml&#39; --out again"),
        std::string::npos);
}

TEST_F(Report, FormatIsChosenByNameOrOption)
{
    EXPECT_EQ(spinnsim({"report", "a"}).out.rfind("**Runs**\n", 0), 0u);
    EXPECT_EQ(spinnsim({"report", "a", "--format", "html"}).out.rfind("<!DOCTYPE html>\n", 0), 0u);
    EXPECT_EQ(spinnsim({"report", "a", "--out", "x.html", "--format", "markdown"}).status, 0);
    EXPECT_EQ(read("x.html"), spinnsim({"report", "a"}).out);
    EXPECT_EQ(spinnsim({"report", "a", "--out", "x.md"}).status, 0);
    EXPECT_EQ(read("x.md"), read("x.html"));
    EXPECT_EQ(spinnsim({"report", "a", "--format", "pdf"}).status, 2);
    EXPECT_EQ(spinnsim({"report", "a", "--format", "html", "--template", "t"}).status, 2);
    for (const char *out : {"r.pdf", "r.", "r.HTML", "x.html/r.htm"}) {
        const finished odd = spinnsim({"report", "a", "--out", out});
        EXPECT_EQ(odd.status, 2) << out;
        EXPECT_NE(odd.err.find(std::string(out) + ": a page ends in .md or .html"),
                  std::string::npos)
            << odd.err;
        EXPECT_FALSE(exists(out)) << out;
    }
    const finished none = spinnsim({"report", "a", "none", "--out", "y.html"});
    EXPECT_EQ(none.status, 2);
    EXPECT_NE(none.err.find("none/summary.json: cannot read"), std::string::npos) << none.err;
    EXPECT_FALSE(exists("y.html"));
}

/* Real results, with all figures, in a browser if there is one. */
TEST_F(Report, IsShownByABrowser)
{
    if (!has_programs()) {
        GTEST_SKIP() << "no ARM programs were built: arm-none-eabi-gcc is missing";
    }
    run(experiment("hello"), "hello");
    const std::string html = page({"hello"});
    EXPECT_NE(
        html.find(
            "<p class=\"question\">How is a program of one&#39;s own run, on four cores?</p>"),
        std::string::npos);
    if (run_command({"gnuplot", "--version"}).status == 0) {
        EXPECT_EQ(count(html, "<figure>"), 3u);
    }
    for (const char *browser : {"chromium", "chromium-browser", "google-chrome"}) {
        const finished shown =
            run_command({"sh", "-c",
                         std::string("exec ") + browser +
                             " --headless --no-sandbox --dump-dom page.html 2>errors"},
                        folder);
        if (shown.status == 0) {
            EXPECT_NE(shown.out.find("Identity, and how to repeat"), std::string::npos);
            EXPECT_EQ(count(shown.out, "<figure>"), count(html, "<figure>"));
            return;
        }
    }
    GTEST_SKIP() << "no browser is installed: the page was checked as XML alone";
}
