"""What `argus export` says against the documents: a document is refused exactly when a finding is about it.

make FOLDER                          data with hostile names, arrays, gaps, and damage of most kinds
validator ARGUS DATA REPORT EXPORT   $jsonSchema by an evaluator of its own, $nor by `argus query`
jsonschema ARGUS DATA REPORT EXPORT  by python3-jsonschema, which checks the schema itself as well
table ARGUS DATA REPORT LEFT-OUT GX DBT SODA
    the data as a table of SQLite with nested fields as columns a_b: each format by an evaluator of its own
"""
import datetime
import json
import random
import re
import sqlite3
import subprocess
import sys

import jsonschema
import yaml

KINDS = {"$oid": "objectId", "$date": "date", "$numberDecimal": "decimal", "$numberLong": "long"}
PAGE = 1000


def make(folder):
    rng = random.Random(7)
    docs = []
    for i in range(600):
        doc = {"_id": i, 'we"ird\\name': rng.choice(["a", "b", "c"]), "Größe in cm": round(rng.uniform(50, 210), 1),
               "status": rng.choice(["open", "closed", "in transit"]),
               "ctl\x1b[31m\x9b\u202e{{ x }}": rng.choice(["{% if %}", "b\x1b]0;t\x07\u202e"]), "age": rng.randrange(18, 90),
               "email": f"user{i}@example.org", "active": rng.random() < 0.5,
               "tags": rng.sample(["x", "y", "z"], 2), "items": [{"price": round(rng.uniform(1, 90), 2), "qty": 1 + i % 4}],
               "seen": {"$date": f"2024-0{1 + i % 9}-11T10:00:00Z"}, "code": f"AB-{i:05d}",
               "place": {"city": rng.choice(["Bonn", "Trier", "Ulm"]), "zip": f"{rng.randrange(10000, 99999)}"}}
        docs.append(doc)
    for i in rng.sample(range(600), 12):
        docs[i]["age"] = rng.choice([-4, 230, 999])
    for i in rng.sample(range(600), 15):
        docs[i]["status"] = rng.choice(["OPEN", "Closed", "closed "])
    for i in rng.sample(range(600), 20):
        docs[i]["Größe in cm"] = str(docs[i]["Größe in cm"])
    for i in rng.sample(range(600), 14):
        docs[i]["place"]["city"] = rng.choice(["", "n/a"])
    for i in rng.sample(range(600), 10):
        docs[i]["email"] = None
    for i in rng.sample(range(600), 9):
        del docs[i]["code"]
    for i in rng.sample(range(600), 8):
        docs[i]["items"][0]["price"] = str(docs[i]["items"][0]["price"])
    for i in rng.sample(range(600), 11):
        docs[i]["seen"] = {"$date": "1970-01-01T00:00:00Z"}
    with open(f"{folder}/hostile.ndjson", "w", encoding="utf-8") as out:
        out.writelines(json.dumps(d, ensure_ascii=False) + "\n" for d in docs)


def query(argus, data, query_filter):
    documents, page = [], None
    while page is None or len(page) == PAGE:
        pipeline = [{"$match": query_filter}, {"$skip": len(documents)}, {"$limit": PAGE}]
        done = subprocess.run([argus, "query", data, json.dumps(pipeline), "-n", str(PAGE), "-o", "json"],
                              capture_output=True, text=True, check=True)
        page = json.loads(done.stdout)["documents"]
        documents += page
    return documents


def kind_of(value):
    if isinstance(value, dict):
        return KINDS.get(next(iter(value)), "object") if len(value) == 1 else "object"
    return {bool: "bool", int: "int", float: "double", str: "string", list: "array", type(None): "null"}[type(value)]


def bson_type(_validator, wanted, value, _schema):
    wanted = [wanted] if isinstance(wanted, str) else wanted
    kind = kind_of(value)
    if kind not in wanted and not ("number" in wanted and kind in ("int", "long", "double", "decimal")):
        yield jsonschema.ValidationError(f"{value!r} is {kind}, not {wanted}")


def same(got, want, total):
    got, want = (sorted(json.dumps(d, sort_keys=True) for d in docs) for docs in (got, want))
    print(f"{total} documents, {len(got)} selected, {len(want)} good")
    for d in sorted(set(got) ^ set(want))[:3]:
        print("selected" if d in got else "refused", d)
    return got == want and 0 < len(got) < total


def time_of(ms):
    moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(milliseconds=ms)
    return moment.isoformat(timespec="seconds") + "Z"


def flat(doc, prefix=""):
    row = {}
    for key, value in doc.items():
        if isinstance(value, dict) and kind_of(value) == "object":
            row.update(flat(value, prefix + key + "_"))
        elif isinstance(value, dict):
            value = next(iter(value.values()))
            if isinstance(value, dict):  # a date before 1970
                value = time_of(int(value["$numberLong"]))
            row[prefix + key] = value
        else:
            row[prefix + key] = json.dumps(value) if isinstance(value, list) else value
    return row


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


class Table:
    """The rows, and which of them each rule is broken by."""

    def __init__(self, docs):
        self.rows = [flat(d) for d in docs]
        columns = sorted({c for r in self.rows for c in r})
        self.db = sqlite3.connect(":memory:")
        self.db.execute(f"CREATE TABLE t ({', '.join(map(quoted, columns))})")
        self.db.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(columns))})",
                            [[r.get(c) for c in columns] for r in self.rows])
        self.bad, self.unique = set(), set()

    def refuse(self, column, is_wrong):
        self.bad.update(i for i, r in enumerate(self.rows) if r.get(column) is not None and is_wrong(r[column]))

    def null(self, column):
        self.bad.update(i for i, r in enumerate(self.rows) if r.get(column) is None)

    def where(self, condition):
        condition = re.sub(r"CAST\(('[^']*') AS TIMESTAMP\)", r"\1", condition)
        self.bad.update(i - 1 for (i,) in self.db.execute(f"SELECT rowid FROM t WHERE {condition}"))

    def outside(self, column, low, high):
        """low, high: (value, is it wrong itself) or None."""
        def is_wrong(v):
            if isinstance(v, (str, bool)):
                return False
            return bool(low and (v < low[0] or (v == low[0] and low[1]))
                        or high and (v > high[0] or (v == high[0] and high[1])))
        self.refuse(column, is_wrong)


def read_gx(suite, t):
    for e in suite["expectations"]:
        k, c = e["kwargs"], e["kwargs"].get("column")
        kind = e["type"].removeprefix("expect_column_values_to_")
        if kind == "not_be_null":
            t.null(c)
        elif kind == "be_unique":
            t.unique.add(c)
        elif kind == "be_in_set":
            t.refuse(c, lambda v, s=k["value_set"]: v not in s)
        elif kind == "not_be_in_set":
            t.refuse(c, lambda v, s=k["value_set"]: v in s)
        elif kind == "not_match_regex":
            t.refuse(c, lambda v, p=k["regex"]: isinstance(v, str) and re.search(p, v))
        elif kind == "be_between":
            t.outside(c, (k["min_value"], k["strict_min"]) if "min_value" in k else None,
                      (k["max_value"], k["strict_max"]) if "max_value" in k else None)
        else:
            assert kind == "unexpected_rows_expectation", kind
            t.where(k["unexpected_rows_query"].removeprefix("SELECT * FROM {batch} WHERE "))


def rendered(v):
    """As dbt renders texts: {{ '{{' }} gives {{."""
    if isinstance(v, dict):
        return {rendered(k): rendered(x) for k, x in v.items()}
    if isinstance(v, list):
        return [rendered(x) for x in v]
    if not isinstance(v, str):
        return v
    quoted_braces = r"\{\{ '(\{[{%#])' \}\}"
    assert "{" not in re.sub(r"\{(?![{%#])", "", re.sub(quoted_braces, "", v)), v
    return re.sub(quoted_braces, r"\1", v)


def read_dbt(project, t):
    (model,) = rendered(project)["models"]
    for test in model.get("data_tests", []):
        (args,) = test.values()
        t.where("NOT (" + args["arguments"]["expression"] + ")")
    names = [c["name"] for c in model["columns"]]
    assert len(names) == len(set(names)), names
    for column in model["columns"]:
        c = column["name"]
        for test in column["data_tests"]:
            kind, args = (test, {}) if isinstance(test, str) else next(iter(test.items()))
            args = args.get("arguments", {})
            if kind == "not_null":
                t.null(c)
            elif kind == "unique":
                t.unique.add(c)
            elif kind == "accepted_values":
                t.refuse(c, lambda v, s=args["values"]: v not in s)
            elif kind == "dbt_utils.not_accepted_values":
                t.refuse(c, lambda v, s=args["values"]: v in s)
            elif kind == "dbt_utils.expression_is_true":
                t.where(f"typeof({quoted(c)}) <> 'text' AND NOT ({quoted(c)} {args['expression']})")
            else:
                assert kind.endswith("expect_column_values_to_not_match_regex"), kind
                t.refuse(c, lambda v, p=args["regex"]: isinstance(v, str) and re.search(p, v))


def read_soda(checks, t):
    for check in checks:
        line, args = (check, {}) if isinstance(check, str) else next(iter(check.items()))
        if line == "failed rows":
            condition = args["fail condition"]
            name = re.match(r'NOT \((\w+|"(?:[^"]|"")*") [<>]', condition)
            t.where((f"typeof({name[1]}) <> 'text' AND " if name else "") + condition)
            continue
        metric, c = re.fullmatch(r"(\w+)\((.*)\) = 0", line).groups()
        c = c[1:-1].replace('""', '"') if c.startswith('"') else c
        if metric == "missing_count":
            t.null(c)
        elif metric == "duplicate_count":
            t.unique.add(c)
        elif "valid values" in args:
            t.refuse(c, lambda v, s=args["valid values"]: v not in s)
        elif "invalid values" in args:
            t.refuse(c, lambda v, s=args["invalid values"]: v in s)
        else:
            t.refuse(c, lambda v, p=args["invalid regex"]: isinstance(v, str) and re.search(p, v))


def check_table(argus, data, report, left_out, *exports):
    docs = query(argus, data, {})
    with open(report, encoding="utf-8") as f:
        findings = json.load(f)["findings"]
    with open(left_out, encoding="utf-8") as f:
        missing = f.read()
    held = [f for f in findings if f["severity"] != "low" and f"{f['field']}, {f['category_title']}: " not in missing]
    # A row is wrong when it meets the evidence of a finding that is not left out.
    good = {json.dumps(d, sort_keys=True) for d in query(
        argus, data, {"$nor": [json.loads(f["evidence_query"]) for f in held if f["evidence_query"].startswith("{")]})}
    want = {i for i, d in enumerate(docs) if json.dumps(d, sort_keys=True) not in good}
    keys = {f["field"] for f in held if f["category"] == "duplicates"}
    for path, read in zip(exports, (read_gx, read_dbt, read_soda)):
        t = Table(docs)
        with open(path, encoding="utf-8") as f:
            rules = yaml.safe_load(f)
        read(next(iter(rules.values())) if read is read_soda else rules, t)
        print(f"{path}: {len(t.bad)} rows refused, {len(want)} wrong; unique: {t.unique}, keys: {keys}")
        if t.bad != want or not want or not keys <= t.unique:
            for i in sorted(t.bad ^ want)[:3]:
                print("refused" if i in t.bad else "passed", t.rows[i])
            return False
    return True


def main(verb, *args):
    if verb == "make":
        make(*args)
        return True
    if verb == "table":
        return check_table(*args)
    argus, data, report, export = args
    with open(report, encoding="utf-8") as f:
        findings = json.load(f)["findings"]
    with open(export, encoding="utf-8") as f:
        rules = json.load(f)
    docs = query(argus, data, {})
    evidence = [json.loads(f["evidence_query"]) for f in findings
                if f["severity"] != "low" and f["evidence_query"].startswith("{")]
    if verb == "validator":
        schema = dict(rules["$jsonSchema"])
        mongo = jsonschema.validators.extend(jsonschema.Draft4Validator, {"bsonType": bson_type})
        chosen = query(argus, data, {"$nor": rules["$nor"]}) if "$nor" in rules else docs
        got = [d for d in chosen if mongo(schema).is_valid(d)]
        return same(got, query(argus, data, {"$nor": evidence}), len(docs))
    checker = jsonschema.Draft202012Validator
    checker.check_schema(rules)
    # Dates have no order in JSON Schema: such findings are left out, and export says so.
    evidence = [e for e in evidence if "$date" not in json.dumps(e)]
    got = [d for d in docs if checker(rules).is_valid(d)]
    return same(got, query(argus, data, {"$nor": evidence}), len(docs))


if __name__ == "__main__":
    sys.exit(0 if main(*sys.argv[1:]) else 1)
