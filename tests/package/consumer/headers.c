/* headers.c - what is installed for users, from C. */
#include "models/arm968/disassemble.h"

#include "models/arm968/arm968.h"

typedef struct arm968_snapshot saved;
