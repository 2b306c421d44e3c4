"""What `argus export` says against the documents: a document is refused exactly when a finding is about it.

make FOLDER                          data with hostile names, arrays, gaps, and damage of most kinds
validator ARGUS DATA REPORT EXPORT   $jsonSchema by an evaluator of its own, $nor by `argus query`
jsonschema ARGUS DATA REPORT EXPORT  by python3-jsonschema, which checks the schema itself as well
"""
import json
import random
import subprocess
import sys

import jsonschema

KINDS = {"$oid": "objectId", "$date": "date", "$numberDecimal": "decimal", "$numberLong": "long"}
PAGE = 1000


def make(folder):
    rng = random.Random(7)
    docs = []
    for i in range(600):
        doc = {"_id": i, 'we"ird\\name': rng.choice(["a", "b", "c"]), "Größe in cm": round(rng.uniform(50, 210), 1),
               "status": rng.choice(["open", "closed", "in transit"]), "age": rng.randrange(18, 90),
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


def main(verb, *args):
    if verb == "make":
        make(*args)
        return True
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


sys.exit(0 if main(*sys.argv[1:]) else 1)
