/* command_regress.c - `spinnsim regress`: what moved, where, by how much. */
#include "sim/cli/arguments.h"
#include "sim/cli/command.h"
#include "sim/cli/message.h"
#include "sim/experiment/regress.h"
#include "sim/results/json.h"
#include "sim/results/printable.h"

#include <stdio.h>
#include <string.h>

enum { KEY_FORMAT = 1, KEY_BLESS, KEY_SET, KEY_GOLDEN, KEY_WORKLOADS };

enum regress_format { FORMAT_TEXT, FORMAT_JSON, FORMAT_JUNIT };

struct regress_arguments {
    enum regress_format format;
    struct argument_list sets;
    const char *golden, *workloads, *only;
    bool bless;
};

static const char DOCUMENTATION[] =
    "Runs the experiments of all goldens, or of one, and compares every count exactly.  Other "
    "guest programs than the recorded ones are a skip, with the reason."
    "\vExit status 5 when a count moved.";

static const struct argp_option OPTIONS[] = {
    {"format", KEY_FORMAT, "text|json|junit", 0, "how to tell what moved", 0},
    {"bless", KEY_BLESS, NULL, 0, "record what is measured as the new goldens", 0},
    {"set", KEY_SET, "KEY=VALUE", 0, "override a value of every experiment; may be repeated", 0},
    {"golden", KEY_GOLDEN, "DIR", 0, "where the goldens lie", 0},
    {"workloads", KEY_WORKLOADS, "DIR", 0, "where built ARM programs lie", 0},
    {0}};

static error_t parse(int key, char *text, struct argp_state *state)
{
    static const char *const FORMAT[] = {"text", "json", "junit"};
    struct regress_arguments *arguments = state->input;
    switch (key) {
    case KEY_FORMAT:
        for (unsigned i = 0; i < sizeof FORMAT / sizeof *FORMAT; i++) {
            if (strcmp(text, FORMAT[i]) == 0) {
                arguments->format = (enum regress_format)i;
                return 0;
            }
        }
        argp_error(state, "--format: %s is none of text, json, junit", text);
        return 0;
    case KEY_BLESS:
        arguments->bless = true;
        return 0;
    case KEY_SET:
        argument_add(&arguments->sets, "--set", text, state);
        return 0;
    case KEY_GOLDEN:
        arguments->golden = text;
        return 0;
    case KEY_WORKLOADS:
        arguments->workloads = text;
        return 0;
    case ARGP_KEY_ARG:
        if (arguments->only != NULL) {
            argp_error(state, "more than one golden: %s and %s", arguments->only, text);
        }
        arguments->only = text;
        return 0;
    case ARGP_KEY_END:
        if (arguments->bless && arguments->sets.count > 0) {
            argp_error(state, "--bless with --set would record another experiment");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ---- telling ---- */

static const char *const VERDICT[] = {"passed", "FAILED", "skipped", "blessed"};

static double percent(const struct regress_change *change)
{
    static const double PERCENT = 100;
    const double from = (double)change->golden;
    return from == 0 ? 0 : PERCENT * ((double)change->now - from) / from;
}

static void print_text(const struct regress_result *result)
{
    for (size_t i = 0; i < result->count; i++) {
        const struct regress_case *at = &result->of[i];
        (void)printf("%-7s %s", VERDICT[at->verdict], at->name);
        if (at->verdict == REGRESS_PASSED) {
            (void)printf(": %zu counts", at->counts);
        } else if (at->reason[0] != '\0') {
            (void)printf(": %s", at->reason);
        }
        (void)fputc('\n', stdout);
        for (size_t c = 0; c < at->change_count; c++) {
            const struct regress_change *change = &at->change[c];
            (void)printf("    %-52s %16llu -> %16llu  %+lld", change->name, change->golden,
                         change->now, (long long)(change->now - change->golden));
            if (change->golden == 0) {
                (void)puts(" (new)");
            } else {
                (void)printf(" (%+.4f %%)\n", percent(change));
            }
        }
    }
    (void)printf("%zu goldens: %zu failed, %zu skipped\n", result->count, result->failed,
                 result->skipped);
}

static void print_json(const struct regress_result *result)
{
    struct json json;
    json_begin(&json, stdout);
    json_whole(&json, "failed", result->failed);
    json_whole(&json, "skipped", result->skipped);
    json_array(&json, "goldens");
    for (size_t i = 0; i < result->count; i++) {
        const struct regress_case *at = &result->of[i];
        json_object(&json, NULL);
        json_text(&json, "name", at->name);
        json_text(&json, "verdict", VERDICT[at->verdict]);
        json_text(&json, "reason", at->reason);
        json_array(&json, "changes");
        for (size_t c = 0; c < at->change_count; c++) {
            json_object(&json, NULL);
            json_text(&json, "count", at->change[c].name);
            json_whole(&json, "golden", at->change[c].golden);
            json_whole(&json, "now", at->change[c].now);
            json_real(&json, "percent", percent(&at->change[c]));
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
    char character[PRINTABLE_BYTES];
    while (*text != '\0') {
        text = printable_next(text, character);
        switch (character[0]) {
        case '<':
            (void)fputs("&lt;", stdout);
            break;
        case '>':
            (void)fputs("&gt;", stdout);
            break;
        case '&':
            (void)fputs("&amp;", stdout);
            break;
        case '"':
            (void)fputs("&quot;", stdout);
            break;
        default:
            (void)fputs(character, stdout);
        }
    }
}

static void print_junit_case(const struct regress_case *at)
{
    (void)fputs("  <testcase classname=\"spinnsim.regress\" name=\"", stdout);
    print_xml_text(at->name);
    (void)fputs("\">\n", stdout);
    if (at->verdict == REGRESS_SKIPPED) {
        (void)fputs("    <skipped message=\"", stdout);
        print_xml_text(at->reason);
        (void)fputs("\"/>\n", stdout);
    } else if (at->verdict == REGRESS_FAILED) {
        (void)printf("    <failure message=\"%zu counts moved\">", at->change_count);
        print_xml_text(at->reason);
        for (size_t c = 0; c < at->change_count; c++) {
            print_xml_text(at->change[c].name);
            (void)printf(": %llu, now %llu (%+.4f %%)\n", at->change[c].golden, at->change[c].now,
                         percent(&at->change[c]));
        }
        (void)fputs("</failure>\n", stdout);
    }
    (void)fputs("  </testcase>\n", stdout);
}

static void print_junit(const struct regress_result *result)
{
    (void)printf("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                 "<testsuite name=\"goldens\" tests=\"%zu\" failures=\"%zu\" skipped=\"%zu\">\n",
                 result->count, result->failed, result->skipped);
    for (size_t i = 0; i < result->count; i++) {
        print_junit_case(&result->of[i]);
    }
    (void)fputs("</testsuite>\n", stdout);
}

int command_regress(int argc, char **argv, const struct folders *folders)
{
    static const struct argp PARSER = {OPTIONS, parse, "[GOLDEN]", DOCUMENTATION, NULL, NULL, NULL};
    static void (*const PRINT[])(const struct regress_result *) = {print_text, print_json,
                                                                   print_junit};
    struct regress_arguments arguments = {.golden = folders->golden,
                                          .workloads = folders->workloads};
    struct regress_result result;
    struct diagnostic diagnostic = {0};
    arguments_parse(&PARSER, "spinnsim regress", argc, argv, &arguments);
    const struct regress_request request = {.golden_folder = arguments.golden,
                                            .configs_folder = folders->configs,
                                            .tier = argument_default_tier(),
                                            .workloads_folder = arguments.workloads,
                                            .sets = arguments.sets.text,
                                            .set_count = arguments.sets.count,
                                            .only = arguments.only,
                                            .bless = arguments.bless};
    const enum status status = regress_run(&request, &result, &diagnostic);
    if (status != STATUS_OK) {
        return message_error(status, &diagnostic);
    }
    PRINT[arguments.format](&result);
    const int exit_status = result.failed == 0 ? 0 : status_exit_code(STATUS_REJECTED);
    regress_result_deinit(&result);
    return exit_status;
}
