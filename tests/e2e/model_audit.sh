#!/bin/sh
# Audits of the example shop by scripted models: planner, evaluators, budgets, history (see model_audit_check.py).
set -u
unset CDPATH
: "${ARGUS:?path of the program}" "${FAKE_MODEL:?path of the scripted model server}"
# Under valgrind the program is a script in front of it, and slow: cases with much different code.
if [ $# -eq 0 ] && [ "$(head -c 2 "$ARGUS")" = '#!' ]; then
	set -- garbage escalation budget_of_tokens
fi
exec python3 "$(dirname -- "$0")/model_audit_check.py" "$@"
