/* network_table.c - build tool: `network_table NETWORK.yaml OUTPUT.c` writes a network's layer
 * table and phase marks as a C source for the programs of workloads/lenet. */
#include "sim/networks/layer_table.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    if (argc != 3) {
        (void)fprintf(stderr, "usage: network_table NETWORK.yaml OUTPUT.c\n");
        return 2;
    }
    struct network network;
    struct diagnostic diagnostic;
    struct nn_table *table = NULL;
    enum status status = network_load(argv[1], &network, &diagnostic);
    if (status == STATUS_OK) {
        status = layer_table_make(&network, &table, &diagnostic);
    }
    if (status == STATUS_OK) {
        status = layer_table_write_source(table, argv[2], &diagnostic);
    }
    if (status != STATUS_OK) {
        (void)fprintf(stderr, "%s:%d:%d: %s: %s\n", diagnostic.file, diagnostic.line,
                      diagnostic.column, diagnostic.key, diagnostic.text);
    }
    free(table);
    network_deinit(&network);
    return status_exit_code(status);
}
