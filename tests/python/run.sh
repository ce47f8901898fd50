#!/bin/sh
# Runs tests of the Python package: run.sh PYTHON PROGRAM NAME...  Exit 77: there is no Python here, or it has no numpy.
set -eu
python=$1
shift
if ! "$python" -c '' 2>/dev/null; then
    echo "skipped: there is no python3"
    exit 77
fi
# The first python3 of the path may be a user's own, without numpy.
if ! "$python" -c 'import numpy' 2>/dev/null && /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
    python=/usr/bin/python3
fi
exec "$python" "$(dirname -- "$0")/run.py" "$@"
