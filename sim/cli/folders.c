/* folders.c - see folders.h. */
#include "sim/cli/folders.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct place {
    const char *share; /* below ../share/spinnsim */
    const char *built; /* of the checkout or the build */
};

static const struct place CONFIGS = {"configs", SPINN_SOURCE_DIR "/configs"};
static const struct place WORKLOADS = {"workloads", SPINN_BINARY_DIR "/workloads"};
static const struct place PLOT = {"plot", SPINN_SOURCE_DIR "/scripts/plot"};
static const struct place GOLDEN = {"golden", SPINN_SOURCE_DIR "/tests/golden"};

static void find(char *path, const char *program_folder, const struct place *place)
{
    const int length =
        snprintf(path, FOLDER_PATH_CHARS, "%s/../share/spinnsim/%s", program_folder, place->share);
    if (length >= FOLDER_PATH_CHARS || access(path, F_OK) != 0) {
        (void)snprintf(path, FOLDER_PATH_CHARS, "%s", place->built);
    }
}

void folders_find(struct folders *folders)
{
    char program[FOLDER_PATH_CHARS / 2] = "";
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length < 0 ? 0 : length] = '\0';
    char *slash = strrchr(program, '/');
    if (slash != NULL) {
        *slash = '\0';
    }
    find(folders->configs, program, &CONFIGS);
    find(folders->workloads, program, &WORKLOADS);
    find(folders->plot, program, &PLOT);
    find(folders->golden, program, &GOLDEN);
}
