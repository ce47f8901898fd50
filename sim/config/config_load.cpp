/* config_load.cpp - see config_load.h.  yaml-cpp's events become nodes; its own tree is not used,
 * because it drops what must be refused (of two equal keys the first wins, silently). */
#include "sim/config/config_load.h"

#include "sim/config/config_text.h"
#include "sim/file.h"
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
            refuse(mark, "a text of several lines, or with control characters",
                   "write it in one line, or as a block that begins with >-", node);
        }
        node->quoted = tag == "!";
        node->text = config_arena_text(arena_, value.data(), length);
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

    /* About a node; nullptr: the map or list that is being filled. */
    [[noreturn]] void refuse(const YAML::Mark &mark, const std::string &what,
                             const std::string &hint,
                             const struct config_node *node = nullptr) const
    {
        const struct config_place place = place_of(mark);
        if (node == nullptr && !open_.empty()) {
            node = open_.back().node;
        }
        (void)diagnose(diagnostic_, STATUS_CONFIGURATION, "%s\v%s", what.c_str(), hint.c_str());
        diagnostic_at(diagnostic_, place.file, place.line, place.column);
        diagnostic_key(diagnostic_, node == nullptr ? "" : node->path);
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
        /* the keys of an axis are those of --set */
        const bool dotted = std::string(open_.back().node->path).rfind("sweep[", 0) == 0;
        const std::string letters =
            std::string("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                        "0123456789_-") +
            (dotted ? "." : "");
        const bool plain = value.find_first_not_of(letters) == std::string::npos;
        if (!plain || value.empty() || value.size() > CONFIG_NAME_CHARS) {
            refuse(mark, std::string(config_show_text(value.c_str()).text) + " is not a key",
                   KEY_HINT);
        }
        open_node &top = open_.back();
        top.key = value;
        top.key_mark = mark;
        top.has_key = true;
    }

    struct config_node *add(const YAML::Mark &mark, enum config_shape shape)
    {
        if (open_.empty()) {
            if (root_ != nullptr) {
                refuse(mark, "something follows the end of the document", "remove it");
            }
            root_ = config_node_add(arena_, parent_, name_, shape, place_of(mark));
            return root_;
        }
        open_node &top = open_.back();
        if (top.node->count >= CONFIG_CHILDREN) {
            refuse(mark, "too many entries in one list or group", "split it");
        }
        const char *name = top.key.c_str();
        const struct config_node *first = config_node_child(top.node, name);
        struct config_node *node = config_node_add(arena_, top.node, name, shape, place_of(mark));
        if (first != nullptr) {
            refuse(top.key_mark, "this key is given twice",
                   "the first is in line " + std::to_string(first->name_place.line) + "; keep one",
                   node);
        }
        if (top.node->shape == CONFIG_MAP) {
            node->name_place = place_of(top.key_mark);
            top.has_key = false;
        }
        return node;
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
        const bool known = from.everywhere == nullptr && !exception.mark.is_null();
        (void)diagnose(diagnostic, STATUS_CONFIGURATION,
                       "not YAML: %s\vlook at the indentation, the brackets, and for a colon or a "
                       "# that needs quotes, from this place upwards",
                       exception.msg.c_str());
        diagnostic_at(diagnostic, from.file, known ? exception.mark.line + 1 : 0,
                      known ? exception.mark.column + 1 : 0);
        return STATUS_CONFIGURATION;
    } catch (const std::exception &exception) {
        return file_refuse(from.file, nullptr, diagnostic, "not YAML: %s", exception.what());
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
        return file_refuse(file, "1 MiB is the limit; is it the right file?", diagnostic,
                           "larger than a configuration may be");
    }
    TRY(config_text_check(file, text, bytes, diagnostic));
    const source from = {file, text, bytes, nullptr};
    TreeBuilder builder(arena, from, nullptr, "", diagnostic);
    TRY(parse(builder, from, diagnostic));
    *root = builder.root();
    if (*root == nullptr || (*root)->shape == CONFIG_NULL) {
        *root = config_node_add(arena, nullptr, "", CONFIG_MAP, {file, 0, 0});
    }
    return (*root)->shape == CONFIG_MAP
               ? STATUS_OK
               : config_refuse_value(diagnostic, *root,
                                     "%s where keys are expected\v"
                                     "a configuration is made of lines \"key: value\"",
                                     config_show(*root).text);
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
        (void)config_node_add(arena, parent, name, CONFIG_NULL, place);
    }
    return STATUS_OK;
}
