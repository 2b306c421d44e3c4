"""Ways to damage documents, for bench/detect.

A way is a row: its name, the kinds of field it applies to, the forms of file, and a function that breaks one
value. damage() applies one way to one field of a share of the documents and returns a Defect, which knows each
damaged cell. Ways that need more than one field are in relations.py.
"""
import datetime
import re

from world import AS_OF

DROP = object()   # the field goes away
SAME = object()   # this value cannot be damaged in this way


class Defect:
    """One planted defect: the way, the field, and its damaged cells (row, path)."""

    def __init__(self, way, path, cells, neutral=(), groups=()):
        self.way, self.path = way, path
        self.cells = set(cells)
        self.neutral = set(neutral)    # cells that a finding may flag or not
        self.groups = groups           # of repeated keys: sets of rows of which one may stay unflagged
        self.examples = []             # some damaged values, for people


class Way:
    def __init__(self, name, kinds, breaks, forms, optional, most):
        self.name, self.kinds, self.breaks = name, kinds.split(), breaks
        self.forms, self.optional, self.most = forms, optional, most


ALL = ("csv", "json", "ndjson")
JSON = ("json", "ndjson")
WAYS = []
TEXTS = "label place name title code"
NUMBERS = "money measure count percent"


def way(kinds, forms=ALL, optional=True, most=1.0):
    """`most` is the largest share at which this damage still is the exception and not the custom."""
    def add(function):
        WAYS.append(Way(function.__name__, kinds, function, forms, optional, most))
        return function
    return add


# Each function: (value, w, field) -> the damaged value, SAME or DROP. field.choose() picks once per defect.

class Field:
    """What a way may know of the field: its path, its kind, its values, and one choice for the whole defect."""

    def __init__(self, path, kind, values, w):
        self.path, self.kind, self.values, self.w = path, kind, values, w
        self.chosen = {}

    def choose(self, options):
        return self.chosen.setdefault(tuple(options), self.w.pick(options))

    def other(self, value):
        """Another value that occurs in the field."""
        for _ in range(40):
            new = self.w.pick(self.values)
            if new != value:
                return new
        return SAME


# ------------------------------------------------------------------------------------ nothing there

@way(TEXTS + " date email zip bool " + NUMBERS, optional=False)
def null(v, w, field):
    return None


@way(TEXTS + " date email zip " + NUMBERS, JSON, optional=False)
def missing(v, w, field):
    return DROP


@way("label place name title email zip text", JSON, optional=False)
def empty_text(v, w, field):
    return ""


WORDS = ["NaN", "empty", "\\N", "#REF!", "N/A", "n.a.", "-", "--", "null", "NULL", "None", "nil", "undefined", "#N/A",
         "unknown", "?", "(blank)", "missing", "not available", "TBD"]


@way(TEXTS + " email zip")
def null_word(v, w, field):
    return field.choose(WORDS)


@way("label name title")
def null_words_mixed(v, w, field):
    return w.pick(WORDS)


@way(NUMBERS)
def null_word_in_number(v, w, field):
    return field.choose(WORDS)


# ------------------------------------------------------------------------------------ numbers

def plain(v):
    return isinstance(v, (int, float)) and not isinstance(v, bool)


@way(NUMBERS)
def text_on_number(v, w, field):
    form = field.choose(["%s%%", "%s oz", "ca. %s", "%s EUR", "%s kg", "%s pcs", "~%s", "%s*", "$%s"])
    return form % v if plain(v) else SAME


@way("money measure percent")
def decimal_comma(v, w, field):
    return str(v).replace(".", ",") if plain(v) and "." in str(v) else SAME


@way("money count")
def thousands_separator(v, w, field):
    return "{:,}".format(v).replace(",", field.choose([",", "'", " "])) if plain(v) and v >= 1000 else SAME


@way("money measure count", most=0.1)
def unit_error(v, w, field):
    factor = field.choose([1000, 100, 0.001, 0.01, 2.54, 0.4536])
    return round(v * factor, 4) if plain(v) and v and not (field.kind == "count" and factor < 3) else SAME


@way("money measure count percent", most=0.01)
def outlier(v, w, field):
    top = sorted(abs(x) for x in field.values if plain(x))[-1]
    return round(top * w.between(12, 400), 2) if plain(v) else SAME


@way("money measure count percent", most=0.2)
def sentinel(v, w, field):
    options = [-1, 9999, -999, 99999] + ([0] if all(x for x in field.values) else [])
    return field.choose([x for x in options if x not in field.values] or [-77777])


@way("money count measure", most=0.2)
def negative(v, w, field):
    return -v if plain(v) and v > 0 and not any(plain(x) and x < 0 for x in field.values) else SAME


@way(NUMBERS, JSON)
def number_as_text(v, w, field):
    return str(v) if plain(v) else SAME


# ------------------------------------------------------------------------------------ texts

ROWS = ["qwertyuiop", "asdfghjkl", "zxcvbnm"]


def keyboard(c):
    for row in ROWS:
        at = row.find(c.lower())
        if at >= 0:
            near = row[at - 1] if at and at == len(row) - 1 else row[at + 1] if at + 1 < len(row) else row[at - 1]
            return near.upper() if c.isupper() else near
    return "x"


def typo(v, w, how):
    """One slip in a letter that is not the first; SAME when there is no such letter."""
    places = [i for i in range(1, len(v)) if v[i].isalpha()]
    if len(places) < 3:
        return SAME
    at = w.pick(places)
    if how == "slip":
        return v[:at] + keyboard(v[at]) + v[at + 1:]
    if how == "letter":
        new = "x" if v[at].lower() != "x" else "k"
        return v[:at] + (new.upper() if v[at].isupper() else new) + v[at + 1:]
    if how == "double":
        return v[:at] + v[at] + v[at:]
    if how == "drop":
        return v[:at] + v[at + 1:]
    if at + 1 < len(v) and v[at + 1].isalpha() and v[at] != v[at + 1]:
        return v[:at] + v[at + 1] + v[at] + v[at + 2:]
    return SAME


def spelled(v, w, field, how):
    """A typo that is not by chance another value of the field."""
    for _ in range(6):
        new = typo(v, w, how) if isinstance(v, str) else SAME
        if new is not SAME and new != v and new not in field.all:
            return new
    return SAME


def typo_way(how):
    def breaks(v, w, field):
        return spelled(v, w, field, how)
    breaks.__name__ = "typo_" + how
    way("label place")(breaks)


for one in ("slip", "letter", "swap", "double", "drop"):
    typo_way(one)


@way("text title")
def typo_in_text(v, w, field):
    how = field.choose(["letter", "letter", "slip", "double"])
    return spelled(v, w, field, how) if len(v) > 20 else SAME


@way("label place", most=0.2)
def other_case(v, w, field):
    new = getattr(v, field.choose(["upper", "lower", "swapcase"]))()
    return new if new != v and new not in field.all else SAME


@way("label place name code email")
def blanks(v, w, field):
    new = field.choose(["%s ", " %s", "%s  "]) % v if isinstance(v, str) else SAME
    if field.kind == "name" and " " in str(v) and w.chance(0.5):
        new = v.replace(" ", "  ", 1)
    return new


@way("text title", most=0.2)
def truncated(v, w, field):
    most = max(8, sorted(len(x) for x in field.values)[len(field.values) // 2] * 6 // 10)
    return v[:most] if len(v) > most + 3 else SAME


@way("label place name title text")
def mojibake(v, w, field):
    new = v.encode("utf-8").decode("cp1252", "replace")
    return new if new != v else SAME


@way("email")
def invalid_email(v, w, field):
    return v.replace("@", field.choose(["", " at ", "@@", "@ "])) if w.chance(0.6) else v.split("@")[0] + "@"


# ------------------------------------------------------------------------------------ codes

@way("zip", most=0.4)
def lost_zeros(v, w, field):
    new = v.lstrip("0")
    return new if v.startswith("0") and new else SAME


@way("zip digits", most=0.2)
def letter_in_digits(v, w, field):
    swaps = {"0": "O", "1": "l", "5": "S", "8": "B"}
    places = [i for i, c in enumerate(v) if c in swaps]
    if not places:
        return SAME
    at = w.pick(places)
    return v[:at] + swaps[v[at]] + v[at + 1:]


@way("iban isbn luhn container imo nif ean", most=0.2)
def check_digit(v, w, field):
    places = [i for i, c in enumerate(v) if c.isdigit() and i > 3] or [len(v) - 1]
    at = w.pick(places)
    return v[:at] + str((int(v[at]) + w.between(1, 8)) % 10) + v[at + 1:]


@way("code iban isbn luhn container nif ean", most=0.2)
def broken_form(v, w, field):
    how = field.choose(["cut", "mark", "junk"])
    return v[: len(v) // 2] if how == "cut" else v[:-2] + "?!" if how == "mark" else v + "/" + v[:2]


# ------------------------------------------------------------------------------------ dates

def moment(v):
    """(the moment, the function that writes one in the same form) or None."""
    if isinstance(v, dict) and "$date" in v:
        return (datetime.datetime.strptime(v["$date"], "%Y-%m-%dT%H:%M:%SZ"),
                lambda t: {"$date": t.strftime("%Y-%m-%dT%H:%M:%SZ").rjust(20, "0")})
    if not isinstance(v, str):
        return None
    for form in ("%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%Y-%m-%d %H:%M"):
        try:
            return datetime.datetime.strptime(v, form), lambda t, form=form: t.strftime(form)
        except ValueError:
            continue
    return None


@way("date", most=0.4)
def date_format(v, w, field):
    read = moment(v)
    if not read or isinstance(v, dict):
        return SAME
    forms = [f for f in ("%d.%m.%Y", "%m/%d/%Y", "%Y/%m/%d", "%d %b %Y", "%Y%m%d") if read[0].strftime(f) != v]
    return read[0].strftime(field.choose([f for f in forms if f[:5] != ("%d.%m" if "." in v else "%Y-%m")]))


@way("date", JSON)
def date_as_text(v, w, field):
    return v["$date"] if isinstance(v, dict) else SAME


@way("date", most=0.2)
def sentinel_date(v, w, field):
    read = moment(v)
    when = datetime.datetime(*field.choose([(1900, 1, 1), (1970, 1, 1), (9999, 12, 31)]))
    return read[1](when) if read else SAME


@way("date", most=0.05)
def future_date(v, w, field):
    read = moment(v)
    if not read:
        return SAME
    low = int(AS_OF[:4]) + 3
    return read[1](read[0].replace(year=w.between(low, low + 60), day=min(read[0].day, 28)))


@way("date", most=0.05)
def ancient_date(v, w, field):
    read = moment(v)
    return read[1](read[0].replace(year=w.between(1021, 1790), day=min(read[0].day, 28))) if read else SAME


# ------------------------------------------------------------------------------------ nested

@way("array", JSON, most=0.2)
def empty_array(v, w, field):
    return []


@way("array", JSON, most=0.01)
def long_array(v, w, field):
    return (v * 400)[:w.between(150, 400)] if v else SAME


@way("array tags", JSON)
def scalar_for_array(v, w, field):
    return v[0] if v else SAME


@way("label place", JSON, most=0.2)
def object_for_text(v, w, field):
    return {"name": v, "id": w.between(1, 40)}


# ------------------------------------------------------------------------------------ doing it

def holder(doc, parts):
    """(container, key) of the value at a path outside of arrays, or None."""
    for name in parts[:-1]:
        doc = doc.get(name) if isinstance(doc, dict) else None
    return (doc, parts[-1]) if isinstance(doc, dict) and parts[-1] in doc else None


def places(doc, path):
    """(container, key) pairs of the values at a path; "items[].price" goes into the array."""
    head, mark, rest = path.partition("[].")
    at = holder(doc, head.split("."))
    if not at:
        return
    if not mark:
        yield at
    elif isinstance(at[0][at[1]], list):
        for item in at[0][at[1]]:
            yield from places(item, rest)


def has(v):
    return v is not None and v != ""


def values_of(docs, path):
    return [c[k] for doc in docs for c, k in places(doc, path) if has(c[k])]


def field_of(docs, path, kind, w):
    values = values_of(docs, path)
    field = Field(path, kind, values, w)
    field.all = set(v for v in values if isinstance(v, str))
    return field


def filled(docs, paths):
    """The number of documents that have a value at every path."""
    return sum(1 for doc in docs if all(any(has(c[k]) for c, k in places(doc, p)) for p in paths))


def shuffled(docs, w):
    order = list(range(len(docs)))
    w.rng.shuffle(order)
    return order


def apply(docs, one, path, kind, share, w):
    """Damage a share of the documents that have the field; the Defect, or None, and nothing damaged, when too few can be."""
    n = int(filled(docs, [path]) * share + 0.5)
    field = field_of(docs, path, kind, w)
    cells, changes, examples = [], [], []
    if not n or not field.values:
        return None
    for row in shuffled(docs, w):
        if len(cells) == n:
            break
        done = False
        spots = list(places(docs[row], path))
        # Of an array's items one is damaged: the cell is the path within the document.
        for container, key in w.rng.sample(spots, len(spots)):
            new = one.breaks(container[key], w, field) if has(container[key]) else SAME
            if new is SAME or new == container[key] and type(new) is type(container[key]):
                continue
            if len(examples) < 3:
                examples.append("%r -> %s" % (container[key], "(missing)" if new is DROP else repr(new)))
            changes.append((container, key, new))
            done = True
            break
        if done:
            cells.append((row, plain_path(path)))
    if len(cells) * 2 < n:
        return None
    for container, key, new in changes:
        if new is DROP:
            del container[key]
        else:
            container[key] = new
    defect = Defect(one.name, path, cells)
    defect.examples = [e[:200] for e in examples]
    return defect


def plain_path(path):
    return re.sub(r"\[\]", "", path)
