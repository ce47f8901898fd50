/* operators.c - operators_measure() of operators.h: all cases, the table and the summary. */
#include "sim/measure/operators.h"

#include "sim/csv.h"
#include "sim/networks/layer.h"
#include "sim/steps.h"

#include <math.h>
#include <string.h>

enum { FORMATS = NETWORK_INT8 + 1 };

enum {
    TYPES = 0
#define LAYER(NAME, name) +1
#include "tables/layers.def"
};

/* What the report says of a type of layer in a number format. */
struct operator_sum {
    size_t computed, refused, modelled, differ;
    double largest; /* difference in last bits; of floating point as it is */
};

struct measuring {
    const struct operators_request *request;
    FILE *csv;
    struct operators_folder folder;
    struct operator_sum sum[TYPES][FORMATS];
    double gradient;
    size_t cases;
    struct diagnostic *diagnostic;
};

static void measuring_deinit(struct measuring *measuring)
{
    operators_folder_remove(&measuring->folder);
}

/* "conv2d, maps: 3, kernel: 3, tanh", with what is before it. */
static void name_case(const struct operator_case *of, char *name, size_t size)
{
    const char *layer = of->row->layer + strlen("type: ");
    (void)snprintf(name, size, "%s%s%s%s", layer, of->activation == NULL ? "" : ", ",
                   of->activation == NULL ? "" : of->activation,
                   of->row->before[0] == '\0' ? "" : ", behind another");
}

static void write_number(FILE *csv, bool is_there, double value)
{
    (void)fputc(',', csv);
    if (is_there) {
        (void)fprintf(csv, "%.6g", value);
    }
}

static void write_shape(FILE *csv, struct network_shape shape)
{
    (void)fprintf(csv, ",%ux%ux%u", shape.channels, shape.height, shape.width);
}

static void write_row(FILE *csv, const struct operator_case *of,
                      const struct operator_figures *figures)
{
    char name[OPERATOR_TEXT];
    const struct network_layer *layer = &of->network.layer[of->at];
    const bool has_bits = figures->computed && !isnan(figures->lsb);
    name_case(of, name, sizeof name);
    csv_text(csv, name);
    write_shape(csv, layer->input);
    write_shape(csv, layer->output);
    (void)fprintf(csv, ",%s", figures->format);
    write_number(csv, has_bits, figures->largest / figures->lsb);
    write_number(csv, has_bits, figures->mean / figures->lsb);
    write_number(csv, figures->computed, figures->largest);
    write_number(csv, figures->computed, figures->mean);
    write_number(csv, figures->computed, (double)figures->saturations);
    write_number(csv, true, of->gradient);
    write_number(csv, figures->modelled, figures->cycles);
    write_number(csv, figures->modelled, figures->joules);
    (void)fprintf(csv, ",%s,", !figures->modelled ? "" : figures->equal ? "equal" : "differs");
    csv_text(csv, figures->remark);
    (void)fputc('\n', csv);
}

static void add_up(struct measuring *measuring, const struct operator_case *of,
                   const struct operator_figures *figures)
{
    const double difference =
        isnan(figures->lsb) ? figures->largest : figures->largest / figures->lsb;
    struct operator_sum *sum = &measuring->sum[of->network.layer[of->at].type][of->numbers];
    sum->refused += !figures->computed;
    sum->computed += figures->computed;
    sum->modelled += figures->modelled;
    sum->differ += figures->modelled && !figures->equal;
    sum->largest = figures->computed && difference > sum->largest ? difference : sum->largest;
    measuring->gradient = of->gradient > measuring->gradient ? of->gradient : measuring->gradient;
}

static enum status measure_case(struct measuring *measuring, const struct operator_case *of)
{
    struct operator_figures figures;
    TRY(operator_measure(measuring->request, &measuring->folder, of, &figures,
                         measuring->diagnostic));
    add_up(measuring, of, &figures);
    if (measuring->csv != NULL) {
        write_row(measuring->csv, of, &figures);
    }
    return STATUS_OK;
}

static enum status measure_row(struct measuring *measuring, const struct operator_row *row)
{
    const char *activation;
    for (size_t number = 0; operator_case_next(row, &number, &activation);) {
        measuring->cases++;
        for (size_t format = 0; format < FORMATS; format++) {
            RELEASED(operator_case_deinit) struct operator_case of = {0};
            TRY(operator_case_make(&of, row, activation, (enum network_numbers)format,
                                   measuring->request->seed, measuring->diagnostic));
            TRY(measure_case(measuring, &of));
        }
    }
    return STATUS_OK;
}

static void write_report(FILE *report, const struct measuring *measuring)
{
    struct operator_sum all = {0};
    (void)fprintf(report,
                  "Largest differences from doubles, in last bits of an output (float32: "
                  "absolute); -: no kernel\n%-16s",
                  "operator");
    for (size_t f = 0; f < FORMATS; f++) {
        (void)fprintf(report, " %9s", NUMBER_FORMAT[f].text);
    }
    (void)fputc('\n', report);
    for (size_t t = 0; t < TYPES; t++) {
        (void)fprintf(report, "%-16s", layer_kind_of((enum network_layer_type)t)->name);
        for (size_t f = 0; f < FORMATS; f++) {
            const struct operator_sum *sum = &measuring->sum[t][f];
            all.computed += sum->computed;
            all.refused += sum->refused;
            all.modelled += sum->modelled;
            (void)(sum->computed == 0 ? fprintf(report, " %9s", "-")
                                      : fprintf(report, " %9.3g", sum->largest));
        }
        (void)fputc('\n', report);
    }
    (void)fprintf(report,
                  "%zu cases, %d images each: %zu computed, %zu without a kernel, %zu on a core\n"
                  "gradients in doubles: within %.1e of central differences\n",
                  measuring->cases, OPERATOR_IMAGES, all.computed, all.refused, all.modelled,
                  measuring->gradient);
}

enum status operators_measure(const struct operators_request *request, FILE *csv, FILE *report,
                              struct diagnostic *diagnostic)
{
    RELEASED(measuring_deinit)
    struct measuring measuring = {.request = request, .csv = csv, .diagnostic = diagnostic};
    size_t differ = 0;
    TRY(operators_folder_make(&measuring.folder, diagnostic));
    if (csv != NULL) {
        (void)fprintf(csv, "operator,input,output,format,largest_lsb,mean_lsb,largest,mean,"
                           "saturations,gradient_difference,cycles,joules,core,remark\n");
    }
    for (size_t i = 0; i < OPERATOR_ROW_COUNT; i++) {
        TRY(measure_row(&measuring, &OPERATOR_ROWS[i]));
    }
    write_report(report, &measuring);
    for (size_t t = 0; t < TYPES; t++) {
        for (size_t f = 0; f < FORMATS; f++) {
            differ += measuring.sum[t][f].differ;
        }
    }
    return differ == 0
               ? STATUS_OK
               : diagnose(diagnostic, STATUS_REJECTED,
                          "in %zu cases a modelled core gave other sums than the host", differ);
}
