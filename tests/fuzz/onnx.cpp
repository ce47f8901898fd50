/* onnx.cpp - an ONNX model, whose weights may be in w.bin beside it, from its bytes to layers. */
#include "tests/fuzz/models.h"

extern "C" {
#include "sim/import/describe.h"
#include "sim/import/lower.h"
#include "sim/import/model.h"
}

void fuzz_one(const uint8_t *bytes, size_t size)
{
    struct model model = {};
    struct lowered lowered = {};
    struct lower_pixels pixels = {};
    struct diagnostic diagnostic = {};
    (void)fuzz_model_folder();
    const std::string path = fuzz_file("in/model.onnx", bytes, size);
    pixels.scale = 1.0 / 255;
    pixels.means = 1;
    pixels.mean[0] = size % 2 == 0 ? 0.5 : 0; /* a mean goes through no padding */
    if (!fuzz_is_good(model_read(&model, path.c_str(), &diagnostic), diagnostic)) {
        return;
    }
    fuzz_check_tensors(model);
    if (fuzz_is_good(lower_model(&model, &pixels, &lowered, &diagnostic), diagnostic)) {
        const struct describe_formats formats = {13, 11, 1};
        struct network network = {};
        if (fuzz_is_good(describe_parse(&lowered, &formats, "net", &network, &diagnostic),
                         diagnostic)) {
            network_deinit(&network);
        }
        for (size_t i = 0; i < lowered.layer_count; i++) {
            const struct lower_layer &layer = lowered.layer[i];
            fuzz_touch(layer.weight, layer.weights * sizeof(double));
        }
    }
    model_deinit(&model);
}
