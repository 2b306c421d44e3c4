"""Ways to damage a clean data set, for bench/accuracy.py.

An injector is a row: the category that the auditor should name, the kinds of field it applies to, the share
of documents, categories that would be as right, and a function that breaks one value. Whatever it did is
counted in documents, so that the auditor's count can be compared.
"""
import collections
import copy
import datetime
import math

DROP = object()   # the field goes away
SAME = object()   # this value cannot be damaged in this way


class Injector:
    def __init__(self, name, category, kinds, low, high, breaks, also=(), least=3, most=None, forms=("ndjson", "json"),
                 side=()):
        self.name, self.category, self.kinds = name, category, kinds.split()
        self.low, self.high, self.least, self.most = low, high, least, most
        self.breaks, self.accepted = breaks, {category, *also}
        self.forms = forms      # of files; CSV cells are all texts
        self.side = side        # categories that may appear on other fields because of this damage


ANY = ("ndjson", "json", "csv")
NUMBERS = "money measure count scale percent age"
INJECTORS = []


def injector(*args, **options):
    def add(function):
        INJECTORS.append(Injector(function.__name__, *args[:4], function, **options))
        return function
    return add


# Each function: (value, m, everything known of the field) -> the damaged value, SAME or DROP.

@injector("null_rate", "money category name date email measure city count", 0.012, 0.15,
          also=("missing_field", "inconsistent_empty"), forms=ANY)
def nulls(v, m, field):
    return None


@injector("missing_field", "money category name date email measure city", 0.012, 0.1, also=("null_rate",))
def missing(v, m, field):
    return DROP


@injector("numeric_text", "money measure count", 0.005, 0.12, also=("type_mismatch", "text_in_number"))
def numbers_as_text(v, m, field):
    return str(v)


@injector("text_in_number", "money measure count age scale", 0.003, 0.05,
          also=("type_mismatch", "null_word", "pattern_violation"), forms=ANY)
def words_among_numbers(v, m, field):
    return m.pick(["free", "see note", "12 pcs", "n/a", "ask", "call"])


@injector("type_mismatch", "bool", 0.005, 0.08, also=("boolean_variants",))
def bool_as_words(v, m, field):
    return m.pick(["yes", "Y", "true"]) if v else m.pick(["no", "N", "false"])


@injector("type_mismatch", "tags", 0.01, 0.1)
def scalar_for_array(v, m, field):
    return v[0] if v else "none yet"


@injector("type_mismatch", "category city", 0.005, 0.05, also=("enum_violation",))
def object_for_text(v, m, field):
    return {"label": v, "id": m.between(1, 40)}


@injector("date_as_text", "date", 0.01, 0.15, also=("type_mismatch",))
def dates_as_text(v, m, field):
    return v.strftime("%Y-%m-%dT%H:%M:%SZ")


@injector("mixed_date_formats", "isotext", 0.01, 0.2, also=("date_as_text", "pattern_violation", "ambiguous_date"), forms=ANY)
def other_date_format(v, m, field):
    y, mo, d = v.split("-")
    return field["choice"](["%s.%s.%s" % (d, mo, y), "%s/%s/%s" % (d, mo, y), "%s/%s/%s" % (y, mo, d)])


@injector("sentinel_value", "measure money count scale age", 0.004, 0.06,
          also=("impossible_range", "outlier", "enum_violation"), forms=ANY)
def sentinel_numbers(v, m, field):
    low, high = field["range"]
    return field["choice"]([-1, -999] if high > 900 else [-1, 99 if high < 40 else 9999, -999, 9999])


@injector("sentinel_date", "date", 0.003, 0.06)
def sentinel_dates(v, m, field):
    return field["choice"]([datetime.datetime(1970, 1, 1), datetime.datetime(1900, 1, 1)])


@injector("implausible_date", "date", 0.0005, 0.004, most=8, also=("outlier",))
def wrong_century(v, m, field):
    return v.replace(year=field["choice"]([2205, 2202, 1023]), day=min(v.day, 28))


@injector("null_word", "category city name title", 0.004, 0.1, also=("enum_violation",), forms=ANY)
def null_words(v, m, field):
    return field["choice"](["N/A", "null", "unknown", "-", "NULL", "undefined"])


@injector("empty_string", "category city name email title", 0.004, 0.08,
          also=("null_rate", "missing_field"), forms=("ndjson", "json"))
def empty_texts(v, m, field):
    return ""


@injector("padding", "category city name email code", 0.004, 0.08, also=("case_variants", "spelling_variants"), forms=ANY)
def blanks_around(v, m, field):
    return SAME if not isinstance(v, str) else v + " " if m.chance(0.8) else " " + v


@injector("case_variants", "category city", 0.004, 0.08, also=("spelling_variants",), forms=ANY)
def other_case(v, m, field):
    new = v.upper() if field["choice"]([0, 1]) else v.swapcase()
    return new if new != v else SAME


@injector("spelling_variants", "category city", 0.002, 0.01, also=("enum_violation", "case_variants"), forms=ANY)
def typos(v, m, field):
    if len(v) < 5 or field["share"].get(v, 0) < 0.1:
        return SAME
    at = len(v) // 2
    return v[:at] + v[at + 1] + v[at] + v[at + 2:] if v[at] != v[at + 1] else v[:at] + v[at + 1:]


@injector("enum_violation", "category", 0.0003, 0.0008, least=1, most=4, also=("spelling_variants", "null_word", "pattern_violation"), forms=ANY)
def strange_category(v, m, field):
    return field["choice"](["q#7", "asdf", "%status%", "17"])


@injector("outlier", "money measure age", 0.0005, 0.003, most=6, also=("impossible_range", "unit_mixup"), forms=ANY)
def far_out(v, m, field):
    return round(field["range"][1] * m.between(60, 400), 2)


@injector("impossible_range", "age percent lat lon", 0.001, 0.01, also=("outlier", "sentinel_value"), forms=ANY)
def impossible(v, m, field):
    return {"age": m.between(150, 230), "percent": m.between(105, 250), "lat": m.between(91, 179) * m.pick([-1, 1]),
            "lon": m.between(181, 300) * m.pick([-1, 1])}[field["kind"]]


@injector("impossible_range", "money count age", 0.001, 0.02, also=("outlier", "sentinel_value"), forms=ANY)
def below_zero(v, m, field):
    return SAME if not v else -v


@injector("pattern_violation", "code", 0.001, 0.009, also=("lost_leading_zero", "truncation", "enum_violation"), forms=ANY)
def broken_code(v, m, field):
    return field["choice"]([v[:-2] + "?!", v[: len(v) // 2], v + "/" + v[:2]])


@injector("lost_leading_zero", "zip", 0.01, 0.2, also=("pattern_violation",), forms=("ndjson", "json"))
def lost_zero(v, m, field):
    return v.lstrip("0") if v.startswith("0") and v.lstrip("0") else SAME


@injector("invalid_format", "email", 0.002, 0.05, also=("pattern_violation",), forms=ANY)
def broken_email(v, m, field):
    return v.replace("@", field["choice"](["", " at ", "#"]))


@injector("truncation", "prose", 0.9, 1.0)
def cut_off(v, m, field):
    return v[:100] if len(v) > 100 else SAME


@injector("duplicates", "key", 0.004, 0.03, forms=ANY)
def same_key(v, m, field):
    return field["earlier"]


@injector("mojibake", "name city", 0.004, 0.08, also=("spelling_variants", "enum_violation"), forms=ANY)
def as_latin1(v, m, field):
    new = v.encode("utf-8").decode("latin-1")
    return new if new != v else SAME


@injector("html_entities", "title name category", 0.004, 0.03, also=("enum_violation", "spelling_variants"), forms=ANY)
def escaped(v, m, field):
    return v + field["choice"]([" &amp; Co", " &quot;x&quot;", " &#39;s"])


@injector("control_characters", "title name", 0.003, 0.03, forms=("ndjson", "json"))
def control(v, m, field):
    return v[:2] + field["choice"](["\x00", "\x08", "\x1b", "\x7f"]) + v[2:]


@injector("precision_loss", "money", 0.02, 0.3, forms=ANY)
def float_noise(v, m, field):
    return math.nextafter(v, math.inf) if v and isinstance(v, float) else SAME


@injector("array_size", "items", 0.0008, 0.008, also=("missing_field", "null_rate"))
def empty_array(v, m, field):
    return []


@injector("array_content", "items tags", 0.003, 0.05, also=("null_rate", "type_mismatch"))
def null_item(v, m, field):
    return v + [None]


@injector("unit_mixup", "measure", 0.01, 0.08, also=("outlier",), forms=ANY)
def other_unit(v, m, field):
    low, high = field["range"]
    return SAME if high > 8 * max(low, 1e-9) else v / field["choice"]([100, 1000])


@injector("arithmetic", "product", 0.003, 0.04, forms=ANY)
def wrong_total(v, m, field):
    return round(v * 1.1 + 3, 2)


@injector("date_order", "after", 0.002, 0.02)
def before_start(v, m, field):
    return v - datetime.timedelta(days=60)


@injector("field_name_variants", "category money date city", 0.003, 0.03, also=("stray_field", "missing_field"))
def renamed(v, m, field):
    return DROP  # the value comes back under a name with a typo: see damage()


@injector("duplicate_document", "whole", 0.005, 0.03, forms=ANY,
          side=("duplicates",))
def copied(v, m, field):
    return SAME  # see damage()


@injector("drift", "category money name", 0.4, 0.5, also=("missing_field", "null_rate"))
def gone_since(v, m, field):
    return DROP


# ------------------------------------------------------------------------------------ doing it

def typo_of(name):
    at = len(name) // 2
    return name[:at] + name[at + 1:]


def places_of(doc, parts):
    """(container, key) pairs of the values at a path; "items[]" goes into the array."""
    head, rest = parts[0], parts[1:]
    name = head[:-2] if head.endswith("[]") else head
    if not isinstance(doc, dict) or name not in doc:
        return
    if not rest:
        yield doc, name
    elif head.endswith("[]"):
        for item in doc[name]:
            yield from places_of(item, rest)
    else:
        yield from places_of(doc[name], rest)


def values_of(docs, path):
    parts = path.split(".")
    return [c[k] for doc in docs for c, k in places_of(doc, parts)]


def knowledge(docs, path, kind, m):
    values = [v for v in values_of(docs, path) if v is not None]
    field = {"kind": kind, "range": (0, 0), "share": {}}
    numbers = [v for v in values if isinstance(v, (int, float)) and not isinstance(v, bool)]
    if numbers:
        ordered = sorted(numbers)
        field["range"] = (ordered[0], ordered[-1])
    if kind in ("category", "city"):
        field["share"] = {v: n / len(values) for v, n in collections.Counter(values).items()}
    chosen = {}

    def choice(options):
        """One injection makes one kind of mistake."""
        return options[chosen.setdefault(len(options), m.between(0, len(options) - 1))]
    field["choice"] = choice
    return field


def candidates(inj, docs, n, m):
    """The order in which documents are tried, until n are damaged."""
    if inj.name == "gone_since":
        return list(range(len(docs) - n, len(docs)))
    order = list(range(1, len(docs)))
    m.rng.shuffle(order)
    return order


def copy_documents(docs, targets, m):
    for at in targets:
        twin = copy.deepcopy(docs[at])
        if "_id" in twin and not isinstance(twin["_id"], int):
            twin["_id"] = m.oid()
        docs.append(twin)
    return 2 * len(targets)


def damage_document(doc, parts, inj, field, m):
    """Break every value at the path; was there one?"""
    done = False
    for container, key in list(places_of(doc, parts)):
        v = container[key]
        new = SAME if v is None else inj.breaks(v, m, field)
        if new is SAME:
            continue
        if new is DROP:
            del container[key]
            if inj.name == "renamed":
                container[typo_of(key)] = v
        else:
            container[key] = new
        done = True
    return done


def damage(data, inj, path, m):
    """Damage one field of a Set in place. Returns (fields that may show it, documents), or None when nothing
    could be damaged."""
    docs = data.docs
    # Mostly at least three documents: fewer nobody could tell from chance.
    n = max(inj.least, int(len(docs) * m.rng.uniform(inj.low, inj.high)))
    n = min(n, inj.most or n, len(docs) - 1)
    if inj.name == "copied":
        return None, copy_documents(docs, candidates(inj, docs, n, m)[:n], m)
    field = knowledge(docs, path, data.kinds[path], m)
    parts = path.split(".")
    hit = 0
    for at in candidates(inj, docs, n, m):
        if hit == n:
            break
        if inj.name == "same_key":
            field["earlier"] = values_of(docs[at - 1:at], path)[0]
        hit += damage_document(docs[at], parts, inj, field, m)
    if not hit:
        return None
    if inj.name == "same_key":
        values = values_of(docs, path)
        hit = sum(n for n in collections.Counter(values).values() if n > 1)
    fields = {path}
    if inj.name == "renamed":
        fields.add(".".join(parts[:-1] + [typo_of(parts[-1])]))
    return fields, hit
