/* config_load.cpp - see config_load.h.  yaml-cpp's events become nodes; its own tree is not used,
 * because it drops what must be refused (of two equal keys the first wins, silently). */
#include "sim/config/config_load.h"

#include "sim/config/config_text.h"
#include "sim/steps.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <exception>
#include <new>
#include <sstream>
#include <string>
#include <vector>

namespace
{

/* Thrown once the diagnostic has been filled. */
struct refused {
    enum status status;
};

struct source {
    const char *file;
    const char *text;
    size_t bytes;
    const struct config_place *everywhere; /* for all nodes; nullptr: the places of the text */
};

class TreeBuilder final : public YAML::EventHandler
{
  public:
    TreeBuilder(struct config_arena *arena, const source &from, struct config_node *parent,
                const char *name, struct diagnostic *diagnostic)
        : arena_(arena), source_(from), parent_(parent), name_(name), diagnostic_(diagnostic)
    {
    }

    struct config_node *root() const
    {
        return root_;
    }

    void OnDocumentStart(const YAML::Mark &mark) override
    {
        if (documents_++ > 0) {
            refuse(mark, "something follows the end of the document",
                   "one file is one configuration: no \"---\", no text behind the end");
        }
    }

    void OnDocumentEnd() override
    {
    }

    void OnNull(const YAML::Mark &mark, YAML::anchor_t anchor) override
    {
        check_properties(mark, anchor, "?");
        if (key_comes()) {
            refuse(mark, "a key is missing", KEY_HINT);
        }
        add(mark, CONFIG_NULL);
    }

    void OnAlias(const YAML::Mark &mark, YAML::anchor_t) override
    {
        check_properties(mark, 1, "?");
    }

    void OnScalar(const YAML::Mark &mark, const std::string &tag, YAML::anchor_t anchor,
                  const std::string &value) override
    {
        check_properties(mark, anchor, tag);
        if (key_comes()) {
            take_key(mark, value);
            return;
        }
        const bool escapes = source_at(mark) == '"'; /* can say what no line can hold */
        const size_t length = escapes ? value.size() : value.find_last_not_of('\n') + 1;
        struct config_node *node = add(mark, CONFIG_SCALAR);
        if (escapes ? value.find('\0') != std::string::npos
                    : !config_text_printable(value.data(), length)) {
            refuse_node(node, mark, "a text of several lines, or with control characters",
                        "write it in one line, or as a block that begins with >-");
        }
        node->quoted = tag == "!";
        node->text = config_arena_text(arena_, value.data(), length);
        if (node->text == nullptr) {
            throw std::bad_alloc();
        }
    }

    void OnSequenceStart(const YAML::Mark &mark, const std::string &tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override
    {
        open(mark, tag, anchor, CONFIG_LIST);
    }

    void OnSequenceEnd() override
    {
        open_.pop_back();
    }

    void OnMapStart(const YAML::Mark &mark, const std::string &tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override
    {
        open(mark, tag, anchor, CONFIG_MAP);
    }

    void OnMapEnd() override
    {
        open_.pop_back();
    }

  private:
    static constexpr const char *KEY_HINT =
        "a key is a name of letters, digits, \"_\" and \"-\"; groups are nested: board: {width: 8}";

    /* A map or list that is still being filled. */
    struct open_node {
        struct config_node *node;
        bool has_key;
        std::string key;
        YAML::Mark key_mark;
    };

    struct config_place place_of(const YAML::Mark &mark) const
    {
        if (source_.everywhere != nullptr) {
            return *source_.everywhere;
        }
        return {source_.file, mark.line + 1, mark.column + 1};
    }

    [[noreturn]] void refuse(const YAML::Mark &mark, const char *what, const char *hint) const
    {
        refuse_path(mark, open_.empty() ? "" : open_.back().node->path, what, hint);
    }

    [[noreturn]] void refuse_node(const struct config_node *node, const YAML::Mark &mark,
                                  const char *what, const char *hint) const
    {
        refuse_path(mark, node->path, what, hint);
    }

    [[noreturn]] void refuse_path(const YAML::Mark &mark, const char *path, const char *what,
                                  const char *hint) const
    {
        const struct config_place place = place_of(mark);
        (void)diagnose(diagnostic_, STATUS_CONFIGURATION, "%s", what);
        diagnostic_at(diagnostic_, place.file, place.line, place.column);
        diagnostic_key(diagnostic_, path);
        diagnostic_hint(diagnostic_, "%s", hint);
        throw refused{STATUS_CONFIGURATION};
    }

    bool key_comes() const
    {
        return !open_.empty() && open_.back().node->shape == CONFIG_MAP && !open_.back().has_key;
    }

    char source_at(const YAML::Mark &mark) const
    {
        const bool inside = mark.pos >= 0 && static_cast<size_t>(mark.pos) < source_.bytes;
        return inside ? source_.text[mark.pos] : '\0';
    }

    /* Rejects anchors, aliases, tags (yaml-cpp does not report the tag of a null) and unclosed
     * quotes. */
    void check_properties(const YAML::Mark &mark, YAML::anchor_t anchor,
                          const std::string &tag) const
    {
        const char first = source_at(mark);
        if (anchor != 0 || first == '&' || first == '*') {
            refuse(mark, "anchors and aliases are not supported",
                   "write the value out, or share it by `include`");
        }
        if (first == '!' || !(tag.empty() || tag == "?" || tag == "!")) {
            refuse(mark, "tags are not supported", "remove the word that begins with \"!\"");
        }
        if ((first == '"' || first == '\'') && tag == "!" &&
            !config_text_quote_closed(source_.text, source_.bytes, static_cast<size_t>(mark.pos))) {
            refuse(mark, "this quote is never closed", "close it");
        }
    }

    void take_key(const YAML::Mark &mark, const std::string &value)
    {
        const bool plain =
            value.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                    "0123456789_-") == std::string::npos;
        if (!plain || value.empty() || value.size() > CONFIG_NAME_CHARS) {
            const std::string what =
                std::string(config_show_text(value.c_str()).text) + " is not a key";
            refuse(mark, what.c_str(), KEY_HINT);
        }
        open_node &top = open_.back();
        top.key = value;
        top.key_mark = mark;
        top.has_key = true;
    }

    struct config_node *add(const YAML::Mark &mark, enum config_shape shape)
    {
        if (open_.empty()) {
            return add_root(mark, shape);
        }
        open_node &top = open_.back();
        if (top.node->count >= CONFIG_CHILDREN) {
            refuse(mark, "too many entries in one list or group", "split it");
        }
        struct config_node *node = create(top.node, top.key.c_str(), mark, shape);
        if (top.node->shape == CONFIG_MAP) {
            node->name_place = place_of(top.key_mark);
            check_duplicate(top.node, node, top.key_mark);
            top.has_key = false;
        }
        config_node_append(top.node, node);
        return node;
    }

    struct config_node *add_root(const YAML::Mark &mark, enum config_shape shape)
    {
        if (root_ != nullptr) {
            refuse(mark, "something follows the end of the document", "remove it");
        }
        root_ = create(parent_, name_, mark, shape);
        if (parent_ != nullptr) {
            config_node_append(parent_, root_);
        }
        return root_;
    }

    struct config_node *create(const struct config_node *parent, const char *name,
                               const YAML::Mark &mark, enum config_shape shape) const
    {
        struct config_node *node = config_node_create(arena_, parent, name, shape);
        node->place = place_of(mark);
        node->name_place = node->place;
        return node;
    }

    void check_duplicate(const struct config_node *parent, const struct config_node *node,
                         const YAML::Mark &mark) const
    {
        const struct config_node *first = config_node_child(parent, node->name);
        if (first != nullptr) {
            const std::string hint =
                "the first is in line " + std::to_string(first->name_place.line) + "; keep one";
            refuse_node(node, mark, "this key is given twice", hint.c_str());
        }
    }

    void open(const YAML::Mark &mark, const std::string &tag, YAML::anchor_t anchor,
              enum config_shape shape)
    {
        check_properties(mark, anchor, tag);
        if (key_comes()) {
            refuse(mark, "a list or group as a key, or one that is never closed", KEY_HINT);
        }
        if (open_.size() >= CONFIG_DEPTH) {
            refuse(mark, "nested too deeply", "no key is that deep");
        }
        open_.push_back({add(mark, shape), false, std::string(), YAML::Mark()});
    }

    struct config_arena *arena_;
    source source_;
    struct config_node *parent_; /* the root is put under it */
    const char *name_;
    struct diagnostic *diagnostic_;
    struct config_node *root_ = nullptr;
    std::vector<open_node> open_;
    int documents_ = 0;
};

/* Parses the text with yaml-cpp; catches all exceptions. */
enum status parse(TreeBuilder &builder, const source &from, struct diagnostic *diagnostic)
{
    try {
        std::istringstream stream(std::string(from.text, from.bytes));
        YAML::Parser parser(stream);
        while (parser.HandleNextDocument(builder)) {
        }
        return STATUS_OK;
    } catch (const refused &refusal) {
        return refusal.status;
    } catch (const std::bad_alloc &) {
        return no_memory(diagnostic);
    } catch (const YAML::Exception &exception) {
        const enum status status =
            diagnose(diagnostic, STATUS_CONFIGURATION, "not YAML: %s", exception.msg.c_str());
        const bool known = from.everywhere == nullptr && !exception.mark.is_null();
        diagnostic_at(diagnostic, from.file, known ? exception.mark.line + 1 : 0,
                      known ? exception.mark.column + 1 : 0);
        diagnostic_hint(diagnostic, "look at the indentation, the brackets, and for a colon or a "
                                    "# that needs quotes, from this place upwards");
        return status;
    } catch (const std::exception &exception) {
        const enum status status =
            diagnose(diagnostic, STATUS_CONFIGURATION, "not YAML: %s", exception.what());
        diagnostic_at(diagnostic, from.file, 0, 0);
        return status;
    }
}

} // namespace

enum status config_load_document(struct config_arena *arena, const char *file, const char *text,
                                 size_t bytes, const struct config_node **root,
                                 struct diagnostic *diagnostic)
{
    static const char MARK[] = "\xef\xbb\xbf"; /* byte order mark */
    if (bytes >= 3 && memcmp(text, MARK, 3) == 0) {
        text += 3;
        bytes -= 3;
    }
    *root = nullptr;
    if (bytes > CONFIG_TEXT_BYTES) {
        const enum status status =
            diagnose(diagnostic, STATUS_CONFIGURATION, "larger than a configuration may be");
        diagnostic_at(diagnostic, file, 0, 0);
        diagnostic_hint(diagnostic, "1 MiB is the limit; is it the right file?");
        return status;
    }
    enum status status = config_text_check(file, text, bytes, diagnostic);
    if (status != STATUS_OK) {
        return status;
    }
    const source from = {file, text, bytes, nullptr};
    TreeBuilder builder(arena, from, nullptr, "", diagnostic);
    status = parse(builder, from, diagnostic);
    if (status != STATUS_OK) {
        return status;
    }
    struct config_node *node = builder.root();
    if (node == nullptr || node->shape == CONFIG_NULL) {
        node = config_node_create(arena, nullptr, "", CONFIG_MAP);
        node->place = {file, 0, 0};
        node->name_place = node->place;
    }
    *root = node;
    if (node->shape != CONFIG_MAP) {
        status =
            config_refuse_value(diagnostic, node, "a configuration is made of lines \"key: value\"",
                                "%s where keys are expected", config_show(node).text);
    }
    return status;
}

enum status config_load_value(struct config_arena *arena, struct config_node *parent,
                              const char *name, const char *text, struct diagnostic *diagnostic)
{
    const struct config_place place = parent->place;
    const source from = {place.file, text, strlen(text), &place};
    enum status status = config_text_check(place.file, text, from.bytes, diagnostic);
    TreeBuilder builder(arena, from, parent, name, diagnostic);
    if (status == STATUS_OK) {
        status = from.bytes > CONFIG_TEXT_BYTES
                     ? diagnose(diagnostic, STATUS_CONFIGURATION, "longer than a value may be")
                     : parse(builder, from, diagnostic);
    }
    if (status != STATUS_OK) {
        diagnostic_at(diagnostic, place.file, place.line, place.column);
        return status;
    }
    if (builder.root() == nullptr) {
        struct config_node *node = config_node_create(arena, parent, name, CONFIG_NULL);
        node->place = place;
        node->name_place = place;
        config_node_append(parent, node);
    }
    return STATUS_OK;
}
