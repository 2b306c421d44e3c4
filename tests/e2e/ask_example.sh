#!/bin/sh
# What the tests of `argus ask` stand on: the rules by which answers are judged, the example project (its own tests, its
# planted bugs, its wiki), and the model double on the wire.
# Prints one `ok - name` or `not ok - name` line per case.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname -- "$0")/lib.sh"
export PYTHONDONTWRITEBYTECODE=1 SOURCE_ROOT="$source_root"
python3 "$source_root/tests/e2e/ask_rules.py" || bad=1
python3 "$source_root/tests/e2e/ask_example_check.py" || bad=1
exit $bad
