@ nops_7.S
#define NOPS 7
#include "nops.inc"
