/* elf_image.c - see elf_image.h. */
#include "sim/load/elf_image.h"

#include "sim/data/sha256.h"
#include "sim/file.h"
#include "sim/load/aplx.h"
#include "sim/steps.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

static enum status refuse(struct elf_image *image, struct diagnostic *diagnostic, const char *what,
                          size_t offset, const char *hint)
{
    return file_refuse(image->path, hint, diagnostic, "%s (offset %zu)", what, offset);
}

static const char BUILD_HINT[] =
    "a program is linked for the ARM with arm-none-eabi-gcc -mcpu=arm968e-s";
static const char DAMAGED_HINT[] = "the file is damaged or cut short; build it again";

static bool in_file(const struct elf_image *image, size_t offset, size_t bytes)
{
    return offset <= image->file_size && image->file_size - offset >= bytes;
}

static enum status check_header(struct elf_image *image, Elf32_Ehdr *header,
                                struct diagnostic *diagnostic)
{
    if (!in_file(image, 0, sizeof *header)) {
        return refuse(image, diagnostic, "not an ELF file: too short", 0, BUILD_HINT);
    }
    memcpy(header, image->file, sizeof *header);
    if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) {
        return refuse(image, diagnostic, "not an ELF file: no ELF magic number", 0, BUILD_HINT);
    }
    if (header->e_ident[EI_CLASS] != ELFCLASS32 || header->e_ident[EI_DATA] != ELFDATA2LSB) {
        return refuse(image, diagnostic, "not a 32-bit little-endian ARM program", EI_CLASS,
                      BUILD_HINT);
    }
    if (header->e_machine != EM_ARM) {
        return refuse(image, diagnostic, "not an ARM program", offsetof(Elf32_Ehdr, e_machine),
                      BUILD_HINT);
    }
    if (header->e_type != ET_EXEC) {
        return refuse(image, diagnostic, "not an executable", offsetof(Elf32_Ehdr, e_type),
                      "link it to fixed addresses (no -shared, no -r, no -pie)");
    }
    if (header->e_phnum == 0 || header->e_phentsize != sizeof(Elf32_Phdr) ||
        !in_file(image, header->e_phoff, (size_t)header->e_phnum * sizeof(Elf32_Phdr))) {
        return refuse(image, diagnostic, "no program headers", header->e_phoff, DAMAGED_HINT);
    }
    return STATUS_OK;
}

static enum status read_segments(struct elf_image *image, const Elf32_Ehdr *header,
                                 struct diagnostic *diagnostic)
{
    image->segment = calloc(header->e_phnum + 1u, sizeof *image->segment);
    if (image->segment == NULL) {
        return no_memory(diagnostic);
    }
    for (unsigned i = 0; i < header->e_phnum; i++) {
        const size_t at = header->e_phoff + i * sizeof(Elf32_Phdr);
        Elf32_Phdr program;
        memcpy(&program, image->file + at, sizeof program);
        if (program.p_type != PT_LOAD || program.p_memsz == 0) {
            continue;
        }
        if (!in_file(image, program.p_offset, program.p_filesz) ||
            program.p_filesz > program.p_memsz) {
            return refuse(image, diagnostic, "a segment lies outside the file", at, DAMAGED_HINT);
        }
        if (program.p_memsz > UINT32_MAX - program.p_paddr) {
            return refuse(image, diagnostic, "a segment ends above 4 GiB", at, DAMAGED_HINT);
        }
        image->segment[image->segment_count++] =
            (struct elf_segment){.address = program.p_paddr,
                                 .file_bytes = program.p_filesz,
                                 .memory_bytes = program.p_memsz,
                                 .bytes = image->file + program.p_offset};
    }
    if (image->segment_count == 0) {
        return refuse(image, diagnostic, "nothing to load", header->e_phoff, BUILD_HINT);
    }
    return STATUS_OK;
}

/* Finds the symbol table and its strings.  False: there is none; a stripped file is valid. */
static bool find_symbol_table(const struct elf_image *image, const Elf32_Ehdr *header,
                              Elf32_Shdr *symbols, Elf32_Shdr *strings)
{
    if (header->e_shentsize != sizeof *symbols ||
        !in_file(image, header->e_shoff, (size_t)header->e_shnum * sizeof *symbols)) {
        return false;
    }
    for (unsigned i = 0; i < header->e_shnum; i++) {
        memcpy(symbols, image->file + header->e_shoff + i * sizeof *symbols, sizeof *symbols);
        if (symbols->sh_type == SHT_SYMTAB && symbols->sh_link < header->e_shnum) {
            memcpy(strings, image->file + header->e_shoff + symbols->sh_link * sizeof *strings,
                   sizeof *strings);
            return in_file(image, symbols->sh_offset, symbols->sh_size) &&
                   in_file(image, strings->sh_offset, strings->sh_size) && strings->sh_size > 0 &&
                   image->file[strings->sh_offset + strings->sh_size - 1] == '\0';
        }
    }
    return false;
}

static int compare_symbols(const void *a, const void *b)
{
    const struct elf_symbol *first = a;
    const struct elf_symbol *second = b;
    if (first->address != second->address) {
        return first->address < second->address ? -1 : 1;
    }
    return strcmp(first->name, second->name);
}

static enum status read_symbols(struct elf_image *image, const Elf32_Ehdr *header,
                                struct diagnostic *diagnostic)
{
    Elf32_Shdr symbols;
    Elf32_Shdr strings;
    if (!find_symbol_table(image, header, &symbols, &strings)) {
        return STATUS_OK;
    }
    const size_t count = symbols.sh_size / sizeof(Elf32_Sym);
    image->symbol = calloc(count + 1, sizeof *image->symbol);
    if (image->symbol == NULL) {
        return no_memory(diagnostic);
    }
    for (size_t i = 0; i < count; i++) {
        Elf32_Sym symbol;
        memcpy(&symbol, image->file + symbols.sh_offset + i * sizeof symbol, sizeof symbol);
        const unsigned type = ELF32_ST_TYPE(symbol.st_info);
        if (symbol.st_name == 0 || symbol.st_name >= strings.sh_size ||
            symbol.st_shndx == SHN_UNDEF ||
            (type != STT_FUNC && type != STT_NOTYPE && type != STT_OBJECT)) {
            continue;
        }
        const char *name = (const char *)image->file + strings.sh_offset + symbol.st_name;
        if (name[0] == '$') { /* $a, $t, $d: ARM mapping symbols */
            continue;
        }
        image->symbol[image->symbol_count++] = (struct elf_symbol){
            .address = type == STT_FUNC ? symbol.st_value & ~1u : symbol.st_value,
            .size = symbol.st_size,
            .function = type == STT_FUNC,
            .name = name};
    }
    qsort(image->symbol, image->symbol_count, sizeof *image->symbol, compare_symbols);
    return STATUS_OK;
}

const char ELF_COMPILER_UNKNOWN[] = "unknown";

/* Compares the name of a section; its text may lie outside the file. */
static bool has_name(const struct elf_image *image, size_t at, const char *name)
{
    const size_t bytes = strlen(name) + 1;
    return in_file(image, at, bytes) && memcmp(image->file + at, name, bytes) == 0;
}

const uint8_t *elf_image_section(const struct elf_image *image, const char *name, size_t *bytes)
{
    Elf32_Ehdr header;
    Elf32_Shdr names;
    if (image->is_aplx || !in_file(image, 0, sizeof header)) {
        return NULL;
    }
    memcpy(&header, image->file, sizeof header);
    if (header.e_shentsize != sizeof names || header.e_shstrndx >= header.e_shnum ||
        !in_file(image, header.e_shoff, (size_t)header.e_shnum * sizeof names)) {
        return NULL;
    }
    const uint8_t *table = image->file + header.e_shoff;
    memcpy(&names, table + header.e_shstrndx * sizeof names, sizeof names);
    for (unsigned i = 0; i < header.e_shnum; i++) {
        Elf32_Shdr section;
        memcpy(&section, table + i * sizeof section, sizeof section);
        if (has_name(image, (size_t)names.sh_offset + section.sh_name, name) &&
            section.sh_type != SHT_NOBITS && (section.sh_flags & SHF_COMPRESSED) == 0 &&
            in_file(image, section.sh_offset, section.sh_size)) {
            *bytes = section.sh_size;
            return image->file + section.sh_offset;
        }
    }
    return NULL;
}

/* The first compiler named in .comment, where a linker lists the compilers of all objects, each
 * once. */
static const char *find_compiler(const struct elf_image *image)
{
    size_t bytes;
    const uint8_t *comment = elf_image_section(image, ".comment", &bytes);
    return comment != NULL && bytes > 1 && comment[bytes - 1] == '\0' ? (const char *)comment
                                                                      : ELF_COMPILER_UNKNOWN;
}

static enum status read_image(struct elf_image *image, const char *path,
                              struct diagnostic *diagnostic)
{
    Elf32_Ehdr header = {.e_entry = 0};
    TRY(file_read(path, FILE_PROGRAM_BYTES, &image->file, &image->file_size, diagnostic));
    image->path = strdup(path);
    if (image->path == NULL) {
        return no_memory(diagnostic);
    }
    if (aplx_is(image->file, image->file_size)) {
        image->compiler = ELF_COMPILER_UNKNOWN;
        return aplx_read(image, diagnostic);
    }
    TRY(check_header(image, &header, diagnostic));
    image->entry = header.e_entry;
    image->compiler = find_compiler(image);
    TRY(read_segments(image, &header, diagnostic));
    return read_symbols(image, &header, diagnostic);
}

enum status elf_image_read(struct elf_image *image, const char *path, struct diagnostic *diagnostic)
{
    *image = (struct elf_image){0};
    const enum status status = read_image(image, path, diagnostic);
    if (status != STATUS_OK) {
        elf_image_deinit(image);
    }
    return status;
}

void elf_image_deinit(struct elf_image *image)
{
    if (!image->borrowed) {
        free(image->path);
        free(image->file);
        free(image->segment);
        free(image->symbol);
    }
    *image = (struct elf_image){0};
}

struct elf_image elf_image_borrow(const struct elf_image *image)
{
    struct elf_image borrowed = *image;
    borrowed.borrowed = true;
    return borrowed;
}

const struct elf_symbol *elf_image_find(const struct elf_image *image, const char *name)
{
    for (size_t i = 0; i < image->symbol_count; i++) {
        if (strcmp(image->symbol[i].name, name) == 0) {
            return &image->symbol[i];
        }
    }
    return NULL;
}

const struct elf_symbol *elf_image_at(const struct elf_image *image, uint32_t address)
{
    const struct elf_symbol *best = NULL;
    if (elf_image_bytes(image, address, 1) == NULL) {
        return NULL; /* nothing was loaded there, so the preceding symbol does not apply */
    }
    for (size_t i = 0; i < image->symbol_count && image->symbol[i].address <= address; i++) {
        const struct elf_symbol *symbol = &image->symbol[i];
        const bool covers = symbol->size == 0 || address - symbol->address < symbol->size;
        if (covers && (best == NULL || symbol->function || !best->function)) {
            best = symbol;
        }
    }
    return best;
}

const struct elf_symbol *elf_image_covering(const struct elf_image *image, uint32_t address)
{
    for (size_t i = 0; i < image->symbol_count; i++) {
        const struct elf_symbol *symbol = &image->symbol[i];
        if (address >= symbol->address && address - symbol->address < symbol->size) {
            return symbol;
        }
    }
    return NULL;
}

static void hash_words(struct sha256 *hash, const uint32_t *word, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const uint8_t bytes[4] = {(uint8_t)word[i], (uint8_t)(word[i] >> 8),
                                  (uint8_t)(word[i] >> 16), (uint8_t)(word[i] >> 24)};
        sha256_update(hash, bytes, sizeof bytes);
    }
}

void elf_image_digest(const struct elf_image *image, char *hex)
{
    uint8_t digest[SHA256_BYTES];
    struct sha256 hash;
    sha256_init(&hash);
    hash_words(&hash, &image->entry, 1);
    for (size_t i = 0; i < image->segment_count; i++) {
        const struct elf_segment *segment = &image->segment[i];
        const uint32_t head[] = {segment->address, segment->memory_bytes, segment->file_bytes};
        hash_words(&hash, head, sizeof head / sizeof *head);
        sha256_update(&hash, segment->bytes, segment->file_bytes);
        hash_words(&hash, &segment->fill, segment->fill != 0);
    }
    sha256_final(&hash, digest);
    sha256_hex(digest, hex);
}

const uint8_t *elf_image_bytes(const struct elf_image *image, uint32_t address, uint32_t count)
{
    for (size_t i = 0; i < image->segment_count; i++) {
        const struct elf_segment *segment = &image->segment[i];
        const uint32_t offset = address - segment->address;
        if (address >= segment->address && offset <= segment->file_bytes &&
            segment->file_bytes - offset >= count) {
            return segment->bytes + offset;
        }
    }
    return NULL;
}
