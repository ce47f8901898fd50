/* traffic.c - see traffic.h. */
#include "sim/recorder/traffic.h"

#include <inttypes.h>

static void put_core(FILE *stream, struct machine_core core)
{
    (void)fprintf(stream, "%u:%u:%u", core.x, core.y, core.p);
}

void traffic_write_keys(FILE *stream, const struct routing *routing)
{
    (void)fputs("key,mask,purpose,source,targets\n", stream);
    for (size_t i = 0; i < routing->edge_count; i++) {
        const struct routing_edge *edge = &routing->edge[i];
        (void)fprintf(stream, "0x%08" PRIx32 ",0x%08" PRIx32 ",%s,", edge->key, edge->mask,
                      routing_purpose_text(edge->purpose));
        put_core(stream, edge->source);
        for (size_t t = 0; t < edge->target_count; t++) {
            (void)fputc(t == 0 ? ',' : ' ', stream);
            put_core(stream, edge->target[t]);
        }
        (void)fputc('\n', stream);
    }
}
