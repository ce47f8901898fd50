/* program_link.c - see program_link.h. */
#include "sim/load/program_link.h"

#include "models/common/check.h"
#include "models/common/trusted_folder.h"
#include "models/common/user_cache.h"
#include "sim/data/known_key.h"
#include "sim/data/sha256.h"
#include "sim/file.h"
#include "sim/load/elf_image.h"
#include "sim/steps.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ---- ways to link, the fastest first ---- */

struct way {
    const char *speed;  /* of the parts */
    const char *update; /* of the update, which runs for each parameter */
    bool smaller;       /* with recipe->smaller */
};

static const struct way WAYS[] = {{"fast", "fast", false},   {"small", "fast", false},
                                  {"small", "small", false}, {"thumb", "fast", false},
                                  {"thumb", "thumb", false}, {"tight", "thumb", false},
                                  {"tight", "tight", false}, {"tight", "tight", true}};
static const char *const SPEEDS[] = {"fast", "small", "thumb", "tight"};

enum {
    WAY_COUNT = sizeof WAYS / sizeof *WAYS,
    SPEED_COUNT = sizeof SPEEDS / sizeof *SPEEDS,
    PART_BYTES_MOST = 16 << 20,
    ARGUMENTS = 18 + PROGRAM_OBJECTS + 4 * PROGRAM_SYMBOLS,
    KEY_CHARS = 16 /* of the digest, in names */
};

static const char LINKER[] = "arm-none-eabi-ld";
static const char ELF[] = "elf", MAP[] = "map", REPORT[] = "report";
static const char BUILD_AGAIN[] =
    "build again (gcc-arm-none-eabi makes the parts), or name the folder that has them with "
    "--workloads";

void program_recipe_add(char list[][PROGRAM_TEXT_CHARS], size_t most, const char *format, ...)
{
    size_t i = 0;
    while (i < most && list[i][0] != '\0') {
        i++;
    }
    CHECK(i < most, "a recipe has room");
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(list[i], PROGRAM_TEXT_CHARS, format, arguments);
    va_end(arguments);
    CHECK(length > 0 && length < PROGRAM_TEXT_CHARS, "a name in a recipe has room");
}

/* ---- the digest of all that a program is linked from ---- */

/* FOLDER/parts/FORMAT/SPEED/NAME, malloc'ed; FORMAT NULL: FOLDER/parts/NAME. */
static char *part_path(const char *folder, const char *format, const char *speed, const char *name)
{
    char *path = NULL;
    const int length = format == NULL
                           ? asprintf(&path, "%s/parts/%s", folder, name)
                           : asprintf(&path, "%s/parts/%s/%s/%s", folder, format, speed, name);
    return length < 0 ? NULL : path;
}

bool program_has_parts(const char *folder, const char *format)
{
    char *path = part_path(folder, format, WAYS[0].speed, "parts.a");
    const bool has = path != NULL && access(path, F_OK) == 0;
    free(path);
    return has;
}

static enum status add_file(struct sha256 *hash, const char *path, struct diagnostic *diagnostic)
{
    uint8_t *bytes = NULL;
    size_t size = 0;
    if (access(path, R_OK) != 0) {
        return file_refuse(path, BUILD_AGAIN, diagnostic,
                           "a part of the program for this experiment is missing");
    }
    TRY(file_read(path, PART_BYTES_MOST, &bytes, &size, diagnostic));
    const uint64_t length = size;
    sha256_update(hash, &length, sizeof length);
    sha256_update(hash, bytes, size);
    free(bytes);
    return STATUS_OK;
}

/* The files that a program is linked from. */
enum { FILES_MOST = 2 + SPEED_COUNT * (2 + PROGRAM_OBJECTS) };
struct part_files {
    char *path[FILES_MOST]; /* malloc'ed */
    size_t count;
    bool failed; /* out of memory */
};

static void add_path(struct part_files *files, char *path)
{
    CHECK(files->count < FILES_MOST, "a program has no more files than there is room for");
    files->failed |= path == NULL;
    files->path[files->count++] = path;
}

static void add_object(struct part_files *files, const struct program_recipe *recipe,
                       const char *folder, const char *speed, const char *object)
{
    char name[PROGRAM_TEXT_CHARS + 4];
    (void)snprintf(name, sizeof name, "%s.o", object);
    add_path(files, part_path(folder, recipe->format, speed, name));
}

static void part_files_of(struct part_files *files, const struct program_recipe *recipe,
                          const char *folder)
{
    add_path(files, part_path(folder, NULL, NULL, "app.ld"));
    add_path(files, part_path(folder, NULL, NULL, "libgcc.a"));
    for (unsigned s = 0; s < SPEED_COUNT; s++) {
        add_path(files, part_path(folder, recipe->format, SPEEDS[s], "parts.a"));
        for (unsigned i = 0; i < PROGRAM_OBJECTS && recipe->object[i][0] != '\0'; i++) {
            add_object(files, recipe, folder, SPEEDS[s], recipe->object[i]);
        }
        if (recipe->update[0] != '\0') {
            add_object(files, recipe, folder, SPEEDS[s], recipe->update);
        }
    }
}

static void part_files_deinit(struct part_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        free(files->path[i]);
    }
}

static void take_digest(struct sha256 *hash, char key[SHA256_HEX_CHARS])
{
    uint8_t digest[SHA256_BYTES];
    sha256_final(hash, digest);
    sha256_hex(digest, key);
}

/* By the files' content, or by what was found when they were as they are now (known_key.h). */
static enum status digest_of(const struct program_recipe *recipe, const char *folder,
                             char key[SHA256_HEX_CHARS], struct diagnostic *diagnostic)
{
    RELEASED(part_files_deinit) struct part_files files = {.count = 0};
    const time_t began = time(NULL);
    struct sha256 hash;
    struct files_state state;
    struct known_key known;
    char of[SHA256_HEX_CHARS];
    part_files_of(&files, recipe, folder);
    if (files.failed) {
        return no_memory(diagnostic);
    }
    sha256_init(&hash);
    sha256_update(&hash, recipe, sizeof *recipe); /* made from zeros: unused bytes are 0 */
    struct sha256 of_recipe = hash;
    take_digest(&of_recipe, of);
    files_state_begin(&state);
    for (size_t i = 0; i < files.count; i++) {
        files_state_add(&state, files.path[i]);
    }
    const struct known_key now = files_state_end(&state);
    if (!state.missing && known_key_find(of, &now, &known)) {
        memcpy(key, known.text, SHA256_HEX_CHARS);
        return STATUS_OK;
    }
    for (size_t i = 0; i < files.count; i++) {
        TRY(add_file(&hash, files.path[i], diagnostic));
    }
    take_digest(&hash, key);
    memcpy(known.text, key, SHA256_HEX_CHARS);
    known_key_keep(of, &now, &known, state.latest, began);
    return STATUS_OK;
}

/* ---- the linker ---- */

struct link {
    const struct program_recipe *recipe;
    char *folder;              /* of the workloads, absolute: the linker works elsewhere */
    int work;                  /* open folder, in which the linker makes ELF, MAP and REPORT */
    char *argument[ARGUMENTS]; /* malloc'ed */
    size_t arguments;
    bool failed; /* out of memory */
};

static void give(struct link *link, char *argument)
{
    CHECK(link->arguments + 1 < ARGUMENTS, "a call of the linker has room");
    link->failed |= argument == NULL;
    link->argument[link->arguments++] = argument;
}

static void give_text(struct link *link, const char *text)
{
    give(link, strdup(text));
}

static void give_list(struct link *link, const char *option, char list[][PROGRAM_TEXT_CHARS])
{
    for (unsigned i = 0; i < PROGRAM_SYMBOLS && list[i][0] != '\0'; i++) {
        give_text(link, option);
        give_text(link, list[i]);
    }
}

static void give_object(struct link *link, const char *speed, const char *object)
{
    char name[PROGRAM_TEXT_CHARS + 4];
    (void)snprintf(name, sizeof name, "%s.o", object);
    give(link, part_path(link->folder, link->recipe->format, speed, name));
}

static void give_all(struct link *link, const struct way *way)
{
    struct program_recipe recipe = *link->recipe;
    give_text(link, LINKER);
    give_text(link, "-T");
    give(link, part_path(link->folder, NULL, NULL, "app.ld"));
    give_text(link, "--gc-sections");
    give_text(link, "--build-id=none");
    give_list(link, "--require-defined", recipe.wanted);
    give_list(link, "--defsym", recipe.defined);
    if (way->smaller) {
        give_list(link, "--defsym", recipe.smaller);
    }
    char chosen[32];
    (void)snprintf(chosen, sizeof chosen, "__way=%zu", (size_t)(way - WAYS));
    give_text(link, "--defsym");
    give_text(link, chosen);
    for (unsigned i = 0; i < PROGRAM_OBJECTS && recipe.object[i][0] != '\0'; i++) {
        give_object(link, way->speed, recipe.object[i]);
    }
    if (recipe.update[0] != '\0') {
        give_object(link, way->update, recipe.update);
    }
    give(link, part_path(link->folder, recipe.format, way->speed, "parts.a"));
    give(link, part_path(link->folder, NULL, NULL, "libgcc.a"));
    give_text(link, "-o");
    give_text(link, ELF);
    give_text(link, "-Map");
    give_text(link, MAP);
    link->argument[link->arguments] = NULL;
}

static void take_back(struct link *link)
{
    for (size_t i = 0; i < link->arguments; i++) {
        free(link->argument[i]);
    }
    link->arguments = 0;
}

/* Runs the linker with these arguments; its messages go to REPORT.  0, or an error number. */
static int spawn(struct link *link, pid_t *process)
{
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0) {
        return error;
    }
    error = posix_spawn_file_actions_addfchdir_np(&actions, link->work);
    if (error == 0) {
        error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    }
    if (error == 0) {
        error = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, REPORT,
                                                 O_WRONLY | O_CREAT | O_TRUNC, S_IRUSR | S_IWUSR);
    }
    if (error == 0) {
        error = posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    }
    if (error == 0) {
        error = posix_spawnp(process, LINKER, &actions, NULL, link->argument, environ);
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    return error;
}

static enum status run(struct link *link, const struct way *way, bool *done,
                       struct diagnostic *diagnostic)
{
    pid_t process = 0;
    int ended = 0;
    give_all(link, way);
    int error = link->failed ? ENOMEM : spawn(link, &process);
    take_back(link);
    while (error == 0 && waitpid(process, &ended, 0) < 0) {
        error = errno == EINTR ? 0 : errno;
    }
    if (error == ENOENT || (error == 0 && WIFEXITED(ended) && WEXITSTATUS(ended) == 127)) {
        (void)diagnose(diagnostic, STATUS_CONFIGURATION,
                       "the program for this experiment has to be linked, and there is no %s",
                       LINKER);
        diagnostic_hint(diagnostic, "apt-get install binutils-arm-none-eabi");
        return STATUS_CONFIGURATION;
    }
    if (error != 0) {
        return diagnose(diagnostic, STATUS_INTERNAL, "cannot run %s: %s", LINKER, strerror(error));
    }
    *done = WIFEXITED(ended) && WEXITSTATUS(ended) == 0;
    return STATUS_OK;
}

/* ---- what does not fit ---- */

/* The bytes of a file in an open folder, malloc'ed, with a 0 behind them; NULL: it cannot be read.
 */
static uint8_t *bytes_of(int folder, const char *name, size_t *size)
{
    const int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    struct stat about;
    uint8_t *bytes = NULL;
    *size = 0;
    if (file >= 0 && fstat(file, &about) == 0 && S_ISREG(about.st_mode) &&
        about.st_size <= PART_BYTES_MOST) {
        bytes = calloc(1, (size_t)about.st_size + 1);
    }
    bool good = bytes != NULL;
    while (good && *size < (size_t)about.st_size) {
        const ssize_t more = read(file, bytes + *size, (size_t)about.st_size - *size);
        good = more > 0;
        *size += good ? (size_t)more : 0;
    }
    if (file >= 0) {
        (void)close(file);
    }
    if (!good) {
        free(bytes);
        bytes = NULL;
    }
    return bytes;
}

static char *text_of(const struct link *link, const char *name)
{
    size_t size;
    return (char *)bytes_of(link->work, name, &size);
}

/* The bytes by which the linker found the code memory too small; 0: it found something else. */
static unsigned long missing_bytes(const char *report)
{
    static const char BEFORE[] = "region `ITCM' overflowed by ";
    const char *at = report == NULL ? NULL : strstr(report, BEFORE);
    return at == NULL ? 0 : strtoul(at + strlen(BEFORE), NULL, 10);
}

struct part_size {
    char name[PROGRAM_TEXT_CHARS]; /* of the object file, without folder and ".o" */
    unsigned long bytes;
};
enum { PARTS_MOST = 128 };

/* The name of a part, from PATH/NAME.o or PATH/ARCHIVE.a(NAME.o). */
static void part_name(const char *path, char name[PROGRAM_TEXT_CHARS])
{
    const char *from = path;
    for (const char *at = path; *at != '\0' && *at != '\n'; at++) {
        from = *at == '/' || *at == '(' ? at + 1 : from;
    }
    (void)snprintf(name, PROGRAM_TEXT_CHARS, "%.*s", (int)strcspn(from, ".\n"), from);
}

/* Adds a section of code, of the linker's map, to its part. */
static void add_section(struct part_size *part, const char *path, unsigned long bytes)
{
    char name[PROGRAM_TEXT_CHARS];
    unsigned i = 0;
    part_name(path, name);
    while (i < PARTS_MOST && part[i].name[0] != '\0' && strcmp(part[i].name, name) != 0) {
        i++;
    }
    if (i < PARTS_MOST) {
        (void)snprintf(part[i].name, sizeof part[i].name, "%s", name);
        part[i].bytes += bytes;
    }
}

/* The part with most code, by the linker's map: " .text.NAME 0xADDRESS 0xBYTES PATH", of which what
 * follows the name may be in a line of its own.  The code is behind the list of what was left out.
 */
static struct part_size largest_part(const struct link *link)
{
    struct part_size part[PARTS_MOST] = {0};
    struct part_size largest = {0};
    char *map = text_of(link, MAP);
    const char *at = map == NULL ? NULL : strstr(map, "\nLinker script and memory map");
    while (at != NULL && (at = strstr(at, "\n .text")) != NULL) {
        at += strcspn(at + 1, " \n") + 2; /* behind the line's first blank */
        at += strcspn(at, " \n");
        char *end = NULL;
        const char *address = at + strspn(at, " \n");
        (void)strtoul(address, &end, 16);
        const unsigned long bytes = strtoul(end, &end, 16);
        at = end;
        if (end != address && *end == ' ') {
            add_section(part, end + 1, bytes);
        }
    }
    for (unsigned i = 0; i < PARTS_MOST; i++) {
        largest = part[i].bytes > largest.bytes ? part[i] : largest;
    }
    free(map);
    return largest;
}

static enum status refuse(const struct link *link, const char *report,
                          struct diagnostic *diagnostic)
{
    const unsigned long bytes = missing_bytes(report);
    const struct program_recipe *recipe = link->recipe;
    if (bytes == 0) {
        return diagnose(diagnostic, STATUS_INTERNAL, "cannot link program %s: %.300s", recipe->name,
                        report == NULL ? "no message" : report);
    }
    const struct part_size largest = largest_part(link);
    (void)diagnose(diagnostic, STATUS_CONFIGURATION,
                   "program %s is %lu bytes too large for the code memory of a core; its largest "
                   "part is %s with %lu bytes",
                   recipe->name, bytes, largest.name, largest.bytes);
    diagnostic_hint(diagnostic, "use an experiment with fewer operators, or train.optimizer: "
                                "momentum; backend: host needs no program");
    return STATUS_CONFIGURATION;
}

/* ---- linking ---- */

/* In the fastest way in which the program fits. */
static enum status link_fastest(struct link *link, struct diagnostic *diagnostic)
{
    bool done = false;
    for (unsigned w = 0; w < WAY_COUNT; w++) {
        TRY(run(link, &WAYS[w], &done, diagnostic));
        if (done) {
            return STATUS_OK;
        }
        char *report = text_of(link, REPORT);
        if (missing_bytes(report) == 0 || w + 1 == WAY_COUNT) {
            const enum status status = refuse(link, report, diagnostic);
            free(report);
            return status;
        }
        free(report);
    }
    return STATUS_INTERNAL;
}

/* A kept file ends with a digest of the bytes before, by which one that was cut or changed is
 * known. */
static void digest_bytes(const uint8_t *bytes, size_t size, uint8_t digest[SHA256_BYTES])
{
    struct sha256 hash;
    sha256_init(&hash);
    sha256_update(&hash, bytes, size);
    sha256_final(&hash, digest);
}

static bool is_kept(int folder, const char *name)
{
    uint8_t digest[SHA256_BYTES];
    size_t size;
    uint8_t *bytes = bytes_of(folder, name, &size);
    bool whole = bytes != NULL && size > sizeof digest;
    if (whole) {
        digest_bytes(bytes, size - sizeof digest, digest);
        whole = memcmp(digest, bytes + size - sizeof digest, sizeof digest) == 0;
    }
    free(bytes);
    return whole;
}

static enum status keep(const struct link *link, int folder, const char *name,
                        struct diagnostic *diagnostic)
{
    uint8_t digest[SHA256_BYTES];
    size_t size;
    uint8_t *bytes = bytes_of(link->work, ELF, &size);
    bool kept = bytes != NULL;
    if (kept) {
        digest_bytes(bytes, size, digest);
        const struct folder_part parts[] = {{bytes, size}, {digest, sizeof digest}};
        kept = folder_write(folder, name, parts, sizeof parts / sizeof *parts);
    }
    free(bytes);
    return kept ? STATUS_OK : diagnose(diagnostic, STATUS_INTERNAL, "cannot keep program %s", name);
}

/* Links in a folder below an open one, and keeps the program there.  One process works at a time;
 * the kernel drops the lock of one that is killed. */
static enum status make(const struct program_recipe *recipe, const char *workloads, int folder,
                        const char *name, struct diagnostic *diagnostic)
{
    struct link link = {.recipe = recipe,
                        .folder = realpath(workloads, NULL),
                        .work = private_folder_open(folder, ".link", true)};
    enum status status = STATUS_OK;
    if (link.folder == NULL || link.work < 0 || flock(link.work, LOCK_EX) != 0) {
        status = diagnose(diagnostic, STATUS_INTERNAL,
                          "cannot link program %s: no folder to work in", name);
    } else if (!is_kept(folder, name)) { /* another process may have made it meanwhile */
        status = link_fastest(&link, diagnostic);
        if (status == STATUS_OK) {
            status = keep(&link, folder, name, diagnostic);
        }
        folder_clear(link.work);
    }
    if (link.work >= 0) {
        (void)close(link.work);
    }
    free(link.folder);
    return status;
}

/* The file's name in the folders of programs. */
struct kept_name {
    char text[PROGRAM_TEXT_CHARS + KEY_CHARS + sizeof "-.elf"];
};

static enum status name_of(const struct program_recipe *recipe, const char *folder,
                           struct kept_name *name, struct diagnostic *diagnostic)
{
    char key[SHA256_HEX_CHARS];
    TRY(digest_of(recipe, folder, key, diagnostic));
    (void)snprintf(name->text, sizeof name->text, "%s-%.*s.elf", recipe->name, KEY_CHARS, key);
    return STATUS_OK;
}

/* In an open folder: finds the program, or makes it. */
static enum status find_or_make(const struct program_recipe *recipe, const char *workloads,
                                int folder, const char *folder_path, const struct kept_name *name,
                                char **path, struct diagnostic *diagnostic)
{
    if (!is_kept(folder, name->text)) {
        TRY(make(recipe, workloads, folder, name->text, diagnostic));
    }
    *path = file_join(folder_path, name->text);
    return *path != NULL ? STATUS_OK : no_memory(diagnostic);
}

/* Of programs that come with the parts; the caller frees the path. */
static int open_shipped(const char *workloads, char **path)
{
    *path = file_join(workloads, "programs");
    return *path == NULL ? -1 : open(*path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

enum status program_ship(const struct program_recipe *recipe, const char *folder, char **path,
                         struct diagnostic *diagnostic)
{
    struct kept_name name;
    char *programs = file_join(folder, "programs");
    *path = NULL;
    TRY(name_of(recipe, folder, &name, diagnostic));
    if (programs != NULL) {
        (void)mkdir(programs, S_IRWXU | S_IRWXG | S_IRWXO);
        free(programs);
    }
    const int shipped = open_shipped(folder, &programs);
    enum status status =
        shipped >= 0
            ? find_or_make(recipe, folder, shipped, programs, &name, path, diagnostic)
            : file_refuse(folder, "is it a folder of yours?", diagnostic, "cannot keep programs");
    if (shipped >= 0) {
        (void)close(shipped);
    }
    free(programs);
    return status;
}

/* The folder of this user's programs; for one without a home it is among temporary files. */
static int open_cache(char path[USER_CACHE_PATH_CHARS])
{
    int folder = user_cache_path("programs", path) ? user_cache_open("programs") : -1;
    if (folder < 0) {
        const char *temporary = getenv("TMPDIR");
        (void)snprintf(path, USER_CACHE_PATH_CHARS, "%s/spinnsim-%u",
                       temporary == NULL ? "/tmp" : temporary, (unsigned)getuid());
        folder = trusted_folder_open(path, 1);
    }
    if (folder >= 0 && !private_folder_is(folder)) {
        (void)close(folder);
        return -1;
    }
    return folder;
}

/* *path stays NULL if the program does not come with the parts. */
static enum status find_shipped(const char *workloads, const struct kept_name *name, char **path,
                                struct diagnostic *diagnostic)
{
    char *programs;
    const int shipped = open_shipped(workloads, &programs);
    enum status status = STATUS_OK;
    if (shipped >= 0 && is_kept(shipped, name->text)) {
        *path = file_join(programs, name->text);
        status = *path == NULL ? no_memory(diagnostic) : STATUS_OK;
    }
    if (shipped >= 0) {
        (void)close(shipped);
    }
    free(programs);
    return status;
}

enum status program_link(const struct program_recipe *recipe, const char *folder, char **path,
                         struct diagnostic *diagnostic)
{
    struct kept_name name;
    char cache[USER_CACHE_PATH_CHARS];
    *path = NULL;
    TRY(name_of(recipe, folder, &name, diagnostic));
    TRY(find_shipped(folder, &name, path, diagnostic));
    if (*path != NULL) {
        return STATUS_OK;
    }
    const int kept = open_cache(cache);
    if (kept < 0) {
        (void)diagnose(diagnostic, STATUS_CONFIGURATION,
                       "the program for this experiment has to be linked, and there is no folder "
                       "for it");
        diagnostic_hint(diagnostic,
                        "spinnsim/programs under XDG_CACHE_HOME or ~/.cache, or "
                        "spinnsim-USERID in TMPDIR, must be this user's alone, and its path "
                        "safe from others");
        return STATUS_CONFIGURATION;
    }
    const enum status status = find_or_make(recipe, folder, kept, cache, &name, path, diagnostic);
    (void)close(kept);
    return status;
}

const char *program_way(const struct elf_image *program)
{
    const struct elf_symbol *way = elf_image_find(program, "__way");
    return way == NULL || way->address >= WAY_COUNT ? NULL : WAYS[way->address].speed;
}
