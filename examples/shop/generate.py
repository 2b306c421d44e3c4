#!/usr/bin/env python3
"""Make the example shop: orders.ndjson, customers.json, products.csv, and truth/truth.json.

usage: generate.py [FOLDER]        (default: the folder of this script)

Everything is invented. People are glued together from syllables, e-mail addresses end in example.org,
.com or .net, telephone numbers come from the ranges kept free for films and novels. The same seed gives
the same bytes: only random.Random.random() is used, which Python promises not to change.

Read it like this: make_*() build clean documents, damage_*() break some of them the way real systems do,
and say so with plant(); near misses stand in near_misses(). Each planted damage is counted again in the
finished data by a predicate of its own, so truth.json cannot drift away from the files.

truth.json lies in a folder of its own because a folder given to `argus audit` is audited whole.
"""
import csv
import datetime
import io
import json
import os
import random
import sys

SEED = 20250701
N_ORDERS, N_CUSTOMERS, N_PRODUCTS = 5400, 1500, 400
FIRST_DAY = datetime.datetime(2023, 7, 1)
LAST_DAY = datetime.datetime(2025, 6, 30)


class Dice:
    """All chance in this file; built on random() alone."""

    def __init__(self, seed):
        self.rng = random.Random(seed)

    def below(self, n):
        return int(self.rng.random() * n)

    def between(self, low, high):
        return low + self.below(high - low + 1)

    def chance(self, p):
        return self.rng.random() < p

    def pick(self, items):
        return items[self.below(len(items))]

    def weighted(self, pairs):
        at = self.rng.random() * sum(w for _, w in pairs)
        for item, w in pairs:
            at -= w
            if at < 0:
                return item
        return pairs[-1][0]

    def sample(self, items, n):
        """n different items, in the order of `items`."""
        if n > len(items):
            raise ValueError("want %d of %d" % (n, len(items)))
        left, out = n, []
        for i, item in enumerate(items):
            if self.rng.random() * (len(items) - i) < left:
                out.append(item)
                left -= 1
        return out

    def skewed(self, median, spread):
        """Log-normal by twelve throws: the same on every platform without libm's log and exp."""
        z = sum(self.rng.random() for _ in range(12)) - 6.0
        return median * 2.0 ** (z * spread)

    def hexes(self, n):
        return "".join("0123456789abcdef"[self.below(16)] for _ in range(n))

    def digits(self, n):
        return "".join("0123456789"[self.below(10)] for _ in range(n))


# ------------------------------------------------------------------------------------ invented names

FIRST = ["Alda", "Bruno", "Celin", "Doran", "Elmi", "Fenja", "Goran", "Hilke", "Ilva", "Joreth",
         "Kaspin", "Liora", "Mirel", "Nandor", "Odila", "Perrin", "Quila", "Runa", "Sorin", "Tilda",
         "Ulwin", "Vesna", "Wenzel", "Xandra", "Yorick", "Zelma", "João", "Zoë", "André", "Núria"]
LAST_HEAD = ["Quill", "Tannen", "Brock", "Silber", "Möhren", "Grün", "Ferr", "Sonder", "Haver", "Kessel",
             "Loren", "Märten", "Peñal", "Rosen", "Stein", "Thorn", "Ulmen", "Vesper", "Wolken", "Zander"]
LAST_TAIL = ["feather", "wedel", "hauser", "lund", "ström", "ão", "ez", "ini", "mont", "ward", "kötter",
             "bäcker", "field", "zahn", "mühl", "é"]

# country code, name, cities, post codes as they are written there (9 = digit, A = letter)
PLACES = [
    ("DE", "Germany", ["Berlin", "Leipzig", "Dresden", "München", "Köln"], ["10999", "04999", "01999", "80999", "50999"]),
    ("FR", "France", ["Paris", "Lyon", "Nice"], ["75099", "69099", "06099"]),
    ("ES", "Spain", ["Madrid", "Barcelona", "Sevilla"], ["28099", "08099", "41099"]),
    ("PT", "Portugal", ["Lisboa", "Porto", "Évora"], ["1999-999", "4099-999", "7099-999"]),
    ("BR", "Brazil", ["São Paulo", "Curitiba", "Recife"], ["01999-999", "80999-999", "50999-999"]),
    ("GB", "United Kingdom", ["London", "Leeds", "Bristol"], ["SW9A 9AA", "LS9 9AA", "BS9 9AA"]),
    ("US", "United States", ["Boston", "Chicago", "Seattle"], ["02199", "60699", "98199"]),
    ("NL", "Netherlands", ["Utrecht", "Delft"], ["3599 AA", "2699 AA"]),
]
PLACE_WEIGHTS = [30, 14, 12, 8, 8, 12, 10, 6]
STREETS = ["Mill Lane", "Harbour Road", "Rua da Maçã", "Lindenallee", "Quay Street", "Calle Ancha",
           "Rue Haute", "Bergweg", "Station Road", "Avenida do Sol"]
OCCUPATIONS = ["teacher", "baker", "engineer", "nurse", "student", "painter", "driver", "clerk", "gardener",
               "librarian", "musician", "plumber"]
COMPANIES = ["PADARIA MAÇÃ LTDA", "IRMÃOS AVELÃ SA", "Tannenhof GmbH", "Quillfeather & Zahn", "LÃ E ALGODÃO",
             "Nil Desperandum Ltd", "Harbour Boats", "CORAÇÃO DO SUL"]
CATEGORIES = [("Kitchen", "KI"), ("Garden", "GA"), ("Books", "BO"), ("Toys", "TO"), ("Sports", "SP"),
              ("Office", "OF"), ("Lighting", "LI")]
THINGS = ["lamp", "bowl", "rake", "kettle", "atlas", "puzzle", "racket", "binder", "trowel", "candle",
          "teapot", "kite", "stapler", "lantern", "novel", "helmet"]
MAKES = ["Alder", "Birch", "Cedar", "Dune", "Ember", "Fjord", "Grove", "Heath", "Isle", "Jade", "Kelp", "Larch"]
COLORS = ["red", "blue", "green", "black", "white", "oak", "grey"]
SENTENCES = ["Please leave the parcel with the neighbour on the ground floor.",
             "The bell does not ring, knock twice.", "Last time one cup was broken, please wrap it well.",
             "It is a present, so no invoice in the box.", "Ring before noon, the shop closes at one.",
             "The gate code is on the note beside the door."]


def code_like(d, pattern):
    """9 becomes a digit, a trailing AA letters; what stands before the first 9 is kept."""
    out = []
    head = True
    for c in pattern:
        if c == "9":
            head = False
            out.append(d.digits(1))
        elif c == "A" and not head:
            out.append("ABDEFGHJLNPQRSTUWXYZ"[d.below(20)])
        else:
            out.append(c)
    return "".join(out)


def place(d):
    code, country, cities, zips = d.weighted(list(zip(PLACES, PLACE_WEIGHTS)))
    i = d.below(len(cities))
    return code, country, cities[i], code_like(d, zips[i])


def last_name(d):
    return d.pick(LAST_HEAD) + d.pick(LAST_TAIL)


def phone(country, serial):
    """Numbers that no telephone has: 555-01xx, Ofcom's and ARCEP's drama ranges, and the like."""
    n = serial % 1000
    if country == "GB":
        return "0207946%04d" % n if serial < 1000 else "01632960%03d" % n  # only digits, leading zero
    if country == "FR":
        return "+33 1 99 00 %02d %02d" % (serial // 100 % 100, serial % 100)
    if country == "DE":
        return "+49 30 23125 %03d %d" % (n, serial // 1000)
    return "+1-%d-555-01%02d" % (201 + serial // 100, serial % 100)


def stamp(when):
    return {"$date": when.strftime("%Y-%m-%dT%H:%M:%SZ")}


def moment(d):
    span = int((LAST_DAY - FIRST_DAY).total_seconds())
    return FIRST_DAY + datetime.timedelta(seconds=d.below(span))


def oid(d, when):
    return {"$oid": "%08x" % int((when - datetime.datetime(1970, 1, 1)).total_seconds()) + d.hexes(16)}


# ------------------------------------------------------------------------------------ clean documents

def make_products(d):
    rows = []
    for i in range(N_PRODUCTS):
        category, prefix = d.pick(CATEGORIES)
        thing = d.pick(THINGS)
        name = "%s %s %d" % (d.pick(MAKES), thing, d.between(10, 99))
        if d.chance(0.25):
            name = "%s & %s set" % (d.pick(MAKES), thing)
        day = moment(d)
        rows.append({
            "sku": "%s-%04d" % (prefix, 1000 + i),
            "name": name,
            "category": category,
            "price": "%.2f" % max(0.5, d.skewed(18, 1.6)),        # a few cost a hundred times the median
            "stock": str(d.between(0, 600) if d.chance(0.94) else 0),
            "weight_g": str(d.between(40, 4800)),
            "ean": ("0" if d.chance(0.15) else "4") + d.digits(12),
            "supplier_code": "%04d" % d.between(1, 2400),
            "color": d.pick(COLORS),
            "discount": d.weighted([("0", 85), ("5", 6), ("10", 6), ("20", 3)]),
            "discontinued": "true" if d.chance(0.07) else "false",
            "released": day.strftime("%Y-%m-%d"),
            "last_restocked": (day + datetime.timedelta(days=d.below(200))).strftime("%d/%m/%Y"),
            "html_body": "<p>%s &amp; more,&nbsp;made of %s.</p>" % (thing, d.pick(COLORS)),
        })
    return rows


def make_customers(d):
    out = []
    for i in range(N_CUSTOMERS):
        code, country, city, zip_code = place(d)
        since = moment(d)
        age = d.between(18, 88)
        birth = datetime.datetime(2025 - age, 1 + d.below(12), 2 + d.below(26))
        first, last = d.pick(FIRST), last_name(d)
        plain = "".join(c for c in (first + "." + last).lower() if c.isascii())
        doc = {
            "_id": oid(d, since),
            "customer_id": 20001 + i,
            "first_name": first,
            "middle_name": d.pick(FIRST) if d.chance(0.4) else None,
            "last_name": last,
            "email": "%s%d@example.%s" % (plain, i, d.pick(["org", "com", "net"])),
            "phone": phone(code, i),
            "birth_date": {"$date": birth.strftime("%Y-%m-%dT00:00:00Z")},
            "age": age,
            "occupation": d.pick(OCCUPATIONS),
            "address": {"street": "%s %d" % (d.pick(STREETS), d.between(1, 140)), "city": city,
                        "zip": zip_code, "country": country},
            "newsletter": d.chance(0.55),
            "vip": d.chance(0.06),
            "satisfaction": d.weighted([(1, 4), (2, 8), (3, 22), (4, 40), (5, 26)]),
            "points": int(d.skewed(240, 1.5)),
            "legacy_id": 300000 + i * 391 + d.below(391),
            "member_until": {"$date": "%d-12-31T00:00:00Z" % d.between(2026, 2034)},
            "since": stamp(since),
        }
        if d.chance(0.12):
            doc["company"] = d.pick(COMPANIES)
        out.append(doc)
    return out


def make_items(d, products):
    items = []
    for row in d.sample(products, d.weighted([(1, 64), (2, 25), (3, 8), (4, 3)])):
        items.append({"sku": row["sku"], "qty": d.weighted([(1, 70), (2, 18), (3, 8), (6, 3), (10, 1)]),
                      "price": float(row["price"]), "discount": int(row["discount"])})
    return items


def money_of(items):
    return sum(i["qty"] * i["price"] * (100 - i["discount"]) / 100 for i in items)


def make_orders(d, products, customers):
    out = []
    for i in range(N_ORDERS):
        customer = d.pick(customers)
        code, _, city, zip_code = place(d)
        # The shop grows a little: order numbers and times rise together.
        when = FIRST_DAY + (LAST_DAY - FIRST_DAY) * (i / N_ORDERS) + datetime.timedelta(
            seconds=d.below(7200))
        items = make_items(d, products)
        refund = d.chance(0.03)
        cost = d.weighted([(3.9, 20), (4.9, 50), (6.5, 15), (7.9, 9), (12.9, 6)])
        total = round(money_of(items) + cost, 2)
        due = when + datetime.timedelta(days=d.between(2, 21))
        if d.chance(0.02):
            due = datetime.datetime(d.between(2027, 2031), d.between(1, 12), 15)  # pre-orders
        doc = {
            "_id": oid(d, when),
            "order_no": "SO-%d-%06d" % (when.year, 1000 + i),
            "type": "refund" if refund else "sale",
            "customer_id": customer["customer_id"],
            "created_at": stamp(when),
            "status": d.weighted([("delivered", 58), ("shipped", 14), ("paid", 12), ("pending", 7),
                                  ("cancelled", 5), ("returned", 4)]),
            "items": items,
            "shipping": {
                "cost": cost,
                "weight_kg": round(max(0.1, d.skewed(1.8, 0.7)), 2),
                "address": {"name": d.pick(FIRST) + " " + last_name(d), "city": city, "zip": zip_code,
                            "country": code},
                "due": stamp(due),
            },
            "payment": {"method": d.weighted([("card", 52), ("paypal", 26), ("transfer", 14), ("invoice", 8)]),
                        "paid": d.chance(0.9)},
            "requested": (when + datetime.timedelta(days=d.between(2, 40))).strftime("%Y-%m-%d"),
            "invoiced": when.strftime("%Y-%m-%d"),
            "tracking": "TR%s%04d" % (d.hexes(6).upper(), i),
            "reserved": {item["sku"]: item["qty"] for item in items},
            "total": -total if refund else total,
        }
        if d.chance(0.08):
            doc["coupon"] = "WELCOME%d" % d.pick([5, 10, 15])
        if d.chance(0.06):
            doc["comment"] = "  ".join(d.sample(SENTENCES, 3))
        out.append(doc)
    return out


# ------------------------------------------------------------------------------------ the damage

class Truth:
    def __init__(self):
        self.damage, self.misses, self.follows = [], [], []

    def plant(self, file, field, categories, affected, note, docs, holds, other_counts=None):
        """categories: the first says it best, the others mean the same damage. other_counts: what other
        fair readings of the same damage would count, by reading."""
        counted = sum(1 for doc in docs if holds(doc))
        if counted != affected:
            raise SystemExit("%s %s: planted %d, counted %d" % (file, field, affected, counted))
        entry = {"file": file, "field": field, "category": categories[0], "categories": categories,
                 "affected": affected, "documents": len(docs), "note": note}
        if other_counts:
            entry["other_counts"] = other_counts
        self.damage.append(entry)

    def follow(self, file, field, categories, note):
        """A planted damage may also be reported so."""
        self.follows.append({"file": file, "field": field, "category": categories[0],
                             "categories": categories, "note": note})

    def miss(self, file, field, why, categories=None):
        """No finding above low belongs on the field; with categories: none of these."""
        entry = {"file": file, "field": field, "why": why}
        if categories:
            entry["categories"] = categories
        self.misses.append(entry)


# Categories of the report that say the same of a planted damage, the best first.
SAME = {
    "variants": ["case_variants", "spelling_variants"],
    "sentinel": ["sentinel_value", "impossible_range", "outlier"],
    "range": ["impossible_range", "outlier"],
    "padding": ["padding", "case_variants"],
    "text": ["text_in_number", "type_mismatch"],
}


def as_latin1(text):
    """What an import that takes UTF-8 for Latin-1 makes of a text."""
    return text.encode("utf-8").decode("latin-1")


def can_be_mangled(text):
    return any(c in "üöäéñãçø" for c in text)


def is_mangled(text):
    return "\u00c3" in text and text != text.upper() and any(
        text[i] == "\u00c3" and "\u0080" <= text[i + 1] <= "\u00bf" for i in range(len(text) - 1))


def damage_orders(d, truth, orders):
    file = "orders.ndjson"
    sales = [o for o in orders if o["type"] == "sale"]

    # An import in spring 2024 wrote prices as text.
    window = [o for o in orders if "2024-04-01" <= o["created_at"]["$date"] < "2024-06-10"]
    for o in d.sample(window, 312):
        for item in o["items"]:
            item["price"] = "%.2f" % item["price"]
    truth.plant(file, "items[].price", ["numeric_text", "type_mismatch", "text_in_number"], 312,
                "prices as text after an import in spring 2024",
                orders, lambda o: any(isinstance(i["price"], str) for i in o["items"]))

    # Two clients spell the status their own way.
    for o in d.sample([o for o in sales if o["status"] == "shipped"], 41):
        o["status"] = "Shipped"
    for o in d.sample([o for o in sales if o["status"] == "delivered"], 17):
        o["status"] = "DELIVERED"
    truth.plant(file, "status", SAME["variants"], 58, "Shipped and DELIVERED beside the usual lower case",
                orders, lambda o: o["status"] != o["status"].lower())

    for o in d.sample([o for o in orders if o["payment"]["method"] == "card"], 44):
        o["payment"]["method"] = "card "
    truth.plant(file, "payment.method", SAME["padding"], 44, "'card ' with a trailing blank",
                orders, lambda o: o["payment"]["method"] == "card ")

    # The phone app sends an empty clock; a clerk typed 2205 for 2025.
    touched = d.sample(orders, 17)
    for o in touched[:14]:
        o["created_at"] = {"$date": "1970-01-01T00:00:00Z"}
    for o in touched[14:]:
        o["created_at"] = {"$date": "2205" + o["created_at"]["$date"][4:]}
    truth.plant(file, "created_at", ["sentinel_date"], 14, "1970-01-01: the clock was not set",
                orders, lambda o: o["created_at"]["$date"].startswith("1970-01-01"))
    truth.plant(file, "created_at", ["implausible_date"], 3, "the year 2205 (typed for 2025)",
                orders, lambda o: o["created_at"]["$date"].startswith("2205"))

    # A retry stored the same order twice: other _id and time, same number.
    for i in d.sample(list(range(1, N_ORDERS)), 13):
        orders[i]["order_no"] = orders[i - 1]["order_no"]
    seen = {}
    for o in orders:
        seen[o["order_no"]] = seen.get(o["order_no"], 0) + 1
    doubled = sum(n for n in seen.values() if n > 1)
    truth.plant(file, "order_no", ["duplicates"], doubled, "order numbers given twice by a retry",
                orders, lambda o: seen[o["order_no"]] > 1,
                {"documents too many": doubled - sum(1 for n in seen.values() if n > 1)})

    for o in d.sample(orders, 47):
        del o["total"]
    truth.plant(file, "total", ["missing_field", "null_rate"], 47, "total was never written",
                orders, lambda o: "total" not in o)

    texts = d.sample(orders, 99)
    for i, o in enumerate(texts[:95]):
        o["shipping"]["cost"] = "" if i % 8 == 0 else "free"
    truth.plant(file, "shipping.cost", SAME["text"], 95, "'free' and '' among the numbers",
                orders, lambda o: isinstance(o["shipping"]["cost"], str),
                {"without the empty texts": sum(1 for o in texts[:95] if o["shipping"]["cost"])})
    truth.follow(file, "shipping.cost", ["empty_string"], "the empty ones of these texts")
    for o in texts[95:]:
        o["shipping"]["cost"] = round(o["shipping"]["cost"] * 100, 1)
    truth.plant(file, "shipping.cost", ["outlier", "unit_mixup"], 4, "cents instead of euros",
                orders, lambda o: isinstance(o["shipping"]["cost"], float) and o["shipping"]["cost"] > 100)

    for o in d.sample(orders, 61):
        o["shipping"]["weight_kg"] = -1
    truth.plant(file, "shipping.weight_kg", SAME["sentinel"], 61, "-1 for 'not weighed'",
                orders, lambda o: o["shipping"]["weight_kg"] == -1)

    for o in d.sample(orders, 7):
        d.pick(o["items"])["qty"] = 9999
    truth.plant(file, "items[].qty", SAME["sentinel"], 7, "9999 pieces: 'as many as there are'",
                orders, lambda o: any(i["qty"] == 9999 for i in o["items"]))

    for i, o in enumerate(d.sample(orders, 52)):
        city = o["shipping"]["address"]["city"]
        o["shipping"]["address"]["city"] = city.upper() if i % 3 == 0 else city.lower()
    cities = {c for _, _, names, _ in PLACES for c in names}
    truth.plant(file, "shipping.address.city", SAME["variants"], 52, "berlin and BERLIN beside Berlin",
                orders, lambda o: o["shipping"]["address"]["city"] not in cities)

    for o in d.sample(orders, 33):
        o["shipping"]["address"]["country"] = "N/A"
    truth.plant(file, "shipping.address.country", ["null_word"], 33, "N/A among the country codes",
                orders, lambda o: o["shipping"]["address"]["country"] == "N/A")

    named = [o for o in orders if can_be_mangled(o["shipping"]["address"]["name"])]
    for o in d.sample(named, 39):
        o["shipping"]["address"]["name"] = as_latin1(o["shipping"]["address"]["name"])
    truth.plant(file, "shipping.address.name", ["mojibake"], 39, "UTF-8 read as Latin-1",
                orders, lambda o: is_mangled(o["shipping"]["address"]["name"]))

    # Three front ends, three ways to write a day.
    for o in orders:
        y, m, day = o["requested"].split("-")
        o["requested"] = d.weighted([(o["requested"], 80), ("%s/%s/%s" % (day, m, y), 15),
                                     ("%d.%d.%s" % (int(day), int(m), y), 5)])
    slashes = sum(1 for o in orders if "/" in o["requested"])
    dots = sum(1 for o in orders if "." in o["requested"])
    truth.plant(file, "requested", ["mixed_date_formats", "date_as_text"], slashes + dots,
                "three formats of dates as text",
                orders, lambda o: "-" not in o["requested"],
                {"all dates held as text": len(orders), "only 31/12/2024": slashes, "only 31.12.2024": dots,
                 "only 2024-12-31": len(orders) - slashes - dots})

    truth.plant(file, "reserved", ["keys_as_data"], len(orders), "an object keyed by product number",
                orders, lambda o: len(o["reserved"]) > 0)


def damage_customers(d, truth, customers):
    file = "customers.json"
    for c in d.sample(customers, 61):
        c["email"] = None
    truth.plant(file, "email", ["null_rate", "missing_field"], 61, "e-mail is null",
                customers, lambda c: c["email"] is None)

    for c in d.sample(customers, 6):
        c["age"] = d.between(198, 214)
    truth.plant(file, "age", SAME["range"], 6, "ages of about 200", customers, lambda c: c["age"] > 130)

    for c in d.sample([c for c in customers if can_be_mangled(c["last_name"])], 26):
        c["last_name"] = as_latin1(c["last_name"])
    truth.plant(file, "last_name", ["mojibake"], 26, "UTF-8 read as Latin-1",
                customers, lambda c: is_mangled(c["last_name"]))

    for c in d.sample(customers, 22):
        c["address"]["city"] = ""
    truth.plant(file, "address.city", ["empty_string"], 22, "city is an empty text",
                customers, lambda c: c["address"]["city"] == "")

    for c in d.sample(customers, 38):
        c["newsletter"] = "yes" if c["newsletter"] else "no"
    truth.plant(file, "newsletter", ["type_mismatch", "boolean_variants"], 38, "'yes' and 'no' among booleans",
                customers, lambda c: isinstance(c["newsletter"], str))

    for c in d.sample(customers, 75):
        c["occupation"] = d.weighted([("N/A", 5), ("unknown", 3), ("-", 2)])
    truth.plant(file, "occupation", ["null_word"], 75, "N/A, unknown and - for nothing",
                customers, lambda c: c["occupation"] not in OCCUPATIONS)

    for c in d.sample(customers, 31):
        c["birth_date"] = {"$date": "1900-01-01T00:00:00Z"}
    truth.plant(file, "birth_date", ["sentinel_date"], 31, "1900-01-01 for an unknown day of birth",
                customers, lambda c: c["birth_date"]["$date"].startswith("1900-01-01"))

    for c in d.sample(customers, 40):
        c["satisfaction"] = 99
    truth.plant(file, "satisfaction", SAME["sentinel"], 40, "99 for 'no answer' on a scale of 1 to 5",
                customers, lambda c: c["satisfaction"] == 99)

    for i, c in enumerate(d.sample(customers, 34)):
        country = c["address"]["country"]
        c["address"]["country"] = country.upper() if i % 2 else country.lower()
    names = {name for _, name, _, _ in PLACES}
    truth.plant(file, "address.country", SAME["variants"], 34, "GERMANY and germany beside Germany",
                customers, lambda c: c["address"]["country"] not in names)

    for i, c in enumerate(d.sample(customers, 29)):
        c["first_name"] = " " + c["first_name"] if i % 5 == 0 else c["first_name"] + " "
    truth.plant(file, "first_name", SAME["padding"], 29, "blanks before or behind the name",
                customers, lambda c: c["first_name"] != c["first_name"].strip())

    for c in d.sample(customers, 67):
        c["legacy_id"] = "A-%d" % c["legacy_id"]
    truth.plant(file, "legacy_id", SAME["text"], 67, "A-… among the numbers of an older system",
                customers, lambda c: isinstance(c["legacy_id"], str))


def damage_products(d, truth, rows):
    file = "products.csv"
    for i in d.sample(list(range(1, N_PRODUCTS, 2)), 3):
        rows[i]["sku"] = rows[i - 1]["sku"]
    seen = {}
    for r in rows:
        seen[r["sku"]] = seen.get(r["sku"], 0) + 1
    truth.plant(file, "sku", ["duplicates"], 6, "three product numbers given twice",
                rows, lambda r: seen[r["sku"]] > 1, {"documents too many": 3})
    truth.follow("orders.ndjson", "items[].sku", ["referential"], "orders of the three numbers that were lost so")

    for r in d.sample([r for r in rows if "&" in r["name"]], 8):
        r["name"] = r["name"].replace("&", "&amp;")
    truth.plant(file, "name", ["html_entities"], 8, "&amp; in a plain name", rows, lambda r: "&amp;" in r["name"])

    for r in d.sample(rows, 7):
        r["price"] = "N/A"
    truth.plant(file, "price", ["null_word"] + SAME["text"], 7, "N/A among the prices",
                rows, lambda r: r["price"] == "N/A")

    for r in d.sample([r for r in rows if int(r["last_restocked"][:2]) > 12], 20):
        day, month, year = r["last_restocked"].split("/")
        r["last_restocked"] = "%s/%s/%s" % (month, day, year)
    month_first = sum(1 for r in rows if int(r["last_restocked"][3:5]) > 12)
    day_first = sum(1 for r in rows if int(r["last_restocked"][:2]) > 12)
    truth.plant(file, "last_restocked", ["ambiguous_date"], month_first,
                "month/day/year among day/month/year",
                rows, lambda r: int(r["last_restocked"][3:5]) > 12,
                {"all that show their order": month_first + day_first, "day first": day_first,
                 "all dates held as text": len(rows)})

    for i, r in enumerate(d.sample(rows, 9)):
        r["category"] = r["category"].upper() if i % 2 else r["category"].lower()
    categories = {c for c, _ in CATEGORIES}
    truth.plant(file, "category", SAME["variants"], 9, "KITCHEN and kitchen beside Kitchen",
                rows, lambda r: r["category"] not in categories)

    for r in d.sample(rows, 5):
        r["stock"] = "9999"
    truth.plant(file, "stock", SAME["sentinel"], 5, "9999 pieces: 'always there'", rows, lambda r: r["stock"] == "9999")

    for r in d.sample(rows, 13):
        r["color"] = "-"
    truth.plant(file, "color", ["null_word"], 13, "- for no color", rows, lambda r: r["color"] == "-")


def near_misses(truth, customers):
    """What looks wrong and is not."""
    customers[411]["last_name"] = "Null"
    customers[977]["last_name"] = "None"

    o, c, p = "orders.ndjson", "customers.json", "products.csv"
    truth.miss(o, "shipping.address.zip", "post codes are text: leading zeros, another form per country")
    truth.miss(o, "total", "refunds are negative and say so in `type`; prices are heavy-tailed",
               ["outlier", "impossible_range", "sentinel_value"])
    truth.miss(o, "items[].price", "heavy-tailed: a few cost a hundred times the median",
               ["outlier", "unit_mixup", "impossible_range"])
    truth.miss(o, "items[].discount", "0 is a legal discount and by far the most frequent")
    truth.miss(o, "coupon", "8% of the orders have one: optional")
    truth.miss(o, "comment", "long prose with two blanks between sentences, in 6% of the orders")
    truth.miss(o, "shipping.due", "pre-orders are due in the future")
    truth.miss(o, "tracking", "every order has its own")
    truth.miss(o, "invoiced", "dates as text, but all in one ISO format")
    truth.miss(o, "payment.paid", "a clean boolean")
    truth.miss(o, "type", "3% refunds: rare, not wrong")
    truth.miss(o, "customer_id", "customers come back: no key of the orders")
    truth.miss(c, "last_name", "one customer is called Null, another None", ["null_word"])
    truth.miss(c, "middle_name", "null for 60%: most people have none")
    truth.miss(c, "phone", "telephone numbers are text, some of digits only, with a leading zero")
    truth.miss(c, "address.zip", "post codes are text")
    truth.miss(c, "company", "AVELÃ and MAÇÃ are Portuguese, Nil Desperandum is a name, 12% have one")
    truth.miss(c, "member_until", "memberships end in the future")
    truth.miss(c, "points", "heavy-tailed")
    truth.miss(c, "vip", "a clean boolean, rarely true")
    truth.miss(c, "customer_id", "a running number")
    truth.miss(p, "html_body", "HTML entities belong into HTML")
    truth.miss(p, "ean", "15% begin with 0: still one kind of code")
    truth.miss(p, "supplier_code", "four digits with leading zeros: a code, no number")
    truth.miss(p, "discount", "0 is a legal discount and by far the most frequent")
    truth.miss(p, "price", "heavy-tailed", ["outlier", "unit_mixup"])
    truth.miss(p, "discontinued", "a clean boolean")
    truth.miss(p, "released", "ISO dates, all in one format")


# ------------------------------------------------------------------------------------ files

def one_line(doc):
    return json.dumps(doc, ensure_ascii=False, separators=(",", ":"))


def broken_orders(truth_lines, lines):
    """Three lines that no reader can take: cut off, log output in between, a lost quote."""
    cut = lines[1203][:211]
    for at, text, what in ((1204, cut, "cut off in the middle"),
                           (3877, "-- 2024-10-13 02:00:01 export resumed after time-out --", "output of the exporter"),
                           (5190, lines[5188].replace('"status":"', '"status":', 1), "a quote is lost")):
        lines.insert(at, text)
        truth_lines.append({"file": "orders.ndjson", "line": at + 1, "what": what})


def write(folder, name, text):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="") as f:
        f.write(text)


def main():
    if len(sys.argv) > 2:
        sys.exit(__doc__)
    folder = sys.argv[1] if len(sys.argv) == 2 else os.path.dirname(os.path.abspath(__file__))
    d, truth = Dice(SEED), Truth()

    products = make_products(d)
    customers = make_customers(d)
    orders = make_orders(d, products, customers)
    near_misses(truth, customers)
    damage_orders(d, truth, orders)
    damage_customers(d, truth, customers)
    damage_products(d, truth, products)

    broken = []
    lines = [one_line(o) for o in orders]
    broken_orders(broken, lines)
    write(folder, "orders.ndjson", "".join(line + "\n" for line in lines))
    write(folder, "customers.json", "[\n" + ",\n".join(one_line(c) for c in customers) + "\n]\n")
    table = io.StringIO()
    out = csv.DictWriter(table, list(products[0]), lineterminator="\n")
    out.writeheader()
    out.writerows(products)
    write(folder, "products.csv", table.getvalue())
    write(folder, "truth/truth.json", json.dumps(
        {"damage": truth.damage, "near_misses": truth.misses, "follows": truth.follows,
         "broken_lines": broken},
        ensure_ascii=False, indent=1) + "\n")


if __name__ == "__main__":
    main()
