/* format_q7.h - the arithmetic of int16 values with 7 fractional bits: that of s16.15 in 16 bits,
 * with outputs cut to them. */
#pragma once
#include "format_s1615.h"
