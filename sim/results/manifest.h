/* manifest.h - size and SHA-256 of every file of a result folder, in manifest.csv: whether the
 * files are still those that the run wrote.
 *
 * A manifest finds changes, not forgers: whoever can write a file can write a manifest that matches
 * it. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include "sim/results/result_table.h"
C_LINKAGE_BEGIN

#define MANIFEST_FILE "manifest.csv"
enum { MANIFEST_BYTES_MAX = 16384 };

/* A row; its columns stand in result_columns.def. */
struct manifest_row {
    const char *file;
    uint64_t bytes;
    const char *sha256;
};

/* Writes the manifest of the result files (result_file_is_recorded()) in an open folder.  False
 * when one of them cannot be read, with errno. */
bool manifest_write(FILE *stream, int folder);

/* STATUS_CONFIGURATION, naming the file, if the manifest is missing or malformed, if a listed file
 * is missing, changed or a link, or if there is a result file that it does not list.  Other files
 * of the folder (notes, figures, a checkpoint) are not looked at.  Reads at most MANIFEST_BYTES_MAX
 * of the manifest, and of each file the bytes that the manifest states. */
enum status manifest_check(const char *folder, struct diagnostic *diagnostic);

C_LINKAGE_END
