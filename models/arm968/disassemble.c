/* disassemble.c - see disassemble.h. */
#include "models/arm968/disassemble.h"

#include "models/arm968/insn.h"
#include "models/common/bits.h"
#include "models/common/compiler.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The names of the patterns. */
#include "arm_patterns.inc"
#include "thumb_patterns.inc"

struct alias {
    uint32_t mask, value;
    const char *text;
};

#define ARM_ALIAS(...)
#define THUMB_ALIAS(...)
#define ARM_TEXT(pattern, text) [ARM_##pattern] = (text),
#define THUMB_TEXT(...)
static const char *const ARM_TEXTS[ARM_PATTERNS] = {
#include "models/arm968/isa/text.def"
};
#undef ARM_TEXT
#undef THUMB_TEXT
#define ARM_TEXT(...)
#define THUMB_TEXT(pattern, text) [THUMB_##pattern] = (text),
static const char *const THUMB_TEXTS[THUMB_PATTERNS] = {
#include "models/arm968/isa/text.def"
};
#undef THUMB_TEXT
#undef ARM_ALIAS
#define THUMB_TEXT(...)
#define ARM_ALIAS(mask, value, text) {mask, value, text},
static const struct alias ARM_ALIASES[] = {
#include "models/arm968/isa/text.def"
    {0, 1, NULL}};
#undef ARM_ALIAS
#undef THUMB_ALIAS
#define ARM_ALIAS(...)
#define THUMB_ALIAS(mask, value, text) {mask, value, text},
static const struct alias THUMB_ALIASES[] = {
#include "models/arm968/isa/text.def"
    {0, 1, NULL}};

static const char REGISTER[16][4] = {"r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7",
                                     "r8", "r9", "sl", "fp", "ip", "sp", "lr", "pc"};
static const char CONDITION[16][3] = {"eq", "ne", "cs", "cc", "mi", "pl", "vs", "vc",
                                      "hi", "ls", "ge", "lt", "gt", "le", "",   ""};
static const char SHIFT[4][4] = {"lsl", "lsr", "asr", "ror"};

/* A text that is being built. */
struct writer {
    const struct isa_pattern *pattern;
    uint32_t word, pc;
    bool thumb;
    char *text;
    size_t length;
};

PRINTF_LIKE(2, 3) static void add(struct writer *writer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int added = vsnprintf(writer->text + writer->length, ARM968_TEXT_CHARS - writer->length,
                                format, arguments);
    va_end(arguments);
    writer->length += added > 0 ? (size_t)added : 0;
    if (writer->length >= ARM968_TEXT_CHARS) {
        writer->length = ARM968_TEXT_CHARS - 1;
    }
}

/* A field of the pattern, 0 if it has none of this letter; sets *width to its number of bits. */
static uint32_t field_of(const struct writer *writer, char letter, unsigned *width)
{
    const char *bits = writer->pattern->bits;
    uint32_t value = 0;
    *width = 0;
    for (size_t i = 0, last = strlen(bits) - 1; bits[i] != '\0'; i++) {
        if (bits[i] == letter) {
            value = value << 1 | ((writer->word >> (last - i)) & 1u);
            ++*width;
        }
    }
    return value;
}

static uint32_t field(const struct writer *writer, char letter)
{
    unsigned width;
    return field_of(writer, letter, &width);
}

static const char *reg(const struct writer *writer, char letter)
{
    return REGISTER[field(writer, letter) & 15u];
}

/* An amount of 0 means 32 for all shifts but LSL. */
static unsigned shift_amount(uint32_t amount)
{
    return amount == 0 ? 32 : (unsigned)amount;
}

/* Register m, shifted by a constant. */
static void add_shifted(struct writer *writer)
{
    const uint32_t type = field(writer, 't');
    const uint32_t amount = field(writer, 'a');
    add(writer, "%s", reg(writer, 'm'));
    if (type == 3 && amount == 0) {
        add(writer, ", rrx");
    } else if (type != 0 || amount != 0) {
        add(writer, ", %s #%u", SHIFT[type], shift_amount(amount));
    }
}

/* A rotated constant; also its encoding, unless it is the usual one with the smallest rotation. */
static void add_constant(struct writer *writer)
{
    const uint32_t byte = field(writer, 'i');
    const uint32_t rotation = 2 * field(writer, 'r');
    const uint32_t value = bits_rotate_right(byte, rotation);
    for (uint32_t less = 0; less < rotation; less += 2) {
        if (bits_rotate_right(value, 32 - less) <= UINT8_MAX) {
            add(writer, "#%" PRIu32 ", %" PRIu32, byte, rotation);
            return;
        }
    }
    add(writer, "#%" PRId32, (int32_t)value);
}

/* Bits common to the addresses of loads and stores. */
enum { BIT_PRE = 24, BIT_UP = 23, BIT_WRITEBACK = 21 };

static void add_address_begin(struct writer *writer)
{
    add(writer, "[%s%s, ", REGISTER[bits_get(writer->word, 19, 16)],
        bits_test(writer->word, BIT_PRE) ? "" : "]");
}

static void add_address_end(struct writer *writer)
{
    if (bits_test(writer->word, BIT_PRE)) {
        add(writer, bits_test(writer->word, BIT_WRITEBACK) ? "]!" : "]");
    }
}

static void add_address_constant(struct writer *writer, uint32_t offset)
{
    const bool up = bits_test(writer->word, BIT_UP);
    if (offset == 0 && up && bits_test(writer->word, BIT_PRE) &&
        !bits_test(writer->word, BIT_WRITEBACK)) {
        add(writer, "[%s]", REGISTER[bits_get(writer->word, 19, 16)]);
        return;
    }
    add_address_begin(writer);
    add(writer, "#%s%" PRIu32, up ? "" : "-", offset);
    add_address_end(writer);
}

static void add_address_register(struct writer *writer, bool shifted)
{
    add_address_begin(writer);
    add(writer, bits_test(writer->word, BIT_UP) ? "" : "-");
    if (shifted) {
        add_shifted(writer);
    } else {
        add(writer, "%s", reg(writer, 'm'));
    }
    add_address_end(writer);
}

/* Half-words, signed bytes and double words. */
static void add_address_half(struct writer *writer)
{
    if (field(writer, 'I') != 0) {
        add_address_constant(writer, field(writer, 'i') << 4 | field(writer, 'm'));
    } else {
        add_address_register(writer, false);
    }
}

static void add_address_coprocessor(struct writer *writer)
{
    const uint32_t offset = field(writer, 'i');
    if (!bits_test(writer->word, BIT_PRE) && !bits_test(writer->word, BIT_WRITEBACK)) {
        add(writer, "[%s], {%" PRIu32 "}", reg(writer, 'n'), offset);
    } else {
        add_address_constant(writer, 4 * offset);
    }
}

static void add_list(struct writer *writer)
{
    uint32_t list = field(writer, 'g');
    if (writer->thumb && field(writer, 'R') != 0) {
        list |= 1u << (bits_test(writer->word, 11) ? 15 : REGISTER_LR); /* POP, PUSH */
    }
    const char *divider = "";
    add(writer, "{");
    for (unsigned i = 0; i < 16; i++) {
        if (bits_test(list, i)) {
            add(writer, "%s%s", divider, REGISTER[i]);
            divider = ", ";
        }
    }
    add(writer, "}");
}

static void add_block_mode(struct writer *writer)
{
    static const char MODE[4][3] = {"da", "", "db", "ib"};
    add(writer, "%s", MODE[field(writer, 'P') << 1 | field(writer, 'U')]);
}

static void add_status_fields(struct writer *writer)
{
    static const char LETTER[] = "fsxc";
    for (unsigned i = 0; i < 4; i++) {
        if (bits_test(field(writer, 'k'), 3 - i)) {
            add(writer, "%c", LETTER[i]);
        }
    }
}

static void add_target(struct writer *writer)
{
    unsigned width;
    const uint32_t offset = field_of(writer, 'o', &width);
    const uint32_t words = (uint32_t)bits_sign_extend(offset, width != 0 ? width : 32);
    const uint32_t target = writer->thumb
                                ? writer->pc + 4 + (words << 1)
                                : writer->pc + 8 + (words << 2) + (field(writer, 'H') << 1);
    add(writer, "0x%" PRIx32, target);
}

/* The first half of a Thumb BL or BLX: the text of both halves if the second half follows. */
static void add_long_branch(struct writer *writer)
{
    const uint32_t high = (uint32_t)bits_sign_extend(field(writer, 'o'), 11) << 12;
    const uint32_t behind = writer->word >> 16;
    const uint32_t target = writer->pc + 4 + high + (bits_get(behind, 10, 0) << 1);
    switch (behind >> 11) {
    case 0x1f:
        add(writer, "bl 0x%" PRIx32, target);
        break;
    case 0x1d:
        if ((behind & 1u) == 0) {
            add(writer, "blx 0x%" PRIx32, target & ~3u);
            break;
        }
        add(writer, "bl (first half)");
        break;
    default:
        add(writer, "bl (first half)");
        break;
    }
}

/* The opcode of a coprocessor access, after its number. */
static void add_coprocessor_opcode(struct writer *writer)
{
    add(writer, "%" PRIu32 ", %" PRIu32, bits_get(writer->word, 11, 8),
        bits_get(writer->word, 23, 21));
}

static void add_register_shift(struct writer *writer)
{
    add(writer, "%s, %s %s", reg(writer, 'm'), SHIFT[field(writer, 't')], reg(writer, 's'));
}

static void add_pair_first(struct writer *writer)
{
    add(writer, "%s", REGISTER[field(writer, 'd') << 1]);
}

/* A text that depends on one bit. */
static void add_if(struct writer *writer, unsigned bit, const char *set, const char *clear)
{
    add(writer, "%s", bits_test(writer->word, bit) ? set : clear);
}

static void add_special(struct writer *writer, char letter)
{
    switch (letter) {
    case 'A':
        add_address_constant(writer, field(writer, 'i'));
        break;
    case 'B':
        add_target(writer);
        break;
    case 'C':
        add_address_coprocessor(writer);
        break;
    case 'D':
        add_pair_first(writer);
        break;
    case 'E': /* the coprocessor register of MCRR */
        add(writer, "%" PRIu32, bits_get(writer->word, 3, 0));
        break;
    case 'F':
        add_status_fields(writer);
        break;
    case 'G':
        add_list(writer);
        break;
    case 'H':
        add_address_half(writer);
        break;
    case 'I':
        add_constant(writer);
        break;
    case 'J':
        add_coprocessor_opcode(writer);
        break;
    case 'K': /* Thumb LDMIA writes back unless the base is loaded */
        add(writer, bits_test(field(writer, 'g'), field(writer, 'n')) ? "" : "!");
        break;
    case 'L':
        add_block_mode(writer);
        break;
    case 'M':
        add_shifted(writer);
        break;
    case 'N':
        add_if(writer, 22, "l", "");
        break;
    case 'O': /* the opcode of MCRR */
        add(writer, "%" PRIu32, bits_get(writer->word, 7, 4));
        break;
    case 'P':
        add_if(writer, 22, "SPSR", "CPSR");
        break;
    case 'Q':
        add_long_branch(writer);
        break;
    case 'R':
        add_register_shift(writer);
        break;
    case 'S':
        add_if(writer, 20, "s", "");
        break;
    case 'T': /* as User mode */
        add(writer,
            bits_test(writer->word, BIT_WRITEBACK) && !bits_test(writer->word, BIT_PRE) ? "t" : "");
        break;
    case 'U':
        add_if(writer, 22, "^", "");
        break;
    case 'V':
        add_if(writer, 7, "sub", "add");
        break;
    case 'W':
        add_if(writer, BIT_WRITEBACK, "!", "");
        break;
    case 'X':
        add_address_register(writer, true);
        break;
    case 'Y':
        add(writer, "%s", SHIFT[field(writer, 't')]);
        break;
    case 'Z':
        add(writer, "%u", shift_amount(field(writer, writer->thumb ? 'i' : 'a')));
        break;
    default:
        break;
    }
}

/* A small letter: a field. */
static void add_field(struct writer *writer, char letter)
{
    const uint32_t value = field(writer, letter);
    switch (letter) {
    case 'c':
        add(writer, "%s", CONDITION[writer->word >> 28]);
        break;
    case 'k':
        add(writer, "%s", CONDITION[value]);
        break;
    case 'x':
    case 'y':
        add(writer, value != 0 ? "t" : "b");
        break;
    case 'd':
    case 'h':
    case 'l':
    case 'm':
    case 'n':
    case 's':
        add(writer, "%s", reg(writer, letter));
        break;
    default:
        add(writer, "%" PRIu32, value);
        break;
    }
}

/* Writes the item after a %; returns its last character. */
static const char *add_item(struct writer *writer, const char *item)
{
    if (*item >= 'a' && *item <= 'z') {
        add_field(writer, *item);
        return item;
    }
    if (*item >= 'A' && *item <= 'Z') {
        add_special(writer, *item);
        return item;
    }
    const uint32_t value = field(writer, item[1]);
    switch (*item) {
    case '*':
        add(writer, "%" PRIu32, 4 * value);
        break;
    case '+':
        add(writer, "%" PRIu32, 2 * value);
        break;
    case '4':
        add(writer, "%04" PRIx32, value);
        break;
    case '8':
        add(writer, "%08" PRIx32, value);
        break;
    default:
        add(writer, "%" PRIu32, value);
        break;
    }
    return item + 1;
}

/* The text of an alias, or else the pattern's own. */
static const char *text_of(const struct alias *alias, const char *text, uint32_t word)
{
    for (; alias->text != NULL; alias++) {
        const bool conditional = alias->mask >> 28 == 0 && word >> 28 != CONDITION_NEVER;
        if ((word & alias->mask) == alias->value && (conditional || alias->mask >> 28 != 0)) {
            return alias->text;
        }
    }
    return text;
}

static const char *find_text(struct writer *writer)
{
    unsigned count;
    const struct isa_pattern *patterns =
        writer->thumb ? insn_thumb_patterns(&count) : insn_arm_patterns(&count);
    const uint32_t insn = writer->thumb ? writer->word & UINT16_MAX : writer->word;
    writer->pattern = insn_match(patterns, count, insn);
    if (writer->pattern == NULL) {
        return "undefined";
    }
    const size_t index = (size_t)(writer->pattern - patterns);
    return writer->thumb ? text_of(THUMB_ALIASES, THUMB_TEXTS[index], insn)
                         : text_of(ARM_ALIASES, ARM_TEXTS[index], insn);
}

void arm968_disassemble(uint32_t word, uint32_t pc, bool thumb, char *text)
{
    struct writer writer = {.word = word, .pc = pc, .thumb = thumb, .text = text};
    text[0] = '\0';
    for (const char *at = find_text(&writer); *at != '\0'; at++) {
        if (*at == '%') {
            at = add_item(&writer, at + 1);
        } else {
            add(&writer, "%c", *at);
        }
    }
}
