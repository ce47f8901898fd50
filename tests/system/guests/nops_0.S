@ nops_0.S
#define NOPS 0
#include "nops.inc"
