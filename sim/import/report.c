/* report.c - what an import has found, for people (imported.h). */
#include "sim/import/imported.h"
#include "sim/networks/layer.h"

#include <math.h>

static const double PERCENT = 100;

static double share(size_t part, size_t whole)
{
    return whole == 0 ? 0 : PERCENT * (double)part / (double)whole;
}

static void report_pixels(const struct imported *imported, FILE *report)
{
    const struct lower_pixels *pixels = &imported->pixels;
    const char *why = imported->request->pixels->scale > 0 ? "as given"
                      : imported->model.input_scale > 0    ? "as the file says"
                                                           : "as most images are right";
    const double steps = 1 / pixels->scale;
    (void)fprintf(report, "pixels          ");
    if (pixels->scale == 1) {
        (void)fprintf(report, "0 to 255");
    } else {
        (void)fprintf(report, "divided by %.6g", steps);
    }
    (void)fprintf(report, ", %s: %.2f %% of %zu calibration images\n", why,
                  PERCENT * imported->ranges.right, imported->images.calibration.count);
    if (imported->right[0] > 0 || imported->right[1] > 0) {
        (void)fprintf(
            report,
            "                of p/255 %.2f %%, of p %.2f %%; say which with --input-scale\n",
            PERCENT * imported->right[0], PERCENT * imported->right[1]);
    }
}

static void report_layers(const struct imported *imported, FILE *report)
{
    (void)fprintf(report, "%-12s %-15s %11s %11s %11s %11s %12s\n", "layer", "type", "weights +-",
                  "sums +-", "outputs +-", "factor", "saturations");
    for (size_t i = 0; i < imported->network.layer_count; i++) {
        const struct network_layer *layer = &imported->network.layer[i];
        const struct range_layer *range = &imported->ranges.layer[i];
        (void)fprintf(report, "%-12s %-15s %11.4g %11.4g %11.4g %11.4g %12llu\n", layer->name,
                      layer_kind_of(layer->type)->name,
                      range->weight > range->bias ? range->weight : range->bias, range->sum,
                      range->output, range->factor,
                      (unsigned long long)imported->agreement.saturations[i]);
    }
    (void)fprintf(report, "%-15s %u of %llu parameters saturated, %u fractional bits\n", "weights",
                  imported->weights.saturated,
                  (unsigned long long)network_parameters(&imported->network),
                  imported->formats.weight_fraction);
}

void imported_report(const struct imported *imported, FILE *report)
{
    const struct agreement *agreement = &imported->agreement;
    (void)fprintf(report, "model           %s, %s\n", imported->model.path, imported->model.format);
    report_pixels(imported, report);
    report_layers(imported, report);
    (void)fprintf(report,
                  "agreement       class of float64 for %zu of %zu images; sums within %.2g of the "
                  "largest, %.4g\n",
                  agreement->same, agreement->images,
                  agreement->logit == 0 ? 0 : agreement->difference / agreement->logit,
                  agreement->logit);
    (void)fprintf(report, "accuracy        %.2f %% (float64: %.2f %%)\n",
                  share(agreement->right, agreement->images),
                  share(agreement->right_exact, agreement->images));
    if (agreement->overflows > 0) {
        (void)fprintf(report, "overflows       %llu sums beyond 32 bits\n",
                      (unsigned long long)agreement->overflows);
    }
    (void)fprintf(report, "written         %s, networks/%s.yaml, networks/%s.npz\n",
                  imported->request->out, imported->name, imported->name);
}
