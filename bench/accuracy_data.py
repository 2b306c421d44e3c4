"""Clean data sets of many domains, for bench/accuracy.py.

A maker takes a random generator and a number of documents and returns a Set: documents, and for each field
that may be damaged its kind. What a maker builds is right, however odd it looks: heavy tails, codes with
leading zeros, nulls that mean "not yet", enumerations that hold "none", Namibia. Nothing here is tuned to
any detector: a maker that is changed because of what a detector says must be changed because it was wrong.

kinds   money measure count scale percent age lat lon     numbers that are never negative, but lat and lon
        category city name title prose email              texts
        key code zip                                      unique texts or numbers; fixed patterns
        date isotext bool tags items                      past dates; ISO dates as text; true/false; arrays
"""
import datetime
import string
from decimal import Decimal

UTC0 = datetime.datetime(2023, 1, 1)
DAYS = 900  # to June 2025


class Oid(str):
    """Written as {"$oid": …}."""


class Long(int):
    """Written as {"$numberLong": …}."""


class Set:
    def __init__(self, name, docs, kinds, form="ndjson"):
        self.name, self.docs, self.kinds, self.form = name, docs, kinds, form


class Maker:
    """Chance, and invented values."""

    def __init__(self, rng):
        self.rng = rng
        self.chance = lambda p: rng.random() < p
        self.pick = rng.choice
        self.between = rng.randint

    def weighted(self, **weights):
        return self.rng.choices(list(weights), list(weights.values()))[0]

    def zipf(self, items):
        return self.rng.choices(items, [1 / (i + 1) for i in range(len(items))])[0]

    def skewed(self, median, sigma=0.8, digits=2):
        return round(median * self.rng.lognormvariate(0, sigma), digits)

    def bell(self, mean, sd, digits=1):
        return round(self.rng.gauss(mean, sd), digits)

    def when(self, days=DAYS):
        return UTC0 + datetime.timedelta(seconds=self.between(0, days * 86400))

    def past(self, when):
        """Not after the day of the audit."""
        return min(when, UTC0 + datetime.timedelta(days=DAYS + 5))

    def times(self, n, days=DAYS):
        """n moments in order, as a log has them."""
        return sorted(self.when(days) for _ in range(n))

    def hexes(self, n):
        return "".join(self.rng.choices("0123456789abcdef", k=n))

    def digits(self, n):
        return "".join(self.rng.choices(string.digits, k=n))

    def letters(self, n):
        return "".join(self.rng.choices(string.ascii_uppercase, k=n))

    def oid(self):
        return Oid(self.hexes(24))

    def first(self):
        return self.pick("Alda Bruno Celin Doran Elmi Fenja Goran Hilke Ilva Jørn Kaspin Liora Mirel Nandor "
                         "Odila Perrin Runa Sorin Tilda Vesna Zoë José Núria Björn Łucja Anaïs Chloë".split())

    def last(self):
        head = self.pick("Quill Tannen Brock Silber Möhren Grün Ferr Sonder Haver Kessel Peñal Rosen Ulmen "
                         "Vesper Wolken Zander O'Mar de-Lac".split())
        return head + self.pick("feather wedel hauser lund ström ão ez ini mont ward kötter zahn mühl é".split())

    def email(self, i):
        return "%s%d@example.%s" % (self.pick(("user", "mail.to.", "a_b", "x-")), i,
                                    self.pick(("org", "com", "net")))

    def city(self):
        return self.zipf(["Berlin", "Porto", "Leeds", "Lyon", "Boston", "São Paulo", "Köln", "Utrecht", "Sevilla",
                          "Évora", "Graz", "Bergen", "Gdańsk", "Łódź", "Cork", "Turku"])

    def sentence(self, low=4, high=14):
        words = ("the a old new small river house was is not very and then again we found it under over green "
                 "light slow road near far water table please call before after noon delivery broken fine").split()
        s = " ".join(self.pick(words) for _ in range(self.between(low, high)))
        return s[0].upper() + s[1:] + "."


MAKERS = []


def maker(function):
    MAKERS.append(function)
    return function


# ------------------------------------------------------------------------------------ trade

@maker
def orders(m, n):
    docs = []
    for i, at in enumerate(m.times(n)):
        status = m.weighted(delivered=60, shipped=15, paid=12, pending=9, cancelled=4)
        items = [{"sku": "P-%04d" % m.between(1, 900), "qty": m.pick([1, 1, 1, 2, 3, 12]),
                  "price": m.skewed(20, 1.3)} for _ in range(m.between(1, 4))]
        refund = m.chance(0.02)
        net = round(sum(x["qty"] * x["price"] for x in items), 2)
        tax = round(net * 0.2, 2)
        sign = -1 if refund else 1
        doc = {"_id": m.oid(), "number": "%d-%06d" % (at.year, i), "kind": "refund" if refund else "sale",
               "customer": {"id": m.between(1000, 1000 + n // 3), "city": m.city(), "zip": m.digits(5)},
               "ordered_at": at, "status": status, "items": items, "net": sign * net, "tax": sign * tax,
               "total": round(sign * (net + tax), 2), "weight": m.skewed(1.5, 0.6)}
        if status in ("delivered", "shipped"):
            doc["shipped_at"] = at + datetime.timedelta(hours=m.between(2, 90))
        if m.chance(0.07):
            doc["voucher"] = "SAVE%d" % m.pick([5, 10])
        docs.append(doc)
    return Set("orders", docs, {
        "number": "key", "customer.city": "city", "ordered_at": "date", "status": "category", "items": "items",
        "items[].price": "money", "items[].qty": "count", "weight": "measure", "customer.zip": "zip",
        "customer.id": "id", "net": "signed", "total": "signed"})


@maker
def products(m, n):
    docs = []
    for i in range(n):
        kind = m.weighted(Shoes=30, Shirts=30, Mugs=20, Books=15, Maps=5)
        size = {"Shoes": m.pick(["38", "38.5", "39", "42", "44"]), "Shirts": m.pick(["S", "M", "L", "XL"])}
        docs.append({"sku": "%s%05d" % (kind[0], i * 7 + 11), "title": "%s %s %d" % (
                         m.pick("Alder Birch Cedar Dune Ember".split()), kind[:-1].lower(), m.between(1, 99)),
                     "department": kind, "size": size.get(kind, "one size"), "price": m.skewed(25, 1.1),
                     "stock": m.between(0, 300), "rating": m.pick([None, 3.5, 4.0, 4.5, 5.0, 2.5]),
                     "barcode": m.digits(12), "active": m.chance(0.9),
                     "added": (UTC0 + datetime.timedelta(days=m.between(0, DAYS))).strftime("%Y-%m-%d")})
    return Set("products", docs, {"sku": "key", "title": "title", "department": "category", "price": "money",
                                  "stock": "count", "barcode": "code", "active": "bool", "added": "isotext"}, "csv")


@maker
def inventory(m, n):
    """Counts run up to 20,000, so 999 and 9999 occur; part numbers begin with zeros; lots expire later."""
    docs = [{"part": "%08d" % m.between(1, 5000000), "bin": "%s-%02d-%02d" % (m.pick("ABCD"), m.between(1, 40),
                                                                             m.between(1, 9)),
             "onHand": m.between(0, 20000), "reserved": m.pick([0, 0, 0, m.between(1, 50)]), "unitCost": m.skewed(3, 1.4, 4),
             "supplier": m.zipf(["Nil Ltd", "Kelp & Co", "Dune BV", "Fjord AS", "Unknown Pleasures SA"]),
             "lot": "L%d%s" % (m.between(1, 9), m.letters(3)), "expires": m.when(3000), "countedAt": m.when(),
             "abc": m.weighted(A=20, B=30, C=50), "bulky": m.chance(0.1)} for _ in range(n)]
    return Set("inventory", docs, {"onHand": "count", "unitCost": "money", "supplier": "category",
                                   "countedAt": "date", "bulky": "bool", "bin": "code", "part": "zip"})


@maker
def viviendas(m, n):
    """Spanish field names: what a field is must show in its values."""
    docs = [{"referencia": "VIV%06d" % i, "ciudad": m.zipf(["Sevilla", "Málaga", "Córdoba", "Cádiz", "Jaén"]),
             "codigo_postal": "%05d" % m.between(1000, 29999), "precio": round(m.skewed(180000, 0.5, 0), -3),
             "habitaciones": m.between(1, 6), "superficie": m.skewed(90, 0.35, 0), "ascensor": m.chance(0.6),
             "estado": m.weighted(nuevo=20, reformado=40, usado=40), "publicado": m.when(),
             "descripcion": "  ".join(m.sentence() for _ in range(m.between(3, 6))),
             "agente": {"nombre": m.first() + " " + m.last(), "correo": m.email(i)}} for i in range(n)]
    return Set("viviendas", docs, {
        "referencia": "key", "ciudad": "city", "codigo_postal": "zip", "precio": "money", "superficie": "measure",
        "ascensor": "bool", "estado": "category", "publicado": "date", "agente.nombre": "name",
        "agente.correo": "email", "descripcion": "prose"})


# ------------------------------------------------------------------------------------ people

@maker
def users(m, n):
    docs = []
    for i in range(n):
        joined = m.when()
        last = m.last() if m.chance(0.998) else m.pick(["Null", "None", "Na", "Nil", "Test", "Void"])
        docs.append({"_id": m.oid(), "user": "u%06d" % i, "name": {"first": m.first(), "last": last,
                     "middle": m.first() if m.chance(0.35) else None}, "mail": m.email(i), "joined": joined,
                     "last_seen": m.past(joined + datetime.timedelta(days=m.between(0, 90))) if m.chance(0.85) else None,
                     "age": m.between(16, 90), "country": m.zipf(["DE", "US", "NO", "NA", "FR", "IT", "BE", "IS"]),
                     "newsletter": m.chance(0.4), "roles": m.pick([["reader"], ["reader"], ["reader", "author"], []]),
                     "mobile": "07700900%03d" % m.between(0, 999), "karma": int(m.skewed(30, 1.8, 0))})
    return Set("users", docs, {"user": "key", "name.first": "name", "name.last": "name", "mail": "email",
                               "joined": "date", "age": "age", "newsletter": "bool", "karma": "count",
                               "country": "category"}, "json")


@maker
def staff(m, n):
    docs = []
    for i in range(n):
        hired = datetime.datetime(m.between(1987, 2024), m.between(1, 12), m.between(1, 28))
        left = m.past(hired + datetime.timedelta(days=m.between(100, 3000))) if m.chance(0.12) else None
        docs.append({"staff_no": 100000 + i * 3, "manager_no": None if i == 0 else 100000 + 3 * m.between(0, i // 8),
                     "full_name": "%s %s" % (m.first(), m.last()), "team": m.zipf(["Sales", "Support", "Lab", "IT", "Legal"]),
                     "salary": round(m.bell(52000, 9000, 0), -2), "born": hired - datetime.timedelta(days=m.between(7000, 20000)),
                     "hired": hired, "left": left, "fte": m.pick([1, 1, 1, 1, 0.5, 0.8]), "desk": "%d.%03d" % (
                         m.between(0, 4), m.between(1, 120)), "e_mail": m.email(i)})
    return Set("staff", docs, {"staff_no": "key", "full_name": "name", "team": "category", "salary": "money",
                               "hired": "date", "e_mail": "email", "born": "date"})


@maker
def surveys(m, n):
    """Answers such as none, unknown, yes and no are answers; most people leave the comment empty."""
    docs = [{"respondent": i + 1, "wave": m.pick([1, 2, 3]), "submitted": m.when(),
             "smoker": m.weighted(no=75, yes=20, former=5), "pets": m.weighted(none=45, cat=25, dog=20, both=10),
             "coverage": m.weighted(private=20, public=60, unknown=20), "satisfaction": m.pick([1, 2, 3, 3, 4, 4, 4, 5, 5]),
             "recommend": m.between(0, 10), "age_group": m.pick(["18-29", "30-44", "45-64", "65+"]),
             "household": m.pick([1, 1, 2, 2, 2, 3, 4, 5, 9]), "income": m.skewed(2800, 0.5, 0),
             "consent": True if m.chance(0.97) else False,
             "remarks": m.sentence() if m.chance(0.3) else None} for i in range(n)]
    return Set("surveys", docs, {"respondent": "key", "submitted": "date", "satisfaction": "scale", "income": "money",
                                 "pets": "category", "smoker": "category", "consent": "bool"})


@maker
def pupils(m, n):
    docs = []
    for i in range(n):
        absent = m.chance(0.04)
        docs.append({"pupil": "S-%05d" % i, "given": m.first(), "family": m.last(), "form": "%d%s" % (
                         m.between(5, 12), m.pick("abc")), "attended": not absent,
                     "points": None if absent else m.between(0, 100), "grade": None if absent else m.pick(
                         ["A+", "A", "A-", "B+", "B", "B-", "C", "D", "F"]), "height_cm": m.bell(158, 12, 0),
                     "born": datetime.datetime(m.between(2006, 2014), m.between(1, 12), m.between(1, 28)),
                     "bus": m.chance(0.3), "town": m.city()})
    return Set("pupils", docs, {"pupil": "key", "given": "name", "family": "name", "height_cm": "measure",
                                "born": "date", "bus": "bool", "town": "city"}, "csv")


# ------------------------------------------------------------------------------------ machines

@maker
def sensors(m, n):
    """Below zero is winter, 999 hPa is weather, 0 lux is night."""
    docs = [{"device": "dev-%03d" % m.between(1, 40), "ts": at, "temperature": m.bell(9, 9), "pressure": m.bell(1003, 9, 0),
             "humidity": min(100, max(0, m.bell(65, 18, 0))), "lux": 0 if m.chance(0.45) else m.skewed(300, 1.5, 0),
             "battery": m.between(5, 100), "firmware": m.pick(["1.9.2", "1.10.0", "1.10.0", "2.0.1"]),
             "rssi": -m.between(40, 95)} for at in m.times(n, 60)]
    return Set("sensors", docs, {"device": "category", "ts": "date", "humidity": "percent", "pressure": "measure",
                                 "battery": "percent"})


@maker
def meters(m, n):
    docs, counter = [], m.between(1000, 90000)
    for at in m.times(n, 200):
        counter += m.between(0, 14)
        docs.append({"meter": "EM%07d" % m.between(1, 60), "at": at, "counter_kwh": counter, "voltage": m.bell(230, 1.6, 1),
                     "current": m.skewed(4, 0.9, 3), "quality": m.weighted(measured=92, estimated=8), "phase": m.pick([1, 2, 3])})
    return Set("meters", docs, {"meter": "code", "at": "date", "voltage": "measure", "current": "measure",
                                "quality": "category"})


@maker
def access_log(m, n):
    """One in a hundred lines is an error and has fields that the others lack."""
    docs = []
    for at in m.times(n, 7):
        code = m.rng.choices([200, 304, 404, 302, 500], [80, 9, 6, 4, 1])[0]
        doc = {"time": at, "method": m.weighted(GET=85, POST=12, HEAD=3), "path": "/%s/%d" % (
                   m.zipf(["item", "cart", "search", "About", "about"]), m.between(1, 500)), "status": code,
               "bytes": 0 if code == 304 else m.skewed(5200, 1.6, 0), "ms": m.skewed(22, 1.2, 1),
               "ip": "203.0.113.%d" % m.between(0, 255), "agent": m.zipf(["Mozilla/5.0 (X11)", "curl/7.88", "bot/1"]),
               "tls": m.pick(["1.2", "1.3", "1.3"])}
        if code == 500:
            doc["error"] = {"class": m.pick(["Timeout", "OutOfStock"]), "line": m.between(10, 400)}
        docs.append(doc)
    return Set("access_log", docs, {"time": "date", "method": "category", "bytes": "count", "ms": "measure"})


@maker
def builds(m, n):
    docs = []
    for i, at in enumerate(m.times(n)):
        ok = m.chance(0.85)
        secs = int(m.skewed(240, 0.7, 0))
        docs.append({"build": i + 4000, "commit": m.hexes(40), "branch": m.zipf(["main", "develop", "fix/login", "Release"]),
                     "queued": at, "started": at + datetime.timedelta(seconds=m.between(0, 900)),
                     "seconds": secs, "exit_code": 0 if ok else m.pick([1, 1, 2, 137, -9]), "state": "passed" if ok else "failed",
                     "retries": m.pick([0] * 19 + [1]), "runner": m.pick(["linux-1", "linux-2", "arm-1"]),
                     "artifacts": [] if not ok else ["app.tar"], "log_tail": m.sentence() + "  " + m.sentence()})
    return Set("builds", docs, {"build": "key", "commit": "code", "branch": "category", "queued": "date",
                                "seconds": "measure", "state": "category", "runner": "category"})


@maker
def analytics(m, n):
    """What `value` is depends on `event`; the properties differ from event to event."""
    docs = []
    for i, at in enumerate(m.times(n, 30)):
        event = m.weighted(view=60, click=25, purchase=8, search=7)
        doc = {"eventId": "%s-%s" % (m.hexes(8), m.hexes(4)), "event": event, "at": at, "sessionLength": m.skewed(180, 1.4, 0),
               "visitor": "v%05d" % m.between(1, n), "props": {}, "platform": m.weighted(web=60, ios=25, android=15)}
        if event == "purchase":
            doc["props"] = {"value": m.skewed(40, 1), "coupon": None}
        elif event == "search":
            doc["props"] = {"value": m.pick(["lamp", "tea pot", "n/a", "null"]), "hits": m.between(0, 90)}
        elif event == "click":
            doc["props"] = {"target": "#" + m.letters(2).lower(), "x": m.between(0, 1900), "y": m.between(0, 1000)}
        docs.append(doc)
    return Set("analytics", docs, {"eventId": "key", "at": "date", "event": "category", "platform": "category",
                                   "sessionLength": "measure", "visitor": "code"})


# ------------------------------------------------------------------------------------ money

@maker
def bank(m, n):
    docs, balance = [], 5000.0
    for i, at in enumerate(m.times(n)):
        amount = -m.skewed(35, 1.1) if m.chance(0.85) else m.skewed(900, 0.8)
        balance = round(balance + amount, 2)
        docs.append({"txn": "T%09d" % (i * 17), "booked": at.strftime("%Y-%m-%d"), "amount": amount, "balance": balance,
                     "direction": "debit" if amount < 0 else "credit", "currency": "EUR",
                     "text": m.pick(["CARD PAYMENT", "SEPA  CREDIT", "ATM", "STANDING ORDER"]) + " " + m.digits(6),
                     "account": "DE00%s" % m.digits(18), "fee": 0 if m.chance(0.93) else 1.5,
                     "category": m.zipf(["groceries", "rent", "travel", "none", "salary", "other"])})
    return Set("bank", docs, {"txn": "key", "booked": "isotext", "category": "category", "account": "code"}, "csv")


@maker
def ticks(m, n):
    price, docs = 0.04217, []
    for at in m.times(n, 3):
        price = max(0.001, price * (1 + m.rng.gauss(0, 0.002)))
        docs.append({"symbol": m.pick(["ZQX", "ABQ", "NULL", "TRUE"]), "t": int((at - datetime.datetime(1970, 1, 1)).total_seconds()) * 1000,
                     "price": round(price, 8), "volume": m.skewed(120, 1.9, 4), "side": m.pick(["B", "S"]),
                     "spread_bp": m.pick([1, 1, 2, 3, 5, 8])})
    return Set("ticks", docs, {"symbol": "category", "price": "measure", "volume": "measure", "side": "category"})


@maker
def invoices(m, n):
    """As mongoexport writes: decimals, longs, a version key that is 0 everywhere."""
    docs = []
    for i, at in enumerate(m.times(n)):
        net = Decimal(int(m.skewed(20000, 1, 0))) / 100
        vat = (net * Decimal("0.19")).quantize(Decimal("0.01"))
        paid = m.chance(0.8)
        docs.append({"_id": m.oid(), "invoiceNo": "R%d/%05d" % (at.year, i), "issued": at,
                     "due": at + datetime.timedelta(days=30), "paidAt": m.past(at + datetime.timedelta(days=m.between(1, 60))) if paid else None,
                     "net": net, "vat": vat, "gross": net + vat, "lines": m.between(1, 9), "docSize": Long(m.between(10**9, 10**13)),
                     "customerName": "%s %s" % (m.last(), m.pick(["GmbH", "Ltd", "SA", "e.K."])), "reminders": m.pick([0, 0, 0, 0, 1, 2]),
                     "country": m.zipf(["DE", "AT", "NL", "NO"]), "__v": 0})
    return Set("invoices", docs, {"invoiceNo": "key", "issued": "date", "customerName": "title", "country": "category",
                                  "lines": "count"})


# ------------------------------------------------------------------------------------ places, journeys

@maker
def places(m, n):
    """Null Island is none of these, but the equator and Greenwich are; NA is Namibia; villages have 0 people."""
    docs = [{"place": m.pick(["Ober", "Unter", "Kirch", "Villa", "Møl", "Ağa", "Nová "]) + m.pick(["dorf", "berg", "by", "köy", "vas"]) +
                      " %d" % i, "loc": {"type": "Point", "coordinates": [m.rng.uniform(-179, 179), m.rng.uniform(-80, 80)]},
             "lat": round(m.rng.uniform(-80, 80), 5), "lon": round(m.rng.uniform(-179, 179), 5),
             "population": int(m.skewed(900, 2.2, 0)), "elevation_m": m.bell(240, 260, 0),
             "country": m.pick(["NA", "NO", "DE", "TR", "CZ", "IS"]), "region": m.zipf(["North", "South", "East", "West"]),
             "aliases": m.pick([[], [], ["Old Town"], ["Neustadt", "New Town"]]), "surveyed": m.when(),
             "area_km2": m.skewed(14, 1.2)} for i in range(n)]
    return Set("places", docs, {"lat": "lat", "lon": "lon", "population": "count", "region": "category",
                                "surveyed": "date", "area_km2": "measure", "aliases": "tags", "country": "category"})


@maker
def flights(m, n):
    """A delay of -1 minute is a delay; 00:00 is midnight; most flights have no remark."""
    docs = []
    for at in m.times(n):
        cancelled = m.chance(0.02)
        docs.append({"flight": m.pick(["QX", "ZU", "A0"]) + m.digits(4), "day": at.strftime("%Y-%m-%d"), "departs": at.strftime("%H:%M"),
                     "from": m.pick(["AAA", "BBQ", "NIL"]), "to": m.pick(["CCD", "DDE", "TBD"]), "cancelled": cancelled,
                     "delay_min": None if cancelled else int(m.rng.gauss(0, 2)) if m.chance(0.7) else int(m.skewed(15, 1.2, 0)),
                     "seats": m.pick([72, 144, 144, 189]), "gate": None if cancelled else m.pick("ABC") + str(m.between(1, 30)),
                     "distance": m.between(180, 2900), "remark": m.sentence() if m.chance(0.03) else ""})
    return Set("flights", docs, {"flight": "code", "day": "isotext", "cancelled": "bool", "distance": "measure",
                                 "seats": "count"}, "csv")


@maker
def bookings(m, n):
    docs = []
    for i in range(n):
        made = m.when()
        arrive = made + datetime.timedelta(days=m.between(0, 300))
        nights = m.pick([1, 1, 2, 2, 3, 4, 7, 14])
        rate = m.skewed(90, 0.4)
        docs.append({"ref": m.letters(4) + "%05d" % i, "booked_on": made, "check_in": arrive, "check_out": arrive + datetime.timedelta(days=nights),
                     "nights": nights, "rate": rate, "total": round(nights * rate, 2), "adults": m.pick([1, 2, 2, 2, 3]),
                     "children": m.pick([0, 0, 0, 1, 2]), "guest": "%s %s" % (m.first(), m.last()),
                     "board": m.weighted(none=40, breakfast=45, half=15), "deposit": 0 if m.chance(0.7) else 50,
                     "cancelled_on": m.past(made + datetime.timedelta(days=1)) if m.chance(0.08) else None,
                     "wish": "" if m.chance(0.8) else m.sentence()})
    return Set("bookings", docs, {"booked_on": "date", "nights": "count", "rate": "money", "guest": "name",
                                  "board": "category", "total": "product", "check_out": "after"})


@maker
def weather_csv(m, n):
    docs = []
    for i in range(n):
        low = m.bell(6, 8)
        docs.append({"station": "%05d" % m.pick([10147, 3772, 8, 11520]), "date": (UTC0 - datetime.timedelta(days=n - i)).strftime("%Y-%m-%d"),
                     "tmin": low, "tmax": round(low + abs(m.rng.gauss(7, 3)), 1), "rain_mm": 0.0 if m.chance(0.7) else m.skewed(3, 1.1, 1),
                     "snow_cm": 0 if m.chance(0.97) else m.between(1, 60), "wind_kmh": m.skewed(12, 0.5, 1),
                     "sky": m.weighted(clear=40, cloudy=40, fog=5, rain=15)})
    return Set("weather", docs, {"date": "isotext", "sky": "category", "wind_kmh": "measure"}, "csv")


# ------------------------------------------------------------------------------------ texts and the rest

@maker
def tickets(m, n):
    docs = []
    for i, at in enumerate(m.times(n)):
        closed = m.chance(0.7)
        docs.append({"_id": i + 1, "subject": m.sentence(3, 8)[:-1], "body": "\n".join(m.sentence() for _ in range(m.between(1, 8))),
                     "opened": at, "closed": m.past(at + datetime.timedelta(hours=m.between(1, 900))) if closed else None,
                     "assignee": m.zipf(["mira", "sol", "bo", "kai"]) if m.chance(0.75) else None,
                     "priority": m.weighted(low=50, normal=35, high=12, urgent=3), "labels": m.rng.sample(
                         ["ui", "api", "docs", "slow", "UX"], m.pick([0, 0, 1, 2])), "watchers": m.pick([0, 0, 0, 1, 2, 40]),
                     "thread": [{"by": m.zipf(["mira", "sol", "bo", "kai"]), "text": m.sentence()} for _ in range(m.pick([0, 1, 2, 5]))]})
    return Set("tickets", docs, {"_id": "key", "subject": "title", "opened": "date", "priority": "category",
                                 "labels": "tags", "watchers": "count", "body": "prose"})


@maker
def chat(m, n):
    """People write null, test, ? and -, with two blanks and emoji, and that is what they wrote."""
    docs = []
    for i, at in enumerate(m.times(n, 20)):
        doc = {"mid": "m%07d" % i, "room": m.zipf(["general", "random", "help", "Help desk"]), "by": m.zipf(["ana_b", "ANA", "kai", "lu"]),
               "text": m.pick([m.sentence(1, 20), m.sentence(1, 5) + "  ok 👍", "null", "?", "-", "test", "AVELÃ!", " yes", "n/a"]),
               "at": at, "pinned": m.chance(0.01)}
        if m.chance(0.05):
            doc["edited"] = at + datetime.timedelta(minutes=m.between(1, 50))
        docs.append(doc)
    return Set("chat", docs, {"mid": "key", "at": "date", "room": "category", "pinned": "bool"})


@maker
def books(m, n):
    docs = [{"isbn": "978" + m.digits(10), "title": m.sentence(2, 7)[:-1], "subtitle": m.sentence(3, 6) if m.chance(0.5) else None,
             "authors": [m.first() + " " + m.last() for _ in range(m.pick([1, 1, 1, 2, 3]))], "year": m.between(1851, 2024),
             "pages": m.between(40, 900), "language": m.zipf(["en", "de", "pt", "no", "fr"]), "price": m.skewed(14, 0.5),
             "edition": m.pick([1, 1, 1, 1, 2, 3]), "first_published": datetime.datetime(m.between(1851, 2024), 1, 1),
             "genre": m.weighted(novel=50, crime=25, poetry=10, history=15)} for _ in range(n)]
    return Set("books", docs, {"isbn": "key", "title": "title", "pages": "count", "price": "money", "genre": "category",
                               "authors": "items", "language": "category"})


@maker
def clinic(m, n):
    docs = [{"visit": "V%06d" % i, "patient": m.between(1, n // 2 + 2), "seen": m.when(), "bp": "%d/%d" % (m.between(95, 170), m.between(55, 100)),
             "pulse": m.between(48, 130), "temp_c": m.bell(36.8, 0.5), "weight_kg": m.bell(74, 14), "height_cm": m.bell(171, 9, 0),
             "age": m.between(0, 101), "allergies": m.weighted(none=70, pollen=15, nuts=10, latex=5),
             "next_visit": m.when(1500) if m.chance(0.5) else None, "fasting": m.chance(0.3),
             "dose": m.pick(["1/2", "1", "2", "1/2"])} for i in range(n)]
    return Set("clinic", docs, {"visit": "key", "seen": "date", "pulse": "measure", "weight_kg": "measure",
                                "height_cm": "measure", "age": "age", "allergies": "category", "fasting": "bool"})


@maker
def matches(m, n):
    docs = []
    for at in m.times(n):
        docs.append({"kickoff": at, "home": m.pick(["Reds", "Blues", "Owls", "Foxes"]), "away": m.pick(["Hares", "Bears", "Gulls", "Moles"]),
                     "goals": {"home": m.pick([0, 1, 1, 2, 3]), "away": m.pick([0, 0, 1, 1, 2])}, "attendance": 0 if m.chance(0.06) else m.between(200, 41000),
                     "referee": m.last(), "league": m.weighted(First=50, Second=30, Cup=20), "extra_time": m.chance(0.05),
                     "scorers": ["%s %d'" % (m.last(), m.between(1, 90)) for _ in range(m.pick([0, 1, 2]))]})
    return Set("matches", docs, {"kickoff": "date", "home": "category", "attendance": "count", "league": "category",
                                 "extra_time": "bool", "referee": "name"})


@maker
def recipes(m, n):
    docs = [{"slug": "r-%05d" % i, "name": m.sentence(2, 4)[:-1], "servings": m.pick([1, 2, 4, 4, 4, 6, 8, 24]), "minutes": m.skewed(35, 0.7, 0),
             "kcal": m.skewed(420, 0.4, 0), "course": m.weighted(Main=50, Dessert=25, Soup=15, Side=10), "vegan": m.chance(0.2),
             "ingredients": [{"food": m.pick(["salt", "flour", "M&Ms", "egg", "crème fraîche"]), "amount": m.pick([0.5, 1, 2, 250, 500, None]),
                              "unit": m.pick(["g", "ml", "tsp", None])} for _ in range(m.between(2, 9))],
             "html": "<p>Salt &amp; pepper&nbsp;</p>", "stars": m.pick([3, 4, 4, 5, 5]), "added": m.when()} for i in range(n)]
    return Set("recipes", docs, {"slug": "key", "minutes": "measure", "kcal": "measure", "course": "category", "vegan": "bool",
                                 "ingredients": "items", "added": "date", "name": "title", "stars": "scale"})


# ------------------------------------------------------------------------------------ less usual ones

@maker
def shipments(m, n):
    """A few orders travel in two parcels: order_ref is nearly unique, and no key. The last ones are on the way."""
    docs, order = [], 50000
    for i, at in enumerate(m.times(n)):
        order += 0 if m.chance(0.012) else m.between(1, 3)
        arrived = i < 0.95 * n
        docs.append({"parcel": "PX%09d" % (i * 13 + 5), "order_ref": "O-%06d" % order, "handed_over": at,
                     "arrived": m.past(at + datetime.timedelta(hours=m.between(20, 200))) if arrived else None,
                     "grams": int(m.skewed(900, 0.8, 0)), "cash_on_delivery": 0 if m.chance(0.9) else m.skewed(40, 0.7),
                     "route": [m.pick(["HUB-N", "HUB-S", "HUB-W"]) for _ in range(m.between(1, 4))],
                     "depot": m.zipf(["Graz", "Turku", "Cork", "Porto"]), "fragile": m.chance(0.08)})
    return Set("shipments", docs, {"parcel": "key", "handed_over": "date", "grams": "measure", "depot": "city",
                                   "fragile": "bool", "route": "items"})


@maker
def episodes(m, n):
    """Play counts begin at 0 and have no end; show notes are HTML."""
    docs = [{"guid": m.hexes(8) + "-" + m.hexes(4) + "-" + m.hexes(12), "headline": m.sentence(3, 8)[:-1],
             "show": m.zipf(["Rock & Roll", "Null Hypothesis", "None of the Above", "Q&A"]),
             "secs": int(m.skewed(2400, 0.5, 0)), "season": m.between(1, 9) if m.chance(0.7) else None,
             "explicit": m.chance(0.05), "plays": int(m.skewed(60, 2.4, 0)), "lang": m.zipf(["en", "no", "pt", "na"]),
             "notes_html": "<p>With %s &amp; %s.&nbsp;</p>" % (m.first(), m.first()), "aired": m.when()} for _ in range(n)]
    return Set("episodes", docs, {"guid": "key", "headline": "title", "show": "category", "secs": "measure",
                                  "explicit": "bool", "aired": "date", "plays": "count"})


@maker
def ernte(m, n):
    """German field names; no rain on most days; a field may yield nothing."""
    docs = [{"feld": "%s%02d" % (m.pick("NSW"), m.between(1, 40)), "sorte": m.zipf(["Weizen", "Gerste", "Hafer", "Dinkel", "Mais"]),
             "datum": (UTC0 + datetime.timedelta(days=m.between(0, DAYS))).strftime("%Y-%m-%d"),
             "ertrag_kg": 0 if m.chance(0.03) else round(m.bell(5200, 700, 0)), "regen_mm": 0.0 if m.chance(0.75) else m.skewed(4, 1, 1),
             "feuchte": m.bell(14, 1.5), "gedroschen": m.chance(0.9), "betrieb": m.pick(["Hof Süd", "Hof Mühle", "Ährengrund"]),
             "bemerkung": "" if m.chance(0.9) else m.sentence()} for _ in range(n)]
    return Set("ernte", docs, {"sorte": "category", "datum": "isotext", "feuchte": "measure", "gedroschen": "bool",
                               "betrieb": "category", "feld": "code"}, "csv")


@maker
def precincts(m, n):
    docs = []
    for i in range(n):
        entitled = m.between(300, 2200)
        cast = int(entitled * m.rng.uniform(0.35, 0.85))
        a = int(cast * m.rng.uniform(0.2, 0.7))
        docs.append({"precinct": "%03d-%02d" % (i // 40, i % 40), "entitled": entitled, "cast": cast, "invalid": m.pick([0, 0, 1, 2, 5]),
                     "result": {"Alder": a, "Birch": cast - a, "none": 0}, "turnout_pct": round(100 * cast / entitled, 1),
                     "counted": m.when(10), "recount": m.chance(0.01), "district": m.zipf(["North", "East", "Harbour", "Old Town"])})
    return Set("precincts", docs, {"precinct": "key", "entitled": "count", "turnout_pct": "percent", "counted": "date",
                                   "recount": "bool", "district": "category"})


@maker
def lab(m, n):
    """One field, many analytes: values lie decades apart because their units do."""
    kinds = {"sodium": (140, 4, "mmol/l"), "TSH": (2, 0.7, "mU/l"), "ferritin": (110, 40, "µg/l"), "hCG": (0, 0.1, "U/l"),
             "troponin": (0.01, 0.003, "ng/ml"), "platelets": (250000, 40000, "1/µl")}
    docs = []
    for i in range(n):
        name = m.pick(list(kinds))
        mean, sd, unit = kinds[name]
        docs.append({"sample": "L%07d" % i, "analyte": name, "value": round(abs(m.rng.gauss(mean, sd)), 3), "unit": unit,
                     "flag": m.rng.choices(["N", "H", "L"], [80, 12, 8])[0], "drawn": m.when(), "repeat": m.chance(0.03),
                     "ward": m.zipf(["A1", "B2", "ICU", "NA"])})
    return Set("lab", docs, {"sample": "key", "analyte": "category", "drawn": "date", "repeat": "bool", "flag": "category"})


@maker
def parking(m, n):
    """The first minutes are free, the last cars are still there, plates are written as in many countries."""
    docs = []
    for i, at in enumerate(m.times(n, 40)):
        gone = i < 0.985 * n
        docs.append({"ticket": "%08d" % (i + 1), "plate": m.pick(["%s-%s %d" % (m.letters(1), m.letters(2), m.between(1, 9999)),
                                                                  m.letters(3) + m.digits(3), m.digits(4) + m.letters(3)]),
                     "inTime": at, "outTime": at + datetime.timedelta(minutes=m.between(3, 900)) if gone else None,
                     "charge": 0 if m.chance(0.15) else round(m.skewed(4, 0.6) * 2) / 2, "level": m.pick([-2, -1, 1, 2]),
                     "payment": m.weighted(card=70, coins=20, app=10), "lostTicket": m.chance(0.01)})
    return Set("parking", docs, {"ticket": "key", "inTime": "date", "payment": "category", "lostTicket": "bool"})


@maker
def museum(m, n):
    """Before Christ is a negative year; most things were never measured."""
    docs = [{"accession": "%d.%d.%d" % (m.between(1880, 2024), m.between(1, 60), i), "object": m.pick(["Vase", "Coin", "Mask", "Map", "Bell"]),
             "year": -m.between(1, 600) if m.chance(0.1) else m.between(1, 1990), "dated": m.pick(["ca. 1850", "18th c.", "undated", "1912"]),
             "height_mm": m.skewed(180, 0.9, 0) if m.chance(0.35) else None, "material": m.zipf(["clay", "bronze", "wood", "paper", "stone"]),
             "on_show": m.chance(0.12), "donor": "%s %s" % (m.first(), m.last()) if m.chance(0.6) else "anonymous",
             "entered": datetime.datetime(m.between(1903, 2024), m.between(1, 12), m.between(1, 28))} for i in range(n)]
    return Set("museum", docs, {"accession": "key", "object": "category", "on_show": "bool", "material": "category"}, "json")


@maker
def ladder(m, n):
    """Players call themselves what they like."""
    docs = [{"uid": 7000 + i * 2, "nick": m.pick(["null", "None", "N/A"]) if m.chance(0.003) else m.pick(["xX_%d" % i, "ÄÄÄ%d" % (i % 90), "p%d" % i]), "rank": i + 1,
             "points": int(m.skewed(1500, 0.9, 0)), "wins": m.between(0, 400), "ratio": m.skewed(1, 0.5), "region": m.zipf(["EU", "NA", "SA", "OC"]),
             "utc_offset": m.pick([-8, -5, -3, 0, 1, 2, 9]), "banned": m.chance(0.02), "last_match": m.when(),
             "clan": {"tag": m.letters(3), "role": m.weighted(member=80, officer=15, leader=5)}} for i in range(n)]
    return Set("ladder", docs, {"uid": "key", "wins": "count", "region": "category", "banned": "bool", "last_match": "date",
                                "clan.role": "category", "points": "count"})


@maker
def calls(m, n):
    """Missed calls last 0 seconds; money has four decimals because the tariff has."""
    docs = [{"call": m.hexes(16), "caller": "07700900%03d" % m.between(0, 999), "callee": "01632960%03d" % m.between(0, 999), "begun": m.when(40),
             "talk_s": 0 if m.chance(0.2) else int(m.skewed(90, 1.2, 0)), "cost": round(m.skewed(0.21, 0.9, 4), 4), "cell": "%05d" % m.between(20, 99999),
             "kind": m.weighted(voice=70, video=20, sms=10), "roaming": m.chance(0.04), "mos": m.pick([3.1, 3.6, 4.1, 4.4])} for _ in range(n)]
    return Set("calls", docs, {"call": "key", "begun": "date", "kind": "category", "roaming": "bool", "talk_s": "measure", "mos": "scale"})


@maker
def rentals(m, n):
    """99 and 999 are prices that shops love; odometers pass 99,999."""
    docs = [{"contract": "RC-%05d" % i, "model": m.zipf(["Wren", "Kestrel", "Heron", "Osprey"]), "daily_price": m.rng.choices([49, 69, 99, 149, 999], [30, 30, 25, 14, 1])[0],
             "odometer": m.between(10, 160000), "fuel": m.between(5, 100), "picked_up": m.when().strftime("%Y-%m-%d"),
             "damage": m.weighted(none=80, scratch=15, dent=5), "city": m.city(), "deposit": m.pick([0, 300, 300, 999]),
             "insured": m.chance(0.8), "driver": "%s %s" % (m.first(), m.last())} for i in range(n)]
    return Set("rentals", docs, {"contract": "key", "model": "category", "odometer": "count", "picked_up": "isotext",
                                 "city": "city", "insured": "bool", "driver": "name"}, "csv")


@maker
def spot(m, n):
    """Electricity may cost less than nothing, and says so in no other field."""
    docs = [{"zone": m.pick(["NO1", "DE", "SE3"]), "hour": at.replace(minute=0, second=0), "eur_mwh": round(m.rng.gauss(60, 38), 2),
             "load_mw": m.bell(42000, 5000, 0), "wind_share": min(1.0, max(0.0, m.bell(0.3, 0.15, 3))), "forecast": m.chance(0.1),
             "source": m.weighted(auction=90, intraday=10)} for at in m.times(n, 300)]
    return Set("spot", docs, {"zone": "category", "hour": "date", "load_mw": "measure", "source": "category"})
