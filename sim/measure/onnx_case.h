/* onnx_case.h - one of ONNX's node tests: a folder with a model, its inputs and its output.
 *
 *     model.onnx
 *     test_data_set_0/input_0.pb, input_1.pb, ..., output_0.pb     TensorProto
 *
 * Input 0 is the value, a row of its first axis after the other, as images come; the other inputs
 * become constants of the model, as exporters write weights.  The model is lowered as an import
 * lowers it (sim/import/lower.h), and the chain of layers computed in doubles. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
C_LINKAGE_BEGIN

enum onnx_verdict {
    ONNX_PASSED,  /* each value within ONNX_RELATIVE of the expected one, and ONNX_ABSOLUTE */
    ONNX_REFUSED, /* the import refuses the model, or cannot take the test's values: `reason` */
    ONNX_FAILED,  /* computed, and not what the test expects: `reason` */
    ONNX_SKIPPED, /* an operator that the import does not know: `reason` names it */
    ONNX_VERDICTS
};

/* The tolerance of ONNX's own runner of these tests. */
#define ONNX_RELATIVE 1e-3
#define ONNX_ABSOLUTE 1e-7

enum { ONNX_OPERATORS_CHARS = 64 };

struct onnx_case {
    enum onnx_verdict verdict;
    char operators[ONNX_OPERATORS_CHARS]; /* "Conv Relu", cut if there are more */
    char reason[DIAGNOSTIC_TEXT_CHARS];   /* "" of a test that passed */
    double largest;                       /* difference; 0 if nothing was computed */
    unsigned long long values;            /* compared */
};

/* STATUS_CONFIGURATION when the folder holds no test that can be read. */
enum status onnx_case_run(const char *folder, struct onnx_case *test,
                          struct diagnostic *diagnostic);

const char *onnx_verdict_text(enum onnx_verdict verdict);

C_LINKAGE_END
