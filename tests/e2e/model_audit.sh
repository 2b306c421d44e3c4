#!/bin/sh
# Audits of the example shop by scripted models: planner, evaluators, budgets, history (see model_audit_check.py).
set -u
unset CDPATH
: "${ARGUS:?path of the program}" "${FAKE_MODEL:?path of the scripted model server}"
exec python3 "$(dirname -- "$0")/model_audit_check.py" "$@"
