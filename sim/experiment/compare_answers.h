/* compare_answers.h - part of golden_compare(): which answers of a run differ from its golden's. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/experiment/golden_compare.h"
C_LINKAGE_BEGIN

/* Fills the fields of answers; comparison->other_programs must be known: with other programs ITCMs,
 * which hold them, are not compared. */
void golden_compare_answers(struct golden_comparison *comparison, const struct golden *golden,
                            const struct golden *now);

C_LINKAGE_END
