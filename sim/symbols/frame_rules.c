/* frame_rules.c - see frame_rules.h. */
#include "sim/symbols/frame_rules.h"

enum { CIE_ID = -1, VERSION_OLD = 1, VERSION_LAST = 4, ADDRESS_BYTES = 4, KEPT_MOST = 8 };

/* What a common information entry says of its functions. */
struct common {
    uint64_t code_factor;
    int64_t data_factor;
    unsigned return_register;
    struct dwarf_bytes program;
};

/* A frame description entry. */
struct description {
    uint32_t cie; /* offset of its common information entry */
    struct code_span span;
    struct dwarf_bytes program;
};

static bool read_common(struct dwarf_bytes section, uint32_t offset, struct common *common)
{
    (void)dwarf_skip(&section, offset);
    struct dwarf_bytes entry = dwarf_part(&section, dwarf_u32(&section));
    const uint32_t id = dwarf_u32(&entry);
    const unsigned version = dwarf_u8(&entry);
    const char *augmentation = dwarf_text(&entry);
    if (id != (uint32_t)CIE_ID || version < VERSION_OLD || version > VERSION_LAST ||
        augmentation[0] != '\0' || entry.failed) {
        return false;
    }
    if (version == VERSION_LAST && (dwarf_u8(&entry) != ADDRESS_BYTES || dwarf_u8(&entry) != 0)) {
        return false;
    }
    common->code_factor = dwarf_unsigned(&entry);
    common->data_factor = dwarf_signed(&entry);
    const uint64_t column = version == VERSION_OLD ? dwarf_u8(&entry) : dwarf_unsigned(&entry);
    common->return_register = column < FRAME_REGISTERS ? (unsigned)column : FRAME_LR;
    common->program = entry;
    return !entry.failed && column < FRAME_REGISTERS;
}

/* Takes the next entry; false: it is none of a function. */
static bool take_description(struct dwarf_bytes *section, struct description *at)
{
    struct dwarf_bytes entry = dwarf_part(section, dwarf_u32(section));
    at->cie = dwarf_u32(&entry);
    at->span.first = dwarf_u32(&entry);
    const uint32_t bytes = dwarf_u32(&entry);
    at->span.end = at->span.first + bytes;
    at->program = entry;
    return !entry.failed && at->cie != (uint32_t)CIE_ID && at->span.end > at->span.first;
}

static unsigned count_at_zero(struct dwarf_bytes section)
{
    unsigned count = 0;
    while (section.left > 0) {
        struct description at;
        count += take_description(&section, &at) && at.span.first == 0;
    }
    return count;
}

static bool find_description(struct dwarf_bytes section, uint32_t address,
                             struct code_span function, struct description *found)
{
    enum code_fit best = CODE_FIT_NONE;
    const bool alone = count_at_zero(section) == 1;
    while (section.left > 0 && best != CODE_FIT_BEST) {
        struct description at;
        if (take_description(&section, &at)) {
            const enum code_fit fit = code_span_fit(at.span, function, address, alone);
            if (fit > best) {
                best = fit;
                *found = at;
            }
        }
    }
    return best != CODE_FIT_NONE;
}

/* ---- call frame instructions (DWARF 5, 6.4.2 and 7.24) ---- */

enum operand {
    OPERAND_NONE,
    OPERAND_UNSIGNED,
    OPERAND_SIGNED,
    OPERAND_1,
    OPERAND_2,
    OPERAND_4,
    OPERAND_BLOCK
};

enum action {
    DO_NOTHING,
    DO_ADVANCE, /* by operand 0, in units of code */
    DO_GO_TO,   /* the address of operand 0 */
    DO_STORED,  /* register, offset in units of data */
    DO_COMPUTED,
    DO_IN_REGISTER,
    DO_SAME,
    DO_LOST,    /* by an expression, too */
    DO_RESTORE, /* the rule that the common entry has given */
    DO_KEEP,
    DO_BACK,
    DO_ADDRESS,      /* register, offset */
    DO_ADDRESS_DATA, /* register, offset in units of data */
    DO_ADDRESS_REGISTER,
    DO_ADDRESS_OFFSET,
    DO_ADDRESS_OFFSET_DATA,
    DO_ADDRESS_LOST
};

struct instruction {
    uint8_t code;
    uint8_t operand[2];
    uint8_t action;
};

static const struct instruction INSTRUCTIONS[] = {
    {0x00, {OPERAND_NONE}, DO_NOTHING},
    {0x01, {OPERAND_4}, DO_GO_TO},
    {0x02, {OPERAND_1}, DO_ADVANCE},
    {0x03, {OPERAND_2}, DO_ADVANCE},
    {0x04, {OPERAND_4}, DO_ADVANCE},
    {0x05, {OPERAND_UNSIGNED, OPERAND_UNSIGNED}, DO_STORED},
    {0x06, {OPERAND_UNSIGNED}, DO_RESTORE},
    {0x07, {OPERAND_UNSIGNED}, DO_LOST},
    {0x08, {OPERAND_UNSIGNED}, DO_SAME},
    {0x09, {OPERAND_UNSIGNED, OPERAND_UNSIGNED}, DO_IN_REGISTER},
    {0x0a, {OPERAND_NONE}, DO_KEEP},
    {0x0b, {OPERAND_NONE}, DO_BACK},
    {0x0c, {OPERAND_UNSIGNED, OPERAND_UNSIGNED}, DO_ADDRESS},
    {0x0d, {OPERAND_UNSIGNED}, DO_ADDRESS_REGISTER},
    {0x0e, {OPERAND_NONE, OPERAND_UNSIGNED}, DO_ADDRESS_OFFSET},
    {0x0f, {OPERAND_BLOCK}, DO_ADDRESS_LOST},
    {0x10, {OPERAND_UNSIGNED, OPERAND_BLOCK}, DO_LOST},
    {0x11, {OPERAND_UNSIGNED, OPERAND_SIGNED}, DO_STORED},
    {0x12, {OPERAND_UNSIGNED, OPERAND_SIGNED}, DO_ADDRESS_DATA},
    {0x13, {OPERAND_NONE, OPERAND_SIGNED}, DO_ADDRESS_OFFSET_DATA},
    {0x14, {OPERAND_UNSIGNED, OPERAND_UNSIGNED}, DO_COMPUTED},
    {0x15, {OPERAND_UNSIGNED, OPERAND_SIGNED}, DO_COMPUTED},
    {0x16, {OPERAND_UNSIGNED, OPERAND_BLOCK}, DO_LOST},
    {0x2e, {OPERAND_UNSIGNED}, DO_NOTHING}, /* of GNU: bytes of arguments */
};

/* The first two bits of these hold the instruction, the others its first operand. */
static const struct instruction SHORT_INSTRUCTIONS[] = {
    {0x40, {OPERAND_NONE}, DO_ADVANCE},
    {0x80, {OPERAND_NONE, OPERAND_UNSIGNED}, DO_STORED},
    {0xc0, {OPERAND_NONE}, DO_RESTORE},
};
enum {
    SHORT_BITS = 0xc0,
    SHORT_SHIFT = 6,
    INSTRUCTION_COUNT = sizeof INSTRUCTIONS / sizeof *INSTRUCTIONS
};

struct machine_of_rules {
    const struct common *common;
    struct frame_rules now, initial;
    struct frame_rules kept[KEPT_MOST];
    unsigned keeps;
    uint32_t at; /* the address from which `now` holds */
};

static const struct instruction *find_instruction(uint8_t code)
{
    if ((code & SHORT_BITS) != 0) {
        return &SHORT_INSTRUCTIONS[(code >> SHORT_SHIFT) - 1];
    }
    for (size_t i = 0; i < INSTRUCTION_COUNT; i++) {
        if (INSTRUCTIONS[i].code == code) {
            return &INSTRUCTIONS[i];
        }
    }
    return NULL;
}

static uint64_t read_operand(struct dwarf_bytes *program, enum operand operand, uint64_t first)
{
    switch (operand) {
    case OPERAND_UNSIGNED:
        return dwarf_unsigned(program);
    case OPERAND_SIGNED:
        return (uint64_t)dwarf_signed(program);
    case OPERAND_1:
        return dwarf_u8(program);
    case OPERAND_2:
        return dwarf_u16(program);
    case OPERAND_4:
        return dwarf_u32(program);
    case OPERAND_BLOCK:
        (void)dwarf_skip(program, dwarf_unsigned(program));
        return 0;
    case OPERAND_NONE:
        break;
    }
    return first;
}

/* Rules of registers that are not modelled, as those of a coprocessor, change nothing. */
static void set_rule(struct machine_of_rules *machine, uint64_t number, enum frame_rule_kind kind,
                     uint64_t offset)
{
    if (number < FRAME_REGISTERS) {
        machine->now.of[number] = (struct frame_rule){kind, (int32_t)(uint32_t)offset};
    }
}

static void set_address(struct machine_of_rules *machine, uint64_t number, uint64_t offset)
{
    machine->now.has_address = number < FRAME_REGISTERS;
    machine->now.address_register = number < FRAME_REGISTERS ? (unsigned)number : 0;
    machine->now.address_offset = (int32_t)(uint32_t)offset;
}

/* False: the states that are kept do not allow it. */
static bool act(struct machine_of_rules *machine, enum action action, uint64_t first,
                uint64_t second)
{
    const uint64_t scaled = second * (uint64_t)machine->common->data_factor;
    struct frame_rules *now = &machine->now;
    switch (action) {
    case DO_NOTHING:
        break;
    case DO_ADVANCE:
        machine->at += (uint32_t)(first * machine->common->code_factor);
        break;
    case DO_GO_TO:
        machine->at = (uint32_t)first;
        break;
    case DO_STORED:
        set_rule(machine, first, FRAME_STORED, scaled);
        break;
    case DO_COMPUTED:
        set_rule(machine, first, FRAME_COMPUTED, scaled);
        break;
    case DO_IN_REGISTER:
        set_rule(machine, first, second < FRAME_REGISTERS ? FRAME_IN_REGISTER : FRAME_LOST, second);
        break;
    case DO_SAME:
        set_rule(machine, first, FRAME_SAME, 0);
        break;
    case DO_LOST:
        set_rule(machine, first, FRAME_LOST, 0);
        break;
    case DO_RESTORE:
        if (first < FRAME_REGISTERS) {
            now->of[first] = machine->initial.of[first];
        }
        break;
    case DO_KEEP:
        if (machine->keeps == KEPT_MOST) {
            return false;
        }
        machine->kept[machine->keeps++] = *now;
        break;
    case DO_BACK:
        if (machine->keeps == 0) {
            return false;
        }
        *now = machine->kept[--machine->keeps];
        break;
    case DO_ADDRESS:
        set_address(machine, first, second);
        break;
    case DO_ADDRESS_DATA:
        set_address(machine, first, scaled);
        break;
    case DO_ADDRESS_REGISTER:
        set_address(machine, first, (uint32_t)now->address_offset);
        break;
    case DO_ADDRESS_OFFSET:
        set_address(machine, now->address_register, second);
        break;
    case DO_ADDRESS_OFFSET_DATA:
        set_address(machine, now->address_register, scaled);
        break;
    case DO_ADDRESS_LOST:
        now->has_address = false;
        break;
    }
    return true;
}

/* Executes a program up to the rules that hold at an address.  False: it cannot be read. */
static bool execute(struct machine_of_rules *machine, struct dwarf_bytes program, uint32_t address)
{
    while (program.left > 0) {
        const uint8_t code = dwarf_u8(&program);
        const struct instruction *instruction = find_instruction(code);
        if (instruction == NULL) {
            return false;
        }
        const uint64_t inside = code & (uint8_t)~SHORT_BITS;
        const uint64_t first =
            read_operand(&program, (enum operand)instruction->operand[0], inside);
        const uint64_t second = read_operand(&program, (enum operand)instruction->operand[1], 0);
        if (program.failed || !act(machine, (enum action)instruction->action, first, second)) {
            return false;
        }
        if (machine->at > address) {
            return true;
        }
    }
    return true;
}

/* What the procedure call standard says of registers without a rule (AAPCS, 6.1.1): r4 to r11 are
 * the caller's, and the stack pointer is the frame's address; r0 to r3 and r12 may have changed. */
static void set_standard_rules(struct frame_rules *rules)
{
    enum { ARGUMENTS = 4, SCRATCH = 12 };
    for (unsigned i = 0; i < FRAME_REGISTERS; i++) {
        const bool lost = i < ARGUMENTS || i == SCRATCH;
        rules->of[i] = (struct frame_rule){lost ? FRAME_LOST : FRAME_SAME, 0};
    }
    rules->of[FRAME_SP] = (struct frame_rule){FRAME_COMPUTED, 0};
}

bool frame_rules_find(struct dwarf_bytes debug_frame, uint32_t address, struct code_span function,
                      struct frame_rules *rules)
{
    struct description description;
    struct common common;
    if (!find_description(debug_frame, address, function, &description) ||
        !read_common(debug_frame, description.cie, &common)) {
        return false;
    }
    struct machine_of_rules machine = {.common = &common, .at = description.span.first};
    set_standard_rules(&machine.now);
    if (!execute(&machine, common.program, UINT32_MAX)) {
        return false;
    }
    machine.at = description.span.first;
    machine.initial = machine.now;
    if (!execute(&machine, description.program, address)) {
        return false;
    }
    *rules = machine.now;
    rules->return_register = common.return_register;
    return rules->has_address;
}
