/* headers.cpp - the same from C++. */
#include "models/arm968/disassemble.h"

#include "models/arm968/arm968.h"

using saved = struct arm968_snapshot;
