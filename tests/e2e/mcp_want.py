"""Cases of the MCP tests: named, run in order, told one line each; checks that say what they wanted."""
import sys

CASES = []


def case(name):
    def add(fn):
        CASES.append((name, fn))
        return fn
    return add


def same(what, got, want):
    if got != want:
        raise AssertionError("%s: got %r, want %r" % (what, got, want))


def has(text, part, what="text"):
    if part not in text:
        raise AssertionError("%s: %r is not in %r" % (what, part, text[:900]))


def run_cases():
    """All of them, also behind one that failed; ends the program with 1 when there was one."""
    failed = 0
    for name, fn in CASES:
        try:
            fn()
            print("ok - " + name, flush=True)
        except Exception as e:  # pylint: disable=broad-except
            failed += 1
            print("not ok - %s\n  %s: %s" % (name, type(e).__name__, str(e)[:1500].replace("\n", "\n  ")), flush=True)
    if not CASES:
        sys.exit("no case is there")
    sys.exit(1 if failed else 0)
