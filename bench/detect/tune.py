"""The five domains of the tuning half, for bench/detect. What a domain makes is right, however odd it looks."""
import datetime

from world import ENGLISH, LAST, Data, Domain, container, day, ean13, email, extended, luhn, person


# ------------------------------------------------------------------------------------ clinic

INSURERS = {"AOK7": "Allied Old Kingdom", "BRM": "Brightmoor Mutual", "CRS": "Crescent Care", "CRN": "Crescent Life",
            "DLX": "Delphi Staff Fund", "SELF": "Self-paying"}
DIAGNOSES = {"J06.9": "Acute respiratory infection", "I10": "Essential hypertension", "E11.9": "Type 2 diabetes",
             "E10.9": "Type 1 diabetes", "M54.5": "Low back pain", "R51": "Headache", "K29.7": "Gastritis",
             "S52.5": "Fracture of lower radius", "S52.6": "Fracture of lower ulna", "N39.0": "Urinary infection",
             "Z00.0": "General examination", "L30.9": "Dermatitis", "H66.9": "Otitis media", "D50.9": "Iron deficiency",
             "Q61.2": "Polycystic kidney", "T78.2": "Anaphylactic shock"}
PROCEDURES = {"BLD": ("Blood count", 10), "ECG": ("Electrocardiogram", 15), "XRA": ("X-ray", 20), "USG": ("Ultrasound", 25),
              "CST": ("Cast", 40), "VAC": ("Vaccination", 5), "EEG": ("Electroencephalogram", 45)}
TOWNS = {"01067": "Stafford", "01099": "Stamford", "02826": "Halden", "04109": "Holden", "10115": "Marwick",
         "20095": "Old Ferry", "30159": "New Ferry", "50667": "Köslin", "80331": "Brandal"}


class Clinic(Domain):
    name, half, form, sizes = "clinic", "tune", "ndjson", (4000, 600)
    kinds = {
        "visit_no": "key", "patient.mrn": "zip", "patient.first": "name", "patient.last": "name",
        "patient.born": "date", "patient.sex": "label", "patient.email": "email", "patient.zip": "zip",
        "patient.town": "place", "insurer.code": "label", "insurer.name": "label", "kind": "label",
        "arrived": "date", "discharged": "date", "diagnosis.code": "code", "diagnosis.label": "label",
        "vitals.height_cm": "measure", "vitals.weight_kg": "measure", "vitals.temp_c": "measure",
        "vitals.pulse": "count", "charges.fee": "money", "charges.drugs": "money", "charges.total": "money",
        "procedures": "array", "procedures[].label": "label", "procedures[].minutes": "count", "note": "text",
        "allergy": "label", "consent": "bool"}
    optional = ("patient.email", "discharged", "note", "procedures", "procedures[].label", "procedures[].minutes")
    linked = (("patient.zip", "patient.town"), ("patient.mrn", "patient.first", "patient.last", "patient.born", "patient.sex",
                                                "patient.zip", "patient.town"))
    depends = (("insurer.code", "insurer.name"), ("diagnosis.code", "diagnosis.label"), ("patient.zip", "patient.town"))
    sums = (("charges.total", ("charges.fee", "charges.drugs")),)
    ordered = (("arrived", "discharged"), ("patient.born", "arrived"))
    swaps = (("patient.first", "patient.last"), ("vitals.height_cm", "vitals.weight_kg"))
    glued = (("patient.town", "patient.zip"), ("insurer.name", "insurer.code"))
    rules = (("discharged", "kind"),)

    def patient(self, w, i):
        first, last = person(w)
        zip_code = w.zipf(list(TOWNS), 0.8)
        p = {"mrn": "%08d" % (i * 37 + 1004), "first": first, "last": last,
             "born": extended(datetime.datetime(w.between(1934, 2018), w.between(1, 12), w.between(1, 28))),
             "sex": w.weighted(F=50, M=48, X=1), "zip": zip_code, "town": TOWNS[zip_code]}
        if w.chance(0.7):
            p["email"] = email(w, first, last, i)
        p["height"] = w.bell(170, 9, 0)
        return p

    def make(self, w, n):
        people = [self.patient(w, i) for i in range(max(4, n // 3))]
        docs = []
        for i in range(n):
            who = w.pick(people)
            arrived = w.when()
            kind = w.weighted(outpatient=70, inpatient=25, emergency=5)
            code = w.zipf(list(DIAGNOSES), 0.9)
            fee, drugs = float(w.pick([45, 60, 60, 85, 120, 480])), 0.0 if w.chance(0.4) else w.skewed(30, 1.2)
            insurer = w.zipf(list(INSURERS), 0.7)
            doc = {"_id": w.oid(), "visit_no": "V%d-%05d" % (arrived.year, i), "patient": {
                       k: v for k, v in who.items() if k != "height"},
                   "insurer": {"code": insurer, "name": INSURERS[insurer]}, "kind": kind, "arrived": extended(arrived),
                   "diagnosis": {"code": code, "label": DIAGNOSES[code]},
                   "vitals": {"height_cm": who["height"], "weight_kg": round((who["height"] - 100) * w.rng.uniform(0.75, 1.3), 1),
                              "temp_c": w.bell(36.9, 0.6), "pulse": int(w.bell(76, 11, 0))},
                   "charges": {"fee": fee, "drugs": drugs, "total": round(fee + drugs, 2)},
                   "procedures": [{"code": c, "label": PROCEDURES[c][0], "minutes": PROCEDURES[c][1] + w.between(-3, 9)}
                                  for c in w.rng.sample(list(PROCEDURES), w.pick([0, 1, 1, 2, 3]))],
                   "allergy": w.weighted(none=70, unknown=14, penicillin=9, latex=4, nuts=3), "consent": w.chance(0.93)}
            if kind == "inpatient":
                doc["discharged"] = extended(w.later(arrived, 1, 21))
            if w.chance(0.6):
                doc["note"] = w.sentence(ENGLISH, 5, 26)
            docs.append(doc)
        return Data("visits", docs)


# ------------------------------------------------------------------------------------ shipments

PORTS = {"NLRTM": ("Rotterdam", "Netherlands"), "DEHAM": ("Hamburg", "Germany"), "DEBRV": ("Bremerhaven", "Germany"),
         "BEANR": ("Antwerp", "Belgium"), "CNSHA": ("Shanghai", "China"), "CNNGB": ("Ningbo", "China"),
         "SGSIN": ("Singapore", "Singapore"), "KRPUS": ("Busan", "South Korea"), "AUSYD": ("Sydney", "Australia"),
         "AUMEL": ("Melbourne", "Australia"), "ATLNZ": ("Linz", "Austria"), "NGAPP": ("Apapa", "Nigeria"),
         "NENIM": ("Niamey", "Niger"), "USNYC": ("New York", "United States"), "USLAX": ("Los Angeles", "United States"),
         "BRSSZ": ("Santos", "Brazil"), "INNSA": ("Nhava Sheva", "India"), "GBFXT": ("Felixstowe", "United Kingdom")}
LINES = {"MRK": "Merak Line", "HPL": "Hapax Lines", "CSG": "Cosgrove Sea", "EVG": "Everglade", "ONX": "Onyx Ocean"}
GOODS = {"080390": "Bananas", "090111": "Coffee", "100630": "Rice", "220421": "Wine", "300490": "Medicaments",
         "401110": "Tyres", "610910": "T-shirts", "640399": "Footwear", "847130": "Laptops", "870323": "Cars",
         "940360": "Furniture", "030617": "Shrimps"}
COLD = {"080390": 13, "030617": -18, "300490": 5}
UNIT_PRICE = {"080390": 14.5, "090111": 210.0, "100630": 32.75, "220421": 48.6, "300490": 385.0, "401110": 61.2,
              "610910": 44.0, "640399": 118.9, "847130": 612.5, "870323": 14250.0, "940360": 96.4, "030617": 74.3}


class Shipments(Domain):
    name, half, form, sizes = "shipments", "tune", "csv", (20000, 2500)
    kinds = {
        "bl_no": "key", "container_no": "container", "line_code": "label", "line_name": "label", "origin": "code",
        "origin_port": "place", "origin_country": "place", "dest": "code", "dest_port": "place", "dest_country": "place",
        "hs_code": "zip", "goods": "label", "booked": "date", "departed": "date", "arrived": "date", "status": "label",
        "packages": "count", "unit_price": "money", "value": "money", "gross_kg": "measure", "tare_kg": "measure",
        "net_kg": "measure", "set_temp": "measure", "remarks": "text"}
    optional = ("arrived", "set_temp", "remarks", "departed")
    linked = (("origin", "origin_port", "origin_country"), ("dest", "dest_port", "dest_country"),
              ("hs_code", "goods", "unit_price", "set_temp"), ("status", "arrived", "departed", "booked"))
    depends = (("line_code", "line_name"), ("origin", "origin_port"), ("origin_port", "origin_country"),
               ("dest", "dest_country"), ("hs_code", "goods"), ("hs_code", "unit_price"))
    sums = (("value", ("packages", "unit_price")), ("net_kg", ("gross_kg", "tare_kg")))
    ordered = (("booked", "departed"), ("departed", "arrived"))
    swaps = (("origin_port", "origin_country"), ("gross_kg", "net_kg"))
    glued = (("origin_port", "origin_country"), ("dest_port", "dest"), ("line_name", "line_code"))
    rules = (("set_temp", "hs_code"), ("arrived", "status"))

    def make(self, w, n):
        boxes = [container(w.pick(["MRKU", "HPLU", "CSGU", "TGHU", "ONXU"]), w.digits(6)) for _ in range(n // 6)]
        docs = []
        for i in range(n):
            a, b = w.rng.sample(list(PORTS), 2) if w.chance(0.3) else (w.zipf(list(PORTS)), w.pick(list(PORTS)[:5]))
            hs, line = w.zipf(list(GOODS), 0.6), w.zipf(list(LINES), 0.5)
            booked = w.when()
            departed = w.later(booked, 3, 30)
            status = w.weighted(delivered=82, at_sea=9, in_port=6, booked=3)
            packages = max(1, int(w.skewed(18 if hs == "870323" else 420, 0.6, 0)))
            tare = w.pick([2200, 2250, 3700, 3750, 3900, 4480])
            net = int(w.skewed(14000, 0.35, 0))
            docs.append({
                "bl_no": "%s%07d" % (line, 4100000 + i * 3), "line_code": line, "line_name": LINES[line],
                "container_no": w.pick(boxes),
                "origin": a, "origin_port": PORTS[a][0], "origin_country": PORTS[a][1], "dest": b,
                "dest_port": PORTS[b][0], "dest_country": PORTS[b][1], "hs_code": hs, "goods": GOODS[hs],
                "booked": day(booked), "departed": None if status == "booked" else day(departed),
                "arrived": day(w.later(departed, 4, 45)) if status in ("delivered", "in_port") else None,
                "status": status, "packages": packages, "unit_price": UNIT_PRICE[hs],
                "value": round(packages * UNIT_PRICE[hs], 2), "gross_kg": net + tare, "tare_kg": tare, "net_kg": net,
                "set_temp": COLD.get(hs), "demurrage": 0 if w.chance(0.9) else w.skewed(240, 1.1),
                "remarks": w.sentence(ENGLISH, 4, 18) if w.chance(0.25) else None})
        return Data("bills", docs)


# ------------------------------------------------------------------------------------ bookshop

AUTHORS = ["Ilse Brandt", "Ilse Brand", "Tomas Verne", "Ruth Okafor", "Li Wei", "Li Mei", "Pía Solano", "Ghita Amrani",
           "Sam Holloway", "Ana Duarte", "Ola Nilsen", "Oda Nilsen"]
SUBJECTS = ["Gardens", "Rivers", "Bridges", "Clocks", "Maps", "Birds", "Stones", "Letters", "Kitchens", "Lighthouses"]
SHAPES = ["A History of %s", "The Quiet %s", "%s and How to Love Them", "Understanding %s", "%s: An Illustrated Guide",
          "My Life among %s", "Seven %s", "Beyond %s"]


class Bookshop(Domain):
    name, half, form, sizes = "bookshop", "tune", "json", (3000, 500)
    kinds = {
        "receipt": "key", "sold_at": "date", "branch.code": "label", "branch.name": "label", "branch.city": "place",
        "customer_no": "ref", "card": "luhn", "book.isbn": "ean", "book.title": "title", "book.author": "label",
        "book.format": "label", "book.pages": "count", "qty": "count", "unit_price": "money", "subtotal": "money",
        "discount": "money", "due": "money", "paid.method": "label", "paid.at": "date", "tags": "tags",
        "ratings": "array", "gift_note": "text", "online": "bool"}
    optional = ("customer_no", "card", "gift_note", "tags", "ratings", "paid.at")
    linked = (("book.isbn", "book.title", "book.author", "book.format", "book.pages"),
              ("branch.code", "branch.name", "branch.city"), ("customer_no", "card"), ("paid.method", "paid.at"))
    depends = (("book.isbn", "book.title"), ("book.isbn", "book.author"), ("book.isbn", "book.pages"),
               ("branch.code", "branch.name"), ("branch.code", "branch.city"))
    sums = (("subtotal", ("qty", "unit_price")), ("due", ("subtotal", "discount")))
    ordered = (("sold_at", "paid.at"),)
    swaps = (("book.title", "book.author"), ("branch.name", "branch.city"))
    glued = (("book.title", "book.author"), ("branch.name", "branch.city"))
    refs = ("customer_no",)

    def make(self, w, n):
        branches = {"HQ": ("Main Store", "Halden"), "N1": ("North Arcade", "Stafford"), "N2": ("North Gate", "Stamford"),
                    "ST": ("Station Kiosk", "Halden"), "UN": ("University", "Old Ferry")}
        books = []
        for i in range(max(8, n // 12)):
            books.append({"isbn": ean13("978%09d" % w.between(10 ** 8, 10 ** 9 - 1)),
                          "title": w.pick(SHAPES) % w.pick(SUBJECTS), "author": w.zipf(AUTHORS, 0.5),
                          "format": w.weighted(paperback=60, hardcover=30, audio=7, braille=1),
                          "pages": int(w.skewed(280, 0.4, 0)), "price": w.pick([8.99, 9.99, 12.5, 14.0, 18.99, 24.0, 39.9])})
        customers = []
        for i in range(max(6, n // 5)):
            first, last = person(w)
            customers.append({"_id": 20000 + i * 3, "name": first + " " + last, "email": email(w, first, last, i),
                              "card": luhn("6077%011d" % w.between(0, 10 ** 11 - 1)), "city": w.pick(list(TOWNS.values()))})
        docs = []
        for i in range(n):
            b, at, branch = w.zipf(books, 0.7), w.when(), w.zipf(list(branches))
            qty = w.pick([1, 1, 1, 1, 1, 2, 2, 3, 30 if w.chance(0.05) else 4])
            subtotal = round(qty * b["price"], 2)
            discount = round(subtotal * 0.1, 2) if w.chance(0.12) else 0.0
            method = w.weighted(card=60, cash=30, invoice=8, voucher=2)
            doc = {"_id": w.oid(), "receipt": "R%07d" % (300000 + i), "sold_at": extended(at),
                   "branch": {"code": branch, "name": branches[branch][0], "city": branches[branch][1]},
                   "book": {k: v for k, v in b.items() if k != "price"}, "qty": qty, "unit_price": b["price"],
                   "subtotal": subtotal, "discount": discount, "due": round(subtotal - discount, 2),
                   "paid": {"method": method}, "tags": w.pick([[], ["gift"], ["new"], ["new", "gift"], ["used"]]),
                   "ratings": [w.between(1, 5) for _ in range(w.pick([0, 1, 1, 2, 4]))], "online": w.chance(0.35)}
            if w.chance(0.75):
                who = w.pick(customers)
                doc["customer_no"], doc["card"] = who["_id"], who["card"]
            if method != "invoice" or w.chance(0.8):
                doc["paid"]["at"] = extended(w.later(at, 0, 0) if method != "invoice" else w.later(at, 5, 60))
            if w.chance(0.1):
                doc["gift_note"] = w.sentence(ENGLISH, 4, 14)
            docs.append(doc)
        return Data("sales", docs, customers=customers)


# ------------------------------------------------------------------------------------ phones reported by shops

MAKERS = {"Nokta": "Finland", "Samsara": "South Korea", "Huaxin": "China", "Fairline": "Netherlands", "Pixelite": "United States"}


class Phones(Domain):
    """Seven shops report each model. Price and stock are the shop's own; everything else is of the model."""
    name, half, form, sizes = "phones", "tune", "csv", (2800, 420)
    kinds = {
        "model": "name", "shop": "label", "brand": "label", "made_in": "place", "display_inch": "measure",
        "weight_g": "measure", "battery_mah": "count", "released": "date", "os": "label", "sim": "label",
        "ean": "ean", "price": "money", "stock": "count", "url": "url", "checked_on": "date"}
    optional = ("stock", "checked_on")
    linked = (("model", "brand", "made_in", "display_inch", "weight_g", "battery_mah", "released", "os", "sim", "ean"),)
    depends = (("brand", "made_in"),)
    votes = tuple(("model", p) for p in ("display_inch", "weight_g", "battery_mah", "released", "os", "sim", "ean"))
    swaps = (("display_inch", "weight_g"),)
    glued = (("os", "sim"), ("brand", "made_in"))

    def make(self, w, n):
        shops = ["phonehub", "cellmart", "topmobile", "gsm-direct", "handyland", "mobilo", "e-store"]
        models = {}
        while len(models) < max(2, n // 7):
            brand = w.zipf(list(MAKERS), 0.6)
            name = "%s %s%d%s" % (brand, w.pick(["A", "M", "Note ", "Z", "X"]), w.between(1, 60), w.pick(["", "", " Pro", " Lite", "s"]))
            models[name] = {
                "brand": brand, "made_in": MAKERS[brand], "display_inch": w.pick([5.4, 6.1, 6.1, 6.3, 6.5, 6.7, 6.8, 7.6]),
                "weight_g": int(w.bell(185, 18, 0)), "battery_mah": w.between(56, 110) * 50,
                "released": day(w.when(700)), "os": w.weighted(Android=80, KaiOS=6, Harmony=14),
                "sim": w.weighted(Nano=40, eSIM=15, Dual=45), "ean": ean13(w.pick("4568") + w.digits(11)), "base": w.skewed(380, 0.6)}
        docs = []
        for name, m in list(models.items()):
            for shop in shops:
                if len(docs) == n:
                    break
                doc = {"model": name, "shop": shop}
                doc.update((k, v) for k, v in m.items() if k != "base")
                doc["price"] = round(m["base"] * w.rng.uniform(0.85, 1.2), 2)
                doc["stock"] = None if shop == "e-store" else 0 if w.chance(0.3) else w.between(1, 60)
                doc["url"] = "https://www.%s.example/p/%s" % (shop, name.lower().replace(" ", "-"))
                doc["checked_on"] = day(w.later(LAST, -400, 0))
                docs.append(doc)
        return Data("offers", docs)


# ------------------------------------------------------------------------------------ allotment gardens

class Gardens(Domain):
    """A small table that people keep by hand."""
    name, half, form, sizes = "gardens", "tune", "csv", (11, 60, 240)
    kinds = {
        "plot": "key", "section": "label", "section_name": "label", "tenant": "name", "email": "email", "since": "date",
        "area_m2": "measure", "rent": "money", "water_before": "count", "water_after": "count", "water_used": "count",
        "key_no": "zip", "hut": "label", "paid": "label", "remark": "text"}
    optional = ("email", "remark", "hut")
    linked = (("section", "section_name", "plot"),)
    depends = (("section", "section_name"),)
    sums = (("rent", ("area_m2",)), ("water_used", ("water_before", "water_after")))
    swaps = (("water_before", "water_after"), ("tenant", "section_name"))
    glued = (("section_name", "section"),)

    def make(self, w, n):
        sections = {"A": "Along the brook", "B": "Behind the mill", "C": "Chapel side", "D": "Dyke"}
        keys = w.rng.sample(range(1, 1900), n)
        docs = []
        for i in range(n):
            section = list(sections)[min(3, i * 4 // n)]
            first, last = person(w)
            area, before, used = w.pick([120, 150, 150, 180, 200, 240, 300]), w.between(20, 900), w.pick([0, 4, 6, 7, 9, 11, 15, 22])
            docs.append({
                "plot": "%s%03d" % (section, i + 1), "section": section, "section_name": sections[section],
                "tenant": "%s, %s" % (last, first), "email": email(w, first, last, i) if w.chance(0.8) else None,
                "since": day(datetime.datetime(w.between(1981, 2024), w.between(1, 12), w.between(1, 28))),
                "area_m2": area, "rent": round(area * 0.42, 2), "water_before": before, "water_after": before + used,
                "water_used": used, "key_no": "%04d" % keys[i], "hut": w.pick(["wood", "wood", "stone", "none", "none"]),
                "paid": w.weighted(yes=92, no=8), "remark": w.sentence(ENGLISH, 3, 9) if w.chance(0.2) else None})
        return Data("plots", docs)


DOMAINS = [Clinic(), Shipments(), Bookshop(), Phones(), Gardens()]
