/* onnx_tests.h - `spinnsim measure operators --onnx FOLDER`: all of ONNX's node tests in a folder
 * of the user, onnx/backend/test/data/node of a checkout of ONNX. */
#pragma once
#include "sim/measure/onnx_case.h"
#include <stdio.h>
C_LINKAGE_BEGIN

struct onnx_counts {
    unsigned long long of[ONNX_VERDICTS];
};

/* Runs each folder inside `folder` that has a model.onnx, in the order of their names.  Writes a
 * row for each to `csv` (NULL: not wanted) and to `report` the failures, the reasons of refusals
 * with their numbers, and the counts.  STATUS_CONFIGURATION when there is no test. */
enum status onnx_tests_run(const char *folder, FILE *csv, FILE *report, struct onnx_counts *counts,
                           struct diagnostic *diagnostic);

C_LINKAGE_END
