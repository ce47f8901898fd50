/* investigation.h - what is said about a program whose executions differ. */
#pragma once
#include "tests/chaos/execution.h"

/* The time at which the two ways first differ, what differs then and at the end.  Empty: nothing
 * differs. */
std::string investigate(const chaos_program &program, const chaos_way &way);

/* The program with as few cores, rounds and operations as still differ. */
chaos_program shrink(chaos_program program, const chaos_way &way);
