/* lower_pad.c - operator Pad: zeros around maps, which the convolution behind it adds itself
 * (lower_flow.h).  Exporters also write it in front of pools, without any zeros. */
#include "sim/import/lower_flow.h"
#include "sim/networks/layer.h"
#include "sim/steps.h"

#include <string.h>

enum { PADS = 1, VALUE = 2, AXES = 3 }; /* inputs */

static enum status check_mode(const struct flow *flow)
{
    const struct model_attribute *mode = model_find_attribute(flow->node, "mode");
    if (mode == NULL || mode->text == NULL || strcmp(mode->text, "constant") == 0) {
        return STATUS_OK;
    }
    return flow_refuse(flow, "there is only constant, with zeros", "operator Pad with mode %s",
                       mode->text);
}

/* An axis with as many zeros in front of it as behind; frame[axis] gets their number. */
static enum status take_axis(const struct flow *flow, double axis, double before, double behind,
                             double *frame)
{
    unsigned at = 0;
    TRY(flow_axis(flow, axis, flow->rank, &at));
    if (before != behind || !(before >= 0 && before < LAYER_LARGEST_WINDOW)) {
        return flow_refuse(flow,
                           "spinnsim has the same number of zeros on all sides, less than a window "
                           "has rows",
                           "operator Pad: %g values in front of axis %u, %g behind", before, at,
                           behind);
    }
    frame[at] = before;
    return STATUS_OK;
}

/* Zeros around rows and columns; 0: none. */
static enum status read_frame(const struct flow *flow, uint32_t *zeros)
{
    struct flow_list pads;
    const struct model_tensor *axes = NULL;
    double frame[MODEL_MOST_RANK] = {0};
    TRY(flow_axes(flow, flow->model->opset == 1 ? "paddings" : "pads", PADS, &pads));
    TRY(flow_input(flow, AXES, &axes));
    const size_t count = axes == NULL ? flow->rank : axes->count;
    if (pads.count != 2 * count) {
        return flow_refuse(flow, NULL, "operator Pad: %zu numbers for %zu axes", pads.count, count);
    }
    for (size_t i = 0; i < count; i++) {
        TRY(take_axis(flow, axes == NULL ? (double)i : axes->value[i], pads.value[i],
                      pads.value[count + i], frame));
    }
    const double wanted = flow->rank < 2 ? 0 : frame[flow->rank - 1];
    for (unsigned i = 0; i < flow->rank; i++) {
        if (frame[i] != (i + 2 < flow->rank ? 0 : wanted)) {
            return flow_refuse(flow, "pad rows and columns by the same number of zeros",
                               "operator Pad: %g values around axis %u", frame[i], i);
        }
    }
    *zeros = (uint32_t)wanted;
    return STATUS_OK;
}

enum status lower_pad(struct flow *flow)
{
    const struct model_tensor *value = NULL;
    uint32_t zeros = 0;
    TRY(read_frame(flow, &zeros));
    if (zeros == 0) {
        return STATUS_OK;
    }
    TRY(check_mode(flow));
    TRY(flow_input(flow, VALUE, &value));
    const double pad =
        value != NULL && value->count > 0 ? value->value[0] : flow_number(flow, "value", 0);
    if (pad != 0) {
        return flow_refuse(flow, "there are only zeros", "operator Pad with values of %g", pad);
    }
    TRY(flow_need_image(flow));
    flow->frame += zeros;
    return STATUS_OK;
}
