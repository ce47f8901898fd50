/* dwarf_builder.h - debug information byte by byte, as a compiler writes it, and an ELF file that
 * has it. */
#pragma once
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <string>
#include <vector>

namespace dwarf
{

class bytes
{
  public:
    bytes &u8(uint32_t value)
    {
        data.push_back(static_cast<uint8_t>(value));
        return *this;
    }
    bytes &u16(uint32_t value)
    {
        return u8(value).u8(value >> 8);
    }
    bytes &u32(uint32_t value)
    {
        return u16(value).u16(value >> 16);
    }
    bytes &text(const std::string &value)
    {
        data.insert(data.end(), value.begin(), value.end());
        return u8(0);
    }
    bytes &all(const bytes &other)
    {
        data.insert(data.end(), other.data.begin(), other.data.end());
        return *this;
    }
    /* With its length before it. */
    bytes &part(const bytes &other)
    {
        return u32(static_cast<uint32_t>(other.data.size())).all(other);
    }
    std::vector<uint8_t> data;
};

/* ---- .debug_line ---- */

enum : uint8_t { COPY = 1, ADVANCE_PC = 2, ADVANCE_LINE = 3, SET_FILE = 4, OPCODE_BASE = 13 };

inline bytes at(uint32_t address)
{
    return bytes().u8(0).u8(5).u8(2).u32(address);
}

inline bytes end_sequence()
{
    return bytes().u8(0).u8(1).u8(1);
}

/* A row `units` of two bytes and `lines` further: a special opcode. */
inline bytes row(uint32_t units, int lines)
{
    return bytes().u8(static_cast<uint32_t>(lines + 5) + 14 * units + OPCODE_BASE);
}

inline bytes header_begin(unsigned version)
{
    bytes header;
    header.u8(2);
    if (version >= 4) {
        header.u8(1);
    }
    header.u8(1).u8(0xfb).u8(14).u8(OPCODE_BASE);
    for (const uint8_t operands : {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1}) {
        header.u8(operands);
    }
    return header;
}

/* A unit of version 2 to 4 with the files src/a.c and b.c. */
inline bytes line_unit(unsigned version, const bytes &program)
{
    bytes header = header_begin(version);
    header.text("./src").u8(0);
    header.text("a.c").u8(1).u8(0).u8(0).text("b.c").u8(0).u8(0).u8(0).u8(0);
    return bytes().part(bytes().u16(version).part(header).all(program));
}

/* A unit of version 5 with the files . and src/a.c; their names lie in .debug_line_str, from 0 on:
 * LINE_STRINGS. */
inline bytes line_strings()
{
    return bytes().text(".").text("src").text("a.c");
}

inline bytes line_unit_5(const bytes &program)
{
    bytes header = header_begin(5);
    header.u8(1).u8(1).u8(0x1f).u8(2).u32(0).u32(2); /* folders by line_strp */
    header.u8(2).u8(1).u8(0x1f).u8(2).u8(0x0b).u8(2).u32(6).u8(0).u32(6).u8(1);
    return bytes().part(bytes().u16(5).u8(4).u8(0).part(header).all(program));
}

/* ---- .debug_frame ---- */

/* The common entry of GCC for the ARM: units of 2 bytes of code and -4 of data, r14, sp + 0. */
inline bytes common_entry()
{
    return bytes().part(
        bytes().u32(0xffffffff).u8(1).u8(0).u8(2).u8(0x7c).u8(14).u8(0x0c).u8(13).u8(0));
}

/* A function whose common entry is the first of the section. */
inline bytes frame_entry(uint32_t first, uint32_t size, const bytes &program)
{
    return bytes().part(bytes().u32(0).u32(first).u32(size).all(program));
}

/* push {r4, lr} as the first ARM instruction, until the function's end. */
inline bytes pushes_r4_lr()
{
    return bytes().u8(0x42).u8(0x0e).u8(8).u8(0x84).u8(2).u8(0x8e).u8(1);
}

/* ---- an ELF file ---- */

struct section {
    std::string name;
    std::vector<uint8_t> data;
};

struct symbol {
    std::string name;
    uint32_t address, size;
};

/* A program of `code` at an address, with these functions and sections. */
inline std::vector<uint8_t> elf(uint32_t address, const std::vector<uint8_t> &code,
                                const std::vector<symbol> &functions, std::vector<section> sections)
{
    const auto put = [](std::vector<uint8_t> *to, const void *from, size_t size) {
        const auto *first = static_cast<const uint8_t *>(from);
        to->insert(to->end(), first, first + size);
    };
    std::vector<Elf32_Sym> table(1);
    std::string strings(1, '\0');
    for (const symbol &function : functions) {
        Elf32_Sym entry = {};
        entry.st_name = static_cast<uint32_t>(strings.size());
        entry.st_value = function.address;
        entry.st_size = function.size;
        entry.st_info = ELF32_ST_INFO(STB_GLOBAL, STT_FUNC);
        entry.st_shndx = 1;
        table.push_back(entry);
        strings += function.name + '\0';
    }
    std::vector<uint8_t> symbols;
    put(&symbols, table.data(), table.size() * sizeof(Elf32_Sym));
    sections.push_back({".symtab", symbols});
    sections.push_back({".strtab", {strings.begin(), strings.end()}});
    std::string names(1, '\0');
    std::vector<Elf32_Shdr> heads(1);
    std::vector<uint8_t> file(sizeof(Elf32_Ehdr) + sizeof(Elf32_Phdr), 0);
    const auto code_at = static_cast<uint32_t>(file.size());
    put(&file, code.data(), code.size());
    const auto add = [&](const std::string &name, uint32_t type, const std::vector<uint8_t> &data) {
        Elf32_Shdr head = {};
        head.sh_name = static_cast<uint32_t>(names.size());
        head.sh_type = type;
        head.sh_offset = static_cast<uint32_t>(file.size());
        head.sh_size = static_cast<uint32_t>(data.size());
        heads.push_back(head);
        names += name + '\0';
        put(&file, data.data(), data.size());
    };
    for (const section &each : sections) {
        add(each.name, each.name == ".symtab" ? SHT_SYMTAB : SHT_PROGBITS, each.data);
        if (each.name == ".symtab") {
            heads.back().sh_link = static_cast<uint32_t>(heads.size());
            heads.back().sh_entsize = sizeof(Elf32_Sym);
        }
    }
    names += std::string(".shstrtab") + '\0';
    std::vector<uint8_t> name_bytes(names.begin(), names.end());
    Elf32_Shdr head = {};
    head.sh_name = static_cast<uint32_t>(names.size() - sizeof ".shstrtab");
    head.sh_type = SHT_STRTAB;
    head.sh_offset = static_cast<uint32_t>(file.size());
    head.sh_size = static_cast<uint32_t>(name_bytes.size());
    heads.push_back(head);
    put(&file, name_bytes.data(), name_bytes.size());
    Elf32_Ehdr top = {};
    memcpy(top.e_ident, ELFMAG, SELFMAG);
    top.e_ident[EI_CLASS] = ELFCLASS32;
    top.e_ident[EI_DATA] = ELFDATA2LSB;
    top.e_ident[EI_VERSION] = EV_CURRENT;
    top.e_type = ET_EXEC;
    top.e_machine = EM_ARM;
    top.e_version = EV_CURRENT;
    top.e_entry = address;
    top.e_phoff = sizeof top;
    top.e_shoff = static_cast<uint32_t>(file.size());
    top.e_ehsize = sizeof top;
    top.e_phentsize = sizeof(Elf32_Phdr);
    top.e_phnum = 1;
    top.e_shentsize = sizeof(Elf32_Shdr);
    top.e_shnum = static_cast<uint16_t>(heads.size());
    top.e_shstrndx = static_cast<uint16_t>(heads.size() - 1);
    put(&file, heads.data(), heads.size() * sizeof(Elf32_Shdr));
    Elf32_Phdr load = {};
    load.p_type = PT_LOAD;
    load.p_offset = code_at;
    load.p_vaddr = load.p_paddr = address;
    load.p_filesz = load.p_memsz = static_cast<uint32_t>(code.size());
    load.p_flags = PF_R | PF_X;
    memcpy(file.data(), &top, sizeof top);
    memcpy(file.data() + sizeof top, &load, sizeof load);
    return file;
}

/* A program of three functions at 0x8000, 0x8020 and 0x8040, the first of which calls the second,
 * and that the third: lines 10, 20 and 30 of src/a.c and on.  The third has no frame information.
 */
inline std::vector<uint8_t> three_functions()
{
    std::vector<uint8_t> code(0x60, 0);
    const auto word = [&code](uint32_t at, uint32_t value) { memcpy(&code[at], &value, 4); };
    word(0x04, 0xeb000005); /* bl 0x8020 */
    word(0x24, 0xeb000005); /* bl 0x8040 */
    bytes program;
    for (uint32_t i = 0; i < 3; i++) {
        program.all(at(0x8000 + 0x20 * i))
            .u8(ADVANCE_LINE)
            .u8(9 + 10 * i)
            .u8(COPY)
            .all(row(2, 1))
            .all(row(2, 1))
            .u8(ADVANCE_PC)
            .u8(12)
            .all(end_sequence());
    }
    bytes frames = common_entry();
    frames.all(frame_entry(0, 0x9000, bytes())); /* of discarded code */
    frames.all(frame_entry(0, 0x20, bytes()));
    frames.all(frame_entry(0x8000, 0x20, pushes_r4_lr()));
    frames.all(frame_entry(0x8020, 0x20, pushes_r4_lr()));
    return elf(0x8000, code,
               {{"first", 0x8000, 0x20}, {"second", 0x8020, 0x20}, {"third", 0x8040, 0x20}},
               {{".debug_line", line_unit(3, program).data}, {".debug_frame", frames.data}});
}

} // namespace dwarf
