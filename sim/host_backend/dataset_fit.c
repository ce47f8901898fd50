/* dataset_fit.c - see dataset_fit.h. */
#include "sim/host_backend/dataset_fit.h"

enum status dataset_fit(const struct dataset *dataset, uint32_t pixels, uint32_t classes,
                        struct diagnostic *diagnostic)
{
    enum status status = STATUS_OK;
    if (dataset->count == 0) {
        status = diagnose(diagnostic, STATUS_CONFIGURATION, "the data set has no images");
        diagnostic_key(diagnostic, "data.set");
    } else if (pixels != DATASET_PIXELS) {
        status = diagnose(diagnostic, STATUS_CONFIGURATION,
                          "the network takes %u pixels, an image has %u", pixels,
                          (unsigned)DATASET_PIXELS);
        diagnostic_key(diagnostic, "network.name");
        diagnostic_hint(diagnostic, "images are %d x %d, one channel", DATASET_SIDE, DATASET_SIDE);
    } else if (classes < DATASET_CLASSES) {
        status = diagnose(diagnostic, STATUS_CONFIGURATION,
                          "the network has %u outputs, the data set %d classes", classes,
                          DATASET_CLASSES);
        diagnostic_key(diagnostic, "network.name");
    }
    return status;
}
