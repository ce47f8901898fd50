/* stacks.h - bytes of each mode's stack, at the top of DTCM from FIQ's down; for startup.S and C.
 */
#pragma once

#define STACK_FIQ    512
#define STACK_IRQ    64
#define STACK_FAULT  64 /* each of Abort and Undefined */
#define STACK_SVC    128
#define STACK_SYSTEM 4096 /* the program's */
