/* random_calls_test.cpp - random programs whose control goes by registers, in both states, stopped
 * anywhere: calls by registers and stubs, functions that end in others, tables of cases, returns to
 * elsewhere, entries in the middle, recursion, and functions of two translations.
 *
 * Registers in ARM state: as random_bodies.h has them; r7 counts rounds, r10 a recursion, r11 is
 * CODE_BASE, r12 an address.  In Thumb state: r0-r3 are data, r4 an address, r5 counts rounds, r6
 * stays in DTCM, r7 is CODE_BASE. */
#include "tests/cycles/random_bodies.h"
#include "tests/cycles/twins.h"
#include "tests/support/amount.h"
#include "tests/support/arm_asm.h"
#include "tests/support/thumb_asm.h"

namespace
{

constexpr uint32_t PORT = 0x60000000;
constexpr uint32_t SWI_VECTOR = 8;
constexpr unsigned FUNCTIONS = 9;
constexpr unsigned CASES = 4;

/* ---- ARM state ---- */

struct arm_writer {
    uint32_t here() const
    {
        return static_cast<uint32_t>(4 * code.size());
    }
    void add(uint32_t insn)
    {
        code.push_back(insn);
    }
    uint32_t word(uint32_t insn) /* adds it, and says where */
    {
        code.push_back(insn);
        return here() - 4;
    }
    void body(unsigned most)
    {
        emit_body(&from, &code, most, from.chance(50));
    }
    arm_condition condition()
    {
        return static_cast<arm_condition>(from.below(14));
    }

    /* r12 = CODE_BASE + to */
    void address(uint32_t to)
    {
        add(add_imm(r12, r11, to & 0xff));
        add(add_imm(r12, r12, to & 0xff00));
    }

    /* A call in one of the ways there are; lr is lost. */
    void call(uint32_t to)
    {
        body(2);
        switch (from.below(7)) {
        case 0:
            address(to);
            add(blx(r12));
            break;
        case 1:
            address(to);
            add(mov(lr, pc));
            add(from.chance(50) ? bx(r12) : mov(pc, r12));
            break;
        case 2: /* a stub */
            address(to);
            add(bl(here(), stub));
            break;
        case 3: /* a word that is loaded */
            address(to);
            add(str_imm(r12, r9, 0x100));
            add(mov(lr, pc));
            add(ldr_imm(pc, r9, 0x100));
            break;
        case 4:
            add(when(condition(), bl(here(), to)));
            break;
        default:
            add(bl(here(), to));
            break;
        }
        add(mov(r0 + from.below(7), r0 + from.below(7))); /* may be returned behind */
        body(2);
    }

    /* Cases by two bits of a register, as words or as branches; all come together behind. */
    void cases()
    {
        std::vector<uint32_t> to_end;
        const bool words = from.chance(50);
        add(data_imm(AND, false, r12, from.below(7), CASES - 1));
        add(cmp_imm(r12, CASES - 2)); /* the last case is not in the table */
        if (words) {
            add(when(LS, ldr_reg(pc, pc, r12, LSL, 2)));
        } else {
            add(when(LS, data_reg(ADD, false, pc, pc, r12, LSL, 2)));
        }
        const uint32_t fall = word(0);
        const uint32_t table = here();
        code.resize(code.size() + CASES - 1);
        for (unsigned i = 0; i < CASES - 1; i++) {
            code[table / 4 + i] = words ? CODE_BASE + here() : b(table + 4 * i, here());
            body(3);
            to_end.push_back(word(0));
        }
        code[fall / 4] = b(fall, here());
        body(2);
        for (const uint32_t at : to_end) {
            code[at / 4] = b(at, here());
        }
    }

    void leaf()
    {
        body(3);
        switch (from.below(5)) {
        case 0: /* returns an instruction later, at times */
            add(when(condition(), add_imm(lr, lr, 4)));
            break;
        case 1:
            add(add_imm(r12, lr, 4));
            add(when(condition(), bx(r12)));
            break;
        case 2:
            add(when(condition(), from.chance(50) ? bx(lr) : mov(pc, lr)));
            body(3);
            break;
        case 3:
            add(str_imm(r0 + from.below(7), r9, 0x40));
            break;
        default:
            break;
        }
        add(from.chance(50) ? bx(lr) : mov(pc, lr));
    }

    /* Calls others; ends by a return or as another one. */
    void caller(const std::vector<uint32_t> &others)
    {
        add(push({r4, r5, lr}));
        for (unsigned i = 0; i <= from.below(3); i++) {
            call(any(others));
        }
        if (from.chance(40)) {
            cases();
        }
        if (from.chance(15)) {
            add(from.chance(50) ? swi(1) : ldr_imm(r0 + from.below(4), sp, 0x40));
        }
        if (from.chance(15)) { /* the ports */
            add(mov_imm(r12, PORT));
            add(from.chance(50) ? ldr_imm(r1, r12, 8) : str_imm(r1, r12, 8));
            add(add_imm(r2, r1, 1));
        }
        switch (from.below(4)) {
        case 0: { /* as another one */
            const uint32_t to = any(others);
            add(pop({r4, r5, lr}));
            address(to);
            add(bx(r12));
            break;
        }
        case 1:
            add(pop({r4, r5, lr}));
            add(b(here(), any(others)));
            break;
        case 2:
            add(pop({r4, r5, lr}));
            add(bx(lr));
            break;
        default:
            add(pop({r4, r5, pc}));
            break;
        }
    }

    /* Calls itself r10 times, if that is more than none. */
    void recursive(const std::vector<uint32_t> &others)
    {
        const uint32_t begin = here();
        add(push({r4, lr}));
        body(2);
        call(others[0]);
        add(subs_imm(r10, r10, 1));
        add(when(GT, bl(here(), begin)));
        body(2);
        add(pop({r4, pc}));
    }

    uint32_t any(const std::vector<uint32_t> &list)
    {
        const uint32_t to = list[from.below(static_cast<uint32_t>(list.size()))];
        return to;
    }

    random_source from;
    std::vector<uint32_t> code;
    uint32_t stub = 0;
};

/* The words; rounds with an odd number also run what the others do not. */
std::vector<uint32_t> arm_calls(uint32_t seed)
{
    arm_writer writer = {{std::mt19937(seed)}, {nop()}};
    writer.stub = writer.word(bx(r12));
    std::vector<uint32_t> functions;
    for (unsigned i = 0; i < FUNCTIONS; i++) {
        const uint32_t begin = writer.here();
        if (i < 3) {
            writer.leaf();
        } else if (i == 4) {
            writer.recursive(functions);
        } else {
            writer.caller(functions);
        }
        functions.push_back(begin);
        if (i < 3 && writer.from.chance(50)) { /* a leaf may be entered behind its beginning */
            functions.push_back(begin + 4);
        }
    }
    const uint32_t outside = writer.here();
    writer.code[0] = b(0, outside);
    writer.add(mov_imm(r8, DTCM_BASE));
    writer.add(mov_imm(r7, 1 + writer.from.below(60)));
    const uint32_t head = writer.here();
    writer.add(mov_imm(r10, 1 + writer.from.below(5)));
    writer.call(functions.back());
    writer.add(ldr_imm(r12, r9, 0x200)); /* what is only called later on */
    writer.add(data_imm(TEQ, true, 0, r12, 0));
    const uint32_t skip = writer.word(0);
    writer.call(functions[functions.size() - 2]);
    writer.call(functions[0]);
    writer.code[skip / 4] = when(EQ, b(skip, writer.here()));
    writer.call(writer.any(functions));
    writer.add(subs_imm(r7, r7, 1));
    writer.add(when(NE, b(writer.here(), head)));
    writer.add(b(writer.here(), outside));
    return writer.code;
}

/* ---- Thumb state ---- */

struct thumb_writer {
    uint32_t here() const
    {
        return static_cast<uint32_t>(2 * code.size());
    }
    void add(uint16_t half)
    {
        code.push_back(half);
    }
    void align()
    {
        if ((here() & 2) != 0) {
            add(thumb::nop());
        }
    }
    void body(unsigned most)
    {
        for (unsigned i = from.below(most + 1); i != 0; i--) {
            const unsigned d = from.below(4);
            const unsigned m = from.below(4);
            switch (from.below(8)) {
            case 0:
                add(thumb::ldr_imm(d, r6, 4 * from.below(4)));
                break;
            case 1:
                add(thumb::str_imm(d, r6, 4 * from.below(4)));
                break;
            case 2:
                add(thumb::strb_imm(d, r6, from.below(16)));
                break;
            case 3:
                add(thumb::add_imm(d, from.below(256)));
                break;
            case 4:
                add(thumb::shift_imm(LSR, d, m, 1 + from.below(31)));
                break;
            default:
                add(thumb::data(static_cast<thumb::data_op>(from.below(16)), d, m));
                break;
            }
        }
    }
    /* r4 = CODE_BASE + to, in this state */
    void address(uint32_t to)
    {
        add(thumb::mov_imm(r4, to >> 8));
        add(thumb::shift_imm(LSL, r4, r4, 8));
        add(thumb::add_imm(r4, (to & 0xff) | 1));
        add(thumb::add_reg(r4, r4, r7));
    }
    void link_to(uint32_t to)
    {
        const uint32_t at = here();
        add(thumb::bl_prefix(at, to));
        add(thumb::bl_suffix(at, to));
    }
    void call(uint32_t to)
    {
        body(2);
        switch (from.below(4)) {
        case 0:
            address(to);
            add(thumb::blx(r4));
            break;
        case 1: /* _call_via_r4 */
            address(to);
            link_to(stub);
            break;
        case 2: { /* a leaf in ARM state */
            align();
            const uint32_t at = here();
            add(thumb::bl_prefix(at, arm_leaf));
            add(thumb::blx_suffix(at, arm_leaf));
            break;
        }
        default:
            link_to(to);
            break;
        }
        add(thumb::add_imm(from.below(4), 3)); /* may be returned behind */
        body(2);
    }
    void leaf()
    {
        body(3);
        if (from.chance(40)) {
            const size_t at = code.size();
            add(0);
            add(thumb::bx(lr));
            code[at] = thumb::b_if(static_cast<arm_condition>(from.below(14)),
                                   static_cast<uint32_t>(2 * at), here());
            body(3);
        } else if (from.chance(30)) { /* an instruction later */
            add(thumb::mov(r4, lr));
            add(thumb::add_imm(r4, 2));
            add(thumb::bx(r4));
            return;
        }
        add(from.chance(50) ? thumb::bx(lr) : thumb::mov(pc, lr));
    }
    /* Cases by two bits of a register: a table of words behind a literal with its address. */
    void cases()
    {
        add(thumb::mov_imm(r4, CASES - 1));
        add(thumb::data(thumb::OP_AND, r4, from.below(4)));
        add(thumb::shift_imm(LSL, r4, r4, 2));
        if ((here() & 2) != 0) {
            add(thumb::nop());
        }
        /* four halves of code, then the literal and the table */
        add(thumb::ldr_literal(r3, 4));
        add(thumb::transfer_reg(thumb::LDR, r4, r3, r4));
        add(from.chance(50) ? thumb::mov(pc, r4) : thumb::bx(r4));
        add(thumb::nop());
        const uint32_t literal = here();
        const uint32_t table = literal + 4;
        code.resize(code.size() + 2 + 2 * CASES);
        put(literal, CODE_BASE + table);
        std::vector<uint32_t> to_end;
        for (unsigned i = 0; i < CASES; i++) {
            put(table + 4 * i, (CODE_BASE + here()) | 1);
            body(3);
            to_end.push_back(here());
            add(0);
        }
        for (const uint32_t at : to_end) {
            code[at / 2] = thumb::b(at, here());
        }
    }
    void put(uint32_t at, uint32_t word)
    {
        code[at / 2] = static_cast<uint16_t>(word);
        code[at / 2 + 1] = static_cast<uint16_t>(word >> 16);
    }
    void caller(const std::vector<uint32_t> &others)
    {
        add(thumb::push({r2, lr}));
        for (unsigned i = 0; i <= from.below(3); i++) {
            call(any(others));
        }
        if (from.chance(50)) {
            cases();
        }
        if (from.chance(15)) {
            add(thumb::swi(1));
        }
        switch (from.below(3)) {
        case 0:
            add(thumb::pop({r2}));
            add(thumb::pop({r3}));
            add(thumb::bx(r3));
            break;
        case 1: { /* as another one */
            const uint32_t to = any(others);
            add(thumb::pop({r2}));
            add(thumb::pop({r3}));
            add(thumb::mov(lr, r3));
            address(to);
            add(thumb::bx(r4));
            break;
        }
        default:
            add(thumb::pop({r2, pc}));
            break;
        }
    }
    uint32_t any(const std::vector<uint32_t> &list)
    {
        return list[from.below(static_cast<uint32_t>(list.size()))];
    }

    random_source from;
    std::vector<uint16_t> code;
    uint32_t stub = 0, arm_leaf = 0;
};

std::vector<uint16_t> thumb_calls(uint32_t seed)
{
    thumb_writer writer = {{std::mt19937(seed)}, {0, thumb::bx(r4)}};
    writer.stub = 2;
    writer.align();
    writer.arm_leaf = writer.here();
    static const uint32_t LEAVES[] = {bx(lr), when(MI, bx(lr)), when(EQ, add_imm(lr, lr, 2))};
    for (const uint32_t word : {add_imm(r0, r0, 5), data_imm(TST, true, 0, r0, 7),
                                LEAVES[writer.from.below(3)], str_imm(r0, r6, 8), bx(lr)}) {
        writer.add(static_cast<uint16_t>(word));
        writer.add(static_cast<uint16_t>(word >> 16));
    }
    std::vector<uint32_t> functions;
    for (unsigned i = 0; i < FUNCTIONS; i++) {
        const uint32_t begin = writer.here();
        if (i < 3) {
            writer.leaf();
        } else {
            writer.caller(functions);
        }
        functions.push_back(begin);
    }
    const uint32_t outside = writer.here();
    writer.code[0] = thumb::b(0, outside);
    writer.add(thumb::mov_imm(r5, 1 + writer.from.below(60)));
    const uint32_t head = writer.here();
    writer.call(functions.back());
    writer.add(thumb::mov_imm(r4, 0x80));
    writer.add(thumb::shift_imm(LSL, r4, r4, 2));
    writer.add(thumb::transfer_reg(thumb::LDR, r4, r6, r4)); /* the word at 0x200 */
    writer.add(thumb::cmp_imm(r4, 0));
    const uint32_t skip = writer.here();
    writer.add(0);
    writer.call(functions[functions.size() - 2]);
    writer.call(functions[0]);
    writer.code[skip / 2] = thumb::b_if(EQ, skip, writer.here());
    writer.add(thumb::sub_imm(r5, 1));
    const uint32_t end = writer.here();
    writer.add(thumb::b_if(EQ, end, end + 4));
    writer.add(thumb::b(end + 2, head));
    writer.add(thumb::b(end + 4, outside));
    return writer.code;
}

/* ---- both ---- */

class RandomCalls : public ::testing::Test
{
  protected:
    static void load(twins *it, uint32_t seed, bool thumb_state)
    {
        it->arm(SWI_VECTOR, {data_reg(MOV, true, pc, 0, lr)});
        for (core_bench *bench : {&it->native, &it->reference}) {
            bench->set_mode(ARM968_SYSTEM, MASK_F);
            bench->outside.regions = {{PORT, 0x100, REGION_ANSWERS, 3}};
        }
        it->set_data(seed, 6);
        it->set(6, DTCM_BASE + 0x8000);
        it->set(7, CODE_BASE);
        it->set(9, DTCM_BASE + 0x8000);
        it->set(11, CODE_BASE);
        it->set(13, DTCM_BASE + 0xf000);
        it->start(CODE_BASE, thumb_state);
    }
    /* What is called in odd rounds only is translated by itself, and calls what was there. */
    static void check(uint32_t seed, bool thumb_state)
    {
        translator_pointer translator = on_demand();
        twins it(&translator);
        std::vector<uint32_t> words;
        if (thumb_state) {
            it.thumb(CODE_BASE, thumb_calls(seed));
        } else {
            words = arm_calls(seed);
            it.arm(CODE_BASE, words);
        }
        load(&it, seed, thumb_state);
        for (const uint32_t rounds : {0u, 1u}) {
            for (core_bench *bench : {&it.native, &it.reference}) {
                bench->set_word(DTCM_BASE + 0x8200, rounds);
            }
            it.run(15000, 15000);
            const bool translated = arm968_translate(it.native.cpu);
            ASSERT_TRUE(translated || rounds != 0);
            for (const uint64_t longest : {2000u, 500u, 90u, 27u, 2000u}) {
                it.run(2000 + 2 * longest, longest);
            }
        }
        it.run_at_each_distance(60, 50);
        EXPECT_GT(it.native_runs(), 50u);
        if (HasFailure()) {
            ADD_FAILURE() << "seed " << seed << "\n" << listing(words);
        }
    }
};

/* SPINNSIM_REGISTER_CALLS: more of them. */
TEST_F(RandomCalls, InArmState)
{
    const uint64_t count = amount("SPINNSIM_REGISTER_CALLS", 8);
    for (uint32_t seed = 500; seed < 500 + count && !HasFailure(); seed++) {
        check(seed, false);
    }
}

TEST_F(RandomCalls, InThumbState)
{
    const uint64_t count = amount("SPINNSIM_REGISTER_CALLS", 8);
    for (uint32_t seed = 500; seed < 500 + count && !HasFailure(); seed++) {
        check(seed, true);
    }
}

} // namespace
