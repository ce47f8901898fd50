/* images.h - the images on which an import measures ranges and compares answers. */
#pragma once
#include "sim/data/dataset.h"
#include "sim/networks/network.h"
C_LINKAGE_BEGIN

enum { IMAGES_CALIBRATION = 1000 };

struct images {
    uint8_t *pixel;  /* [count][values]; owned */
    uint32_t *label; /* [count]; owned */
    size_t count, values;
};

struct images_of_import {
    struct images calibration; /* up to IMAGES_CALIBRATION, of those to train with */
    struct images test;
    bool is_mnist;
    char *file; /* an .npz; NULL: MNIST; owned */
};

/* Loads images for a network's input: MNIST from a folder (NULL: the usual ones), or an .npz with
 * the arrays x (uint8, [n][height][width] or [n][channels][height][width]) and y, whose first
 * images then serve to calibrate. */
enum status images_load(struct images_of_import *images, const char *data,
                        struct network_shape input, struct diagnostic *diagnostic);
void images_deinit(struct images_of_import *images);

C_LINKAGE_END
