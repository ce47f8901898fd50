/* command_regress.c - `spinnsim regress`: what moved, where, by how much. */
#include "sim/cli/command.h"
#include "sim/cli/message.h"
#include "sim/cli/run_options.h"
#include "sim/compare/comparison.h"
#include "sim/experiment/regress.h"
#include "sim/results/json.h"
#include "sim/results/printable.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum regress_format { FORMAT_TEXT, FORMAT_JSON, FORMAT_JUNIT };

struct arguments {
    unsigned format; /* enum regress_format */
    struct argument_list sets, tolerance;
    const char *workloads, *which, *add, *counters, *data_dir;
    uint64_t threads;
    bool bless, strict;
};

#define AT(field) offsetof(struct arguments, field)

static const struct command_option OPTIONS[] = {
    {"add", ARGUMENT_TEXT, AT(add), "EXPERIMENT",
     "record a new golden of a YAML file, or of a program for one core: in the folder, as NAME.csv "
     "of NAME.yaml, or in the file",
     0, 0},
    {"counters", ARGUMENT_TEXT, AT(counters), "PATTERN",
     "with --add: hold these counts and answers only, for example 'time_ps,core.*,answer "
     "console*'; "
     "default all",
     0, 0},
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
    {"strict", ARGUMENT_FLAG, AT(strict), NULL,
     "a golden that is skipped is a failure, too: exit status 5", 0, 0},
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

static void append(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void append(char *text, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list list;
    va_start(list, format);
    (void)vsnprintf(text + used, EXPLANATION_CHARS - used, format, list);
    va_end(list);
}

/* "console, memory": each kind of answers that differ once; they come in order of kind. */
static void append_kinds(char *text, const struct golden_comparison *of)
{
    for (size_t i = 0; i < of->answer_count; i++) {
        if (i == 0 || strcmp(of->answer[i].kind, of->answer[i - 1].kind) != 0) {
            append(text, "%s%s", i == 0 ? "" : ", ", of->answer[i].kind);
        }
    }
}

/* The function that explains most: that whose cycles have moved most, else whose instructions. */
static const struct difference *first_function(const struct golden_comparison *of)
{
    const struct difference *most = NULL;
    for (size_t i = 0; i < of->functions.ranked_count; i++) {
        const struct difference *row = of->functions.ranked[i];
        const bool cycles = strcmp(row->unit, "cycle") == 0;
        if (most == NULL || (cycles && strcmp(most->unit, "cycle") != 0)) {
            most = row;
        }
    }
    return most;
}

/* What has changed, as "console, 3 of 45 counts, most in work (+20 cycles); program ...". */
static void explain_changes(const struct golden_comparison *of, char *text)
{
    append_kinds(text, of);
    append(text, "%s%zu of %zu counts", of->answer_count > 0 ? "; " : "", of->counts.ranked_count,
           of->counts.count);
    const struct difference *function = of->counts.ranked_count > 0 ? first_function(of) : NULL;
    if (function != NULL) {
        const char *comma = strrchr(function->item, ',');
        append(text, ", most in %.*s (%+.0f %ss)", (int)(comma - function->item), function->item,
               function->change, function->unit);
    }
    append(text, "; %s", of->other_programs ? of->programs : "the programs are the recorded ones");
}

/* What is to be said about a golden, besides the counts that moved. */
static void explain(const struct regress_case *at, char *text)
{
    const struct golden_comparison *of = &at->comparison;
    text[0] = '\0';
    if (at->verdict == REGRESS_FAILED) {
        append(text, "%s", at->failure);
        return;
    }
    if (at->verdict == REGRESS_SKIPPED) {
        append(text, "%s", of->programs);
        return;
    }
    if (at->verdict == REGRESS_ADDED) {
        append(text, "%zu counts, %zu answers in %s", of->counts.count, of->answers, at->file);
        return;
    }
    if (of->counts.ranked_count + of->answer_count > 0) {
        explain_changes(of, text);
    } else {
        append(text, "%zu counts", of->counts.count);
        if (!of->unheld && of->answers > 0) {
            append(text, ", %zu answers", of->answers);
        }
        append(text, "%s%s", of->other_programs ? "; " : "", of->programs);
    }
    if (of->unheld) {
        append(text, at->verdict == REGRESS_BLESSED ? "; answers are held from now on"
                                                    : "; it holds no answers: --bless adds them");
    }
}

/* How many counts, functions, answers moved: those of another compiler's programs say nothing, nor
 * do samples of functions when all counts are the same. */
static size_t changes_of(const struct regress_case *at)
{
    return at->verdict == REGRESS_SKIPPED ? 0 : at->comparison.counts.ranked_count;
}

static size_t functions_of(const struct regress_case *at)
{
    return changes_of(at) == 0 ? 0 : at->comparison.functions.ranked_count;
}

static size_t answers_of(const struct regress_case *at)
{
    return at->verdict == REGRESS_SKIPPED ? 0 : at->comparison.answer_count;
}

/* ---- as text, while it goes on ---- */

/* "console line 3: 'sum 45', now 'sum 46'". */
static void put_answer(FILE *stream, const struct golden_answer *answer,
                       void (*put)(FILE *stream, const char *text))
{
    put(stream, answer->what);
    if (answer->golden[0] != '\0' || answer->now[0] != '\0') {
        (void)fputs(": ", stream);
        put(stream, answer->golden[0] == '\0' ? "nothing" : answer->golden);
        (void)fputs(", now ", stream);
        put(stream, answer->now[0] == '\0' ? "nothing" : answer->now);
    }
    (void)fputc('\n', stream);
}

/* Of each kind some. */
static void tell_answers(FILE *stream, const struct golden_comparison *of)
{
    enum { MOST = 8 };
    size_t first = 0; /* of the kind */
    (void)fputs("\nAnswers that differ: of the golden, now\n", stream);
    for (size_t i = 0; i < of->answer_count; i++) {
        const struct golden_answer *answer = &of->answer[i];
        first = strcmp(answer->kind, of->answer[first].kind) == 0 ? first : i;
        const bool last =
            i + 1 == of->answer_count || strcmp(answer->kind, of->answer[i + 1].kind) != 0;
        if (i - first < MOST) {
            (void)fputs("  ", stream);
            put_answer(stream, answer, printable_put);
        } else if (last) {
            (void)fprintf(stream, "  and %zu more of %s\n", i + 1 - first - MOST, answer->kind);
        }
    }
}

static void tell_case(void *stream, const struct regress_case *at)
{
    enum { MOST = 20, MOST_FUNCTIONS = 8 };
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
    }
    if (functions_of(at) > 0) {
        comparison_print_counts(stream,
                                "Functions: A of the golden, B now; sampled, if they run long",
                                &at->comparison.functions, MOST_FUNCTIONS);
    }
    if (answers_of(at) > 0) {
        tell_answers(stream, &at->comparison);
    }
    if (changes_of(at) + answers_of(at) > 0) {
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

static void print_json_rows(struct json *json, const char *name, const char *of,
                            const struct difference_table *table, size_t count)
{
    json_array(json, name);
    for (size_t c = 0; c < count; c++) {
        const struct difference *change = table->ranked[c];
        json_object(json, NULL);
        json_text(json, of, change->item);
        json_whole(json, "golden", change->in[DIFFERENCE_BASE].count);
        json_whole(json, "now", change->in[DIFFERENCE_OTHER].count);
        json_real(json, "percent", percent(change));
        json_real(json, "share", change->importance);
        json_end_object(json);
    }
    json_end_array(json);
}

static void print_json_answers(struct json *json, const struct regress_case *at)
{
    json_array(json, "answers_changed");
    for (size_t i = 0; i < answers_of(at); i++) {
        const struct golden_answer *answer = &at->comparison.answer[i];
        json_object(json, NULL);
        json_text(json, "kind", answer->kind);
        json_text(json, "answer", answer->what);
        json_text(json, "golden", answer->golden);
        json_text(json, "now", answer->now);
        json_end_object(json);
    }
    json_end_array(json);
}

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
        json_whole(&json, "answers", at->comparison.answers);
        json_flag(&json, "holds_answers", !at->comparison.unheld && at->comparison.answers > 0);
        print_json_rows(&json, "changes", "count", &at->comparison.counts, changes_of(at));
        print_json_rows(&json, "functions", "function", &at->comparison.functions,
                        functions_of(at));
        print_json_answers(&json, at);
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

static void put_xml_text(FILE *stream, const char *text)
{
    (void)stream;
    print_xml_text(text);
}

static void print_junit_case(const struct regress_case *at, bool strict)
{
    char text[EXPLANATION_CHARS];
    const bool fails = at->verdict == REGRESS_DIFFERS || at->verdict == REGRESS_FAILED ||
                       (strict && at->verdict == REGRESS_SKIPPED);
    const bool skipped = at->verdict == REGRESS_SKIPPED && !fails;
    explain(at, text);
    (void)fputs("  <testcase classname=\"spinnsim.regress\" name=\"", stdout);
    print_xml_text(at->name);
    (void)fputs("\">\n", stdout);
    if (skipped || fails) {
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
        for (size_t i = 0; i < answers_of(at); i++) {
            put_answer(stdout, &at->comparison.answer[i], put_xml_text);
        }
        (void)printf("</%s>\n", skipped ? "skipped" : "failure");
    }
    (void)fputs("  </testcase>\n", stdout);
}

/* How many goldens fail. */
static size_t failures_of(const struct regress_result *result, bool strict)
{
    return result->verdicts[REGRESS_DIFFERS] + result->verdicts[REGRESS_FAILED] +
           (strict ? result->verdicts[REGRESS_SKIPPED] : 0);
}

static void print_junit(const struct regress_result *result, bool strict)
{
    (void)printf("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                 "<testsuite name=\"goldens\" tests=\"%zu\" failures=\"%zu\" skipped=\"%zu\">\n",
                 result->count, failures_of(result, strict),
                 strict ? 0 : result->verdicts[REGRESS_SKIPPED]);
    for (size_t i = 0; i < result->count; i++) {
        print_junit_case(&result->of[i], strict);
    }
    (void)fputs("</testsuite>\n", stdout);
}

/* ---- the command ---- */

static void print_rest(const struct regress_result *result, const struct arguments *arguments,
                       FILE *text)
{
    const enum regress_format format = (enum regress_format)arguments->format;
    tell_sum(text, result);
    if (format == FORMAT_JSON) {
        print_json(result);
    } else if (format == FORMAT_JUNIT) {
        print_junit(result, arguments->strict);
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
    const struct regress_request request = {.which = arguments.which,
                                            .golden_folder = folders->golden,
                                            .wish = arguments.add == NULL ? NULL : &wish,
                                            .run = {.configs_folder = folders->configs,
                                                    .sets = arguments.sets.text,
                                                    .set_count = arguments.sets.count,
                                                    .job = {.data_dir = arguments.data_dir,
                                                            .workloads_folder = arguments.workloads,
                                                            .threads = (unsigned)arguments.threads,
                                                            .tier = command_default_tier()}},
                                            .bless = arguments.bless,
                                            .tell = tell_case,
                                            .tell_context = text};
    const enum status status = regress_run(&request, &result, &diagnostic);
    if (status != STATUS_OK) {
        return message_error(status, &diagnostic);
    }
    print_rest(&result, &arguments, text);
    const bool good = failures_of(&result, arguments.strict) == 0;
    regress_result_deinit(&result);
    return good ? 0 : status_exit_code(STATUS_REJECTED);
}

const struct command COMMAND_regress = {
    .name = "regress",
    .summary = "compare counts and answers with the recorded goldens: what moved, where, how much",
    .operands = "[FOLDER|GOLDEN]",
    .noun = "golden",
    .operand_at = AT(which),
    .text = "Runs the experiments of goldens and compares their counts and answers (console, "
            "predictions, weights, memory), exactly, with the recorded ones: of a folder, of one "
            "file NAME.csv, of one of spinnsim's own by its name, or of all of these.  A golden of "
            "one's own is begun with --add, and may lie anywhere: it names its experiment from its "
            "own folder.  A changed program is compared; programs of another compiler than the "
            "recorded one are a skip, with the reason."
            "\vOf the counts that moved, the time comes first, then those whose change is the "
            "largest share of the largest count of their unit, as with `spinnsim diff`; then the "
            "functions that explain it, then the answers that differ.  Exit status 5 when a count "
            "or an answer moved, a run failed or was outside its `accept`, or, with --strict, when "
            "a golden was skipped.",
    .options = OPTIONS,
    .check = check,
    .run = run};
