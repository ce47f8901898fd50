#!/bin/sh
# A commit begins with scripts/check_changed.sh: as git's hook pre-commit, or by hand.
set -eu
. "$(dirname -- "$0")/checkout.sh"

usage() {
    cat <<EOF
usage: scripts/pre_commit.sh [--install]

Runs scripts/check_changed.sh, and fails if that fails or has laid out a file anew: look at the file, add it, and commit again.

  --install    make this git's hook: every \`git commit\` in this checkout begins with it; \`git commit --no-verify\` does without
EOF
}

case ${1:-} in
--install)
    hook=$(git rev-parse --git-path hooks)/pre-commit
    if [ -e "$hook" ]; then
        echo "pre_commit.sh: there is a hook already: $hook" >&2
        exit 2
    fi
    mkdir -p "${hook%/*}"
    printf '#!/bin/sh\nexec scripts/pre_commit.sh\n' >"$hook"
    chmod +x "$hook"
    echo "$hook written"
    exit
    ;;
'') ;;
-h | --help)
    usage
    exit 0
    ;;
*)
    usage >&2
    exit 2
    ;;
esac

# Of git's hook: tests that make repositories of their own would write into this one.
# shellcheck disable=SC2046 # names of variables
unset $(git rev-parse --local-env-vars)
before=$(git diff | cksum)
scripts/check_changed.sh
if [ "$(git diff | cksum)" != "$before" ]; then
    echo "pre_commit.sh: files were laid out anew; look at them with git diff, and add them" >&2
    exit 1
fi
