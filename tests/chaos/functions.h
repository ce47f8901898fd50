/* functions.h - random functions in C for random programs. */
#pragma once
#include <cstdint>
#include <string>

/* The source of PLAN_FUNCTIONS functions and their table, which guest/guest.c calls.  They end, and
 * touch only the PLAN_DATA_WORDS words that they are given. */
std::string random_functions(uint32_t seed);
