/* config_include.c - see config_include.h. */
#include "sim/config/config_include.h"

#include "sim/config/config_load.h"
#include "sim/config/config_program.h"
#include "sim/file.h"
#include "sim/steps.h"

#include <stdlib.h>
#include <sys/stat.h>

/* The chain of includes from the first file to the one being read. */
struct chain {
    const struct chain *above;
    const char *file; /* as opened */
    char *real;       /* the same, resolved; malloc'ed; NULL for a text */
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

/* The text is the arena's. */
static enum status read_file(struct gathering *gathering, const char *file, const char **text,
                             size_t *bytes)
{
    uint8_t *content;
    const enum status status =
        file_read(file, CONFIG_TEXT_BYTES, &content, bytes, gathering->diagnostic);
    if (status != STATUS_OK) {
        if (!exists(file)) {
            diagnostic_hint(gathering->diagnostic,
                            "experiments that come with spinnsim lie in configs/experiments");
        }
        return status;
    }
    *text = config_arena_text(gathering->arena, (const char *)content, *bytes);
    free(content);
    return STATUS_OK;
}

static const char *join(struct config_arena *arena, const char *folder, size_t folder_length,
                        const char *name)
{
    const size_t length = folder_length + strlen(name) + 2;
    char *path = config_arena_take(arena, length);
    const bool bare = folder_length == 0 || folder[folder_length - 1] == '/';
    (void)snprintf(path, length, "%.*s%s%s", (int)folder_length, folder, bare ? "" : "/", name);
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

static enum status gather_text(struct gathering *gathering, const struct chain *chain,
                               const char *text, size_t bytes, const struct config_node **tree);

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
    const enum status status =
        includes_itself(chain)
            ? config_refuse_value(gathering->diagnostic, entry, NULL, "a file includes itself: %s",
                                  path)
            : config_refuse_value(gathering->diagnostic, entry, NULL, "too many includes");
    diagnostic_hint(gathering->diagnostic, "at most %d files below each other, %d in all",
                    CONFIG_INCLUDE_DEPTH, CONFIG_INCLUDE_FILES);
    return status;
}

static enum status gather_include(struct gathering *gathering, const struct chain *above,
                                  const struct config_node *entry, const struct config_node **tree)
{
    if (entry->shape != CONFIG_SCALAR || entry->text[0] == '\0') {
        return config_refuse_value(gathering->diagnostic, entry, NULL,
                                   "%s where a file name is expected", config_show(entry).text);
    }
    const char *folder = gathering->request->configs_folder;
    const char *file = config_find(gathering->arena, above->file, folder, entry->text);
    if (file == NULL) {
        const enum status status = config_refuse_value(gathering->diagnostic, entry, NULL,
                                                       "cannot find %s", config_show(entry).text);
        diagnostic_hint(gathering->diagnostic, "looked beside %s and in %s", above->file,
                        folder == NULL ? "no configuration folder" : folder);
        return status;
    }
    struct chain chain = {
        .above = above, .file = file, .real = realpath(file, NULL), .depth = above->depth + 1};
    const bool allowed = !includes_itself(&chain) && chain.depth < CONFIG_INCLUDE_DEPTH &&
                         gathering->files < CONFIG_INCLUDE_FILES;
    const char *text = NULL;
    size_t bytes = 0;
    enum status status = allowed ? read_file(gathering, file, &text, &bytes)
                                 : refuse_include(gathering, entry, &chain);
    if (status == STATUS_OK) {
        status = gather_text(gathering, &chain, text, bytes, tree);
    }
    free(chain.real);
    return status;
}

/* The tree without its `include`. */
static const struct config_node *without_include(struct config_arena *arena,
                                                 const struct config_node *tree)
{
    struct config_node *rest = config_arena_take(arena, sizeof *rest);
    *rest = *tree;
    rest->first = NULL;
    rest->last = NULL;
    rest->count = 0;
    for (const struct config_node *child = tree->first; child != NULL; child = child->next) {
        if (strcmp(child->name, "include") != 0) {
            struct config_node *kept = config_arena_take(arena, sizeof *kept);
            *kept = *child;
            kept->next = NULL;
            config_node_append(rest, kept);
        }
    }
    return rest;
}

static enum status gather_document(struct gathering *gathering, const struct chain *chain,
                                   const struct config_node *document,
                                   const struct config_node **tree)
{
    const struct config_node *own = without_include(gathering->arena, document);
    TRY(gathering->checker->check(gathering->checker->context, own, gathering->diagnostic));
    const struct config_node *include = config_node_given(document, "include");
    if (include != NULL && include->shape != CONFIG_LIST) {
        return config_refuse_value(
            gathering->diagnostic, include, "include: [boards/one_chip.yaml]",
            "%s where a list of files is expected", config_show(include).text);
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

static enum status gather_text(struct gathering *gathering, const struct chain *chain,
                               const char *text, size_t bytes, const struct config_node **tree)
{
    const struct config_node *document = NULL;
    gathering->files++;
    TRY(config_load_document(gathering->arena, chain->file, text, bytes, &document,
                             gathering->diagnostic));
    return gather_document(gathering, chain, document, tree);
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
    const char *text = request->text;
    size_t bytes = request->text_bytes;
    if (request->program) {
        return gather_program(&gathering, &chain, tree);
    }
    if (text == NULL && request->path == NULL) {
        text = "";
        bytes = 0;
    }
    enum status status = STATUS_OK;
    if (text == NULL) {
        chain.real = realpath(chain.file, NULL);
        status = read_file(&gathering, chain.file, &text, &bytes);
    }
    if (status == STATUS_OK) {
        status = gather_text(&gathering, &chain, text, bytes, tree);
    }
    free(chain.real);
    return status;
}

/* ---- overrides ---- */

static enum status refuse_override(const char *set, const char *what, const char *hint,
                                   struct diagnostic *diagnostic)
{
    const enum status status =
        diagnose(diagnostic, STATUS_CONFIGURATION, "%s: %s", config_show_text(set).text, what);
    diagnostic_at(diagnostic, CONFIG_SET_FILE, 0, 0);
    diagnostic_hint(diagnostic, "%s", hint);
    return status;
}

static struct config_node *override_node(struct config_arena *arena, struct config_node *parent,
                                         const char *name)
{
    struct config_node *node = config_node_create(arena, parent, name, CONFIG_MAP);
    node->place = (struct config_place){CONFIG_SET_FILE, 0, 0};
    node->name_place = node->place;
    if (parent != NULL) {
        config_node_append(parent, node);
    }
    return node;
}

/* The tree of one override: a.b.c=value is {a: {b: {c: value}}}. */
static enum status override_tree(struct config_arena *arena, const char *set, const char *prefix,
                                 const struct config_node **tree, struct diagnostic *diagnostic)
{
    static const char HINT[] = "--set group.key=value";
    const char *equals = strchr(set, '=');
    if (equals == NULL) {
        return refuse_override(set, "no \"=\"", HINT, diagnostic);
    }
    if (strncmp(set, prefix, strlen(prefix)) != 0) {
        return refuse_override(set, "not a key of energy", "only energy.* can be changed here",
                               diagnostic);
    }
    struct config_node *root = override_node(arena, NULL, "");
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
            return refuse_override(set, "not a key", HINT, diagnostic);
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
        parent = override_node(arena, parent, name);
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
