"""Damage that concerns more than one field or more than one document, for bench/detect.

Each function takes (domain, data, relation, share, w) and returns a Defect, or None when nothing could be
damaged. `relation` is one entry of the domain's list that RELATIONS names.
"""
import copy
import datetime
import collections

from damage import Defect, SAME, field_of, filled, has, holder, moment, places, plain, plain_path, shuffled, values_of


def at(doc, path):
    found = list(places(doc, path))
    return found[0] if len(found) == 1 else None


def value(doc, path):
    found = at(doc, path)
    return found[0][found[1]] if found else None


def put(doc, path, new):
    container, key = at(doc, path)
    container[key] = new


def each(docs, share, w, change, *paths):
    """Call change(row, doc) on documents in random order until the share of those that have values at the paths is
    damaged; the damaged cells. When
    fewer than half of them can be damaged, none is, and the answer is None."""
    n, cells, before = int(filled(docs, paths) * share + 0.5), [], {}
    for row in shuffled(docs, w):
        if len(before) == n:
            break
        was = copy.deepcopy(docs[row])
        done = change(row, docs[row])
        if done:
            before[row] = was
            cells += [(row, plain_path(p)) for p in done]
    if n and len(before) * 2 >= n:
        return cells
    for row, was in before.items():
        docs[row].clear()
        docs[row].update(was)
    return None


def defect(name, path, cells, **more):
    return Defect(name, path, cells, **more) if cells else None


# ------------------------------------------------------------------------------------ fields of one document

def wrong_of_domain(domain, data, relation, share, w):
    """The dependent value is replaced by another one that occurs in the same field."""
    field = field_of(data.docs, relation[1], "", w)

    def change(row, doc):
        v = value(doc, relation[1])
        new = field.other(v) if has(v) and has(value(doc, relation[0])) else SAME
        if new is SAME:
            return None
        put(doc, relation[1], new)
        return [relation[1]]
    return defect("wrong_of_domain", relation[1], each(data.docs, share, w, change, *relation))


def broken_sum(domain, data, relation, share, w):
    target = relation[0]
    factor = w.pick([1.1, 0.9, 2, 10, None])

    def change(row, doc):
        v = value(doc, target)
        if not plain(v) or not v:
            return None
        new = round(v * factor, 2) if factor else round(v + w.pick([1, -1]) * w.between(1, 40), 2)
        if new == v:
            return None
        put(doc, target, new)
        return [target]
    return defect("broken_sum", target, each(data.docs, share, w, change, target))


def date_order(domain, data, relation, share, w):
    """The later date is moved to some days before the earlier one."""
    early, late = relation

    def change(row, doc):
        first, second = moment(value(doc, early)), moment(value(doc, late))
        if not first or not second:
            return None
        put(doc, late, second[1](first[0] - datetime.timedelta(days=w.between(2, 60))))
        return [late]
    return defect("date_order", late, each(data.docs, share, w, change, *relation))


def swapped(domain, data, relation, share, w):
    a, b = relation

    def change(row, doc):
        x, y = value(doc, a), value(doc, b)
        if not has(x) or not has(y) or x == y:
            return None
        put(doc, a, y)
        put(doc, b, x)
        return [a, b]
    return defect("swapped", a, each(data.docs, share, w, change, *relation))


def glued(domain, data, relation, share, w):
    """"Austin" becomes "Austin TX" where "TX" is the value of another field."""
    a, b = relation
    form = w.pick(["%s %s", "%s, %s", "%s (%s)"])

    def change(row, doc):
        x, y = value(doc, a), value(doc, b)
        if not has(x) or not has(y):
            return None
        put(doc, a, form % (x, y))
        return [a]
    return defect("glued", a, each(data.docs, share, w, change, *relation))


def broken_rule(domain, data, relation, share, w):
    """A field that must be absent is there, or one that must be there is absent."""
    path, _ = relation
    full = values_of(data.docs, path)
    remove = w.chance(0.5)

    def change(row, doc):
        there = has(value(doc, path))
        if there != remove:
            return None
        if remove:
            container, key = at(doc, path)
            if domain.form == "csv":
                container[key] = None
            else:
                del container[key]
            return [path]
        found = holder(doc, path.split("."))
        parent = found[0] if found else doc
        if not found and "." in path:
            return None
        parent[path.split(".")[-1]] = copy.deepcopy(w.pick(full))
        return [path]
    return defect("broken_rule", path, each(data.docs, share, w, change, path))


# ------------------------------------------------------------------------------------ several documents

def conflict(domain, data, relation, share, w):
    """One of several reports of the same thing has another value. A majority stays right in each group."""
    key, path = relation
    groups, damaged = collections.Counter(value(doc, key) for doc in data.docs), collections.Counter()
    field = field_of(data.docs, path, domain.kinds.get(path, ""), w)

    def change(row, doc):
        k, v = value(doc, key), value(doc, path)
        if not has(v) or groups[k] < 3 or (damaged[k] + 1) * 2 >= groups[k]:
            return None
        new = field.other(v)
        if new is SAME:
            return None
        damaged[k] += 1
        put(doc, path, new)
        return [path]
    return defect("conflict", path, each(data.docs, share, w, change, *relation))


def repeated_keys(domain, data, relation, share, w, many=False):
    """Documents that have the key of another one: pairs, or many with one key."""
    path = relation
    docs = data.docs
    order = shuffled(docs, w)
    origins = order[:1] if many else order[:len(order) // 2]
    free = order[len(origins):]
    groups, cells = collections.defaultdict(set), []
    for i in range(min(int(len(docs) * share + 0.5), len(free))):
        origin, row = origins[i % len(origins)], free[i]
        put(docs[row], path, copy.deepcopy(value(docs[origin], path)))
        groups[origin].update((origin, row))
        cells.append((row, path))
    return defect("repeated_key_many" if many else "repeated_key", path, cells,
                  neutral=[(o, path) for o in groups], groups=list(groups.values()))


def repeated_keys_many(domain, data, relation, share, w):
    return repeated_keys(domain, data, relation, share, w, True)


def copied_documents(domain, data, relation, share, w):
    """Whole documents come twice. The copies are damaged; the originals may be flagged as well."""
    path = relation
    docs = data.docs
    groups, cells = [], []
    for origin in shuffled(docs, w)[:int(len(docs) * share + 0.5)]:
        twin = copy.deepcopy(docs[origin])
        if "_id" in twin and path != "_id":
            twin["_id"] = w.oid()
        docs.append(twin)
        cells.append((len(docs) - 1, path))
        groups.append({origin, len(docs) - 1})
    return defect("copied_document", path, cells, neutral=[(min(g), path) for g in groups], groups=groups)


def orphans(domain, data, relation, share, w):
    """References to nothing: a key of the right form that the other table does not have."""
    path = relation
    known = set(str(v) for v in values_of(data.docs, path))

    def change(row, doc):
        v = value(doc, path)
        if not has(v):
            return None
        for _ in range(30):
            new = "".join(w.pick("0123456789") if c.isdigit() else c for c in str(v))
            if new not in known and new[:1] != "0":
                break
        else:
            return None
        put(doc, path, int(new) if isinstance(v, int) else new)
        return [path]
    return defect("orphan", path, each(data.docs, share, w, change, path))


def array_copies(domain, data, relation, share, w):
    """An item comes twice in an array."""
    def change(row, doc):
        v = value(doc, relation)
        if not isinstance(v, list) or not v:
            return None
        v.append(copy.deepcopy(v[0]))
        return [relation]
    return defect("item_twice", relation, each(data.docs, share, w, change, relation))


def keys_of(domain):
    return [p for p, kind in domain.kinds.items() if kind == "key"]


def arrays_of(domain):
    return [p for p, kind in domain.kinds.items() if kind == "array"]


# name: (function, the relations of a domain, the largest share)
RELATIONS = {
    "wrong_of_domain": (wrong_of_domain, lambda d: d.depends, 0.4),
    "broken_sum": (broken_sum, lambda d: d.sums, 0.4),
    "date_order": (date_order, lambda d: d.ordered, 0.4),
    "swapped": (swapped, lambda d: d.swaps, 0.2),
    "glued": (glued, lambda d: d.glued, 0.4),
    "broken_rule": (broken_rule, lambda d: d.rules, 0.2),
    "conflict": (conflict, lambda d: d.votes, 0.2),
    "repeated_key": (repeated_keys, keys_of, 0.2),
    "repeated_key_many": (repeated_keys_many, keys_of, 0.2),
    "copied_document": (copied_documents, keys_of, 0.2),
    "orphan": (orphans, lambda d: d.refs, 0.2),
    "item_twice": (array_copies, arrays_of, 0.2),
}


def fields_of(relation):
    """All paths that a relation names."""
    if isinstance(relation, str):
        return [relation]
    return [p for part in relation for p in fields_of(part)]


def related(domain):
    """path -> the paths whose check may rightly show that this one is damaged, itself included."""
    near = collections.defaultdict(set)
    groups = [list(g) for g in domain.linked]
    for many in (domain.depends, domain.sums, domain.ordered, domain.rules):
        groups += [fields_of(r) for r in many]
    for group in groups:
        for p in group:
            near[plain_path(p)].update(plain_path(q) for q in group)
    for p in domain.kinds:
        near[plain_path(p)].add(plain_path(p))
    return near
