/* config_explain.c - prints a configuration in readable form: each value with its origin and
 * meaning, and quantities derived from several values. */
#include "models/common/units.h"
#include "sim/config/config_value.h"
#include "sim/config/config_walk.h"

/* ---- values ---- */

struct explanation {
    const struct sim_config *config;
    struct config_arena *arena;
    FILE *stream;
};

enum { VALUE_COLUMNS = 44 };

static void explain_help(const struct explanation *explanation, const struct config_entry *entry)
{
    const struct config_key *key = entry->key;
    const char *range = config_range_text(key, explanation->arena);
    (void)fprintf(explanation->stream, "    %s", key->help);
    if (range != NULL && range[0] != '\0') {
        (void)fprintf(explanation->stream, " [%s]", range);
    }
    if (key->source != NULL && strcmp(key->source, "-") != 0) {
        (void)fprintf(explanation->stream, "\n    source: %s", key->source);
    }
    (void)fputc('\n', explanation->stream);
}

static void explain_entry(void *context, const struct config_entry *entry)
{
    const struct explanation *explanation = context;
    const struct config_place place = config_place_of(explanation->config, entry->path);
    const int written = fprintf(explanation->stream, "%s = %s", entry->path, entry->value);
    (void)fprintf(explanation->stream, "%*s # %s",
                  written < VALUE_COLUMNS ? VALUE_COLUMNS - written : 0, "", place.file);
    if (place.line > 0) {
        (void)fprintf(explanation->stream, ":%d", place.line);
    }
    (void)fputc('\n', explanation->stream);
    if (entry->key->help != NULL) {
        explain_help(explanation, entry);
    }
}

/* ---- what follows from them ---- */

/* Bytes per microsecond: MB/s. */
static double megabytes_per_second(double bytes, double time_ps)
{
    return bytes / time_ps * (double)PS_PER_US;
}

static void explain_latency(FILE *stream, const char *what, uint64_t time_ps, struct clock core)
{
    (void)fprintf(stream, "%s: %.2f ns, %llu core cycles\n", what,
                  (double)time_ps / (double)PS_PER_NS,
                  (unsigned long long)ps_to_cycles_up(core, time_ps));
}

static void explain_derived(const struct machine_parameters *machine, FILE *stream)
{
    const struct clock core = clock_of(machine->clock_cpu_hz, 1);
    const double core_ns =
        (double)core.period_ps_numerator / (double)core.period_ps_denominator / (double)PS_PER_NS;
    const double both_edges_hz = 2.0 * (double)machine->clock_sdram_hz;
    const uint64_t read_clocks = machine->sdram_rcd_clocks + machine->sdram_cas_clocks +
                                 (machine->sdram_burst_words + 1) / 2;
    const uint64_t crossing_ps = machine->chip_noc_request_ps + machine->chip_noc_response_ps;
    const uint64_t sdram_ps = crossing_ps + read_clocks * PS_PER_S / machine->clock_sdram_hz;
    const uint64_t system_ram_ps =
        crossing_ps + machine->chip_ahb_service_ps + machine->chip_ahb_latency_ps;
    (void)fprintf(stream, "\nderived, uncontended\n");
    (void)fprintf(stream, "core cycle: %.4g ns\n", core_ns);
    (void)fprintf(
        stream, "SDRAM peak: %.1f MB/s\n",
        megabytes_per_second(both_edges_hz * (double)machine->sdram_bus_bytes, (double)PS_PER_S));
    explain_latency(stream, "single SDRAM read", sdram_ps, core);
    explain_latency(stream, "single System RAM read", system_ram_ps, core);
    (void)fprintf(stream, "DMA stream of one core: %.1f MB/s\n",
                  megabytes_per_second(sizeof(uint32_t), (double)machine->chip_dma_word_ps));
    (void)fprintf(stream, "\nsources are abbreviated as in models/machine/parameters.def and "
                          "models/arm968/isa/timing.def\n");
}

enum status config_explain(const struct sim_config *config, FILE *stream)
{
    ARENA struct config_arena *arena = config_arena_create();
    struct explanation explanation = {config, arena, stream};
    const struct config_visitor visitor = {
        .visit = explain_entry, .context = &explanation, .quiet_keys = true};
    TRY(arena == NULL ? STATUS_INTERNAL : config_walk(config, arena, &visitor));
    explain_derived(&config->machine, stream);
    return STATUS_OK;
}
