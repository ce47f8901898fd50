/* command_regress.c - `spinnsim regress`: what moved, where, by how much. */
#include "sim/cli/command.h"
#include "sim/cli/message.h"
#include "sim/cli/run_options.h"
#include "sim/compare/comparison.h"
#include "sim/experiment/regress.h"
#include "sim/results/json.h"
#include "sim/results/printable.h"

#include <inttypes.h>
#include <stdio.h>

enum regress_format { FORMAT_TEXT, FORMAT_JSON, FORMAT_JUNIT };

struct arguments {
    unsigned format; /* enum regress_format */
    struct argument_list sets, tolerance;
    const char *workloads, *which, *add, *counters, *data_dir;
    uint64_t threads;
    bool bless;
};

#define AT(field) offsetof(struct arguments, field)

static const struct command_option OPTIONS[] = {
    {"add", ARGUMENT_TEXT, AT(add), "EXPERIMENT",
     "record a new golden of a YAML file, or of a program for one core: in the folder, as NAME.csv "
     "of NAME.yaml, or in the file",
     0, 0},
    {"counters", ARGUMENT_TEXT, AT(counters), "PATTERN",
     "with --add: hold these counts only, for example 'time_ps,core.*'; default all", 0, 0},
    {"tolerance", ARGUMENT_LIST, AT(tolerance), "PATTERN=PERCENT",
     "with --add: how far such counts may move, for example 'core.*=0.5 %'; default not at all; "
     "may be repeated",
     0, 0},
    {"bless", ARGUMENT_FLAG, AT(bless), NULL, "record what is measured as the new goldens", 0, 0},
    {"format", ARGUMENT_CHOICE, AT(format), "text|json|junit",
     "how to tell what moved; with json and junit the text goes to standard error", 0, 0},
    {"set", ARGUMENT_LIST, AT(sets), "KEY=VALUE",
     "override a value of every experiment; may be repeated", 0, 0},
    {"data", ARGUMENT_TEXT, AT(data_dir), "DIR", "where the files of MNIST lie", 0, 0},
    {"threads", ARGUMENT_WHOLE, AT(threads), "N",
     "threads of this computer; results do not depend on it", RUN_THREADS_MAX, 0},
    {"workloads", ARGUMENT_TEXT, AT(workloads), "DIR", "where built ARM programs lie", 0, 0},
    {0}};

static void check(void *given, struct argp_state *state)
{
    const struct arguments *arguments = given;
    const bool adds = arguments->add != NULL;
    if ((arguments->bless || adds) && arguments->sets.count > 0) {
        argp_error(state, "%s with --set would record another experiment",
                   adds ? "--add" : "--bless");
    }
    if (arguments->bless && adds) {
        argp_error(state, "--bless renews goldens, --add begins one: not both");
    }
    if (!adds && (arguments->counters != NULL || arguments->tolerance.count > 0)) {
        argp_error(state, "--counters and --tolerance belong to a new golden: --add EXPERIMENT");
    }
}

/* ---- telling ---- */

static const char *const VERDICT[REGRESS_VERDICTS] = {"same",    "differs", "failed",
                                                      "skipped", "blessed", "added"};

static double percent(const struct difference *change)
{
    static const double PERCENT = 100;
    const double from = change->in[DIFFERENCE_BASE].real;
    return from > 0 ? PERCENT * change->change / from : 0;
}

enum { EXPLANATION_CHARS = 2048 };

/* What is to be said about a golden, besides the counts that moved. */
static void explain(const struct regress_case *at, char *text)
{
    const struct golden_comparison *of = &at->comparison;
    if (at->verdict == REGRESS_FAILED) {
        (void)snprintf(text, EXPLANATION_CHARS, "%s", at->failure);
    } else if (at->verdict == REGRESS_SKIPPED) {
        (void)snprintf(text, EXPLANATION_CHARS, "%s", of->programs);
    } else if (at->verdict == REGRESS_ADDED) {
        (void)snprintf(text, EXPLANATION_CHARS, "%zu counts in %s", of->counts.count, at->file);
    } else if (of->counts.ranked_count > 0) {
        (void)snprintf(text, EXPLANATION_CHARS, "%zu of %zu counts; %s", of->counts.ranked_count,
                       of->counts.count,
                       of->other_programs ? of->programs : "the programs are the recorded ones");
    } else {
        (void)snprintf(text, EXPLANATION_CHARS, "%zu counts%s%s", of->counts.count,
                       of->other_programs ? "; " : "", of->programs);
    }
}

/* How many counts moved: those of another compiler's programs say nothing. */
static size_t changes_of(const struct regress_case *at)
{
    return at->verdict == REGRESS_SKIPPED ? 0 : at->comparison.counts.ranked_count;
}

/* ---- as text, while it goes on ---- */

static void tell_case(void *stream, const struct regress_case *at)
{
    enum { MOST = 20 };
    char text[EXPLANATION_CHARS];
    explain(at, text);
    (void)fprintf(stream, "%-7s ", VERDICT[at->verdict]);
    printable_put(stream, at->name);
    (void)fputs(": ", stream);
    printable_put(stream, text);
    (void)fputc('\n', stream);
    if (changes_of(at) > 0) {
        comparison_print_counts(stream, "Counts: A of the golden, B now", &at->comparison.counts,
                                MOST);
        (void)fputc('\n', stream);
    }
    (void)fflush(stream);
}

static void tell_sum(FILE *stream, const struct regress_result *result)
{
    const size_t *verdicts = result->verdicts;
    (void)fprintf(stream, "%zu golden%s: %zu same, %zu differ%s", result->count,
                  result->count == 1 ? "" : "s", verdicts[REGRESS_SAME], verdicts[REGRESS_DIFFERS],
                  verdicts[REGRESS_DIFFERS] == 1 ? "s" : "");
    for (int i = 0; i < REGRESS_VERDICTS; i++) {
        const bool always = i == REGRESS_SKIPPED;
        if (i != REGRESS_SAME && i != REGRESS_DIFFERS && (always || verdicts[i] > 0)) {
            (void)fprintf(stream, ", %zu %s", verdicts[i], VERDICT[i]);
        }
    }
    (void)fputc('\n', stream);
}

/* ---- for programs ---- */

static void print_json(const struct regress_result *result)
{
    char text[EXPLANATION_CHARS];
    struct json json;
    json_begin(&json, stdout);
    for (int i = 0; i < REGRESS_VERDICTS; i++) {
        json_whole(&json, VERDICT[i], result->verdicts[i]);
    }
    json_array(&json, "goldens");
    for (size_t i = 0; i < result->count; i++) {
        const struct regress_case *at = &result->of[i];
        explain(at, text);
        json_object(&json, NULL);
        json_text(&json, "name", at->name);
        json_text(&json, "file", at->file);
        json_text(&json, "verdict", VERDICT[at->verdict]);
        json_text(&json, "reason", text);
        json_whole(&json, "counts", at->comparison.counts.count);
        json_array(&json, "changes");
        for (size_t c = 0; c < changes_of(at); c++) {
            const struct difference *change = at->comparison.counts.ranked[c];
            json_object(&json, NULL);
            json_text(&json, "count", change->item);
            json_whole(&json, "golden", change->in[DIFFERENCE_BASE].count);
            json_whole(&json, "now", change->in[DIFFERENCE_OTHER].count);
            json_real(&json, "percent", percent(change));
            json_real(&json, "share", change->importance);
            json_end_object(&json);
        }
        json_end_array(&json);
        json_end_object(&json);
    }
    json_end_array(&json);
    json_end(&json);
}

static void print_xml_text(const char *text)
{
    static const char *const ENTITY[] = {
        ['<'] = "&lt;", ['>'] = "&gt;", ['&'] = "&amp;", ['"'] = "&quot;"};
    char character[PRINTABLE_BYTES];
    while (*text != '\0') {
        text = printable_next(text, character);
        const unsigned char first = (unsigned char)character[0];
        const bool plain = first >= sizeof ENTITY / sizeof *ENTITY || ENTITY[first] == NULL;
        (void)fputs(plain ? character : ENTITY[first], stdout);
    }
}

static void print_junit_case(const struct regress_case *at)
{
    char text[EXPLANATION_CHARS];
    const bool skipped = at->verdict == REGRESS_SKIPPED;
    explain(at, text);
    (void)fputs("  <testcase classname=\"spinnsim.regress\" name=\"", stdout);
    print_xml_text(at->name);
    (void)fputs("\">\n", stdout);
    if (skipped || at->verdict == REGRESS_DIFFERS || at->verdict == REGRESS_FAILED) {
        (void)printf("    <%s message=\"", skipped ? "skipped" : "failure");
        print_xml_text(text);
        (void)fputs("\">", stdout);
        for (size_t c = 0; c < changes_of(at); c++) {
            const struct difference *change = at->comparison.counts.ranked[c];
            print_xml_text(change->item);
            (void)printf(": %" PRIu64 ", now %" PRIu64 " (%+.4f %%)\n",
                         change->in[DIFFERENCE_BASE].count, change->in[DIFFERENCE_OTHER].count,
                         percent(change));
        }
        (void)printf("</%s>\n", skipped ? "skipped" : "failure");
    }
    (void)fputs("  </testcase>\n", stdout);
}

static void print_junit(const struct regress_result *result)
{
    (void)printf("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                 "<testsuite name=\"goldens\" tests=\"%zu\" failures=\"%zu\" skipped=\"%zu\">\n",
                 result->count,
                 result->verdicts[REGRESS_DIFFERS] + result->verdicts[REGRESS_FAILED],
                 result->verdicts[REGRESS_SKIPPED]);
    for (size_t i = 0; i < result->count; i++) {
        print_junit_case(&result->of[i]);
    }
    (void)fputs("</testsuite>\n", stdout);
}

/* ---- the command ---- */

static void print_rest(const struct regress_result *result, enum regress_format format, FILE *text)
{
    tell_sum(text, result);
    if (format == FORMAT_JSON) {
        print_json(result);
    } else if (format == FORMAT_JUNIT) {
        print_junit(result);
    }
}

static int run(int argc, char **argv, const struct folders *folders)
{
    struct arguments arguments = {.workloads = folders->workloads, .threads = 1};
    struct regress_result result;
    struct diagnostic diagnostic = {0};
    command_parse(&COMMAND_regress, argc, argv, &arguments);
    FILE *text = arguments.format == FORMAT_TEXT ? stdout : stderr;
    const struct golden_wish wish = {.experiment = arguments.add,
                                     .counters = arguments.counters,
                                     .tolerance = arguments.tolerance.text,
                                     .tolerances = arguments.tolerance.count};
    const struct regress_request request = {
        .which = arguments.which,
        .places = {.golden_folder = folders->golden, .configs_folder = folders->configs},
        .wish = arguments.add == NULL ? NULL : &wish,
        .tier = command_default_tier(),
        .threads = (unsigned)arguments.threads,
        .data_dir = arguments.data_dir,
        .workloads_folder = arguments.workloads,
        .sets = arguments.sets.text,
        .set_count = arguments.sets.count,
        .bless = arguments.bless,
        .tell = tell_case,
        .tell_context = text};
    const enum status status = regress_run(&request, &result, &diagnostic);
    if (status != STATUS_OK) {
        return message_error(status, &diagnostic);
    }
    print_rest(&result, (enum regress_format)arguments.format, text);
    const bool good = result.verdicts[REGRESS_DIFFERS] + result.verdicts[REGRESS_FAILED] == 0;
    regress_result_deinit(&result);
    return good ? 0 : status_exit_code(STATUS_REJECTED);
}

const struct command COMMAND_regress = {
    .name = "regress",
    .summary = "compare exact counts with the recorded goldens: what moved, where, by how much",
    .operands = "[FOLDER|GOLDEN]",
    .noun = "golden",
    .operand_at = AT(which),
    .text = "Runs the experiments of goldens and compares their counts, exactly, with the recorded "
            "ones: of a folder, of one file NAME.csv, of one of spinnsim's own by its name, or of "
            "all of these.  A golden of one's own is begun with --add, and may lie anywhere: it "
            "names its experiment from its own folder.  A changed program is compared; programs "
            "of another compiler than the recorded one are a skip, with the reason."
            "\vOf the counts that moved, those come first whose change is the largest share of the "
            "largest count of their unit, as with `spinnsim diff`.  Exit status 5 when a count "
            "moved, a run failed or was outside "
            "its `accept`.",
    .options = OPTIONS,
    .check = check,
    .run = run};
