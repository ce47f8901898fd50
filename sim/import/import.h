/* import.h - `spinnsim import`: a model of another framework becomes a network, its weights and an
 * experiment that classifies with them.
 *
 *     NAME.yaml                 the experiment
 *     networks/NAME.yaml        the network, beside it
 *     networks/NAME.npz         the weights */
#pragma once
#include "sim/import/lower.h"
#include <stdio.h>
C_LINKAGE_BEGIN

struct import_request {
    const char *model, *out;           /* out: NAME.yaml */
    const char *data;                  /* images_load() */
    const struct lower_pixels *pixels; /* scale 0: as the file says, or as the images show */
    unsigned threads;
    const char *command; /* that was given, for the weights' recipe */
};

/* Writes the files, and what was found to `report`.  STATUS_CONFIGURATION with the model's file,
 * the node as key, and a hint; nothing is written then. */
enum status import_model(const struct import_request *request, FILE *report,
                         struct diagnostic *diagnostic);

C_LINKAGE_END
