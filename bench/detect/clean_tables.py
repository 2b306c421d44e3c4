"""Tables that are right, for bench/detect: what an audit says above low about them is a false alarm.

Nothing is damaged here. The tables are of other kinds than the domains with damage: logs, prices, results of matches,
counters, lists of species and countries, bookings, forms, in several scripts, from 5 rows on; skewed, long-tailed, with
rare but right values. Add what an audit wrongly reported about real data, as it is made and not as it is reported.
"""
import datetime

from world import ENGLISH, ascii_of, clean_domain, day, ean13, email, extended, iban, person

DOMAINS = []
SIZES = (5, 12, 40, 200, 1500)
table = clean_domain(DOMAINS, "csv", SIZES)


def mins(w, low, high):
    return datetime.timedelta(minutes=w.between(low, high))


# ------------------------------------------------------------------------------------ people and work

GIVEN_RU = "Анна Иван Мария Пётр Ольга Сергей Елена Юрий Наталья Алексей Зоя Фёдор".split()
FAMILY_RU = "Иванов Петров Сидоров Кузнецов Смирнов Попов Соколов Лебедев Козлов Новиков Морозов Волков".split()


@table()
def staff_ru(w, n):
    grades = [("стажёр", 45000), ("инженер", 90000), ("ведущий инженер", 140000), ("начальник отдела", 210000)]
    docs = []
    for i in range(n):
        title, pay = ("директор", 950000) if i == 0 else w.zipf(grades, 0.6)
        g = w.pick(GIVEN_RU)
        docs.append({"таб_номер": "%05d" % (1200 + i * 3), "фамилия": w.pick(FAMILY_RU) + ("а" if g[-1] in "ая" else ""), "имя": g,
                     "должность": title, "оклад": int(pay * w.rng.uniform(0.9, 1.2)) // 500 * 500,
                     "начальник": None if i == 0 else "%05d" % (1200 + w.between(0, min(i - 1, 8)) * 3),
                     "принят": w.when().strftime("%d.%m.%Y"), "стаж_лет": round(w.rng.uniform(0, 38), 1)})
    return docs


@table("ndjson")
def timesheets(w, n):
    people = ["%s %s" % person(w) for _ in range(max(3, n // 30))]
    projects = ["INT", "P-1042", "P-1043", "P-2001", "P-2001-B", "VAC"]
    docs, when = [], datetime.datetime(2024, 1, 1)
    for i in range(n):
        when += datetime.timedelta(hours=w.between(0, 7))
        project = w.zipf(projects, 0.7)
        hours = 8.0 if project == "VAC" else w.pick([0.25, 0.5, 1.0, 1.5, 2.0, 2.0, 3.75, 4.0, 4.0, 6.5, 8.0])
        doc = {"id": i + 1, "person": w.zipf(people, 0.5), "day": extended(when.replace(hour=0, minute=0)), "project": project,
               "hours": hours, "billable": project.startswith("P") and w.chance(0.9)}
        if doc["billable"]:
            doc["rate"] = w.pick([85, 95, 95, 110, 140])
        if w.chance(0.04):
            doc["overtime"] = w.pick([0.5, 1.0, 2.0])
        if w.chance(0.5):
            doc["note"] = w.sentence(ENGLISH, 2, 9)
        docs.append(doc)
    return docs


@table()
def survey(w, n):
    docs = []
    for i in range(n):
        age = w.pick(["18-24", "25-34", "35-44", "45-54", "55-64", "65+"])
        docs.append({"respondent": i + 1, "wave": w.pick(["A", "B"]), "age_group": age, "gender": w.weighted(female=49, male=48, diverse=2),
                     "q1_satisfied": w.pick([1, 2, 3, 3, 4, 4, 4, 5, 5]), "q2_recommend": w.pick([0, 3, 5, 6, 7, 7, 8, 8, 8, 9, 9, 10, 10]),
                     "q3_channel": w.zipf(["shop", "web", "phone", "app", "fair"], 1.0),
                     "q4_reason": w.weighted(price=40, quality=30, service=20, none=10),
                     "q5_visits": 0 if w.chance(0.3) else int(w.skewed(3, 1.0, 0)), "weight": round(w.rng.lognormvariate(0, 0.3), 4),
                     "comment": w.sentence(ENGLISH, 3, 16) if w.chance(0.25) else None})
    return docs


# ------------------------------------------------------------------------------------ money

@table(delimiter=";", decimal=",")
def umsaetze(w, n):
    """Bookings of an account: both signs, a running balance, a value date before or after the booking date."""
    names = ["Stadtwerke", "Bäckerei Kühn", "REWE", "Miete Schönfeld", "Gehalt Adler GmbH", "DB Vertrieb", "Apotheke am Markt", "Lotto"]
    docs, when, balance = [], datetime.datetime(2023, 5, 2), 1830.55
    for i in range(n):
        when += datetime.timedelta(days=w.pick([0, 0, 0, 1, 1, 2, 4]))
        name = w.zipf(names, 0.5)
        amount = 2840.12 if name.startswith("Gehalt") else -920.0 if name.startswith("Miete") else -w.skewed(24, 0.9)
        balance = round(balance + amount, 2)
        docs.append({"Buchungstag": when.strftime("%d.%m.%Y"), "Wertstellung": (when + datetime.timedelta(days=w.pick([0, 0, 0, 0, 1, -1]))).strftime("%d.%m.%Y"),
                     "Empfänger": name, "IBAN": iban("DE", w.pick(["370400440532013000", "100500000054540402", "700202700010108669"])) if name != "REWE" else None,
                     "Verwendungszweck": "%s %s" % (w.pick(["Rechnung", "Kartenzahlung", "Dauerauftrag", "Rg. Nr."]), w.digits(w.between(4, 9))),
                     "Betrag": amount, "Saldo": balance, "Währung": "EUR"})
    return docs


@table(sizes=(12, 60, 500))
def quotes(w, n):
    docs, when, price = [], datetime.datetime(2023, 1, 2), 41.0
    for i in range(n):
        when += datetime.timedelta(days=3 if when.weekday() == 4 else 1)
        start = round(price * w.rng.gauss(1, 0.006), 2)
        price = round(start * w.rng.gauss(1.0004, 0.018), 2)
        docs.append({"date": day(when), "open": start, "high": round(max(start, price) * (1 + abs(w.rng.gauss(0, 0.006))), 2),
                     "low": round(min(start, price) * (1 - abs(w.rng.gauss(0, 0.006))), 2), "close": price,
                     "volume": int(w.skewed(1200000, 0.6, 0)), "dividend": 0.35 if i % 63 == 40 else 0})
    return docs


@table("json")
def donations(w, n):
    docs = []
    for i in range(n):
        amount = w.pick([5, 10, 10, 20, 25, 25, 50, 50, 100, 100, 250, 1000]) if w.chance(0.99) else w.pick([5000, 25000, 100000])
        doc = {"_id": w.oid(), "at": extended(w.when()), "amount": amount, "currency": w.weighted(EUR=90, CHF=7, GBP=3),
               "recurring": w.chance(0.3), "channel": w.zipf(["card", "transfer", "paypal", "cash", "legacy"], 1.2)}
        if w.chance(0.7):
            first, last = person(w)
            doc["donor"] = {"name": first + " " + last, "email": email(w, first, last, i)}
        if doc["recurring"]:
            doc["interval"] = w.pick(["month", "month", "quarter", "year"])
        if w.chance(0.1):
            doc["dedication"] = w.sentence(ENGLISH, 2, 6)
        docs.append(doc)
    return docs


@table()
def houses(w, n):
    docs = []
    for i in range(n):
        kind = w.weighted(condo=40, house=50, townhouse=9, castle=1)
        area = round(w.skewed({"condo": 85, "house": 150, "townhouse": 120, "castle": 1400}[kind], 0.3, 0))
        docs.append({"mls": "MLS-%07d" % w.between(1000000, 9999999), "kind": kind, "rooms": max(1, round(area / 32)), "baths": w.pick([1, 1, 1.5, 2, 2, 2.5, 3]),
                     "area_m2": int(area), "lot_m2": None if kind == "condo" else int(w.skewed(520, 0.9, 0)), "built": w.pick([1890, 1925, 1958, 1964, 1972, 1984, 1991, 2003, 2008, 2015, 2021]),
                     "garage": w.pick([0, 0, 1, 1, 2]), "heating": w.zipf(["gas", "district", "heat pump", "oil", "wood"], 0.9),
                     "listed": day(w.when(1100)), "price": int(area * w.skewed(3100, 0.35, 0)) // 1000 * 1000, "agent": w.zipf(["Kel & Partner", "Rath", "Homewell", "Ivers Homes"], 0.7)})
    return docs


# ------------------------------------------------------------------------------------ machines

@table("ndjson", sizes=(12, 200, 3000))
def access_log(w, n):
    paths = ["/", "/index.html", "/api/v1/items", "/api/v1/items/17", "/login", "/static/app.js", "/static/app.css", "/favicon.ico", "/robots.txt", "/admin.php"]
    docs, when = [], datetime.datetime(2025, 2, 3, 0, 0, 1)
    for i in range(n):
        when += datetime.timedelta(seconds=w.between(0, 40))
        status = w.rng.choices([200, 304, 404, 301, 500, 503, 418], [800, 90, 60, 20, 6, 2, 0.3])[0]
        doc = {"ts": extended(when), "ip": "10.%d.%d.%d" % (w.between(0, 3), w.between(0, 255), w.between(1, 254)), "method": w.rng.choices(["GET", "POST", "HEAD", "DELETE"], [900, 80, 15, 1])[0],
               "path": w.zipf(paths, 0.9), "status": status, "bytes": 0 if status in (304, 301) else int(w.skewed(2400, 1.4, 0)), "ms": int(w.skewed(12, 1.2, 0)),
               "agent": w.zipf(["Mozilla/5.0 (X11; Linux x86_64)", "Mozilla/5.0 (Windows NT 10.0)", "curl/8.5.0", "python-requests/2.31.0", "Googlebot/2.1"], 0.9)}
        if w.chance(0.4):
            doc["referer"] = "https://www.example.org" + w.zipf(paths, 0.9)
        if w.chance(0.2):
            doc["user"] = w.pick(["anna", "anne", "admin", "root", "jon", "john"])
        docs.append(doc)
    return docs


@table(sizes=(40, 400, 4000))
def solar(w, n):
    """A counter that only grows, power that is 0 at night, a temperature on both sides of 0."""
    docs, when, total = [], datetime.datetime(2024, 12, 1), 10482.3
    for i in range(n):
        when += datetime.timedelta(minutes=15)
        h = when.hour + when.minute / 60
        power = max(0, 3800 * (1 - ((h - 12.5) / 4.2) ** 2)) * w.rng.uniform(0.1, 1) if abs(h - 12.5) < 4.2 else 0
        total += power / 4000
        docs.append({"time": when.strftime("%Y-%m-%d %H:%M:%S"), "meter": "E-7731", "power_w": round(power), "total_kwh": round(total, 2),
                     "panel_temp": round(-2 + power / 160 + w.rng.gauss(0, 2.5), 1), "inverter": "on" if power else "standby", "error_code": 0 if w.chance(0.995) else w.pick([17, 203])})
    return docs


@table(sizes=(12, 365, 2500))
def weather(w, n):
    docs, when = [], datetime.date(2018, 1, 1)
    import math
    for i in range(n):
        mean = 9 - 11 * math.cos(i / 365.25 * 6.283) + w.rng.gauss(0, 3.5)
        low, high = round(mean - abs(w.rng.gauss(4, 1.5)), 1), round(mean + abs(w.rng.gauss(5, 2)), 1)
        docs.append({"date": str(when + datetime.timedelta(days=i)), "tmin": low, "tmax": high, "rain_mm": 0 if w.chance(0.55) else w.skewed(2.4, 1.2, 1),
                     "snow_cm": int(w.skewed(4, 0.8, 0)) if mean < 0 and w.chance(0.4) else 0, "sun_h": round(max(0, w.rng.gauss(5, 4)), 1), "wind_kmh": w.skewed(14, 0.4, 1),
                     "gust_kmh": None if w.chance(0.3) else w.skewed(38, 0.3, 0), "pressure_hpa": round(w.rng.gauss(1014, 8), 1)})
    return docs


@table("ndjson")
def packages(w, n):
    stems = "json http async fast core mini micro hyper deep string date color path stream event".split()
    tails = "parse parser utils kit lite client server merge loader cli wrap".split()
    names = sorted({"%s-%s" % (w.pick(stems), w.pick(tails)) + w.pick(["", "", "2", ".js", "-rs"]) for _ in range(n * 4)})
    w.rng.shuffle(names)
    docs = []
    for i, name in enumerate(names[:n]):
        doc = {"name": name, "version": "%d.%d.%d" % (w.zipf(range(12), 1), w.between(0, 30), w.between(0, 19)) + (w.pick(["-rc.1", "-beta.2"]) if w.chance(0.03) else ""),
               "license": w.zipf(["MIT", "Apache-2.0", "ISC", "BSD-3-Clause", "GPL-3.0-or-later", "MPL-2.0", "Unlicense", "0BSD"], 1.5), "downloads": int(w.skewed(300, 3, 0)),
               "keywords": w.rng.sample(stems, w.between(0, 5)), "maintainers": w.rng.sample(["ada12", "bela", "carlo7", "dora", "emil99", "fay", "gil3"], w.pick([1, 1, 1, 2, 3])),
               "published": extended(w.when())}
        if w.chance(0.6):
            doc["homepage"] = "https://%s.example.dev" % name.replace(".", "-")
        if w.chance(0.02):
            doc["deprecated"] = "use " + w.pick(names)
        docs.append(doc)
    return docs


@table(suffix="tsv", delimiter="\t")
def variants(w, n):
    docs = []
    for i in range(n):
        ref, alt = w.rng.sample("ACGT", 2)
        if w.chance(0.1):
            alt = ref + "".join(w.rng.choices("ACGT", k=w.between(1, 24)))
        docs.append({"chrom": w.rng.choices([str(k) for k in range(1, 23)] + ["X", "Y", "MT"], list(range(24, 2, -1)) + [10, 1, 0.3])[0], "pos": w.between(10000, 240000000),
                     "rsid": "rs%d" % w.between(1000, 1600000000) if w.chance(0.8) else None, "ref": ref, "alt": alt, "qual": w.skewed(240, 0.8, 2), "depth": int(w.skewed(34, 0.4, 0)),
                     "genotype": w.pick(["0/1", "0/1", "1/1"]) if w.chance(0.99) else "1/2", "filter": "PASS" if w.chance(0.93) else w.pick(["LowQual", "SnpCluster"])})
    return docs


# ------------------------------------------------------------------------------------ lists

COUNTRIES = """AD Andorra EUR|AE United Arab Emirates AED|AT Austria EUR|AU Australia AUD|BE Belgium EUR|BR Brazil BRL|CH Switzerland CHF|CI Côte d'Ivoire XOF|CL Chile CLP
CN China CNY|DE Germany EUR|DK Denmark DKK|EE Estonia EUR|ES Spain EUR|FI Finland EUR|FR France EUR|GB United Kingdom GBP|GN Guinea GNF|GW Guinea-Bissau XOF|IE Ireland EUR|IN India INR
IQ Iraq IQD|IR Iran IRR|IS Iceland ISK|IT Italy EUR|JP Japan JPY|LI Liechtenstein CHF|LT Lithuania EUR|LV Latvia EUR|ME Montenegro EUR|ML Mali XOF|MT Malta EUR|NA Namibia NAD|NE Niger XOF
NG Nigeria NGN|NL Netherlands EUR|NO Norway NOK|NR Nauru AUD|NZ New Zealand NZD|PL Poland PLN|PT Portugal EUR|PY Paraguay PYG|SE Sweden SEK|SI Slovenia EUR|SK Slovakia EUR|SM San Marino EUR
TV Tuvalu AUD|US United States USD|UY Uruguay UYU|VA Vatican City EUR|VU Vanuatu VUV|WS Samoa WST|ZA South Africa ZAR""".replace("\n", "|").split("|")


@table(sizes=(20, 53))
def countries(w, n):
    docs = []
    for row in w.rng.sample(COUNTRIES, n):
        code, rest = row.split(" ", 1)
        name, money = rest.rsplit(" ", 1)
        docs.append({"code": code, "name": name, "currency": money, "population": int(w.skewed(8e6, 2.3, 0)), "area_km2": int(w.skewed(200000, 2.2, 0)), "landlocked": w.chance(0.2), "calling_code": "+%d" % w.between(30, 998)})
    return docs


@table("json")
def species(w, n):
    genera = "Quercus Acer Salix Rosa Carex Viola Festuca Hieracium Rubus Allium Veronica Trifolium".split()
    epithets = "alba albus rubra rubrum nigra montana palustris pratensis sylvatica vulgaris minor major repens arvensis alpina alpinum officinalis glauca".split()
    pairs = [(g, e) for g in genera for e in epithets]
    w.rng.shuffle(pairs)
    docs = []
    for i, (g, e) in enumerate(pairs[:n]):
        h = w.skewed(0.6, 1.4)
        doc = {"genus": g, "epithet": e, "name": g + " " + e, "height_m": h, "family": {"Q": "Fagaceae", "A": "Sapindaceae", "S": "Salicaceae", "R": "Rosaceae"}.get(g[0], "Poaceae"),
               "flowering": [m for m in range(w.between(3, 6), w.between(6, 9))], "red_list": w.zipf(["LC", "NT", "VU", "EN", "CR", "DD"], 1.4), "native": w.chance(0.9)}
        if w.chance(0.3):
            doc["synonyms"] = ["%s %s" % (g, w.pick(epithets)) for _ in range(w.between(1, 3))]
        docs.append(doc)
    return docs


@table(sizes=(12, 60, 400))
def matches(w, n):
    clubs = ["Athletic", "Rovers", "United", "City", "Wanderers", "Albion", "Rangers", "Town", "County", "Real", "Inter", "Dinamo"]
    docs, when = [], datetime.datetime(2022, 8, 6, 15)
    for i in range(n):
        when += datetime.timedelta(days=7 if i % 6 == 0 else 0)
        home, away = w.rng.sample(clubs, 2)
        hg, ag = (w.rng.choices([0, 1, 2, 3, 4, 5, 8], [26, 33, 22, 12, 5, 2, 0.3])[0] for _ in range(2))
        docs.append({"match": i + 1, "date": day(when), "kickoff": w.pick(["15:00", "15:00", "17:30", "20:45"]), "home": home, "away": away, "home_goals": hg, "away_goals": ag,
                     "ht_home": w.between(0, hg), "ht_away": w.between(0, ag), "result": "H" if hg > ag else "A" if ag > hg else "D", "attendance": int(w.skewed(21000, 0.5, 0)) if w.chance(0.97) else 0,
                     "referee": w.zipf(["M. Dean", "A. Taylor", "P. Tierney", "C. Kavanagh"], 0.4), "red_cards": w.rng.choices([0, 1, 2], [90, 9, 1])[0]})
    return docs


@table()
def products_ja(w, n):
    kinds = [("緑茶", "飲料"), ("醤油", "調味料"), ("味噌", "調味料"), ("煎餅", "菓子"), ("うどん", "麺類"), ("そば", "麺類"), ("カレー", "惣菜"), ("チョコレート", "菓子")]
    docs = []
    for i in range(n):
        stem, kind = w.pick(kinds)
        price = w.pick([98, 108, 128, 158, 198, 248, 298, 398, 498, 980, 1480])
        docs.append({"商品コード": "P%06d" % (i * 7 + 13), "jan": ean13("49" + w.digits(10)), "商品名": w.pick(["特選", "国産", "濃い", "有機", ""]) + stem + w.pick(["", " 500g", " 1kg", "(徳用)", "・大"]),
                     "分類": kind, "価格": price, "税率": 8 if kind != "雑貨" else 10, "税込": price + price * 8 // 100, "在庫": int(w.skewed(30, 1.1, 0)), "発売日": w.when().strftime("%Y/%m/%d")})
    return docs


@table("ndjson")
def messages(w, n):
    words = {"en": ENGLISH, "el": "καλημέρα ευχαριστώ παρακαλώ σήμερα αύριο καλά ναι όχι πότε πού".split(), "ar": "مرحبا شكرا اليوم غدا نعم لا أين متى كيف جدا".split(),
             "tr": "günaydın teşekkürler bugün yarın evet hayır nerede çok iyi".split()}
    docs, when = [], datetime.datetime(2025, 1, 1)
    for i in range(n):
        when += datetime.timedelta(seconds=w.between(1, 4000))
        lang = w.weighted(en=60, el=15, ar=15, tr=10)
        doc = {"id": i + 100, "room": w.zipf(["general", "random", "support", "general-el", "ops"], 0.8), "from": "u%d" % w.zipf(range(1, 40), 0.7), "at": extended(when), "lang": lang,
               "text": w.sentence(words[lang], 1, 14) + w.pick(["", "", "", " 🙂", " 👍🏽", "!!", "?"]), "reactions": [{"emoji": w.pick(["👍", "❤️", "😂"]), "by": "u%d" % w.between(1, 39)} for _ in range(w.pick([0, 0, 0, 1, 2]))]}
        if i and w.chance(0.2):
            doc["reply_to"] = w.between(100, 99 + i)
        if w.chance(0.05):
            doc["edited_at"] = extended(when + mins(w, 1, 30))
        docs.append(doc)
    return docs


@table(delimiter=";", decimal=",")
def parking(w, n):
    docs = []
    for i in range(n):
        start = w.when(900).replace(second=0)
        stay = int(w.skewed(70, 1.0, 0)) + 1
        plate = w.pick(["%s-%s %d" % (w.pick(["B", "M", "HH", "K", "LÖ"]), w.letters(w.between(1, 2)), w.between(1, 9999)), "%s %s" % (w.letters(2), w.digits(5))])
        docs.append({"Ticket": 500000 + i, "Kennzeichen": plate, "Einfahrt": start.strftime("%d.%m.%Y %H:%M"), "Ausfahrt": (start + datetime.timedelta(minutes=stay)).strftime("%d.%m.%Y %H:%M"), "Minuten": stay,
                     "Gebühr": 0.0 if stay <= 15 else min(18.0, 1.5 * -(-stay // 30)), "Zahlart": w.zipf(["Karte", "Bar", "App", "Dauerkarte"], 0.7), "Ebene": w.pick(["U2", "U1", "E", "1", "2"])})
    return docs


@table("json", sizes=(5, 12, 60, 400))
def recipes(w, n):
    stuff = {"flour": ("g", 500), "sugar": ("g", 120), "salt": ("tsp", 1), "water": ("ml", 300), "egg": ("pc", 2), "milk": ("ml", 250), "butter": ("g", 80), "yeast": ("g", 7), "rice": ("g", 250), "saffron": ("pinch", 1), "olive oil": ("tbsp", 3)}
    docs = []
    for i in range(n):
        names = w.rng.sample(list(stuff), w.between(2, 8))
        doc = {"slug": "%s-%s-%d" % (names[0].replace(" ", "-"), w.pick(["bread", "soup", "cake", "bowl"]), i), "serves": w.pick([2, 4, 4, 4, 6, 12]), "minutes": {"prep": w.pick([5, 10, 15, 20, 30]), "cook": w.pick([0, 0, 20, 35, 45, 90, 240])},
               "ingredients": [{"name": k, "amount": round(stuff[k][1] * w.rng.uniform(0.5, 2), 1 if stuff[k][1] < 10 else 0), "unit": stuff[k][0]} for k in names], "steps": [w.sentence(ENGLISH, 4, 18) for _ in range(w.between(2, 9))],
               "tags": w.rng.sample(["vegan", "quick", "cheap", "party", "gluten-free"], w.between(0, 3)), "rating": {"stars": round(w.rng.uniform(3, 5), 1), "votes": int(w.skewed(20, 1.5, 0))}}
        if "egg" in names and w.chance(0.5):
            doc["allergens"] = ["egg"]
        docs.append(doc)
    return docs


@table()
def rides(w, n):
    docs = []
    for i in range(n):
        start = w.when(1000)
        km = w.skewed(3.2, 0.7)
        minutes = max(1, round(km * w.rng.uniform(2.5, 6)))
        fare = round(2.5 + 1.8 * km, 2)
        tip = 0 if w.chance(0.6) else round(fare * w.pick([0.1, 0.15, 0.2]), 2)
        toll = 0 if w.chance(0.95) else 6.55
        docs.append({"ride_id": "%08x" % w.rng.getrandbits(32), "pickup_at": start.strftime("%Y-%m-%dT%H:%M:%S"), "dropoff_at": (start + datetime.timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M:%S"),
                     "pickup_lat": round(w.rng.gauss(40.75, 0.03), 6), "pickup_lon": round(w.rng.gauss(-73.98, 0.03), 6), "passengers": w.pick([1, 1, 1, 1, 2, 2, 3, 4, 6]), "distance_km": km,
                     "fare": fare, "tip": tip, "toll": toll, "total": round(fare + tip + toll, 2), "payment": w.zipf(["card", "cash", "app", "dispute"], 1.6), "promo_code": w.pick(["SPRING10", "WELCOME", "B2B-77"]) if w.chance(0.08) else None})
    return docs


@table("ndjson", sizes=(12, 60, 500))
def courses_he(w, n):
    names = ["אלגברה לינארית", "מבוא למדעי המחשב", "פיזיקה 1", "פיזיקה 2", "כימיה כללית", "היסטוריה", "סטטיסטיקה"]
    docs = []
    for i in range(n):
        seats = w.pick([20, 30, 30, 60, 120, 300])
        doc = {"code": "%d-%04d" % (w.pick([80, 81, 90]), 1000 + i), "title": w.pick(names), "credits": w.pick([2, 3, 4, 4, 5]), "seats": seats, "enrolled": w.between(0, seats), "term": w.pick(["2024a", "2024b", "2025a"]), "online": w.chance(0.15),
               "slots": [{"day": w.pick("אבגדה"), "from": "%02d:00" % w.between(8, 16), "room": w.pick(["101", "102", "A3", "B-12"])} for _ in range(w.between(1, 3))]}
        if w.chance(0.4):
            doc["prerequisite"] = "%d-%04d" % (80, 1000 + w.between(0, n))
        docs.append(doc)
    return docs


@table("ndjson", sizes=(12, 80, 700))
def shipments_fr(w, n):
    sites = [("75011", "Paris"), ("69003", "Lyon"), ("01000", "Bourg-en-Bresse"), ("13001", "Marseille"), ("06000", "Nice"), ("59000", "Lille")]
    docs = []
    for i in range(n):
        cp, ville = w.zipf(sites, 0.6)
        status = w.weighted(livré=80, **{"en cours": 12, "retourné": 5, "perdu": 1})
        sent = w.when(1000)
        doc = {"n°": 70000 + i, "destinataire": " ".join(person(w)), "adresse": {"rue": "%d%s rue %s" % (w.between(1, 180), w.pick(["", "", "", " bis", " ter"]), w.pick(["Victor Hugo", "de la Gare", "des Lilas", "du Général Leclerc", "Émile Zola"])), "cp": cp, "ville": ville},
               "poids_g": int(w.skewed(900, 1.0, 0)), "colis": w.zipf([1, 2, 3, 4, 12], 1.8), "expédié": extended(sent), "statut": status, "assurance": w.chance(0.1)}
        if status in ("livré", "retourné"):
            doc["livré_le"] = extended(w.later(sent, 1, 9))
        if doc["assurance"]:
            doc["valeur"] = w.skewed(180, 1.0)
        docs.append(doc)
    return docs


@table(sizes=(12, 100, 800))
def lab(w, n):
    tests = {"GLU": ("mg/dL", 95, 18), "NA": ("mmol/L", 140, 3), "K": ("mmol/L", 4.2, 0.4), "CRP": ("mg/L", 2.0, None), "TSH": ("mIU/L", 1.8, None), "HGB": ("g/dL", 14, 1.4)}
    docs = []
    for i in range(n):
        code = w.zipf(list(tests), 0.4)
        unit, mean, sd = tests[code]
        value = round(w.rng.gauss(mean, sd), 1) if sd else w.skewed(mean, 0.9)
        docs.append({"sample": "S%s-%04d" % (w.pick(["23", "24", "25"]), i), "patient": "%06d" % w.between(1, 999999), "test": code, "value": value, "unit": unit, "flag": w.pick(["H", "L"]) if w.chance(0.07) else None, "device": w.zipf(["cobas-1", "cobas-2", "POC"], 0.9),
                     "taken": w.when(700).strftime("%Y-%m-%d %H:%M"), "fasting": w.pick(["yes", "no", "unknown"])})
    return docs


@table("ndjson", sizes=(12, 120, 1000))
def events_of_kinds(w, n):
    """Documents of five kinds with their own fields: a change log."""
    docs, when = [], datetime.datetime(2024, 6, 1)
    for i in range(n):
        when += datetime.timedelta(seconds=w.between(1, 9000))
        kind = w.rng.choices(["view", "click", "purchase", "signup", "refund"], [60, 25, 10, 4, 0.6])[0]
        doc = {"_id": w.oid(), "type": kind, "at": extended(when), "session": "%06x" % w.rng.getrandbits(24), "device": w.zipf(["ios", "android", "web"], 0.5)}
        if kind in ("view", "click"):
            doc["page"] = w.zipf(["/home", "/list", "/item", "/help"], 0.8)
        if kind == "click":
            doc["target"] = {"id": w.pick(["buy", "more", "close"]), "x": w.between(0, 1440), "y": w.between(0, 900)}
        if kind in ("purchase", "refund"):
            doc["amount"] = {"value": w.skewed(40, 0.8) * (-1 if kind == "refund" else 1), "currency": w.zipf(["USD", "EUR", "GBP"], 1.2)}
        if kind == "signup":
            doc["plan"] = w.pick(["free", "free", "pro"])
        docs.append(doc)
    return docs
