/* register_reply.h - how a block of registers answers: the same words in every folder of blocks. */
#ifndef MODELS_CHIP_REGISTER_REPLY_H
#define MODELS_CHIP_REGISTER_REPLY_H
#include "models/common/register_reply.h" // IWYU pragma: export
#endif
