"""The same filters and pipelines on a file and on a real engine (see mongo_engine.sh).

    mongo_differ.py documents N                    extended JSON, one document a line
    mongo_differ.py compare DIR FILTERS PIPELINES  DIR/argus.yaml has the projects "file" and "server"; prints cases

Everything comes from one seed, so a failure comes back. Documents hold every type that both sides can hold, missing and null
values, arrays of scalars, of documents and of arrays.

Questions keep away from where pg_documentdb itself differs from MongoDB (found with version 0.107 to 1.0): $in and $group take
2.5 and NumberDecimal("2.5") for different values; $addToSet and a compound _id take a missing field for null; $count of nothing
is a document with 0.
"""
import json
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from mcp_client import Client  # noqa: E402  pylint: disable=wrong-import-position

SEED = 17
WORDS = ["alpha", "Beta", "gamma", "delta", "", " x ", "Dörte", "alphabet", "10", "N/A", "a.b", "日本"]


def number(r):
    return r.choice([
        lambda: r.randint(-5, 12),
        lambda: r.randint(-5, 12),
        lambda: {"$numberLong": str(r.choice([2 ** 40, -2 ** 40, 9007199254740993, 3]))},
        lambda: r.choice([0.5, -1.25, 2.0, 1e9, 3.5]),
        lambda: {"$numberDecimal": r.choice(["1.10", "2", "-0.5", "1E+3", "3.50"])},
    ])()


def date(r):
    return {"$date": "20%02d-%02d-%02dT%02d:00:00Z" % (r.randint(18, 27), r.randint(1, 12), r.randint(1, 28), r.randint(0, 23))}


def scalar(r):
    return r.choice([number, number, lambda r: r.choice(WORDS), lambda r: r.choice(WORDS), lambda r: r.random() < 0.5,
                     lambda r: None, date, lambda r: {"$oid": "%024x" % r.randint(0, 6)}])(r)


def document(r, i):
    doc = {"_id": i}

    def maybe(name, value, p=0.85):
        if r.random() < p:
            doc[name] = value

    maybe("n", number(r))
    maybe("s", r.choice(WORDS))
    maybe("x", scalar(r))
    maybe("b", r.random() < 0.5)
    maybe("d", date(r))
    maybe("z", None, 0.3)
    maybe("o", {"a": scalar(r), "k": {"m": number(r)}} if r.random() < 0.8 else scalar(r))
    maybe("arr", [scalar(r) for _ in range(r.randint(0, 4))])
    maybe("nums", [r.randint(-3, 9) for _ in range(r.randint(0, 5))])
    maybe("tags", [r.choice(WORDS) for _ in range(r.randint(0, 3))])
    maybe("items", [dict((k, v) for k, v in (("q", number(r)), ("w", r.choice(WORDS)), ("c", {"v": r.randint(0, 4)}))
                         if r.random() < 0.8) for _ in range(r.randint(0, 3))])
    maybe("mat", [[r.randint(0, 3) for _ in range(r.randint(0, 3))] for _ in range(r.randint(0, 2))], 0.3)
    return doc


PATHS = ["n", "s", "x", "b", "d", "z", "o", "o.a", "o.k.m", "arr", "nums", "tags", "items", "items.q", "items.w", "items.c.v",
         "nums.0", "items.1.q", "none", "o.none", "arr.1"]
TYPES = ["double", "string", "object", "array", "objectId", "bool", "date", "null", "int", "long", "decimal", "number"]


def operand(r):
    return r.choice([scalar, scalar, number, lambda r: r.choice(WORDS)])(r)


def listed(r):
    return r.choice([lambda: r.randint(-5, 12), lambda: r.choice(WORDS), lambda: None, lambda: r.random() < 0.5,
                     lambda: date(r)])()


def regex(r):
    return {"$regex": r.choice(["^a", "a$", "^\\s", "[0-9]+", "^.{0,3}$", "beta", "\\.", "ö", "^alpha(bet)?$"]),
            "$options": r.choice(["", "", "i"])}


def leaf(r):
    return r.choice([
        lambda: {"$eq": operand(r)}, lambda: {"$ne": operand(r)},
        lambda: {"$gt": operand(r)}, lambda: {"$gte": operand(r)}, lambda: {"$lt": operand(r)}, lambda: {"$lte": operand(r)},
        lambda: {"$in": [listed(r) for _ in range(r.randint(1, 4))]},
        lambda: {"$nin": [listed(r) for _ in range(r.randint(1, 4))]},
        lambda: {"$exists": r.random() < 0.5},
        lambda: {"$type": r.choice(TYPES)},
        lambda: {"$type": r.sample(TYPES, 2)},
        lambda: regex(r),
        lambda: {"$not": regex(r)},
        lambda: {"$not": {"$gt": operand(r)}},
        lambda: {"$size": r.randint(0, 3)},
        lambda: {"$mod": [r.choice([2, 3]), r.randint(0, 2)]},
        lambda: {"$all": [r.choice(WORDS), r.choice(WORDS)]},
        lambda: {"$elemMatch": {r.choice(["$gt", "$lt"]): r.randint(-2, 6)}},
        lambda: {"$elemMatch": {r.choice(["q", "w", "c.v"]): leaf_simple(r)}},
        lambda: {"$gte": r.randint(-5, 5), "$lt": r.randint(0, 12)},
    ])()


def leaf_simple(r):
    return r.choice([lambda: {"$gt": number(r)}, lambda: {"$type": r.choice(TYPES)}, lambda: {"$exists": True},
                     lambda: {"$in": [listed(r)]}])()


def expression(r):
    a, b = r.choice(["$n", "$o.k.m", "$x", "$d"]), r.choice(["$n", "$o.k.m", "$x", "$d"])
    return r.choice([
        lambda: {r.choice(["$gt", "$eq", "$lte", "$ne"]): [a, b]},
        lambda: {"$eq": [{"$type": a}, r.choice(["int", "double", "missing", "string", "date", "null"])]},
        lambda: {"$and": [{"$isArray": "$nums"}, {"$gt": [{"$sum": "$nums"}, r.randint(0, 15)]}]},
        lambda: {"$and": [{"$isArray": "$tags"}, {"$eq": [{"$size": "$tags"}, r.randint(0, 3)]}]},
        lambda: {"$gt": [{"$cond": [{"$isNumber": a}, a, 0]}, r.randint(-3, 9)]},
        lambda: {"$in": ["$s", [r.choice(WORDS), r.choice(WORDS)]]},
        lambda: {"$gt": [{"$strLenCP": {"$ifNull": ["$s", ""]}}, r.randint(0, 5)]},
        lambda: {"$eq": [{"$toLower": "$s"}, r.choice(["alpha", "beta"])]},
    ])()


def one_filter(r, depth=0):
    kind = r.random()
    if depth < 2 and kind < 0.2:
        return {r.choice(["$and", "$or", "$nor"]): [one_filter(r, depth + 1) for _ in range(r.randint(1, 3))]}
    if depth == 0 and kind < 0.3:
        return {"$expr": expression(r)}
    if kind < 0.4:
        return {r.choice(PATHS): operand(r)}
    if kind < 0.5:
        return {r.choice(PATHS): leaf(r), r.choice(PATHS): leaf(r)}
    return {r.choice(PATHS): leaf(r)}


def pipeline(r):
    stages = [{"$match": one_filter(r)}] if r.random() < 0.5 else []
    unwound = r.random() < 0.3
    if unwound:
        stages.append({"$unwind": r.choice(["$nums", "$tags", {"path": "$nums", "preserveNullAndEmptyArrays": True}])})
    stages += r.choice([
        lambda: [{"$count": "n"}],
        lambda: [{"$group": {"_id": r.choice(["$b", "$s", {"s": {"$ifNull": ["$s", None]}, "b": {"$ifNull": ["$b", None]}}, None]), "n": {"$sum": 1}}}],
        lambda: [{"$group": {"_id": "$s", "n": {"$sum": 1}}}, {"$match": {"n": {"$gt": 1}}},
                 {"$group": {"_id": None, "documents": {"$sum": "$n"}}}],
        lambda: [{"$group": {"_id": "$b", "min": {"$min": "$n"}, "max": {"$max": "$n"}, "count": {"$sum": 1}}}],
        lambda: [{"$group": {"_id": "$s", "ids": {"$addToSet": {"$ifNull": ["$b", None]}}}},
                 {"$project": {"k": {"$size": "$ids"}}}],
        lambda: [{"$sort": {"_id": 1}}, {"$skip": r.randint(0, 5)}, {"$limit": r.randint(1, 20)}],
        lambda: [{"$sort": {"_id": -1}}, {"$limit": 7}, {"$project": {"s": 1, "o.a": 1}}],
        lambda: [{"$project": {"_id": 1, "y": {"$cond": [{"$isNumber": "$n"}, "$n", "none"]}}}],
        lambda: [{"$addFields": {"len": {"$strLenCP": {"$ifNull": ["$s", ""]}}}}, {"$group": {"_id": "$len", "n": {"$sum": 1}}}],
        lambda: [{"$sortByCount": "$s"}],
    ])()
    return stages


def canonical(v):
    """Numbers by value, so that 2 and 2.0 and NumberLong(2) are the same; arrays of $addToSet have no order."""
    if isinstance(v, dict):
        if len(v) == 1:
            key, inner = next(iter(v.items()))
            if key in ("$numberLong", "$numberInt", "$numberDouble", "$numberDecimal"):
                return canonical_number(float(inner))
            if key == "$date" and isinstance(inner, dict):
                return {"$date": canonical(inner)}
        return {k: (sorted(map(text, v2)) if k == "ids" else canonical(v2)) for k, v2 in v.items()}
    if isinstance(v, list):
        return [canonical(x) for x in v]
    if isinstance(v, (int, float)) and not isinstance(v, bool):
        return canonical_number(float(v))
    return v


def canonical_number(f):
    return "num %.9g" % f


def text(v):
    return json.dumps(canonical(v), sort_keys=True)


def main_documents(n):
    r = random.Random(SEED)
    for i in range(n):
        print(json.dumps(document(r, i), ensure_ascii=False))


def answer(c, project, tool, arguments):
    r = c.tool(tool, project_id=project, collection="mixed", **arguments)
    if r.get("success") is False:
        return "error", r["error"]["message"]
    if tool == "run_query":
        return r["matched_count"], sorted(text(d) for d in r["documents"])
    results = [d for d in r["results"] if d != {"n": 0}]
    return len(results), sorted(text(d) for d in results)


def main_compare(where, filters, pipelines):
    r = random.Random(SEED + 1)
    c = Client([os.environ["ARGUS"], "mcp", "--config", os.path.join(where, "argus.yaml")],
               env={"PATH": os.environ["PATH"], "HOME": where, "LANG": "C.UTF-8", "ARGUS_MAX_QUERIES_PER_MINUTE": "none"})
    wrong, errors = [], []
    jobs = [("run_query", {"filter": one_filter(r), "limit": 1000}) for _ in range(filters)]
    jobs += [("aggregate", {"pipeline": pipeline(r), "limit": 1000}) for _ in range(pipelines)]
    nonzero = 0
    for tool, arguments in jobs:
        a, b = answer(c, "file", tool, arguments), answer(c, "server", tool, arguments)
        nonzero += a[0] not in (0, "error")
        if a[0] == "error" or b[0] == "error":
            errors.append((tool, arguments, a, b))
        elif a != b:
            wrong.append((tool, arguments, a, b))
    for tool, arguments, a, b in (wrong + errors)[:int(os.environ.get("DIFFER_SHOW", "5"))]:
        print("  %s %s" % (tool, json.dumps(arguments, ensure_ascii=False)))
        print("    file   %s" % str(a)[:300])
        print("    server %s" % str(b)[:300])
    print("  %d questions, %d with an answer, %d differ, %d fail" % (len(jobs), nonzero, len(wrong), len(errors)))
    if wrong or errors or nonzero < len(jobs) // 3:
        sys.exit(1)


if sys.argv[1] == "documents":
    main_documents(int(sys.argv[2]))
else:
    main_compare(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
