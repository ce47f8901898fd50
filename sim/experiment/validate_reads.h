/* validate_reads.h - a row of reads.csv (validate.h): a board is found running with a boot image,
 * and a client reads memory of one of its chips.  Private to sim/experiment. */
#pragma once
#include "sim/experiment/validate.h"
#include "sim/results/result_table.h"

/* Writes out/RUN.csv.  `stream` is not used.  STATUS_CONFIGURATION: the image is none, the row is
 * wrong, or the chip does not answer everything within a minute of board time. */
enum status validate_reads(FILE *stream, const struct validate_request *request,
                           const struct result_table *row, struct diagnostic *diagnostic);
