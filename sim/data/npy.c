/* npy.c - see npy.h. */
#include "sim/data/npy.h"

#include "models/common/check.h"

#include <endian.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
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

/* Reads a header.  After the first error nothing is left to read, and later errors are ignored. */
struct cursor {
    const uint8_t *bytes;
    size_t at;
    size_t end;
    struct npy_fault *fault;
    bool good;
};

static void fail(struct cursor *cursor, const char *hint, const char *format, ...)
    PRINTF_LIKE(3, 4);

static void fail(struct cursor *cursor, const char *hint, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (cursor->good) {
        (void)vsnprintf(cursor->fault->text, sizeof cursor->fault->text, format, arguments);
        cursor->fault->offset = cursor->at;
        cursor->fault->hint = hint;
        cursor->good = false;
        cursor->end = cursor->at;
    }
    va_end(arguments);
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
    const bool there = peek(cursor) == (uint8_t)wanted;
    cursor->at += there;
    return there;
}

static void expect(struct cursor *cursor, char wanted)
{
    if (!accept(cursor, wanted)) {
        fail(cursor, DAMAGED_HINT, "header syntax: '%c' expected", wanted);
    }
}

/* A quoted string of printable characters without escapes, into a text that is all zeros. */
static void read_string(struct cursor *cursor, char *text, size_t text_chars)
{
    const uint8_t quote = peek(cursor);
    if (quote != '\'' && quote != '"') {
        fail(cursor, DAMAGED_HINT, "header syntax: a quoted string expected");
        return;
    }
    size_t length = 0;
    for (cursor->at++; cursor->at < cursor->end; cursor->at++) {
        const uint8_t character = cursor->bytes[cursor->at];
        if (character == quote) {
            cursor->at++;
            return;
        }
        if (character < ' ' || character > '~' || character == '\\' || length + 1 >= text_chars) {
            break;
        }
        text[length++] = (char)character;
    }
    fail(cursor, DAMAGED_HINT, "header syntax: bad string");
}

static bool accept_word(struct cursor *cursor, const char *word)
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

static size_t read_size(struct cursor *cursor)
{
    size_t value = 0;
    unsigned digits = 0;
    for (uint8_t digit = peek(cursor); digit >= '0' && digit <= '9'; digits++) {
        if (digits == NUMBER_DIGITS) {
            fail(cursor, DAMAGED_HINT, "a dimension is absurd");
            break;
        }
        value = value * 10 + (size_t)(digit - '0');
        cursor->at++;
        digit = cursor->at < cursor->end ? cursor->bytes[cursor->at] : 0;
    }
    if (digits == 0) {
        fail(cursor, DAMAGED_HINT, "header syntax: a number expected");
    }
    return value;
}

static void refuse_type(struct cursor *cursor, const char *descr)
{
    if (descr[1] == 'O') {
        fail(cursor,
             "object arrays are Python pickles, which are never loaded; store plain arrays "
             "(allow_pickle=False)",
             "holds Python objects (pickle)");
    } else if (descr[1] == 'U') {
        fail(cursor, "store byte strings: numpy.array(text.encode())",
             "Unicode strings (%s) are not supported", descr);
    } else {
        fail(cursor, TYPE_HINT, "type %s is not supported", descr);
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
static void read_descr(struct cursor *cursor, struct npy_header *header)
{
    char descr[DESCR_CHARS] = "";
    if (peek(cursor) == '[') {
        fail(cursor, TYPE_HINT, "structured types are not supported");
    }
    read_string(cursor, descr, sizeof descr);
    const size_t length = strlen(descr);
    if (length < 2) {
        fail(cursor, DAMAGED_HINT, "header syntax: bad type '%s'", descr);
        return;
    }
    const bool sized = strspn(descr + 2, "0123456789") == length - 2;
    const size_t item_bytes = sized ? (size_t)strtoull(descr + 2, NULL, 10) : 0;
    const unsigned type = sized ? find_type(descr[1], item_bytes) : TYPE_COUNT;
    const bool single_bytes = type == NPZ_TEXT || item_bytes == 1;
    if (type != TYPE_COUNT && descr[0] == '>') {
        fail(cursor, "array.astype('<i2') and the like before numpy.savez",
             "big-endian elements (%s) are not supported", descr);
    } else if (type == TYPE_COUNT || (descr[0] != '<' && !(single_bytes && descr[0] == '|'))) {
        refuse_type(cursor, descr);
    }
    header->type = (enum npz_type)type;
    header->item_bytes = item_bytes;
}

static void read_order(struct cursor *cursor, struct npy_header *header)
{
    (void)header; /* elements are always in C order */
    if (accept_word(cursor, "True")) {
        fail(cursor, "numpy.ascontiguousarray(array) before numpy.savez",
             "Fortran order is not supported");
    } else if (!accept_word(cursor, "False")) {
        fail(cursor, DAMAGED_HINT, "header syntax: True or False expected");
    }
}

/* A tuple; one of a single element needs its comma, as in Python. */
static void read_shape(struct cursor *cursor, struct npy_header *header)
{
    bool comma = true;
    expect(cursor, '(');
    for (header->rank = 0; cursor->good && !accept(cursor, ')'); comma = accept(cursor, ',')) {
        if (!comma) {
            fail(cursor, DAMAGED_HINT, "header syntax: ',' expected in the shape");
        }
        const size_t dimension = read_size(cursor);
        if (header->rank == NPZ_MAX_RANK) {
            fail(cursor, "reshape it before numpy.savez", "more than %d dimensions", NPZ_MAX_RANK);
        } else {
            header->shape[header->rank++] = dimension;
        }
    }
    if (header->rank == 1 && !comma) {
        fail(cursor, DAMAGED_HINT, "header syntax: the shape is no tuple");
    }
}

static const struct {
    const char *name;
    void (*read)(struct cursor *cursor, struct npy_header *header);
} KEYS[] = {{"descr", read_descr}, {"fortran_order", read_order}, {"shape", read_shape}};

enum { KEY_COUNT = sizeof KEYS / sizeof KEYS[0], ALL_KEYS = (1 << KEY_COUNT) - 1 };

/* A key and its value; `seen` gets the bit of the key. */
static void read_pair(struct cursor *cursor, struct npy_header *header, unsigned *seen)
{
    char text[KEY_CHARS] = "";
    unsigned key = 0;
    read_string(cursor, text, sizeof text);
    expect(cursor, ':');
    while (key < KEY_COUNT && strcmp(text, KEYS[key].name) != 0) {
        key++;
    }
    if (key == KEY_COUNT) {
        fail(cursor, DAMAGED_HINT, "header: unknown key '%s'", text);
        return;
    }
    KEYS[key].read(cursor, header);
    if ((*seen & 1u << key) != 0) {
        fail(cursor, DAMAGED_HINT, "header: the key '%s' stands there twice", text);
    }
    *seen |= 1u << key;
}

static void read_dict(struct cursor *cursor, struct npy_header *header)
{
    unsigned seen = 0;
    bool comma = true;
    expect(cursor, '{');
    for (; cursor->good && !accept(cursor, '}'); comma = accept(cursor, ',')) {
        if (!comma) {
            fail(cursor, DAMAGED_HINT, "header syntax: ',' expected");
        }
        read_pair(cursor, header, &seen);
    }
    if (seen != ALL_KEYS) {
        fail(cursor, DAMAGED_HINT, "header: descr, fortran_order or shape is missing");
    }
    (void)peek(cursor);
    if (cursor->at != cursor->end) {
        fail(cursor, DAMAGED_HINT, "header syntax: something follows the closing brace");
    }
}

/* Magic number, version, length; sets the cursor on the dict. */
static void read_preamble(struct cursor *cursor, size_t size)
{
    const uint8_t *bytes = cursor->bytes;
    if (size < LENGTH_AT || memcmp(bytes, MAGIC, MAGIC_BYTES) != 0) {
        fail(cursor, DAMAGED_HINT, "not a .npy array");
        return;
    }
    const unsigned major = bytes[VERSION_AT];
    if (major < 1 || major > 3 || bytes[VERSION_AT + 1] != 0) {
        cursor->at = VERSION_AT;
        fail(cursor, "versions 1.0, 2.0 and 3.0 are read", ".npy version %u.%u is unknown", major,
             bytes[VERSION_AT + 1]);
        return;
    }
    const size_t length_bytes = major == 1 ? 2 : 4;
    size_t length = 0;
    cursor->at = LENGTH_AT;
    if (size - cursor->at >= length_bytes) {
        for (size_t i = 0; i < length_bytes; i++) {
            length |= (size_t)bytes[cursor->at++] << (8 * i);
        }
    }
    if (cursor->at == LENGTH_AT || length > size - cursor->at) {
        fail(cursor, DAMAGED_HINT, "the header is cut short");
        return;
    }
    cursor->end = cursor->at + length;
}

bool npy_parse(struct npy_header *header, const uint8_t *bytes, size_t size,
               struct npy_fault *fault)
{
    struct cursor cursor = {.bytes = bytes, .fault = fault, .good = true};
    *header = (struct npy_header){0};
    read_preamble(&cursor, size);
    read_dict(&cursor, header);
    header->header_bytes = cursor.end;
    header->count = 1;
    size_t needed_bytes = header->item_bytes;
    for (unsigned i = 0; i < header->rank; i++) {
        const size_t dimension = header->shape[i];
        /* item_bytes is not 0, so count never overflows when needed_bytes does not. */
        if (dimension > 0 && needed_bytes > SIZE_MAX / dimension) {
            fail(&cursor, DAMAGED_HINT, "the shape is absurd");
            break;
        }
        needed_bytes *= dimension;
        header->count *= dimension;
    }
    if (needed_bytes != size - header->header_bytes) {
        fail(&cursor, DAMAGED_HINT, "the shape needs %zu bytes of elements, there are %zu",
             needed_bytes, size - header->header_bytes);
    }
    return cursor.good;
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
