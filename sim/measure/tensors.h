/* tensors.h - `spinnsim measure network A B`: the trained weights and the answers in two result
 * folders of one network, tensor by tensor and image by image.  (`spinnsim diff` compares what runs
 * took, counted and concluded.) */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include <stdio.h>
C_LINKAGE_BEGIN

enum { TENSORS_NAME = 128 };

/* A tensor of weights.npz as real numbers, or the logits of predictions.csv. */
struct tensors_row {
    char name[TENSORS_NAME];
    unsigned long long values, differing;
    unsigned long long at; /* place of the first that differs */
    double largest;        /* difference */
};

struct tensors_report {
    unsigned long long tensors, differing; /* of both kinds */
    struct tensors_row first;              /* that differs, in the order of the network */
    unsigned long long images, other_class;
    unsigned long long first_image; /* that has other answers, if any logits differ */
};

/* A row for each tensor to `csv` (NULL: not wanted).  STATUS_CONFIGURATION when a folder has
 * neither file, or when they are of other networks. */
enum status tensors_compare(const char *a, const char *b, FILE *csv, struct tensors_report *report,
                            struct diagnostic *diagnostic);

void tensors_tell(const struct tensors_report *report, FILE *stream);

C_LINKAGE_END
