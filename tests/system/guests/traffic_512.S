@ traffic_512.S
#define BYTES 512
#include "traffic.inc"
