/* dwarf_bytes.h - reads the encodings of DWARF from a range of bytes, never beyond its end. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* What is left of a range.  failed: something lay beyond the end; all that is read from then on
 * is 0. */
struct dwarf_bytes {
    const uint8_t *at;
    size_t left;
    bool failed;
};

/* Skips `count` bytes and returns them; NULL: there are fewer. */
static inline const uint8_t *dwarf_skip(struct dwarf_bytes *bytes, uint64_t count)
{
    if (bytes->failed || count > bytes->left) {
        *bytes = (struct dwarf_bytes){.failed = true};
        return NULL;
    }
    const uint8_t *skipped = bytes->at;
    bytes->at += count;
    bytes->left -= (size_t)count;
    return skipped;
}

/* The next `count` bytes as a range of its own, which has failed if there are fewer. */
static inline struct dwarf_bytes dwarf_part(struct dwarf_bytes *bytes, uint64_t count)
{
    const uint8_t *at = dwarf_skip(bytes, count);
    return (struct dwarf_bytes){at, at == NULL ? 0 : (size_t)count, at == NULL};
}

/* A little-endian number of 1 to 8 bytes. */
static inline uint64_t dwarf_number(struct dwarf_bytes *bytes, unsigned count)
{
    const uint8_t *at = dwarf_skip(bytes, count);
    uint64_t value = 0;
    for (unsigned i = 0; at != NULL && i < count; i++) {
        value |= (uint64_t)at[i] << (8 * i);
    }
    return value;
}

static inline uint8_t dwarf_u8(struct dwarf_bytes *bytes)
{
    return (uint8_t)dwarf_number(bytes, 1);
}

static inline uint16_t dwarf_u16(struct dwarf_bytes *bytes)
{
    return (uint16_t)dwarf_number(bytes, 2);
}

static inline uint32_t dwarf_u32(struct dwarf_bytes *bytes)
{
    return (uint32_t)dwarf_number(bytes, 4);
}

/* LEB128 (DWARF 5, 7.6): seven bits a byte, least significant first.  Bits above 64 are lost.
 * *bits gets how many have been read. */
static inline uint64_t dwarf_leb(struct dwarf_bytes *bytes, unsigned *bits, bool *negative)
{
    enum { MORE = 0x80, SIGN = 0x40, VALUE = 0x7f, GROUP = 7, MOST = 64 };
    uint64_t value = 0;
    uint8_t byte = MORE;
    *bits = 0;
    while ((byte & MORE) != 0 && !bytes->failed) {
        byte = dwarf_u8(bytes);
        if (*bits < MOST) {
            value |= (uint64_t)(byte & VALUE) << *bits;
            *bits += GROUP;
        }
    }
    *negative = (byte & SIGN) != 0;
    return value;
}

static inline uint64_t dwarf_unsigned(struct dwarf_bytes *bytes)
{
    unsigned bits;
    bool negative;
    return dwarf_leb(bytes, &bits, &negative);
}

static inline int64_t dwarf_signed(struct dwarf_bytes *bytes)
{
    enum { MOST = 64 };
    unsigned bits;
    bool negative;
    const uint64_t value = dwarf_leb(bytes, &bits, &negative);
    return (int64_t)(negative && bits < MOST ? value | UINT64_MAX << bits : value);
}

/* A text that ends with a zero; "": there is none. */
static inline const char *dwarf_text(struct dwarf_bytes *bytes)
{
    const uint8_t *end = bytes->left == 0 ? NULL : memchr(bytes->at, 0, bytes->left);
    const uint8_t *text =
        dwarf_skip(bytes, end == NULL ? bytes->left + 1 : (uint64_t)(end - bytes->at) + 1);
    return text == NULL ? "" : (const char *)text;
}
