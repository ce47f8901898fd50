/* semihosting_files.c - semihosting calls about files: the console, the list of features, and what
 * host_files lends. */
#include "sim/flat/semihosting_calls.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Handles with a fixed meaning; handles of files follow. */
enum handle {
    HANDLE_NONE,
    HANDLE_INPUT,
    HANDLE_OUTPUT,
    HANDLE_ERROR,
    HANDLE_FEATURES,
    HANDLE_FIRST_FILE
};

enum {
    OPEN_FIRST_WRITE = 4,  /* modes 0-3 read, 4-7 write, 8-11 append */
    OPEN_FIRST_APPEND = 8, /* ":tt" for appending is standard error */
    OPEN_READ_BINARY = 1,
    NAME_CHARS = 4096,
    SHOWN_NAME_CHARS = 128
};

/* The content of ":semihosting-features", which newlib reads before it passes an exit status on:
 * magic number, then bit 0 = SYS_EXIT_EXTENDED, bit 1 = ":tt" distinguishes standard output and
 * error. */
static const uint8_t FEATURES[] = {'S', 'H', 'F', 'B', 3};

static bool is_console(uint32_t handle)
{
    return handle >= HANDLE_INPUT && handle <= HANDLE_ERROR;
}

/* ---- names ---- */

/* Copies a name from guest memory; false, with the error recorded, if it is invalid. */
static bool take_name(struct semihosting *semihosting, uint32_t address, uint32_t length,
                      char *name)
{
    const uint8_t *bytes = semihosting_guest(semihosting, address, length);
    if (bytes == NULL || length >= NAME_CHARS) {
        (void)semihosting_fail(semihosting, bytes == NULL ? EFAULT : ENAMETOOLONG);
        return false;
    }
    memcpy(name, bytes, length);
    name[length] = '\0';
    return true;
}

static void tell_refused(struct semihosting *semihosting, const char *name)
{
    char shown[SHOWN_NAME_CHARS];
    struct diagnostic about;
    if (semihosting->told_refused || semihosting->warn == NULL) {
        return;
    }
    semihosting->told_refused = true;
    (void)snprintf(shown, sizeof shown, "%s", name);
    for (char *at = shown; *at != '\0'; at++) {
        *at = isprint((unsigned char)*at) ? *at : '?';
    }
    (void)diagnose(&about, STATUS_GUEST, "the program asked for the file '%s': refused", shown);
    diagnostic_at(&about, semihosting->program, 0, 0);
    diagnostic_hint(&about, semihosting->files.folder < 0
                                ? "no host file is opened without --files DIR"
                                : "only regular files inside the folder of --files are opened: no "
                                  "links, no \"..\", no name that begins with \"/\" but /tmp/NAME");
    semihosting->warn(&about);
}

/* The result of a call about a named file. */
static uint32_t finish_named(struct semihosting *semihosting, const char *name, int error)
{
    if (error == 0) {
        return 0;
    }
    if (error == HOST_FILE_REFUSED) {
        tell_refused(semihosting, name);
        error = EACCES;
    }
    return semihosting_fail(semihosting, error);
}

/* ---- open and close ---- */

static uint32_t open_file(struct semihosting *semihosting, const char *name, uint32_t mode)
{
    unsigned index = 0;
    const int error = host_files_open(&semihosting->files, name, mode, &index);
    return error == 0 ? HANDLE_FIRST_FILE + index : finish_named(semihosting, name, error);
}

uint32_t semihosting_open(struct semihosting *semihosting, uint32_t block)
{
    char name[NAME_CHARS];
    const uint32_t mode = semihosting_argument(semihosting, block, 1);
    const uint32_t length = semihosting_argument(semihosting, block, 2);
    if (!take_name(semihosting, semihosting_argument(semihosting, block, 0), length, name)) {
        return SEMIHOSTING_FAILED;
    }
    if (mode >= HOST_FILE_MODES) {
        return semihosting_fail(semihosting, EINVAL);
    }
    if (strcmp(name, ":tt") == 0) {
        return mode < OPEN_FIRST_WRITE    ? HANDLE_INPUT
               : mode < OPEN_FIRST_APPEND ? HANDLE_OUTPUT
                                          : HANDLE_ERROR;
    }
    if (strcmp(name, ":semihosting-features") != 0) {
        return open_file(semihosting, name, mode);
    }
    if (mode > OPEN_READ_BINARY) {
        return semihosting_fail(semihosting, EACCES);
    }
    semihosting->features_position = 0;
    return HANDLE_FEATURES;
}

uint32_t semihosting_close(struct semihosting *semihosting, uint32_t block)
{
    const uint32_t handle = semihosting_argument(semihosting, block, 0);
    if (is_console(handle) || handle == HANDLE_FEATURES) {
        return 0;
    }
    const int error = host_files_close(&semihosting->files, handle - HANDLE_FIRST_FILE);
    return error == 0 ? 0 : semihosting_fail(semihosting, error);
}

/* ---- read and write ---- */

static uint32_t read_features(struct semihosting *semihosting, uint8_t *bytes, uint32_t length)
{
    const uint32_t left = (uint32_t)sizeof FEATURES - semihosting->features_position;
    const uint32_t got = length < left ? length : left;
    memcpy(bytes, FEATURES + semihosting->features_position, got);
    semihosting->features_position += got;
    return got;
}

/* Returns the number of bytes not read: all of them at the end of the input. */
uint32_t semihosting_read(struct semihosting *semihosting, uint32_t block)
{
    const uint32_t handle = semihosting_argument(semihosting, block, 0);
    const uint32_t address = semihosting_argument(semihosting, block, 1);
    const uint32_t length = semihosting_argument(semihosting, block, 2);
    uint8_t *bytes = semihosting_guest(semihosting, address, length);
    size_t got = 0;
    int error = 0;
    if (bytes == NULL) {
        error = EFAULT;
    } else if (handle == HANDLE_FEATURES) {
        got = read_features(semihosting, bytes, length);
    } else if (handle == HANDLE_INPUT) {
        got = console_read(&semihosting->console, bytes, length, &error);
    } else {
        error =
            host_files_read(&semihosting->files, handle - HANDLE_FIRST_FILE, bytes, length, &got);
    }
    if (error != 0) {
        (void)semihosting_fail(semihosting, error);
    }
    arm968_code_written(semihosting->cpu, address, (uint32_t)got);
    return length - (uint32_t)got;
}

/* Returns the number of bytes not written. */
uint32_t semihosting_write(struct semihosting *semihosting, uint32_t block)
{
    struct console *console = &semihosting->console;
    const uint32_t handle = semihosting_argument(semihosting, block, 0);
    const uint32_t length = semihosting_argument(semihosting, block, 2);
    const uint8_t *bytes =
        semihosting_guest(semihosting, semihosting_argument(semihosting, block, 1), length);
    size_t put = 0;
    int error = 0;
    if (bytes == NULL) {
        error = EFAULT;
    } else if (handle == HANDLE_OUTPUT || handle == HANDLE_ERROR) {
        const int to = handle == HANDLE_OUTPUT ? console->output : console->error;
        put = console_write(console, to, bytes, length, &error);
    } else {
        error =
            host_files_write(&semihosting->files, handle - HANDLE_FIRST_FILE, bytes, length, &put);
    }
    if (error != 0) {
        (void)semihosting_fail(semihosting, error);
    }
    return length - (uint32_t)put;
}

/* ---- position, length, kind ---- */

uint32_t semihosting_seek(struct semihosting *semihosting, uint32_t block)
{
    const uint32_t handle = semihosting_argument(semihosting, block, 0);
    const uint32_t position = semihosting_argument(semihosting, block, 1);
    if (is_console(handle)) {
        return semihosting_fail(semihosting, ESPIPE);
    }
    if (handle == HANDLE_FEATURES) {
        if (position > sizeof FEATURES) {
            return semihosting_fail(semihosting, EINVAL);
        }
        semihosting->features_position = position;
        return 0;
    }
    const int error = host_files_seek(&semihosting->files, handle - HANDLE_FIRST_FILE, position);
    return error == 0 ? 0 : semihosting_fail(semihosting, error);
}

uint32_t semihosting_length(struct semihosting *semihosting, uint32_t block)
{
    const uint32_t handle = semihosting_argument(semihosting, block, 0);
    uint64_t bytes = 0;
    if (is_console(handle)) {
        return 0; /* newlib's fstat() asks */
    }
    if (handle == HANDLE_FEATURES) {
        return (uint32_t)sizeof FEATURES;
    }
    const int error = host_files_length(&semihosting->files, handle - HANDLE_FIRST_FILE, &bytes);
    if (error != 0 || bytes > INT32_MAX) {
        return semihosting_fail(semihosting, error != 0 ? error : EFBIG);
    }
    return (uint32_t)bytes;
}

/* The console always counts as a terminal, so that a program's behaviour does not depend on the
 * target of its output. */
uint32_t semihosting_is_terminal(struct semihosting *semihosting, uint32_t block)
{
    const uint32_t handle = semihosting_argument(semihosting, block, 0);
    uint64_t bytes;
    if (is_console(handle)) {
        return 1;
    }
    if (handle == HANDLE_FEATURES) {
        return 0;
    }
    const int error = host_files_length(&semihosting->files, handle - HANDLE_FIRST_FILE, &bytes);
    return error == 0 ? 0 : semihosting_fail(semihosting, error);
}

/* ---- remove, rename, a name for a file ---- */

uint32_t semihosting_remove(struct semihosting *semihosting, uint32_t block)
{
    char name[NAME_CHARS];
    if (!take_name(semihosting, semihosting_argument(semihosting, block, 0),
                   semihosting_argument(semihosting, block, 1), name)) {
        return SEMIHOSTING_FAILED;
    }
    return finish_named(semihosting, name, host_files_remove(&semihosting->files, name));
}

uint32_t semihosting_rename(struct semihosting *semihosting, uint32_t block)
{
    char from[NAME_CHARS];
    char to[NAME_CHARS];
    if (!take_name(semihosting, semihosting_argument(semihosting, block, 0),
                   semihosting_argument(semihosting, block, 1), from) ||
        !take_name(semihosting, semihosting_argument(semihosting, block, 2),
                   semihosting_argument(semihosting, block, 3), to)) {
        return SEMIHOSTING_FAILED;
    }
    return finish_named(semihosting, from, host_files_rename(&semihosting->files, from, to));
}

uint32_t semihosting_temporary_name(struct semihosting *semihosting, uint32_t block)
{
    enum { IDENTIFIERS = 256 };
    static const char FORMAT[] = "tmp%03u";
    char name[sizeof "tmp000"];
    const uint32_t address = semihosting_argument(semihosting, block, 0);
    const uint32_t identifier = semihosting_argument(semihosting, block, 1);
    uint8_t *bytes = semihosting_guest(semihosting, address, sizeof name);
    if (bytes == NULL || identifier >= IDENTIFIERS ||
        semihosting_argument(semihosting, block, 2) < sizeof name) {
        return semihosting_fail(semihosting, bytes == NULL ? EFAULT : EINVAL);
    }
    (void)snprintf(name, sizeof name, FORMAT, (unsigned)identifier);
    memcpy(bytes, name, sizeof name);
    arm968_code_written(semihosting->cpu, address, sizeof name);
    return 0;
}
