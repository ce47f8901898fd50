/* random_bodies.cpp - see random_bodies.h. */
#include "tests/cycles/random_bodies.h"

#include "tests/support/arm_asm.h"
#include "tests/support/core_bench.h"

extern "C" {
#include "models/arm968/disassemble.h"
}

#include <sstream>

namespace
{

uint32_t body_insn(random_source *from, bool keeps_flags)
{
    static const half_kind HALVES[4] = {STORE_HALF, LOAD_HALF, LOAD_SIGNED_BYTE, LOAD_SIGNED_HALF};
    const unsigned d = from->below(7);
    const unsigned m = (d + 1 + from->below(6)) % 7;
    const unsigned n = from->below(7);
    const auto offset = static_cast<int32_t>(4 * from->below(4)); /* often the same word */
    const auto op = static_cast<arm_data_op>(from->below(16));
    const bool compares = op >= TST && op <= CMN;
    const bool flags = !keeps_flags && from->chance(40);
    switch (from->below(9)) {
    case 0:
        return ldr_post(d, r8, 4);
    case 1:
        return from->chance(50) ? str_imm(d, r9, offset) : ldr_imm(d, r9, offset);
    case 2:
        return from->chance(50) ? strb_imm(d, r9, offset + 1) : ldrb_imm(d, r9, offset + 2);
    case 3:
        return half_imm(HALVES[from->below(4)], true, false, d, r9, offset + 2);
    case 4:
        return from->chance(50) ? mla(d, m, n, d) : smlabb(d, m, n, d);
    case 5:
        return qadd(d, m, n);
    case 6:
        return data_imm(compares ? ADD : op, flags, d, n, from->below(256));
    default:
        return data_reg(compares ? EOR : op, flags, d, n, m, static_cast<arm_shift>(from->below(4)),
                        from->below(32));
    }
}

/* What sets registers on a condition, on the opposite, and now and then on another one. */
void emit_choice(random_source *from, std::vector<uint32_t> *code)
{
    const unsigned condition = from->below(14);
    const unsigned count = 2 + from->below(3);
    for (unsigned i = 0; i < count; i++) {
        const unsigned here = from->chance(10) ? from->below(14) : condition ^ from->below(2);
        const unsigned d = from->below(7);
        const uint32_t insn = from->chance(50)
                                  ? data_reg(ADD, false, d, from->below(7), from->below(7))
                                  : mov(d, from->below(7), LSR, 1 + from->below(31));
        code->push_back(when(static_cast<arm_condition>(here), insn));
    }
}

template <typename Insn> std::string text_of(const std::vector<Insn> &code)
{
    std::ostringstream out;
    uint32_t at = CODE_BASE;
    for (const Insn insn : code) {
        char text[ARM968_TEXT_CHARS];
        arm968_disassemble(insn, at, sizeof insn == sizeof(uint16_t), text);
        out << std::hex << at << "  " << text << "\n";
        at += sizeof insn;
    }
    return out.str();
}

} // namespace

void emit_body(random_source *from, std::vector<uint32_t> *code, unsigned most, bool keeps_flags)
{
    const unsigned count = from->below(most + 1);
    for (unsigned i = 0; i < count; i++) {
        if (from->chance(20)) {
            emit_choice(from, code);
            continue;
        }
        const bool conditional = from->chance(25);
        const uint32_t insn = body_insn(from, keeps_flags);
        code->push_back(conditional ? when(static_cast<arm_condition>(from->below(14)), insn)
                                    : insn);
    }
}

std::string listing(const std::vector<uint32_t> &code)
{
    return text_of(code);
}

std::string listing(const std::vector<uint16_t> &code)
{
    return text_of(code);
}
