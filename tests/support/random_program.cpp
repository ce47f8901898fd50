/* random_program.cpp - see random_program.h and program_builder.h. */
#include "tests/support/random_program.h"

#include "tests/support/arm_asm.h"
#include "tests/support/program_builder.h"
#include "tests/support/slow_decoder.h"
#include "tests/support/thumb_asm.h"

#include <cstring>
#include <iomanip>
#include <sstream>

static constexpr unsigned NO_LABEL = ~0u;
static constexpr unsigned STUB = 0;

program_builder::program_builder(uint32_t seed_value, bool thumb_state, uint32_t entry_address)
    : random(seed_value), seed(seed_value), thumb(thumb_state), entry(entry_address), count(0),
      loop(0), loops(0), labels({{0, 0, 0, true}})
{
}

uint32_t program_builder::below(uint32_t limit)
{
    return static_cast<uint32_t>(random()) % limit;
}

bool program_builder::chance(unsigned percent)
{
    return below(100) < percent;
}

uint32_t program_builder::any_word()
{
    static const uint32_t CORNERS[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x8000, 0x7fff};
    return chance(25) ? CORNERS[below(7)] : static_cast<uint32_t>(random());
}

uint32_t program_builder::data_pointer()
{
    return DATA_MIDDLE - 0x800 + 4 * below(0x400);
}

arm_condition program_builder::condition()
{
    return chance(70) ? AL : static_cast<arm_condition>(below(14));
}

void program_builder::append(uint32_t insn, bool as_thumb)
{
    halves.push_back(static_cast<uint16_t>(insn));
    if (!as_thumb) {
        halves.push_back(static_cast<uint16_t>(insn >> 16));
    }
}

void program_builder::emit(uint32_t insn)
{
    append(insn, thumb);
    count++;
}

uint32_t program_builder::here() const
{
    return entry + 2 * static_cast<uint32_t>(halves.size());
}

unsigned program_builder::emitted() const
{
    return count;
}

unsigned program_builder::forward_label()
{
    labels.push_back({0, 1 + below(4), loop, false});
    return static_cast<unsigned>(labels.size()) - 1;
}

void program_builder::begin_piece()
{
    for (label &open : labels) {
        if (open.placed || (loop != 0 && open.loop != loop)) {
            continue;
        }
        open.pieces_left -= open.pieces_left > 0 ? 1 : 0;
        if (open.pieces_left == 0) {
            open.placed = true;
            open.address = here();
        }
    }
}

void program_builder::begin_loop()
{
    loop = ++loops;
}

void program_builder::end_loop()
{
    loop = 0;
}

void program_builder::emit_branch(uint32_t insn, unsigned to)
{
    fixups.push_back({here(), to, false, 0});
    emit(insn);
}

void program_builder::emit_branch_to(uint32_t insn, uint32_t target)
{
    fixups.push_back({here(), NO_LABEL, false, target});
    emit(insn);
}

void program_builder::emit_literal(uint32_t insn, uint32_t value)
{
    fixups.push_back({here(), NO_LABEL, true, value});
    emit(insn);
}

void program_builder::emit_label_literal(uint32_t insn, unsigned to, uint32_t low_bit)
{
    fixups.push_back({here(), to, true, low_bit});
    emit(insn);
}

unsigned program_builder::stub_label()
{
    return STUB;
}

uint32_t program_builder::read(uint32_t address) const
{
    const size_t index = (address - entry) / 2;
    return thumb ? halves[index] : halves[index] | static_cast<uint32_t>(halves[index + 1]) << 16;
}

void program_builder::write(uint32_t address, uint32_t insn)
{
    const size_t index = (address - entry) / 2;
    halves[index] = static_cast<uint16_t>(insn);
    if (!thumb) {
        halves[index + 1] = static_cast<uint16_t>(insn >> 16);
    }
}

void program_builder::align()
{
    if ((here() & 2) != 0) {
        halves.push_back(thumb::nop());
    }
}

void program_builder::place_literal(const fixup &wanted)
{
    const uint32_t from = thumb ? (wanted.address + 4) & ~3u : wanted.address + 8;
    const uint32_t offset = here() - from;
    write(wanted.address, read(wanted.address) | (thumb ? offset >> 2 : offset));
    append(wanted.label == NO_LABEL ? wanted.value : labels[wanted.label].address | wanted.value,
           false);
}

void program_builder::patch_branch(uint32_t address, uint32_t target)
{
    const uint32_t insn = read(address);
    if (!thumb) {
        const uint32_t half_word = insn >> 28 == 15 ? (target >> 1 & 1) << 24 : 0;
        write(address, insn | half_word | branch_offset(address, target));
    } else if ((insn & 0xf800) == 0xf000) { /* a pair: BL or BLX */
        const uint32_t suffix = read(address + 2);
        write(address, thumb::bl_prefix(address, target));
        write(address + 2, (suffix & 0x1000) != 0 ? thumb::bl_suffix(address, target)
                                                  : thumb::blx_suffix(address, target));
    } else if ((insn & 0xf000) == 0xd000) {
        write(address, thumb::b_if(static_cast<arm_condition>(insn >> 8 & 15), address, target));
    } else {
        write(address, thumb::b(address, target));
    }
}

random_program program_builder::finish(const std::vector<uint32_t> &stub)
{
    random_program program = {};
    program.seed = seed;
    program.thumb = thumb;
    program.entry = entry;
    program.end = here();
    for (label &open : labels) {
        if (!open.placed) {
            open.placed = true;
            open.address = program.end;
        }
    }
    emit(thumb ? thumb::branch_to_self() : branch_to_self());
    align();
    labels[STUB].address = here();
    for (const uint32_t insn : stub) {
        append(insn, !thumb);
    }
    align();
    for (const fixup &wanted : fixups) {
        if (wanted.literal) {
            place_literal(wanted);
        } else {
            patch_branch(wanted.address,
                         wanted.label == NO_LABEL ? wanted.value : labels[wanted.label].address);
        }
    }
    program.image = halves;
    draw_state(&program);
    return program;
}

void program_builder::draw_state(random_program *program)
{
    for (uint32_t &value : program->r) {
        value = any_word();
    }
    program->flags = static_cast<uint32_t>(random()) & 0xf0000000u;
    if (thumb) {
        program->r[4] = data_pointer();
        program->r[5] = data_pointer() + below(4);
        program->r[6] = below(64);
    } else {
        program->r[8] = TABLE_BASE;
        program->r[9] = data_pointer() + below(4);
        program->r[10] = data_pointer();
        program->r[11] = ITCM_DATA;
        program->r[12] = below(64);
    }
    program->r[7] = 1 + below(3);
    program->r[13] = STACK_MIDDLE;
}

random_program with_new_state(const random_program &program, uint32_t seed)
{
    random_program changed = program;
    changed.seed = seed;
    program_builder(seed, program.thumb, program.entry).draw_state(&changed);
    return changed;
}

random_program make_random_program(uint32_t seed, bool thumb, unsigned insns, uint32_t entry)
{
    program_builder builder(seed, thumb, entry);
    while (builder.emitted() < insns) {
        builder.begin_piece();
        if (thumb) {
            random_thumb_piece(&builder);
        } else {
            random_arm_piece(&builder);
        }
    }
    builder.begin_piece();
    const std::vector<uint32_t> stub =
        thumb ? std::vector<uint32_t>{add(r0, r0, r1), smul_half(0, 1, r2, r0, r1), bx(lr)}
              : std::vector<uint32_t>{thumb::add_reg(r0, r0, r1), thumb::shift_imm(LSL, r2, r0, 3),
                                      thumb::bx(lr)};
    return builder.finish(stub);
}

std::string random_program::listing() const
{
    std::ostringstream out;
    out << "seed " << seed << (thumb ? " Thumb" : " ARM") << ", entry " << std::hex << entry
        << ", end " << end << ", flags " << flags << "\nregisters";
    for (const uint32_t value : r) {
        out << " " << value;
    }
    out << "\n";
    const uint32_t size = thumb ? 2 : 4;
    for (uint32_t i = 0; i + size / 2 <= image.size(); i += size / 2) {
        const uint32_t word =
            thumb ? image[i] : image[i] | static_cast<uint32_t>(image[i + 1]) << 16;
        out << entry + 2 * i << ": " << std::setw(thumb ? 4 : 8) << std::setfill('0') << word << " "
            << (thumb ? slow_name_thumb(static_cast<uint16_t>(word)) : slow_name_arm(word)) << "\n";
    }
    return out.str();
}

static void put_word(std::vector<uint8_t> *bytes, uint32_t offset, uint32_t value)
{
    memcpy(bytes->data() + offset, &value, sizeof value);
}

void load_random_state(core_bench *bench, const random_program &program)
{
    std::mt19937 random(program.seed ^ 0x5bd1e995u);
    for (uint32_t address = DTCM_BASE + 0x400; address < DTCM_BASE + bench->dtcm.size();
         address += 4) {
        put_word(&bench->dtcm, address - DTCM_BASE, address * 2654435761u ^ program.seed);
    }
    for (uint32_t i = 0; i < TABLE_POINTERS; i++) {
        const uint32_t aligned = DATA_MIDDLE - 0x800 + (static_cast<uint32_t>(random()) & 0xffcu);
        put_word(&bench->dtcm, TABLE_BASE - DTCM_BASE + 4 * i, aligned);
        bench->dtcm[TABLE_OFFSETS + i] = static_cast<uint8_t>(random() & 63u);
    }
    for (uint32_t address = ITCM_DATA_BEGIN; address < ITCM_DATA_END; address += 4) {
        put_word(&bench->itcm, address, address * 2246822519u ^ program.seed);
    }
    arm968_set_cpsr(bench->cpu, ARM968_SYSTEM | program.flags);
    for (unsigned i = 0; i < 15; i++) {
        bench->set(i, program.r[i]);
    }
    bench->start(program.entry, program.thumb);
}

void load_random_program(core_bench *bench, const random_program &program)
{
    bench->thumb(program.entry, program.image);
    bench->arm(0x08, {movs(pc, lr)}); /* SWI returns */
    load_random_state(bench, program);
    arm968_code_written(bench->cpu, ITCM_DATA_BEGIN, ITCM_DATA_END - ITCM_DATA_BEGIN);
}

uint32_t insn_at(const core_bench &bench, uint32_t address, bool thumb)
{
    const uint32_t word = bench.word(address & ~3u);
    return thumb ? word >> (8 * (address & 2)) & 0xffffu : word;
}
