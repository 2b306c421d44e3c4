"""Which documents does a finding's evidence select? Asked from the program itself with `argus query`.

The evidence runs over a second file that has the same documents and one more field, the row. A filter then
gives the rows. A pipeline that counts is rewritten so that each of its groups keeps the rows of its members.
"""
import json
import re
import subprocess

ROW = "zz_row"


def with_row(name, spec, field):
    """A $project must not lose the rows; an inclusion alone would."""
    if name != "$project":
        return spec
    shown = [v for k, v in spec.items() if k != "_id"]
    return spec if all(v in (0, False) for v in shown) and shown else dict(spec, **{field: 1})


def tracked(pipeline):
    """The pipeline with one result: the rows of all documents that it selects or groups."""
    out, field = [], ROW
    for stage in pipeline:
        (name, spec), = stage.items()
        if name == "$count":
            name, spec = "$group", {"_id": None}
        elif name == "$sortByCount":
            name, spec = "$group", {"_id": spec, "count": {"$sum": 1}}
        if name == "$group":
            out.append({name: dict(spec, zz_rows={"$push": "$" + field})})
            field = "zz_rows"
        else:
            out.append({name: with_row(name, spec, field)})
    return out + [{"$group": {"_id": None, "zz_all": {"$push": "$" + field}}}]


def flat(v):
    if isinstance(v, list):
        for x in v:
            yield from flat(x)
    elif isinstance(v, (int, float)):
        yield int(v)
    elif isinstance(v, dict):
        yield from flat(list(v.values()))


def rows(program, path, query, env):
    """The rows that a filter or a pipeline selects, or None when it cannot be run."""
    try:
        asked = json.loads(query)
    except ValueError:
        return None
    pipeline = tracked(asked if isinstance(asked, list) else [{"$match": asked}])
    ran = subprocess.run([program, "query", path, json.dumps(pipeline), "--quiet"],
                         env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if ran.returncode != 0:
        return None
    found = set()
    for line in ran.stdout.decode("utf-8", "replace").splitlines():
        found.update(flat(json.loads(line)["zz_all"]))
    return found


def paths_of(finding):
    """Every field that the finding speaks of."""
    named = finding.get("fields") or finding.get("paths") or []
    out = [f if isinstance(f, str) else f.get("field", "") for f in named] + [finding["field"]]
    if finding["category"] == "co_missing":
        try:
            asked = json.loads(finding["evidence_query"])
        except ValueError:
            asked = {}
        asked = asked[0].get("$match", {}) if isinstance(asked, list) and asked else asked
        out += [k for part in asked.get("$and", []) for k in part if not k.startswith("$")]
    return {re.sub(r"\[\]|\.\d+(?=\.|$)", "", p) for p in out}
