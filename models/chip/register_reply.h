/* register_reply.h - how a block of registers answers: the same words in every folder of blocks. */
#pragma once
#include "models/common/register_reply.h" // IWYU pragma: export
