#!/bin/sh
# Checks the format of the C and C++ sources against .clang-format; --fix corrects it.  Exit 77: clang-format is not installed.
set -eu
. "$(dirname -- "$0")/checkout.sh"
if ! command -v clang-format >/dev/null 2>&1; then
    echo "skipped: clang-format is not installed"
    exit 77
fi
mode="--dry-run --Werror"
if [ "${1:-}" = --fix ]; then
    mode=-i
fi
# shellcheck disable=SC2086  # two words
find models sim workloads tests \( -name '*.c' -o -name '*.h' -o -name '*.cpp' \) -print0 | xargs -0 clang-format $mode
