#!/bin/sh
# A server that speaks MongoDB's protocol and means harm: wrong lengths, documents without an end, cursors that never end, figures
# that cannot be, texts that steer a terminal (mongo_hostile.py). Prints one `ok - name` or `not ok - name` line per case.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname -- "$0")/lib.sh"
export ARGUS_HISTORY=false
PYTHONDONTWRITEBYTECODE=1 python3 "$source_root/tests/e2e/mongo_hostile.py" "$ARGUS" || bad=1
exit $bad
