/* gdb_answer.h - answers of a GDB stub. */
#pragma once
#include <regex>
#include <string>

/* A packet that tells of a stop, T..., without the values of registers in it. */
inline std::string gdb_without_registers(const std::string &data)
{
    static const std::regex REGISTER("[0-9a-f]{2}:[0-9a-f]{8};");
    return data.substr(0, 1) == "T" ? std::regex_replace(data, REGISTER, "") : data;
}
