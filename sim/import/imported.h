/* imported.h - an import on its way, for import.c and what writes it. */
#pragma once
#include "sim/import/agreement.h"
#include "sim/import/describe.h"
#include "sim/import/import.h"
#include "sim/import/ranges.h"
C_LINKAGE_BEGIN

enum { IMPORT_SCALES = 2 };

struct imported {
    const struct import_request *request;
    struct model model;
    struct lowered lowered;
    struct lower_pixels pixels;
    struct images_of_import images;
    char name[NETWORK_NAME_CHARS];
    char digest[SHA256_HEX_CHARS]; /* of the model's file */
    struct network exact;          /* as the model has its numbers */
    double *parameters;            /* of it; owned */
    struct ranges ranges;
    double right[IMPORT_SCALES]; /* share of right calibration images with each of the usual scales
                                    of pixels, 1/255 and 1, if they have been tried */
    struct describe_formats formats;
    struct network network; /* as the machine has them */
    struct nn_table *table; /* owned */
    struct weights weights;
    struct agreement agreement;
};

/* write.c: the three files. */
enum status imported_write(struct imported *imported, struct diagnostic *diagnostic);

/* report.c: what has been found. */
void imported_report(const struct imported *imported, FILE *report);

C_LINKAGE_END
