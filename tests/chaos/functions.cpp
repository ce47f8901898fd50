/* functions.cpp - see functions.h. */
#include "tests/chaos/functions.h"

#include "tests/chaos/guest/plan.h"
#include "tests/cycles/random_bodies.h"

#include <sstream>

namespace
{

/* Writes functions of unsigned words a to e, which no sequence of operations leaves undefined. */
class writer
{
  public:
    explicit writer(uint32_t seed)
    {
        from_.random.seed(seed);
    }

    std::string all()
    {
        text_ << "#include <stdint.h>\n"
              << "typedef uint32_t work_function(uint32_t *data, uint32_t x);\n";
        for (number_ = 0; number_ < PLAN_FUNCTIONS; number_++) {
            function();
        }
        text_ << "work_function *const work_functions[" << PLAN_FUNCTIONS << "] = {";
        for (unsigned i = 0; i < PLAN_FUNCTIONS; i++) {
            text_ << "work_" << i << ", ";
        }
        text_ << "};\n";
        return text_.str();
    }

  private:
    std::string variable()
    {
        return std::string(1, static_cast<char>('a' + from_.below(5)));
    }

    std::string constant()
    {
        static const uint32_t CORNERS[] = {0, 1, 2, 31, 255, 256, 0xffff, 0x80000000, 0xffffffff};
        return std::to_string(from_.chance(60) ? CORNERS[from_.below(9)]
                                               : static_cast<uint32_t>(from_.random())) +
               "u";
    }

    std::string place(const std::string &index)
    {
        switch (from_.below(5)) {
        case 0:
            return "((uint8_t *)data)[(" + index + ") & 1023]";
        case 1:
            return "((int8_t *)data)[(" + index + ") & 1023]";
        case 2:
            return "((uint16_t *)data)[(" + index + ") & 511]";
        case 3:
            return "((int16_t *)data)[(" + index + ") & 511]";
        default:
            return "data[(" + index + ") & 255]";
        }
    }

    std::string value(unsigned depth)
    {
        if (depth == 0 || from_.chance(20)) {
            return from_.chance(70) ? variable() : constant();
        }
        const std::string one = value(depth - 1);
        const std::string two = value(depth - 1);
        static const char *const OPERATORS[] = {"+", "-", "*", "&", "|", "^", "<", "==", ">"};
        switch (from_.below(12)) {
        case 0:
            return "(" + one + (from_.chance(50) ? " << " : " >> ") + "(" + two + " & 31))";
        case 1:
            return "(uint32_t)((int32_t)(" + one + ") >> (" + two + " & 31))";
        case 2:
            return "(uint32_t)((uint64_t)(" + one + ") * (" + two + ") >> 32)";
        case 3:
            return "(uint32_t)((int64_t)(int32_t)(" + one + ") * (int32_t)(" + two + ") >> 17)";
        case 4:
            return "(" + one + (from_.chance(50) ? " / " : " % ") + "((" + two + ") | 1u))";
        case 5:
            return "(uint32_t)((int16_t)(" + one + ") * (int16_t)(" + two + "))";
        case 6:
            return "(" + one + " != 0 ? " + two + " : " + value(depth - 1) + ")";
        case 7:
            return "(uint32_t)" + place(one);
        default:
            return "(" + one + " " + OPERATORS[from_.below(9)] + " " + two + ")";
        }
    }

    void assignment()
    {
        if (from_.chance(30)) {
            const std::string to = place(value(1));
            text_ << to << " = " << value(2) << ";\n";
        } else {
            const std::string to = variable();
            text_ << to << (from_.chance(50) ? " = " : " += ") << value(3) << ";\n";
        }
    }

    void block(unsigned depth)
    {
        const unsigned count = 1 + from_.below(3);
        text_ << "{\n";
        for (unsigned i = 0; i < count; i++) {
            statement(depth);
        }
        text_ << "}\n";
    }

    void loop(unsigned depth)
    {
        const unsigned number = loops_++;
        const std::string i = "i" + std::to_string(number);
        const unsigned rounds = 1 + from_.below(depth == 2 ? 10 : 4);
        text_ << "for (uint32_t " << i << " = 0; " << i << " < " << rounds << "; " << i
              << "++) {\n";
        text_ << variable() << " += " << i << ";\n";
        block(depth - 1);
        if (from_.chance(30)) {
            text_ << "if (" << value(1) << " == 7u) break;\n";
        }
        text_ << "}\n";
    }

    void choice(unsigned depth)
    {
        const unsigned cases = 2 + from_.below(6);
        text_ << "switch ((" << value(1) << ") & 7u) {\n";
        for (unsigned i = 0; i < cases; i++) {
            text_ << "case " << i << ":\n";
            statement(depth - 1);
            text_ << (from_.chance(80) ? "break;\n" : "__attribute__((fallthrough));\n");
        }
        text_ << "default:\nbreak;\n}\n";
    }

    void statement(unsigned depth)
    {
        const unsigned kind = depth == 0 ? 9 : from_.below(10);
        if (kind < 2) {
            loop(depth);
        } else if (kind == 2) {
            choice(depth);
        } else if (kind == 3) {
            text_ << "if (" << value(2) << ") ";
            block(depth - 1);
            if (from_.chance(50)) {
                text_ << "else ";
                block(depth - 1);
            }
        } else if (kind == 4 && number_ > 0 && depth == 2) {
            text_ << variable() << " ^= work_" << from_.below(number_) << "(data, " << variable()
                  << ");\n";
        } else {
            assignment();
        }
    }

    void function()
    {
        static const char *const KINDS[] = {"", "static ", "__attribute__((noinline)) "};
        text_ << KINDS[from_.below(3)] << "uint32_t work_" << number_
              << "(uint32_t *data, uint32_t x)\n{\n"
              << "uint32_t a = x, b = data[8], c = " << constant()
              << ", d = data[x & 63], e = 0;\n";
        const unsigned count = 2 + from_.below(6);
        for (unsigned i = 0; i < count; i++) {
            statement(2);
        }
        text_ << "data[8] = b + d;\nreturn a ^ c ^ e;\n}\n";
    }

    random_source from_;
    std::ostringstream text_;
    unsigned number_ = 0;
    unsigned loops_ = 0;
};

} // namespace

std::string random_functions(uint32_t seed)
{
    return writer(seed).all();
}
