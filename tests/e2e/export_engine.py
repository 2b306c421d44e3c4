"""Documents and validators for pg_documentdb, as BSON in SQL.

sql ARGUS DATA VALIDATOR       statements that load the data and print the numbers of the documents that it selects
same ARGUS DATA REPORT OUTPUT  are these the documents that no finding of the report is about?
"""
import datetime
import json
import struct
import sys

from export_check import query

NUMBER = "argus_row"


def milliseconds(date):
    if isinstance(date, dict):
        return int(date["$numberLong"])
    moment = datetime.datetime.fromisoformat(date.replace("Z", "+00:00"))
    return (moment - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)) // datetime.timedelta(milliseconds=1)


def element(value):
    """Type and bytes of one value of relaxed extended JSON."""
    if isinstance(value, dict) and len(value) == 1:
        (key, inner), = value.items()
        if key == "$oid":
            return 7, bytes.fromhex(inner)
        if key == "$date":
            return 9, struct.pack("<q", milliseconds(inner))
    if isinstance(value, dict):
        return 3, bson(value)
    if isinstance(value, list):
        return 4, bson({str(i): v for i, v in enumerate(value)})
    if isinstance(value, bool):
        return 8, bytes([value])
    if value is None:
        return 10, b""
    if isinstance(value, float):
        return 1, struct.pack("<d", value)
    if isinstance(value, int):
        return (16, struct.pack("<i", value)) if -2**31 <= value < 2**31 else (18, struct.pack("<q", value))
    text = value.encode() + b"\0"
    return 2, struct.pack("<i", len(text)) + text


def bson(document):
    body = b""
    for key, value in document.items():
        kind, data = element(value)
        body += bytes([kind]) + key.encode() + b"\0" + data
    return struct.pack("<i", len(body) + 5) + body + b"\0"


def literal(document):
    return "'\\x" + bson(document).hex() + "'::bytea::documentdb_core.bson"


def main(verb, argus, data, *rest):
    docs = query(argus, data, {})
    if verb == "sql":
        with open(rest[0], encoding="utf-8") as f:
            validator = json.load(f)
        print("SET search_path TO documentdb_api, documentdb_core, documentdb_api_catalog, public;")
        print("SET client_min_messages = warning;\n\\o /dev/null")
        print("SELECT drop_collection('argus', 'c'); SELECT create_collection('argus', 'c');")
        for at in range(0, len(docs), 300):
            part = [{**d, "_id": d.get("_id", at + i), NUMBER: at + i} for i, d in enumerate(docs[at:at + 300])]
            print(f"SELECT insert('argus', {literal({'insert': 'c', 'documents': part})});")
        print("\\o")
        for wanted in ({}, validator):
            print("SELECT count(*) FROM collection('argus', 'c');" if not wanted else
                  f"SELECT bson_get_value_text(document, '{NUMBER}') FROM collection('argus', 'c') "
                  f"WHERE document @@ {literal(validator)};")
        return True
    with open(rest[0], encoding="utf-8") as f:
        findings = json.load(f)["findings"]
    with open(rest[1], encoding="utf-8") as f:
        count, *selected = f.read().split()
    evidence = [json.loads(f["evidence_query"]) for f in findings
                if f["severity"] != "low" and f["evidence_query"].startswith("{")]
    good = {json.dumps(d, sort_keys=True) for d in query(argus, data, {"$nor": evidence})}
    want = {str(i) for i, d in enumerate(docs) if json.dumps(d, sort_keys=True) in good}
    if set(selected) != want or int(count) != len(docs) or not want:
        print(f"{count} of {len(docs)} documents are there, {len(selected)} selected, {len(want)} good")
        return False
    return True


if __name__ == "__main__":
    sys.exit(0 if main(*sys.argv[1:]) else 1)
