/* config_include.c - see config_include.h. */
#include "sim/config/config_include.h"

#include "models/common/memory.h"
#include "sim/config/config_load.h"
#include "sim/config/config_program.h"
#include "sim/file.h"
#include "sim/steps.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The chain of includes from the first file to the one being read. */
struct chain {
    const struct chain *above;
    const char *file; /* as opened */
    const char *real; /* the same, resolved; NULL for a text */
    int depth;
};

struct gathering {
    const struct config_request *request;
    const struct config_checker *checker;
    struct config_arena *arena;
    struct diagnostic *diagnostic;
    int files;
};

/* ---- files ---- */

static bool exists(const char *path)
{
    struct stat info;
    return path != NULL && stat(path, &info) == 0;
}

static const char *join(struct config_arena *arena, const char *folder, size_t folder_length,
                        const char *name)
{
    const bool bare = folder_length == 0 || folder[folder_length - 1] == '/';
    const char *path =
        config_arena_print(arena, "%.*s%s%s", (int)folder_length, folder, bare ? "" : "/", name);
    memory_need(path);
    return path;
}

const char *config_find(struct config_arena *arena, const char *file, const char *configs_folder,
                        const char *name)
{
    const char *slash = strrchr(file, '/');
    const size_t folder_length = slash == NULL || name[0] == '/' ? 0 : (size_t)(slash - file) + 1;
    const char *beside = join(arena, file, folder_length, name);
    if (exists(beside)) {
        return beside;
    }
    if (configs_folder == NULL || name[0] == '/') {
        return NULL;
    }
    const char *configured = join(arena, configs_folder, strlen(configs_folder), name);
    return exists(configured) ? configured : NULL;
}

/* ---- documents ---- */

static enum status gather_file(struct gathering *gathering, const struct chain *chain,
                               const struct config_node **tree);

static bool includes_itself(const struct chain *chain)
{
    for (const struct chain *above = chain->above; above != NULL; above = above->above) {
        if (chain->real != NULL && above->real != NULL && strcmp(chain->real, above->real) == 0) {
            return true;
        }
    }
    return false;
}

/* "a.yaml -> b.yaml -> a.yaml", the front cut off when it is long. */
static void write_chain(const struct chain *chain, char *text, size_t capacity)
{
    if (chain->above != NULL) {
        write_chain(chain->above, text, capacity);
    }
    const size_t length = strlen(text);
    (void)snprintf(text + length, capacity - length, "%s%s", length == 0 ? "" : " -> ",
                   chain->file);
}

static enum status refuse_include(struct gathering *gathering, const struct config_node *entry,
                                  const struct chain *chain)
{
    char path[DIAGNOSTIC_TEXT_CHARS] = "";
    write_chain(chain, path, sizeof path);
    const bool itself = includes_itself(chain);
    return config_refuse_value(gathering->diagnostic, entry,
                               "%s%s\vat most %d files below each other, %d in all",
                               itself ? "a file includes itself: " : "too many includes",
                               itself ? path : "", CONFIG_INCLUDE_DEPTH, CONFIG_INCLUDE_FILES);
}

static enum status gather_include(struct gathering *gathering, const struct chain *above,
                                  const struct config_node *entry, const struct config_node **tree)
{
    if (entry->text[0] == '\0') {
        return config_refuse_value(gathering->diagnostic, entry, "%s where a file name is expected",
                                   config_show(entry).text);
    }
    const char *folder = gathering->request->configs_folder;
    const char *file = config_find(gathering->arena, above->file, folder, entry->text);
    if (file == NULL) {
        return config_refuse_value(gathering->diagnostic, entry,
                                   "cannot find %s\vlooked beside %s and in %s",
                                   config_show(entry).text, above->file,
                                   folder == NULL ? "no configuration folder" : folder);
    }
    if (file_is_folder(file)) {
        return config_refuse_value(gathering->diagnostic, entry,
                                   "%s is a folder\vname a file in it: [%s/NAME.yaml]",
                                   config_show(entry).text, entry->text);
    }
    FREED char *real = realpath(file, NULL);
    const struct chain chain = {
        .above = above, .file = file, .real = real, .depth = above->depth + 1};
    return !includes_itself(&chain) && chain.depth < CONFIG_INCLUDE_DEPTH &&
                   gathering->files < CONFIG_INCLUDE_FILES
               ? gather_file(gathering, &chain, tree)
               : refuse_include(gathering, entry, &chain);
}

static enum status gather_document(struct gathering *gathering, const struct chain *chain,
                                   const struct config_node *document,
                                   const struct config_node **tree)
{
    const struct config_node *own = config_node_without(gathering->arena, document, "include");
    TRY(gathering->checker->check(gathering->checker->context, own, gathering->diagnostic));
    const struct config_node *include = config_node_given(document, "include");
    if (include != NULL && include->shape != CONFIG_LIST) {
        return config_refuse_value(
            gathering->diagnostic, include,
            "%s where a list of files is expected\vinclude: [boards/one_chip.yaml]",
            config_show(include).text);
    }
    const struct config_node *merged = NULL;
    const struct config_node *entry = include == NULL ? NULL : include->first;
    for (; entry != NULL; entry = entry->next) {
        const struct config_node *included = NULL;
        TRY(gather_include(gathering, chain, entry, &included));
        merged = config_node_merge(gathering->arena, merged, included);
    }
    *tree = config_node_merge(gathering->arena, merged, own);
    return STATUS_OK;
}

/* What an experiment asks in the comment at its head, "# Question: ...?", is its key `question`,
 * unless the file has that. */
static const struct config_node *question_of(struct config_arena *arena, const char *file,
                                             const char *text, size_t bytes)
{
    enum { MOST = 500 }; /* as config_schema.def has it */
    static const char HEAD[] = "# Question: ";
    char question[MOST + 1];
    char head[2 * MOST]; /* the text need not end with a zero byte */
    size_t used = 0;
    const char *at = head + sizeof HEAD - 1;
    (void)snprintf(head, sizeof head, "%.*s", (int)(bytes < sizeof head ? bytes : sizeof head),
                   text);
    if (strncmp(head, HEAD, sizeof HEAD - 1) != 0) {
        return NULL;
    }
    for (; used < MOST && *at != '\0' && (used == 0 || question[used - 1] != '?'); at++) {
        if (*at == '\n' && strncmp(at + 1, "# ", 2) != 0) {
            return NULL;
        }
        question[used++] = *at == '\n' ? ' ' : *at;
        at += *at == '\n' ? 2 : 0;
    }
    if (used == 0 || question[used - 1] != '?') {
        return NULL;
    }
    question[0] = (char)toupper((unsigned char)question[0]);
    const struct config_place place = {file, 1, 1};
    struct config_node *root = config_node_add(arena, NULL, "", CONFIG_MAP, place);
    struct config_node *node = config_node_add(arena, root, "question", CONFIG_SCALAR, place);
    node->text = config_arena_text(arena, question, used);
    node->quoted = true;
    return root;
}

static enum status gather_text(struct gathering *gathering, const struct chain *chain,
                               const char *text, size_t bytes, const struct config_node **tree)
{
    const struct config_node *document = NULL;
    gathering->files++;
    TRY(config_load_document(gathering->arena, chain->file, text, bytes, &document,
                             gathering->diagnostic));
    TRY(gather_document(gathering, chain, document, tree));
    if (chain->above == NULL && bytes > 0 && config_node_child(document, "question") == NULL) {
        *tree = config_node_merge(gathering->arena, *tree,
                                  question_of(gathering->arena, chain->file, text, bytes));
    }
    return STATUS_OK;
}

static enum status gather_file(struct gathering *gathering, const struct chain *chain,
                               const struct config_node **tree)
{
    FREED uint8_t *content = NULL;
    size_t bytes;
    const enum status status =
        file_read(chain->file, CONFIG_TEXT_BYTES, &content, &bytes, gathering->diagnostic);
    if (status != STATUS_OK && !exists(chain->file)) {
        diagnostic_hint(gathering->diagnostic,
                        "experiments that come with spinnsim lie in configs/experiments");
    }
    TRY(status);
    return gather_text(gathering, chain, (const char *)content, bytes, tree);
}

static enum status gather_program(struct gathering *gathering, const struct chain *chain,
                                  const struct config_node **tree)
{
    const struct config_node *document = NULL;
    TRY(config_program_document(gathering->arena, chain->file, gathering->request->configs_folder,
                                &document, gathering->diagnostic));
    return gather_document(gathering, chain, document, tree);
}

enum status config_gather(const struct config_request *request,
                          const struct config_checker *checker, struct config_arena *arena,
                          const struct config_node **tree, struct diagnostic *diagnostic)
{
    struct gathering gathering = {
        .request = request, .checker = checker, .arena = arena, .diagnostic = diagnostic};
    const char *name = request->path == NULL ? "configuration" : request->path;
    struct chain chain = {.file = config_arena_text(arena, name, strlen(name))};
    if (request->program) {
        return gather_program(&gathering, &chain, tree);
    }
    if (request->text != NULL || request->path == NULL) {
        const bool given = request->text != NULL;
        return gather_text(&gathering, &chain, given ? request->text : "",
                           given ? request->text_bytes : 0, tree);
    }
    FREED char *real = realpath(chain.file, NULL);
    chain.real = real;
    return gather_file(&gathering, &chain, tree);
}

/* ---- overrides ---- */

static enum status refuse_override(const char *set, const char *what, const char *hint,
                                   struct diagnostic *diagnostic)
{
    return file_refuse(CONFIG_SET_FILE, hint, diagnostic, "%s: %s", config_show_text(set).text,
                       what);
}

/* The tree of one override: a.b.c=value is {a: {b: {c: value}}}. */
static enum status override_tree(struct config_arena *arena, const char *set, const char *prefix,
                                 const struct config_node **tree, struct diagnostic *diagnostic)
{
    static const char HINT[] = "--set group.key=value";
    const struct config_place place = {CONFIG_SET_FILE, 0, 0};
    const char *equals = strchr(set, '=');
    if (equals == NULL) {
        return refuse_override(set, "no \"=\"", HINT, diagnostic);
    }
    if (strncmp(set, prefix, strlen(prefix)) != 0) {
        return refuse_override(set, "not a key of energy", "only energy.* can be changed here",
                               diagnostic);
    }
    struct config_node *root = config_node_add(arena, NULL, "", CONFIG_MAP, place);
    struct config_node *parent = root;
    const char *at = set;
    for (int depth = 0;; depth++) {
        const size_t length = strcspn(at, ".=");
        char name[CONFIG_NAME_CHARS + 1];
        const bool plain =
            length > 0 && length < sizeof name && depth < CONFIG_DEPTH &&
            strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
                length;
        if (!plain) {
            return refuse_override(set, "not a key",
                                   memchr(at, '[', length) != NULL
                                       ? "no entry of a list is set alone: --set "
                                         "'app=[{file: a.elf}]' sets all of them"
                                       : HINT,
                                   diagnostic);
        }
        (void)snprintf(name, sizeof name, "%.*s", (int)length, at);
        if (parent == root && strcmp(name, "include") == 0) {
            return refuse_override(set, "includes stand in files", HINT, diagnostic);
        }
        if (at[length] == '=') {
            if (equals[1 + strspn(equals + 1, " ")] == '\0') {
                return refuse_override(set, "no value",
                                       "null clears what a file gives, \"\" is an empty text",
                                       diagnostic);
            }
            *tree = root;
            return config_load_value(arena, parent, name, equals + 1, diagnostic);
        }
        parent = config_node_add(arena, parent, name, CONFIG_MAP, place);
        at += length + 1;
    }
}

enum status config_override(const char *const *sets, size_t set_count, const char *prefix,
                            const struct config_checker *checker, struct config_arena *arena,
                            const struct config_node **tree, struct diagnostic *diagnostic)
{
    for (size_t i = 0; i < set_count; i++) {
        const struct config_node *over = NULL;
        TRY(override_tree(arena, sets[i], prefix, &over, diagnostic));
        TRY(checker->check(checker->context, over, diagnostic));
        *tree = config_node_merge(arena, *tree, over);
    }
    return STATUS_OK;
}
