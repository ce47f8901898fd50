@ traffic_4096.S
#define BYTES 4096
#include "traffic.inc"
