/* older_rows.h - the rows of docs/results/recorded/board_training.csv that were recorded with
 * programs which are built no more; docs/results/training.md and RESULTS.md name them.  A row
 * leaves this list when it is recorded again: RecordedTraining.IsOfTheProgramsThatAreBuilt sees it.
 */
#pragma once
#include <set>
#include <string>

inline const std::set<std::string> OLDER_ROWS = {"fc300_100_train", "lenet1_train_five",
                                                 "lenet4_train"};
