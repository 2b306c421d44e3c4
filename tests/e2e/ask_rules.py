#!/usr/bin/env python3
"""How an answer of `argus ask` is judged: the rules of questions.json (tests/cases/ask/), for tests to import, and a check of
the rules themselves against tests/cases/ask/eval_rules.json.

Rules, all of them without regard to case (as str.lower() sees it); a rule object with several of them wants all:
  contains        a text occurs
  contains_all    each of a list of texts occurs
  any_of          at least one of a list occurs; a member may also be a rule object
  regex           re.search finds it; "." meets line ends, too
  numeric_gt      some number in the text is greater
  numeric_range   some number lies in [low, high], both included
The seventh is about the calls, not the words: each tool of `tools` occurs in tool_calls.

A number is digits with an optional sign, commas between thousands, and a decimal part. A sign counts only where no letter or
digit stands before it, so "lab-99" holds 99 and "-5" holds -5; dots alone are no number.

usage: ask_rules.py [TABLE.json]      prints ok and not ok lines
"""
import json
import os
import re
import sys

RE_NUMBER = re.compile(r"(?:(?<![\w.,])-)?(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?")
TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cases", "ask", "eval_rules.json")


class BadRule(Exception):
    """the rule itself makes no sense: a mistake in a table, not in an answer"""


def numbers(text):
    return [float(m.replace(",", "")) for m in RE_NUMBER.findall(text)]


def _text(value, name):
    if not isinstance(value, str) or not value:
        raise BadRule("%s: want a text that is not empty, got %r" % (name, value))
    return value.lower()


def _list(value, name):
    if not isinstance(value, list) or not value:
        raise BadRule("%s: want a list that is not empty, got %r" % (name, value))
    return value


def _number(value, name):
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise BadRule("%s: want a number, got %r" % (name, value))
    return value


def _contains(value, text):
    return _text(value, "contains") in text.lower()


def _contains_all(value, text):
    return all(_text(v, "contains_all") in text.lower() for v in _list(value, "contains_all"))


def _any_of(value, text):
    return any([holds(v, text) if isinstance(v, dict) else _text(v, "any_of") in text.lower()
                for v in _list(value, "any_of")])


def _regex(value, text):
    try:
        return re.search(value, text, re.I | re.S) is not None
    except (re.error, TypeError) as e:
        raise BadRule("regex: %s" % e) from None


def _numeric_gt(value, text):
    return any(n > _number(value, "numeric_gt") for n in numbers(text))


def _numeric_range(value, text):
    if not isinstance(value, list) or len(value) != 2:
        raise BadRule("numeric_range: want [low, high], got %r" % (value,))
    low, high = (_number(v, "numeric_range") for v in value)
    if low > high:
        raise BadRule("numeric_range: %r is above %r" % (low, high))
    return any(low <= n <= high for n in numbers(text))


RULES = {"contains": _contains, "contains_all": _contains_all, "any_of": _any_of, "regex": _regex, "numeric_gt": _numeric_gt,
         "numeric_range": _numeric_range}


def failed_rules(rule, text):
    """the rules of a rule object that do not hold, as text; raises BadRule"""
    if not isinstance(rule, dict) or not rule:
        raise BadRule("a rule is an object that is not empty, got %r" % (rule,))
    for name in rule:
        if name not in RULES:
            raise BadRule("no such rule: %s" % name)
    # Each is asked, so that a mistake in one of them shows whatever the others say.
    return ["%s %s" % (name, json.dumps(value, ensure_ascii=False)) for name, value in rule.items()
            if not RULES[name](value, text or "")]


def holds(rule, text):
    return not failed_rules(rule, text)


def missing_tools(wanted, calls):
    have = {c["tool"] for c in calls}
    return [t for t in wanted if t not in have]


def missing_reads(wanted, calls):
    """parts of paths of which no read_file was made"""
    have = [c.get("args", {}).get("path", "") for c in calls if c["tool"] == "read_file"]
    return [w for w in wanted if not any(w in h for h in have)]


def judge(entry, output):
    """what is wrong with an answer (the object that `argus ask` printed) to a question of questions.json: [] = nothing"""
    ret = []
    if "answer" not in output:
        return ["no member answer"]
    calls = output.get("tool_calls")
    if not isinstance(calls, list):
        return ["no member tool_calls"]
    ret += ["answer: " + r for r in failed_rules(entry["answer"], output["answer"])]
    if "source" in entry:
        ret += ["source: " + r for r in failed_rules(entry["source"], output.get("source", ""))]
    ret += ["tool_calls: no " + t for t in missing_tools(entry.get("tools", []), calls)]
    ret += ["tool_calls: nothing was read of " + r for r in missing_reads(entry.get("reads", []), calls)]
    if len(calls) > entry.get("max_calls", 10):
        ret.append("tool_calls: %d of them" % len(calls))
    return ret


def check_case(case):
    """ "" or what is wrong with a row of the table"""
    try:
        if "tools" in case:
            got = not missing_tools(case["tools"], [{"tool": t} for t in case["called"]])
        elif "numbers" in case:
            got = numbers(case["text"])
            return "" if got == case["numbers"] else "got %r" % got
        else:
            got = holds(case["rule"], case["text"])
    except BadRule as e:
        return "" if case["holds"] == "bad rule" else str(e)
    return "" if got is case["holds"] else "got %r" % got


def main():
    with open(sys.argv[1] if len(sys.argv) > 1 else TABLE, encoding="utf-8") as f:
        cases = json.load(f)
    bad = 0
    for i, case in enumerate(cases, 1):
        wrong = check_case(case)
        what = case.get("why") or json.dumps(case.get("rule", case.get("tools")), ensure_ascii=False)
        print("%s - rule %d: %s" % ("not ok" if wrong else "ok", i, what))
        if wrong:
            bad = 1
            print("  %s: %s" % (json.dumps(case, ensure_ascii=False), wrong))
    return bad


if __name__ == "__main__":
    sys.exit(main())
