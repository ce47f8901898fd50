/* traffic.c - see traffic.h. */
#include "sim/results/traffic.h"

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

static const char *purpose_text(unsigned number)
{
    return number == 0 ? "none" : routing_purpose_text((enum routing_purpose)(number - 1));
}

void traffic_write(FILE *stream, const struct machine_traffic *row, size_t count)
{
    static const char *const TYPE[] = {"mc", "p2p", "nn", "fr"};
    (void)fputs("x,y,link,packet_type,purpose,sent,received,dropped,refused,busy\n", stream);
    for (size_t i = 0; i < count; i++) {
        const struct machine_traffic *at = &row[i];
        (void)fprintf(stream, "%u,%u,", at->x, at->y);
        if (at->link == MACHINE_TRAFFIC_CORES) {
            (void)fputs("cores", stream);
        } else {
            (void)fprintf(stream, "%u", at->link);
        }
        (void)fprintf(stream,
                      ",%s,%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
                      TYPE[at->type], purpose_text(at->purpose), at->sent, at->received,
                      at->dropped, at->refused, at->busy_ps);
    }
}
