/* mnist_files.c - see mnist_files.h. */
#include "sim/data/mnist_files.h"

#include "sim/file.h"
#include "sim/steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_FOLDERS = 4 };

static const char CHECKOUT_FOLDER[] = "data/mnist";
static const char CACHE_FOLDER[] = "spinnsim/mnist";

static const char *const SPLIT_NAME[] = {[DATASET_TRAIN] = "train", [DATASET_TEST] = "t10k"};

struct folder_list {
    unsigned count;
    char *folder[MAX_FOLDERS];
    bool out_of_memory;
};

static bool is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool is_there(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && !S_ISDIR(info.st_mode);
}

static const char *environment(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

/* ---- the folders ---- */

static void add_folder(struct folder_list *list, const char *parent, const char *name)
{
    char *folder = name == NULL ? strdup(parent) : file_join(parent, name);
    if (folder == NULL) {
        list->out_of_memory = true;
        return;
    }
    list->folder[list->count++] = folder;
}

/* The working directory and, where it lies deeper in a checkout, the checkout's top folder. */
static void add_checkout(struct folder_list *list)
{
    char *top = getcwd(NULL, 0);
    if (top == NULL) {
        return;
    }
    add_folder(list, top, CHECKOUT_FOLDER);
    for (bool here = true;; here = false) {
        char *mark = file_join(top, ".git");
        struct stat info;
        const bool found = mark != NULL && stat(mark, &info) == 0;
        free(mark);
        if (found && !here) {
            add_folder(list, top, CHECKOUT_FOLDER);
        }
        char *slash = strrchr(top, '/');
        if (found || slash == NULL || slash == top) {
            break;
        }
        *slash = '\0';
    }
    free(top);
}

static void add_cache(struct folder_list *list)
{
    const char *cache = environment("XDG_CACHE_HOME");
    const char *home = environment("HOME");
    if (cache != NULL) {
        add_folder(list, cache, CACHE_FOLDER);
    } else if (home != NULL) {
        char *below_home = file_join(home, ".cache");
        if (below_home == NULL) {
            list->out_of_memory = true;
            return;
        }
        add_folder(list, below_home, CACHE_FOLDER);
        free(below_home);
    }
}

static void list_folders(struct folder_list *list, const char *data_dir)
{
    *list = (struct folder_list){0};
    if (data_dir != NULL) {
        add_folder(list, data_dir, NULL);
        return;
    }
    const char *named = environment("SPINNSIM_DATA");
    if (named != NULL) {
        add_folder(list, named, NULL);
    }
    add_checkout(list);
    add_cache(list);
}

static void free_folders(struct folder_list *list)
{
    for (unsigned i = 0; i < list->count; i++) {
        free(list->folder[i]);
    }
}

/* ---- the files in one folder ---- */

enum { SPELLINGS = 4 };

static const char *const IMAGES_NAME[SPELLINGS] = {
    "-images-idx3-ubyte", "-images.idx3-ubyte", "-images-idx3-ubyte.gz", "-images.idx3-ubyte.gz"};
static const char *const LABELS_NAME[SPELLINGS] = {
    "-labels-idx1-ubyte", "-labels.idx1-ubyte", "-labels-idx1-ubyte.gz", "-labels.idx1-ubyte.gz"};

/* The path of the file in the first spelling that is there, NULL when none is (or no memory). */
static char *find_file(const char *folder, const char *split, const char *const *spelling)
{
    for (unsigned i = 0; i < SPELLINGS; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "%s%s", split, spelling[i]);
        char *path = file_join(folder, name);
        if (path == NULL || is_there(path)) {
            return path;
        }
        free(path);
    }
    return NULL;
}

/* Appends " folder (what is missing)" to the list in `text`. */
static void note_absence(char *text, size_t text_size, const struct mnist_files *files,
                         const char *folder, const char *split)
{
    const size_t used = strlen(text);
    char missing[64];
    if (!is_folder(folder)) {
        (void)snprintf(missing, sizeof missing, "no such folder");
    } else if (files->images == NULL && files->labels == NULL) {
        (void)snprintf(missing, sizeof missing, "no %s files", split);
    } else {
        (void)snprintf(missing, sizeof missing, "no %s-%s file", split,
                       files->images == NULL ? "images" : "labels");
    }
    (void)snprintf(text + used, text_size - used, "%s %s (%s)", used == 0 ? "" : ",", folder,
                   missing);
}

static enum status absent(const char *looked_at, const char *data_dir,
                          struct diagnostic *diagnostic)
{
    const enum status status = diagnose(
        diagnostic, STATUS_CONFIGURATION, "the data set mnist is not on this machine; looked in%s",
        looked_at[0] == '\0' ? " no folder: neither HOME nor a working directory" : looked_at);
    diagnostic_key(diagnostic, "data.set");
    if (data_dir != NULL) {
        diagnostic_hint(diagnostic,
                        "--data names the only folder looked at; scripts/fetch_mnist.sh DIR "
                        "downloads the four files into a folder");
    } else {
        diagnostic_hint(diagnostic, "run scripts/fetch_mnist.sh, or name the folder of the four "
                                    "files with --data DIR or SPINNSIM_DATA, or choose data.set: "
                                    "synthetic");
    }
    return status;
}

enum status mnist_files_find(struct mnist_files *files, const char *data_dir,
                             enum dataset_split split, struct diagnostic *diagnostic)
{
    char looked_at[DIAGNOSTIC_TEXT_CHARS] = "";
    struct folder_list list;
    *files = (struct mnist_files){0};
    list_folders(&list, data_dir);
    bool found = false;
    for (unsigned i = 0; i < list.count && !found; i++) {
        files->images = find_file(list.folder[i], SPLIT_NAME[split], IMAGES_NAME);
        files->labels = find_file(list.folder[i], SPLIT_NAME[split], LABELS_NAME);
        found = files->images != NULL && files->labels != NULL;
        if (found) {
            files->folder = list.folder[i];
            list.folder[i] = NULL;
        } else {
            note_absence(looked_at, sizeof looked_at, files, list.folder[i], SPLIT_NAME[split]);
            mnist_files_deinit(files);
        }
    }
    const bool out_of_memory = list.out_of_memory;
    free_folders(&list);
    if (found) {
        return STATUS_OK;
    }
    return out_of_memory ? no_memory(diagnostic) : absent(looked_at, data_dir, diagnostic);
}

void mnist_files_deinit(struct mnist_files *files)
{
    free(files->folder);
    free(files->images);
    free(files->labels);
    *files = (struct mnist_files){0};
}
