/* npy.c - see npy.h. */
#include "sim/data/npy.h"

#include "models/common/check.h"

#include <endian.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#if BYTE_ORDER != LITTLE_ENDIAN
#error "elements are copied as they are: this file needs a little-endian host"
#endif

enum {
    MAGIC_BYTES = 6,
    VERSION_AT = 6,
    LENGTH_AT = 8,
    ALIGNMENT_BYTES = 64,
    DESCR_CHARS = 16,
    KEY_CHARS = 16,
    NUMBER_DIGITS = 18 /* below 2^63 */
};

static const uint8_t MAGIC[MAGIC_BYTES] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

static const struct {
    const char *name;
    char kind; /* numpy's letter */
    size_t item_bytes;
} TYPES[] = {
    [NPZ_INT8] = {"int8", 'i', 1},       [NPZ_UINT8] = {"uint8", 'u', 1},
    [NPZ_INT16] = {"int16", 'i', 2},     [NPZ_INT32] = {"int32", 'i', 4},
    [NPZ_INT64] = {"int64", 'i', 8},     [NPZ_FLOAT32] = {"float32", 'f', 4},
    [NPZ_FLOAT64] = {"float64", 'f', 8}, [NPZ_TEXT] = {"text", 'S', 0},
};

enum { TYPE_COUNT = sizeof TYPES / sizeof TYPES[0] };

const char *npz_type_name(enum npz_type type)
{
    return TYPES[type].name;
}

size_t npy_item_bytes(enum npz_type type)
{
    return TYPES[type].item_bytes;
}

/* ---- reading ---- */

static const char DAMAGED_HINT[] = "the array is damaged; write it again with numpy.savez";
static const char TYPE_HINT[] = "store int8, uint8, int16, int32, int64, float32, float64 or byte "
                                "strings: array.astype(...) before numpy.savez";

struct cursor {
    const uint8_t *bytes;
    size_t at;
    size_t end;
    struct npy_fault *fault;
};

static bool fail(struct cursor *cursor, const char *hint, const char *format, ...)
    PRINTF_LIKE(3, 4);

static bool fail(struct cursor *cursor, const char *hint, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(cursor->fault->text, sizeof cursor->fault->text, format, arguments);
    va_end(arguments);
    cursor->fault->offset = cursor->at;
    cursor->fault->hint = hint;
    return false;
}

/* The next character after blanks, not consumed; 0 at the end. */
static uint8_t peek(struct cursor *cursor)
{
    while (cursor->at < cursor->end &&
           (cursor->bytes[cursor->at] == ' ' || cursor->bytes[cursor->at] == '\n')) {
        cursor->at++;
    }
    return cursor->at < cursor->end ? cursor->bytes[cursor->at] : 0;
}

static bool accept(struct cursor *cursor, char wanted)
{
    if (peek(cursor) != (uint8_t)wanted) {
        return false;
    }
    cursor->at++;
    return true;
}

static bool expect(struct cursor *cursor, char wanted)
{
    return accept(cursor, wanted) ||
           fail(cursor, DAMAGED_HINT, "header syntax: '%c' expected", wanted);
}

/* A quoted string of printable characters without escapes. */
static bool read_string(struct cursor *cursor, char *text, size_t text_chars)
{
    const uint8_t quote = peek(cursor);
    if (quote != '\'' && quote != '"') {
        return fail(cursor, DAMAGED_HINT, "header syntax: a quoted string expected");
    }
    size_t length = 0;
    for (cursor->at++; cursor->at < cursor->end; cursor->at++) {
        const uint8_t character = cursor->bytes[cursor->at];
        if (character == quote) {
            cursor->at++;
            text[length] = '\0';
            return true;
        }
        if (character < ' ' || character > '~' || character == '\\' || length + 1 >= text_chars) {
            break;
        }
        text[length++] = (char)character;
    }
    return fail(cursor, DAMAGED_HINT, "header syntax: bad string");
}

static bool read_word(struct cursor *cursor, const char *word)
{
    const size_t length = strlen(word);
    (void)peek(cursor);
    if (cursor->end - cursor->at < length ||
        memcmp(cursor->bytes + cursor->at, word, length) != 0) {
        return false;
    }
    cursor->at += length;
    return true;
}

static bool read_size(struct cursor *cursor, size_t *value)
{
    unsigned digits = 0;
    *value = 0;
    for (uint8_t digit = peek(cursor); digit >= '0' && digit <= '9';) {
        if (++digits > NUMBER_DIGITS) {
            return fail(cursor, DAMAGED_HINT, "a dimension is absurd");
        }
        *value = *value * 10 + (size_t)(digit - '0');
        cursor->at++;
        digit = cursor->at < cursor->end ? cursor->bytes[cursor->at] : 0;
    }
    return digits > 0 || fail(cursor, DAMAGED_HINT, "header syntax: a number expected");
}

static bool refuse_type(struct cursor *cursor, const char *descr)
{
    switch (descr[1]) {
    case 'O':
        return fail(cursor,
                    "object arrays are Python pickles, which are never loaded; store "
                    "plain arrays (allow_pickle=False)",
                    "holds Python objects (pickle)");
    case 'U':
        return fail(cursor, "store byte strings: numpy.array(text.encode())",
                    "Unicode strings (%s) are not supported", descr);
    default:
        return fail(cursor, TYPE_HINT, "type %s is not supported", descr);
    }
}

/* The type of this letter and size, TYPE_COUNT when there is none. */
static unsigned find_type(char kind, size_t item_bytes)
{
    unsigned type = 0;
    while (type < TYPE_COUNT &&
           (TYPES[type].kind != kind ||
            (type == NPZ_TEXT ? item_bytes == 0 : TYPES[type].item_bytes != item_bytes))) {
        type++;
    }
    return type;
}

/* A type as numpy writes it: byte order, kind, bytes of an element. */
static bool read_descr(struct cursor *cursor, struct npy_header *header)
{
    char descr[DESCR_CHARS] = "";
    if (peek(cursor) == '[') {
        return fail(cursor, TYPE_HINT, "structured types are not supported");
    }
    if (!read_string(cursor, descr, sizeof descr)) {
        return false;
    }
    const size_t length = strlen(descr);
    if (length < 2) {
        return fail(cursor, DAMAGED_HINT, "header syntax: bad type '%s'", descr);
    }
    size_t item_bytes = 0;
    for (size_t i = 2; i < length; i++) {
        if (descr[i] < '0' || descr[i] > '9' || item_bytes > UINT32_MAX) {
            return refuse_type(cursor, descr);
        }
        item_bytes = item_bytes * 10 + (size_t)(descr[i] - '0');
    }
    const unsigned type = find_type(descr[1], item_bytes);
    if (type == TYPE_COUNT) {
        return refuse_type(cursor, descr);
    }
    if (descr[0] == '>') {
        return fail(cursor, "array.astype('<i2') and the like before numpy.savez",
                    "big-endian elements (%s) are not supported", descr);
    }
    const bool single_bytes = type == NPZ_TEXT || item_bytes == 1;
    if (descr[0] != '<' && !(single_bytes && descr[0] == '|')) {
        return refuse_type(cursor, descr);
    }
    header->type = (enum npz_type)type;
    header->item_bytes = item_bytes;
    return true;
}

static bool read_order(struct cursor *cursor)
{
    if (read_word(cursor, "False")) {
        return true;
    }
    if (read_word(cursor, "True")) {
        return fail(cursor, "numpy.ascontiguousarray(array) before numpy.savez",
                    "Fortran order is not supported");
    }
    return fail(cursor, DAMAGED_HINT, "header syntax: True or False expected");
}

/* A tuple; one of a single element needs its comma, as in Python. */
static bool read_shape(struct cursor *cursor, struct npy_header *header)
{
    if (!expect(cursor, '(')) {
        return false;
    }
    bool comma = true;
    header->rank = 0;
    while (!accept(cursor, ')')) {
        size_t dimension = 0;
        if (!comma) {
            return fail(cursor, DAMAGED_HINT, "header syntax: ',' expected in the shape");
        }
        if (!read_size(cursor, &dimension)) {
            return false;
        }
        if (header->rank == NPZ_MAX_RANK) {
            return fail(cursor, "reshape it before numpy.savez", "more than %d dimensions",
                        NPZ_MAX_RANK);
        }
        header->shape[header->rank++] = dimension;
        comma = accept(cursor, ',');
    }
    return header->rank != 1 || comma ||
           fail(cursor, DAMAGED_HINT, "header syntax: the shape is no tuple");
}

enum { KEY_DESCR = 1, KEY_ORDER = 2, KEY_SHAPE = 4, KEY_ALL = 7 };

static bool read_pair(struct cursor *cursor, struct npy_header *header, unsigned *seen)
{
    char key[KEY_CHARS] = "";
    if (!read_string(cursor, key, sizeof key) || !expect(cursor, ':')) {
        return false;
    }
    unsigned which = 0;
    bool good = false;
    if (strcmp(key, "descr") == 0) {
        which = KEY_DESCR;
        good = read_descr(cursor, header);
    } else if (strcmp(key, "fortran_order") == 0) {
        which = KEY_ORDER;
        good = read_order(cursor);
    } else if (strcmp(key, "shape") == 0) {
        which = KEY_SHAPE;
        good = read_shape(cursor, header);
    } else {
        return fail(cursor, DAMAGED_HINT, "header: unknown key '%s'", key);
    }
    if (good && (*seen & which) != 0) {
        return fail(cursor, DAMAGED_HINT, "header: the key '%s' stands there twice", key);
    }
    *seen |= which;
    return good;
}

static bool read_dict(struct cursor *cursor, struct npy_header *header)
{
    unsigned seen = 0;
    bool comma = true;
    if (!expect(cursor, '{')) {
        return false;
    }
    while (!accept(cursor, '}')) {
        if (!comma) {
            return fail(cursor, DAMAGED_HINT, "header syntax: ',' expected");
        }
        if (!read_pair(cursor, header, &seen)) {
            return false;
        }
        comma = accept(cursor, ',');
    }
    if (seen != KEY_ALL) {
        return fail(cursor, DAMAGED_HINT, "header: descr, fortran_order or shape is missing");
    }
    (void)peek(cursor);
    return cursor->at == cursor->end ||
           fail(cursor, DAMAGED_HINT, "header syntax: something follows the closing brace");
}

/* Magic number, version, length; sets the cursor on the dict. */
static bool read_preamble(struct cursor *cursor, size_t size)
{
    const uint8_t *bytes = cursor->bytes;
    if (size < LENGTH_AT || memcmp(bytes, MAGIC, MAGIC_BYTES) != 0) {
        return fail(cursor, DAMAGED_HINT, "not a .npy array");
    }
    const unsigned major = bytes[VERSION_AT];
    if (major < 1 || major > 3 || bytes[VERSION_AT + 1] != 0) {
        cursor->at = VERSION_AT;
        return fail(cursor, "versions 1.0, 2.0 and 3.0 are read", ".npy version %u.%u is unknown",
                    major, bytes[VERSION_AT + 1]);
    }
    const size_t length_bytes = major == 1 ? 2 : 4;
    cursor->at = LENGTH_AT;
    if (size - LENGTH_AT < length_bytes) {
        return fail(cursor, DAMAGED_HINT, "the header is cut short");
    }
    size_t length = 0;
    for (size_t i = 0; i < length_bytes; i++) {
        length |= (size_t)bytes[LENGTH_AT + i] << (8 * i);
    }
    cursor->at = LENGTH_AT + length_bytes;
    if (length > size - cursor->at) {
        return fail(cursor, DAMAGED_HINT, "the header is cut short");
    }
    cursor->end = cursor->at + length;
    return true;
}

bool npy_parse(struct npy_header *header, const uint8_t *bytes, size_t size,
               struct npy_fault *fault)
{
    struct cursor cursor = {.bytes = bytes, .fault = fault};
    *header = (struct npy_header){0};
    if (!read_preamble(&cursor, size) || !read_dict(&cursor, header)) {
        return false;
    }
    header->header_bytes = cursor.end;
    header->count = 1;
    size_t needed_bytes = header->item_bytes;
    for (unsigned i = 0; i < header->rank; i++) {
        const size_t dimension = header->shape[i];
        /* item_bytes is not 0, so count never overflows when needed_bytes does not. */
        if (dimension > 0 && needed_bytes > SIZE_MAX / dimension) {
            return fail(&cursor, DAMAGED_HINT, "the shape is absurd");
        }
        needed_bytes *= dimension;
        header->count *= dimension;
    }
    if (needed_bytes != size - cursor.end) {
        return fail(&cursor, DAMAGED_HINT, "the shape needs %zu bytes of elements, there are %zu",
                    needed_bytes, size - cursor.end);
    }
    return true;
}

/* ---- writing ---- */

size_t npy_format(const struct npz_array *array, uint8_t *bytes)
{
    char dict[NPY_MAX_HEADER_BYTES];
    char shape[NPY_MAX_HEADER_BYTES / 2] = "";
    size_t used = 0;
    CHECK(array->rank <= NPZ_MAX_RANK, "npz: an array has at most four dimensions");
    for (unsigned i = 0; i < array->rank; i++) {
        const char *separator = i > 0 ? " " : "";
        const char *comma = array->rank == 1 || i + 1 < array->rank ? "," : "";
        used += (size_t)snprintf(shape + used, sizeof shape - used, "%s%zu%s", separator,
                                 array->shape[i], comma);
    }
    const size_t item_bytes =
        array->type == NPZ_TEXT ? array->item_bytes : TYPES[array->type].item_bytes;
    const bool single_bytes = array->type == NPZ_TEXT || item_bytes == 1;
    const int length =
        snprintf(dict, sizeof dict, "{'descr': '%c%c%zu', 'fortran_order': False, 'shape': (%s), }",
                 single_bytes ? '|' : '<', TYPES[array->type].kind, item_bytes, shape);
    const size_t preamble_bytes = LENGTH_AT + 2;
    const size_t header_bytes = (preamble_bytes + (size_t)length + 1 + ALIGNMENT_BYTES - 1) /
                                ALIGNMENT_BYTES * ALIGNMENT_BYTES;
    CHECK(header_bytes <= NPY_MAX_HEADER_BYTES, "npz: the header outgrew its buffer");
    memset(bytes, ' ', header_bytes);
    memcpy(bytes, MAGIC, MAGIC_BYTES);
    bytes[VERSION_AT] = 1;
    bytes[VERSION_AT + 1] = 0;
    bytes[LENGTH_AT] = (uint8_t)(header_bytes - preamble_bytes);
    bytes[LENGTH_AT + 1] = (uint8_t)((header_bytes - preamble_bytes) >> 8);
    memcpy(bytes + preamble_bytes, dict, (size_t)length);
    bytes[header_bytes - 1] = '\n';
    return header_bytes;
}
