"""Records of offices, schools, laboratories, shops on the web and machines that are right, for bench/detect.

Nothing is damaged here. The near misses are meant: gaps of a season, codes of several lengths, names that repeat, several
currencies, batches, weekends, limits of a scale, kinds with fields of their own. What an audit says above low about them is a
false alarm. Add what an audit wrongly reported about real data, as it is made and not as it is reported.
"""
import datetime
import math

from clean_systems import dotted, hours
from clean_trades import DAY, ENGLISH_FIRST, SIZES, german, tabs
from world import ENGLISH, LAST, Data, clean_domain, day, ean13, email, extended, isbn10, luhn, person

DOMAINS = []
table = clean_domain(DOMAINS, "csv", SIZES)


# ------------------------------------------------------------------------------------ pay and people

@table(sizes=(12, 60, 300, 2500, 12000), **german)
def lohn(w, n):
    """Pay of each month: joined in the middle of one, a bonus in November, tax classes, the church tax of some, leave without pay."""
    staff = []
    for k in range(max(4, n // 14)):
        first, last = w.pick(ENGLISH_FIRST), person(w)[1]
        staff.append(("%05d" % (1010 + 7 * k), last, first, w.rng.choices([1, 3, 4, 5], [4, 2, 3, 1])[0], w.chance(0.4), w.zipf([2600.0, 2950.0, 3300.0, 3700.0, 4400.0, 6100.0, 9800.0], 0.5), w.between(0, 20), w.zipf(["Produktion", "Verwaltung", "Vertrieb", "Lager"], 0.5), w.pick(["AOK", "TK", "Barmer", "DAK", "IKK", "privat"])))
    docs, month = [], 0
    while len(docs) < n:
        year, mon = 2023 + month // 12, month % 12 + 1
        for no, last, first, klass, church, base, since, unit, insurer in staff:
            if month < since or len(docs) >= n:
                continue
            days = 30 if month > since or w.chance(0.7) else w.between(5, 25)
            gross = round(base * (1.04 if year > 2024 else 1) * days / 30, 2)
            bonus = round(base * 0.5, 2) if mon == 11 and month - since > 6 else 0.0
            overtime = round(w.pick([2, 4.5, 8, 16]) * base / 165 * 1.25, 2) if w.chance(0.15) else 0.0
            whole = round(gross + bonus + overtime, 2)
            tax = max(0.0, round((whole - 1200) * {1: 0.21, 3: 0.11, 4: 0.2, 5: 0.34}[klass], 2))
            kirche = round(tax * 0.09, 2) if church else 0.0
            social = round(min(whole, 7550) * (0.2 if insurer != "privat" else 0.11), 2)
            docs.append({"Monat": "%02d/%d" % (mon, year), "Pers.-Nr.": no, "Name": last, "Vorname": first, "Abteilung": unit, "StKl": klass, "Krankenkasse": insurer, "SV-Tage": days, "Grundlohn": gross, "Überstunden": overtime, "Sonderzahlung": bonus, "Brutto": whole, "Lohnsteuer": tax, "Kirchensteuer": kirche, "SV": social, "Netto": round(whole - tax - kirche - social, 2), "VWL": 40.0 if w.chance(0.3) else 0.0, "Krank": w.zipf([0, 1, 2, 3, 5, 10, 22], 1.6)})
        month += 1
    return docs


@table("ndjson")
def applicants(w, n):
    """Applications in stages, each with a date after the last; salaries in several currencies; the same person for two jobs; sources."""
    jobs = [("REQ-%04d" % (2000 + 11 * k), t, c) for k, (t, c) in enumerate([("Data Engineer", "DE"), ("Senior Data Engineer", "DE"), ("Sales Manager", "US"), ("Store Assistant", "GB"), ("Accountant", "CH"), ("Support Agent", "PL"), ("Support Agent (m/f/x)", "DE")])]
    money = {"DE": ("EUR", 58000), "US": ("USD", 96000), "GB": ("GBP", 24500), "CH": ("CHF", 98000), "PL": ("PLN", 92000)}
    people = [person(w) for _ in range(max(8, n // 2))]
    docs = []
    for i in range(n):
        req, title, country = w.zipf(jobs, 0.4)
        first, last = w.pick(people)
        came = w.when(1100)
        stage = w.zipf(["rejected", "screening", "interview", "offer", "hired", "withdrawn"], 0.8)
        doc = {"_id": w.oid(), "job": {"req": req, "title": title, "country": country}, "candidate": {"first": first, "last": last, "email": email(w, first, last, hash_of(first + last))}, "applied": extended(came), "source": w.zipf(["LinkedIn", "referral", "careers page", "agency", "Indeed", "fair"], 0.7), "stage": stage, "years": w.zipf([0, 1, 2, 3, 5, 8, 12, 20, 31], 0.5)}
        when = came
        if stage in ("interview", "offer", "hired") or w.chance(0.3):
            when = w.later(when, 2, 20)
            doc["screened"] = extended(when)
        if stage in ("offer", "hired"):
            when = w.later(when, 4, 25)
            doc["interviews"] = [{"by": w.pick(["CTO", "HR", "team", "head of sales"]), "score": w.zipf([4, 3, 5, 2], 0.7)} for _ in range(w.between(1, 4))]
            code, level = money[country]
            doc["offer"] = {"at": extended(when), "amount": int(level * w.rng.uniform(0.8, 1.5)) // 500 * 500, "currency": code}
        if stage == "hired":
            doc["starts"] = day(when + DAY * w.between(20, 120))
        if stage == "rejected" and w.chance(0.85):
            doc["reason"] = w.zipf(["experience", "salary", "position filled", "no show", "language"], 0.7)
        if w.chance(0.35):
            doc["expected"] = int(money[country][1] * w.rng.uniform(0.7, 1.6)) // 1000 * 1000
        docs.append(doc)
    return docs


def hash_of(text):
    return sum(ord(c) * (i + 7) for i, c in enumerate(text)) % 9000


@table()
def trips(w, n):
    """Expenses of journeys: kilometres at a rate, allowances by country and day, a receipt for some, currencies with a rate each."""
    per_day = {"DE": 28.0, "FR": 53.0, "CH": 64.0, "US": 59.0, "GB": 52.0, "JP": 50.0}
    code = {"DE": "EUR", "FR": "EUR", "CH": "CHF", "US": "USD", "GB": "GBP", "JP": "JPY"}
    rate = {"EUR": 1.0, "CHF": 1.04, "USD": 0.92, "GBP": 1.17, "JPY": 0.0062}
    docs = []
    for i in range(n):
        land = w.zipf(list(per_day), 1.0)
        start = w.when(1150)
        days = w.zipf([1, 2, 3, 5, 8], 0.9)
        km = 0 if land in ("US", "JP") or w.chance(0.5) else w.between(20, 900)
        spent = 0 if w.chance(0.3) else w.skewed(130 / rate[code[land]], 0.7, 0 if land == "JP" else 2)
        euro = round(spent * rate[code[land]], 2)
        meals = round(per_day[land] * days * (0.5 if days == 1 else 1), 2)
        ride = round(km * 0.3, 2)
        docs.append({"report": "TR-%05d" % (i + 1), "employee": w.zipf(["A. Kel", "B. Mor", "C. Morr", "D. Rath", "E. Ull", "F. Zell"], 0.3), "country": land, "from": day(start), "to": day(start + DAY * (days - 1)), "days": days, "purpose": w.zipf(["customer", "fair", "training", "audit", "other"], 0.6), "km": km, "mileage": ride, "allowance": meals, "receipts": spent, "currency": code[land], "rate": rate[code[land]], "receipts_eur": euro, "total_eur": round(ride + meals + euro, 2), "advance": 0.0 if w.chance(0.85) else float(w.pick([200, 500, 1000])), "approved_by": None if w.chance(0.06) else w.pick(["J. Head", "K. Chief"]), "state": w.zipf(["paid", "approved", "submitted", "returned"], 1.2)})
    return docs


# ------------------------------------------------------------------------------------ schools and science

@table(sizes=(12, 60, 300, 2500, 12000))
def alumnos(w, n):
    """Marks of pupils in three terms with their mean, excused ones without marks, repeaters, courses and groups, names that repeat."""
    subjects = ["Lengua", "Matemáticas", "Inglés", "Historia", "Biología", "Física y Química", "Educación Física", "Religión", "Valores"]
    docs, k = [], 0
    while len(docs) < n:
        k += 1
        first, last = person(w)
        course = w.between(1, 4)
        level, group = w.rng.gauss(6.3, 1.4), w.pick("ABC")
        for s in w.rng.sample(subjects, w.between(4, 8)):
            marks = [min(10.0, max(0.0, round(w.rng.gauss(level, 1.0) * 2) / 2)) for _ in range(3)]
            excused = s == "Educación Física" and w.chance(0.05)
            docs.append({"expediente": "%d/%04d" % (2024 - course, 1000 + k), "apellidos": last + " " + person(w)[1], "nombre": first, "curso": "%dº ESO" % course, "grupo": group, "materia": s, "1ª": None if excused else marks[0], "2ª": None if excused else marks[1], "3ª": None if excused else marks[2], "media": None if excused else round(sum(marks) / 3, 2), "final": "EX" if excused else str(round(sum(marks) / 3)), "faltas": w.zipf([0, 1, 2, 4, 7, 15, 43], 0.9), "repite": w.zipf(["no", "sí"], 3.0), "observaciones": w.pick(["mejora", "habla mucho", "buen trabajo", "PMAR"]) if w.chance(0.1) else None})
    return docs[:n]


@table("json")
def enrolments(w, n):
    """Students and modules: credits decide nothing else, grades of two scales, transferred ones without a grade, several attempts."""
    modules = [("CS%d" % (1001 + 13 * k), t, c, f) for k, (t, c, f) in enumerate([("Programming I", 10, "CS"), ("Programming II", 10, "CS"), ("Linear Algebra", 8, "MA"), ("Statistics", 6, "MA"), ("Statistics for Biology", 6, "BI"), ("Ethics", 4, "PH"), ("Thesis", 15, "CS"), ("Databases", 6, "CS")])]
    docs = []
    for i in range(n):
        code, title, credits, school = w.zipf(modules, 0.3)
        year = w.between(2021, 2024)
        term = w.pick(["autumn", "spring"])
        how = w.rng.choices(["exam", "coursework", "transfer", "audit"], [60, 30, 6, 3])[0]
        mark = None if how in ("transfer", "audit") else min(100, max(0, int(w.rng.gauss(62, 14))))
        doc = {"student": "s%07d" % w.between(1900000, 2499999), "module": {"code": code, "title": title, "credits": credits, "school": school}, "year": "%d/%02d" % (year, (year + 1) % 100), "term": term, "assessed_by": how, "attempt": w.zipf([1, 2, 3], 2.6), "registered": extended(datetime.datetime(year if term == "autumn" else year + 1, 9 if term == "autumn" else 1, w.between(5, 28)))}
        if mark is not None:
            doc["mark"] = mark
            doc["grade"] = "A" if mark >= 70 else "B" if mark >= 60 else "C" if mark >= 50 else "D" if mark >= 40 else "F"
            doc["passed"] = mark >= 40
        elif how == "transfer":
            doc["from"] = w.pick(["Uppsala", "TU Delft", "Bologna", "Open University"])
        if w.chance(0.03):
            doc["mitigation"] = True
        docs.append(doc)
    return docs


@table(sizes=(12, 60, 300, 2500), **tabs)
def assays(w, n):
    """Wells of plates: controls in fixed columns, dilutions by a factor, readings at the top of the scale, replicates, blanks near 0."""
    docs, plate = [], 0
    while len(docs) < n:
        plate += 1
        run = w.when(900)
        for k in range(96):
            row, col = "ABCDEFGH"[k // 12], k % 12 + 1
            kind = "blank" if col == 12 else "positive" if col == 11 and k // 12 < 4 else "negative" if col == 11 else "sample"
            dilution = 100 * 4 ** (k // 12 % 4) if kind == "sample" else 1
            od = min(4.0, max(0.041, round(w.rng.gauss({"blank": 0.05, "positive": 2.6, "negative": 0.09}.get(kind, 0), 0.01 if kind == "blank" else 0.08), 3) if kind != "sample" else round(w.rng.lognormvariate(0.4, 0.9) / (1 + k // 12 % 4), 3)))
            docs.append({"plate": "P%s-%02d" % (run.strftime("%y%m%d"), plate % 100), "well": "%s%02d" % (row, col), "row": row, "col": col, "type": kind, "sample_id": "S-%05d" % (plate * 40 + k // 4) if kind == "sample" else None, "dilution": dilution, "od450": od, "od620": round(w.rng.gauss(0.045, 0.003), 3), "result": None if kind in ("blank",) else "pos" if od > 0.35 else "neg" if od < 0.2 else "eq", "operator": w.pick(["KH", "KH", "MR", "TS"]), "reader": "Multiskan", "run_at": run.strftime("%Y-%m-%dT%H:%M"), "lot": "L%d" % (2300 + plate // 9)})
    return docs[:n]


@table("ndjson", sizes=(12, 60, 300, 2500))
def sightings(w, n):
    """Birds: winter guests are not there in summer, counts with a long tail and round guesses, ages that are unknown, sites, weather."""
    birds = [("MALLA", "Mallard", "Anas platyrhynchos", 0, 14), ("GADWA", "Gadwall", "Mareca strepera", 1, 6), ("BRAMB", "Brambling", "Fringilla montifringilla", 1, 9), ("SWIFT", "Common Swift", "Apus apus", 2, 11), ("BLTIT", "Blue Tit", "Cyanistes caeruleus", 0, 3), ("GRTIT", "Great Tit", "Parus major", 0, 3), ("STARL", "Starling", "Sturnus vulgaris", 0, 60), ("HOOPO", "Hoopoe", "Upupa epops", 2, 1)]
    docs = []
    for i in range(n):
        when = w.when(1200)
        winter, summer = when.month in (11, 12, 1, 2, 3), when.month in (5, 6, 7)
        code, name, latin, season, usual = w.zipf([b for b in birds if b[3] == 0 or (b[3] == 1 and winter) or (b[3] == 2 and summer)], 0.4)
        count = max(1, int(w.skewed(usual, 0.9, 0)))
        count = round(count, -2) if count > 300 else round(count, -1) if count > 60 else count
        doc = {"id": "OBS%d" % (240000000 + 1313 * i), "species": {"code": code, "name": name, "latin": latin}, "count": count, "estimated": count > 60, "at": extended(when.replace(hour=w.between(5, 20))), "site": w.zipf(["Long Pond", "North Wood", "Sewage Works", "Garden", "Longpond Bridge"], 0.5), "observer": w.zipf(["kw", "tj", "anna.b", "R. Finch", "jtk"], 0.5)}
        if w.chance(0.4):
            doc["detail"] = {"age": w.zipf(["adult", "unknown", "juvenile", "1cy"], 0.7), "sex": w.zipf(["unknown", "m", "f"], 0.3)}
        if w.chance(0.2):
            doc["behaviour"] = w.rng.sample(["singing", "feeding", "flying", "nesting"], w.between(1, 2))
        if season == 2 and w.chance(0.4):
            doc["breeding_code"] = w.pick(["A1", "A2", "B3", "B4", "C12"])
        if w.chance(0.15):
            doc["note"] = w.sentence(ENGLISH, 2, 10)
        docs.append(doc)
    return docs


@table("json", sizes=(12, 60, 300))
def papers(w, n):
    """Articles with DOIs, several authors, some without pages (online only), citation counts with a long tail, preprints."""
    journals = [("Journal of Data", "1234-567X", 11), ("Data & Society", "2050-1234", 4), ("Annals of Rivers", "0003-4851", 40), ("PLoS ONE", "1932-6203", 12)]
    docs = []
    for i in range(n):
        name, issn, base = w.zipf(journals, 0.5)
        year = w.between(2012, 2025)
        pre = w.chance(0.12)
        doc = {"id": 70000 + i, "title": w.sentence(ENGLISH, 4, 14).rstrip("."), "authors": [{"name": "%s, %s." % (last, first[0]), "orcid": orcid(w) if w.chance(0.5) else None} for first, last in (person(w) for _ in range(w.zipf([1, 2, 3, 4, 6, 11], 0.4)))], "year": year, "type": "preprint" if pre else "article", "open": w.chance(0.6), "cited": int(w.skewed(9, 1.3, 0)), "keywords": w.rng.sample(ENGLISH[20:], w.between(0, 6)), "language": w.zipf(["en", "de", "fr", "no"], 2.0)}
        if pre:
            doc["doi"] = "10.48550/arXiv.%02d%02d.%05d" % (year % 100, w.between(1, 12), w.between(1, 19999))
        else:
            first = w.between(1, 900)
            doc["doi"] = "10.%d/%s.%d.%d" % (w.pick([1371, 1016, 1111]), w.letters(3).lower(), year, 1000 + i)
            doc["journal"] = {"name": name, "issn": issn, "volume": base + year - 2012, "issue": w.zipf(["1", "2", "3", "4", "S1", "1-2"], 0.4)}
            if name != "PLoS ONE":
                doc["pages"] = {"first": first, "last": first + w.between(3, 30)}
            else:
                doc["article_no"] = "e0%d" % w.between(100000, 319999)
        docs.append(doc)
    return docs


def orcid(w):
    body, total = "0000000%d%s" % (w.between(1, 3), w.digits(7)), 0
    for c in body:
        total = (total + int(c)) * 2
    check = (12 - total % 11) % 11
    body += "X" if check == 10 else str(check)
    return "-".join(body[k:k + 4] for k in range(0, 16, 4))


# ------------------------------------------------------------------------------------ the web

@table("ndjson", sizes=(12, 60, 300, 2500, 12000))
def subscriptions(w, n):
    """Plans that are monthly or yearly, trials, seats, upgrades, discounts, currencies with prices of their own, cancelled ones, dunning."""
    price = {"starter": 9, "team": 29, "business": 79, "enterprise": None}
    docs = []
    for i in range(n):
        plan = w.zipf(list(price), 0.9)
        began = w.when(1150)
        yearly = w.chance(0.35)
        seats = w.zipf([1, 2, 3, 5, 10, 25, 100], 1.0) if plan != "enterprise" else w.pick([50, 120, 400, 2500])
        money = w.zipf(["USD", "EUR", "GBP", "JPY"], 1.2)
        unit = (price[plan] or w.pick([42, 48, 55])) * (150 if money == "JPY" else 1)
        off = w.zipf([0, 10, 20, 50], 2.4)
        amount = round(unit * seats * (10 if yearly else 1) * (100 - off) / 100, 0 if money == "JPY" else 2)
        status = w.zipf(["active", "canceled", "trialing", "past_due", "paused"], 1.3)
        doc = {"_id": "sub_" + "".join(w.rng.choices("abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ0123456789", k=14)), "customer": "cus_%06x" % w.rng.getrandbits(24), "plan": plan, "interval": "year" if yearly else "month", "seats": seats, "unit_price": unit, "discount_pct": off, "amount": amount, "currency": money, "status": status, "started": extended(began), "tax": {"rate": {"EUR": 19, "GBP": 20, "USD": 0, "JPY": 10}[money], "inclusive": money == "JPY"}}
        if status == "trialing":
            doc["trial_end"] = extended(began + DAY * 14)
        if status == "canceled":
            end = w.later(began, 3, 700)
            doc["canceled"] = {"at": extended(end), "reason": w.zipf(["too_expensive", "unused", "switched_service", "other", "missing_features"], 0.6)}
            doc["mrr"] = 0
        else:
            doc["mrr"] = 0 if status == "trialing" else round(amount / (12 if yearly else 1), 2)
        if off:
            doc["coupon"] = {10: "FRIEND10", 20: "LAUNCH", 50: "NGO-50"}[off]
        if status == "past_due":
            doc["dunning"] = {"tries": w.between(1, 4), "next": extended(min(LAST + DAY * 5, began + DAY * w.between(33, 400)))}
        if money == "EUR" and w.chance(0.6):
            doc["vat_id"] = "DE%s" % w.digits(9)
        docs.append(doc)
    return docs


@table()
def sponsored(w, n):
    """Advertising by day and campaign: rates of clicks, no cost where nothing was shown, conversions that are rare, budgets, weekends off."""
    campaigns = [("C-%05d" % (70001 + 13 * k), t, ch, obj) for k, (t, ch, obj) in enumerate([("Brand DE", "search", "traffic"), ("Brand AT", "search", "traffic"), ("Shoes Summer", "social", "sales"), ("Shoes Winter", "social", "sales"), ("B2B Leads", "display", "leads"), ("Retargeting 30d", "display", "sales"), ("Retargeting 3d", "display", "sales")])]
    docs, when = [], datetime.datetime(2023, 1, 1)
    while len(docs) < n:
        for cid, title, channel, goal in campaigns:
            if (title.startswith("B2B") and when.weekday() > 4) or ("Summer" in title and when.month in (10, 11, 12, 1, 2)) or len(docs) >= n:
                continue
            shown = 0 if w.chance(0.02) else int(w.skewed({"search": 900, "social": 9000, "display": 40000}[channel], 0.5, 0))
            clicks = sum(1 for _ in range(200) if w.chance({"search": 0.06, "social": 0.012, "display": 0.0015}[channel])) * shown // 200
            cost = round(clicks * w.rng.uniform(0.3, 1.4), 2)
            orders = sum(1 for _ in range(min(clicks, 400)) if w.chance(0.03)) if goal == "sales" else 0
            docs.append({"date": day(when), "campaign_id": cid, "campaign": title, "channel": channel, "objective": goal, "impressions": shown, "clicks": clicks, "ctr": round(100 * clicks / shown, 2) if shown else 0.0, "cost": cost, "cpc": round(cost / clicks, 2) if clicks else None, "conversions": orders, "revenue": round(sum(w.skewed(64, 0.5) for _ in range(orders)), 2), "daily_budget": {"search": 50, "social": 80, "display": 40}[channel], "device": w.zipf(["mobile", "desktop", "tablet"], 1.0)})
        when += DAY
    return docs


@table("ndjson")
def app_reviews(w, n):
    """Reviews of an app with stars, many short texts that repeat, several languages and emoji, answers of the maker, versions."""
    short = ["Great app", "Great app!", "great", "ok", "👍", "Super", "Top", "Très bien", "no funciona", "👎👎", "Crashes", "nice", "Good", "good app", "N/A needed??", "..."]
    docs = []
    for i in range(n):
        when = w.when(1200)
        stars = w.rng.choices([1, 2, 3, 4, 5], [14, 5, 8, 20, 53])[0]
        doc = {"review_id": "gp:AOq%s" % "".join(w.rng.choices("ABCDEFabcdef0123456789-_", k=16)), "user": w.pick(ENGLISH_FIRST) + w.pick(["", " " + person(w)[1], " " + person(w)[1][0] + "."]) if w.chance(0.95) else "A Google user", "stars": stars, "text": w.zipf(short, 0.6) if w.chance(0.5) else w.sentence(ENGLISH, 4, 50), "at": extended(when), "version": "%d.%d.%d" % (3 + (when.year - 2022) // 2, when.month // 2, w.pick([0, 0, 0, 1, 2])), "lang": w.zipf(["en", "de", "fr", "es", "pt-BR", "ja"], 0.8), "likes": 0 if w.chance(0.8) else int(w.skewed(2, 1.2, 0))}
        if stars < 4 and w.chance(0.5):
            doc["reply"] = {"text": w.pick(["Sorry to hear that. Please write to help@app.example", "Thank you for your feedback.", "This is fixed in the next version."]), "at": extended(min(LAST, when + hours(w, 2, 200)))}
        if w.chance(0.7):
            doc["device"] = w.pick(["Pixel 7", "SM-G991B", "SM-A515F", "Redmi Note 9", "moto g(60)", "KB2003"])
        docs.append(doc)
    return docs


@table("json")
def shop_articles(w, n):
    """Articles in a shop: variants, prices before a sale, brands that are words, sizes of several systems, no weight for gift cards."""
    brands = ["Next", "Only", "Gap", "Levi's", "Mango", "Benetton", "Puma", "Puma Kids", "H&M"]
    docs = []
    for i in range(n):
        kind = w.zipf(["shirt", "trousers", "shoes", "bag", "belt", "gift card"], 0.5)
        price = float(w.pick([10, 25, 50, 100])) if kind == "gift card" else w.skewed(38, 0.6, 0) - 0.05
        sale = kind != "gift card" and w.chance(0.25)
        doc = {"sku": "%s-%04d" % (kind[:2].upper(), 1000 + i), "ean": ean13("40%010d" % (123000000 + 97 * i)), "name": w.pick(brands) + " " + kind, "brand": w.zipf(brands, 0.4) if kind != "gift card" else "House", "category": {"shirt": ["clothes", "tops"], "trousers": ["clothes", "bottoms"], "shoes": ["shoes"], "bag": ["accessories"], "belt": ["accessories"], "gift card": []}[kind], "price": {"now": round(price * 0.7, 2) if sale else price, "was": price if sale else None, "currency": "EUR"}, "stock": 999 if kind == "gift card" else 0 if w.chance(0.1) else int(w.skewed(30, 0.9, 0)), "images": ["https://img.shop.example/%d/%d.jpg" % (1000 + i, k) for k in range(w.zipf([1, 2, 3, 4, 5, 8], 0.5))], "rating": None if w.chance(0.3) else round(min(5, w.rng.gauss(4.2, 0.5)), 1), "created": extended(w.when(1100))}
        if kind in ("shirt", "trousers", "shoes"):
            doc["sizes"] = w.rng.sample({"shirt": ["XS", "S", "M", "L", "XL", "XXL"], "trousers": ["30/32", "32/32", "34/34", "36/34"], "shoes": ["36", "37", "38", "39.5", "41", "44 2/3"]}[kind], w.between(1, 4))
        if kind != "gift card":
            doc["weight_g"] = int(w.skewed({"shoes": 900, "bag": 600}.get(kind, 300), 0.3, 0))
            doc["material"] = w.zipf(["cotton", "polyester", "leather", "wool", "linen", "98 % cotton, 2 % elastane"], 0.7)
        docs.append(doc)
    return docs


@table("ndjson", sizes=(12, 60, 300, 2500))
def helpdesk(w, n):
    """Tickets with service levels by priority, first answers, reopened ones, merged ones that point to another, satisfaction for a third."""
    limits = {"P1": 4, "P2": 8, "P3": 24, "P4": 72}
    docs = []
    for i in range(n):
        at = w.when(1150)
        prio = w.rng.choices(list(limits), [3, 12, 55, 30])[0]
        state = w.zipf(["closed", "solved", "open", "pending", "merged"], 1.1)
        first, last = person(w)
        doc = {"number": "INC%07d" % (10230 + i), "opened": extended(at), "priority": prio, "sla_hours": limits[prio], "category": w.zipf(["network", "mail", "hardware", "account", "printing", "other"], 0.5), "requester": {"name": first + " " + last, "vip": w.chance(0.03), "site": w.zipf(["HQ", "Plant 2", "Home", "Lab"], 0.7)}, "state": state, "subject": w.pick(["Password reset", "Printer offline", "VPN does not connect", "New laptop", "Mail full", "RE: Mail full", "No sound", "Account locked"]), "reopened": w.zipf([0, 1, 2], 2.8), "tags": w.rng.sample(["vpn", "win11", "remote", "bulk", "known-error"], w.zipf([0, 1, 2], 0.8))}
        if state == "merged":
            doc["merged_into"] = "INC%07d" % (10230 + w.between(0, max(0, i - 1)))
        elif state != "open":
            reply = at + datetime.timedelta(minutes=int(w.skewed(limits[prio] * 14, 0.8, 0)) + 1)
            doc["first_reply"] = extended(min(reply, LAST))
            if state in ("closed", "solved"):
                done = min(LAST, reply + datetime.timedelta(hours=int(w.skewed(limits[prio], 0.9, 0))))
                doc.update(resolved=extended(done), breached=(done - at).total_seconds() > limits[prio] * 3600, solved_by=w.zipf(["desk1", "desk2", "netops", "vendor"], 0.5))
                if w.chance(0.33):
                    doc["csat"] = w.zipf([5, 4, 1, 3, 2], 0.9)
        docs.append(doc)
    return docs


# ------------------------------------------------------------------------------------ machines

@table(sizes=(12, 60, 300, 2500, 20000))
def production(w, n):
    """Shifts of machines: good and bad parts make all parts, no work on Sundays, set-up times, a new tool, orders in batches, scrap codes."""
    parts = [("4711-%02d" % k, name, cycle) for k, (name, cycle) in enumerate([("Deckel", 18), ("Gehäuse links", 42), ("Gehäuse rechts", 42), ("Welle", 27), ("Flansch", 33), ("Deckel rot", 18)], 1)]
    docs, when, order = [], datetime.datetime(2023, 1, 2), 500100
    while len(docs) < n:
        if when.weekday() == 6:
            when += DAY
            continue
        for shift in ("F", "S", "N") if when.weekday() < 5 else ("F",):
            for machine in ("M1", "M2", "M3", "M3b"):
                if w.chance(0.06) or len(docs) >= n:
                    continue
                code, name, cycle = w.zipf(parts, 0.3)
                setup = w.pick([0, 0, 0, 15, 25, 40, 90])
                down = 0 if w.chance(0.6) else int(w.skewed(18, 0.9, 0))
                made = max(0, int((480 - setup - down) * 60 / cycle * w.rng.uniform(0.85, 0.99)))
                bad = sum(1 for _ in range(60) if w.chance(0.02)) * made // 1500
                order += w.chance(0.2)
                docs.append({"date": day(when), "shift": shift, "machine": machine, "order": order, "part": code, "part_name": name, "planned_min": 480, "setup_min": setup, "down_min": down, "run_min": 480 - setup - down if made else 0, "cycle_s": cycle, "produced": made, "scrap": bad, "good": made - bad, "scrap_code": w.zipf(["A1", "A2", "B7", "X"], 0.8) if bad else None, "operator": w.zipf(["0112", "0087", "0140", "1203"], 0.4), "tool_shots": len(docs) % 5000 * 3, "oee": round(100 * (made - bad) * cycle / 28800, 1)})
        when += DAY
    return docs


@table("ndjson", sizes=(12, 60, 300, 2500, 20000))
def lorawan(w, n):
    """Uplinks: payloads as base64, ports that decide the form, signal values below 0, gaps at night, several gateways for one message."""
    nodes = ["70B3D57ED00%05X" % (0x51000 + 77 * k) for k in range(max(3, min(50, n // 30)))]
    count = dict.fromkeys(nodes, 0)
    docs, when = [], datetime.datetime(2025, 2, 1)
    for i in range(n):
        when += datetime.timedelta(seconds=w.between(1, 240) if 6 <= when.hour < 22 else w.between(200, 1500))
        eui = w.pick(nodes)
        count[eui] = 0 if w.chance(0.001) else count[eui] + w.pick([1, 1, 1, 1, 2])
        port = w.rng.choices([1, 2, 5], [85, 12, 3])[0]
        doc = {"devEUI": eui, "fCnt": count[eui], "fPort": port, "at": extended(when), "dr": w.zipf([5, 4, 3, 2, 0], 0.8), "freq": w.pick([868100000, 868300000, 868500000, 867100000, 867900000]), "data": "".join(w.rng.choices("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", k={1: 8, 2: 16, 5: 4}[port])) + ("==" if port == 1 else ""), "rx": [{"gw": g, "rssi": -w.between(45, 125), "snr": round(w.rng.gauss(4, 5), 1)} for g in w.rng.sample(["roof", "mast", "church"], w.zipf([1, 2, 3], 1.0))]}
        if port == 1:
            doc["object"] = {"temperature": round(14 + 9 * math.sin(when.hour / 3.8) + w.rng.gauss(0, 1), 1), "humidity": w.between(28, 99), "vbat": round(w.rng.uniform(2.9, 3.62), 2)}
        elif port == 2:
            doc["object"] = {"lat": round(w.rng.gauss(48.14, 0.02), 6), "lon": round(w.rng.gauss(11.58, 0.03), 6), "hdop": w.zipf([0.8, 1.1, 1.9, 4.2], 0.8), "sats": w.between(3, 14)}
        else:
            doc["object"] = {"boot": w.pick(["power", "watchdog", "pin"]), "fw": w.pick(["1.0.3", "1.0.4"])}
        docs.append(doc)
    return docs


@table(sizes=(12, 60, 300, 2500))
def elevators(w, n):
    """Inspections of lifts: no capacity for a paternoster, defects by class, the next date a year ahead, owners, numbers of a maker."""
    docs = []
    for i in range(n):
        maker = w.zipf(["Otis", "Schindler", "KONE", "TK Elevator", "Paternoster-Bau"], 0.6)
        when = w.when(1100)
        kg = None if maker == "Paternoster-Bau" else w.pick([320, 450, 630, 630, 1000, 1600, 2500])
        major, minor = w.zipf([0, 1, 2], 2.2), w.zipf([0, 1, 2, 3, 5, 9], 0.9)
        docs.append({"plant": "%s%07d" % ({"Otis": "N", "Schindler": "10", "KONE": "4", "TK Elevator": "T", "Paternoster-Bau": "P"}[maker], w.between(10000, 9999999)), "maker": maker, "built": w.between(1925, 1965) if kg is None else w.between(1968, 2024), "address": "%d %s" % (w.between(1, 300), w.pick(["King Street", "Kingston Road", "Mill Lane", "High Street"])), "stops": w.between(2, 19), "travel_m": round(w.rng.uniform(3, 58), 1), "load_kg": kg, "persons": kg // 75 if kg else None, "drive": w.zipf(["traction", "hydraulic", "MRL"], 0.5), "inspected": day(when), "next_due": day(when + DAY * 365), "major": major, "minor": minor, "result": "closed" if major > 1 else "conditional" if major else "passed", "inspector": w.zipf(["Hahn", "Huhn", "Petri", "Vogt"], 0.3), "fee": round(180 + 14.5 * 2 + minor * 0.0, 2)})
    return docs


# ------------------------------------------------------------------------------------ towns, land, sport

@table(**german)
def baumkataster(w, n):
    """Trees of a town: years of planting that are guesses, girth and height that belong together, felled ones, sites without a house."""
    trees = [("Tilia cordata", "Winter-Linde"), ("Tilia platyphyllos", "Sommer-Linde"), ("Quercus robur", "Stiel-Eiche"), ("Acer platanoides", "Spitz-Ahorn"), ("Acer pseudoplatanus", "Berg-Ahorn"), ("Platanus x hispanica", "Platane"), ("Ginkgo biloba", "Ginkgo"), ("Acer platanoides 'Globosum'", "Kugel-Ahorn")]
    docs = []
    for i in range(n):
        latin, name = w.zipf(trees, 0.6)
        year = w.pick([1900, 1920, 1950, 1960]) if w.chance(0.3) else w.between(1965, 2024)
        age = 2025 - year
        girth = max(12, int(age * w.rng.uniform(1.8, 3.4)))
        felled = w.chance(0.04)
        docs.append({"Baumnr": i + 1, "Straße": w.zipf(["Hauptstraße", "Hauptmannstraße", "Parkallee", "Am Park", "Schulweg"], 0.5), "Haus": str(w.between(1, 150)) + w.pick(["", "", "", "a"]) if w.chance(0.8) else None, "Gattung": latin.split()[0], "Art": latin, "Name": name, "Pflanzjahr": year, "geschätzt": "ja" if year < 1965 else "nein", "Umfang": girth, "Höhe": round(min(32.0, 3 + girth * 0.07 + w.rng.gauss(0, 1.5)), 1), "Krone": round(max(1.0, girth * 0.04 + w.rng.gauss(0, 0.8)), 1), "Vitalität": w.zipf([1, 0, 2, 3], 0.9), "Kontrolle": dotted(w.when(1100)), "Maßnahme": w.pick(["Totholz entfernen", "Lichtraumprofil", "Kronenpflege", "Fällen"]) if w.chance(0.25) else None, "gefällt": dotted(w.when(1100)) if felled else None, "Ost": 3300000 + w.between(70000, 79999), "Nord": 5800000 + w.between(1000, 9999)})
    return docs


@table("json", sizes=(12, 60, 400))
def gemeinden(w, n):
    """Municipalities with keys that contain the key of the district, people by sex that add up, area, no mayor in a few."""
    docs = []
    for i in range(n):
        land = w.zipf([("12", "Brandenburg"), ("09", "Bayern"), ("07", "Rheinland-Pfalz"), ("01", "Schleswig-Holstein")], 0.4)
        people = max(9, int(w.skewed(1400, 1.3, 0)))
        male = int(people * w.rng.uniform(0.48, 0.52))
        doc = {"ags": "%s0%02d%03d" % (land[0], w.between(51, 79), 4 + i % 900), "name": w.pick(["Neu", "Alt", "Groß ", "Klein ", "Ober", "Nieder", "Bad ", ""]) + w.pick(["dorf", "hausen", "Lübben", "kirchen", "Buchen", "Rietz", "Rietzen", "mühle"]), "land": {"key": land[0], "name": land[1]}, "area_km2": round(w.skewed(18, 0.8), 2), "population": {"total": people, "male": male, "female": people - male, "as_of": "2023-12-31"}, "plz": "%05d" % w.between(1067 if land[0] == "12" else 20000, 99000), "lat": round(w.rng.uniform(47.5, 54.8), 5), "lon": round(w.rng.uniform(6.2, 14.7), 5), "type": w.zipf(["Gemeinde", "Stadt", "Markt", "kreisfreie Stadt"], 1.2)}
        doc["density"] = round(people / doc["area_km2"], 1)
        if w.chance(0.96):
            doc["mayor"] = " ".join(person(w))
        if w.chance(0.1):
            doc["part_of"] = w.pick(["Amt Brück", "VG Ruwer", "Amt Niemegk"])
        docs.append(doc)
    return docs


@table(sizes=(12, 60, 300, 2500), **tabs)
def course_a_pied(w, n):
    """Results of a race: times and ranks, rank in the class, those who gave up without a time, nations, clubs, names that repeat."""
    rows = []
    for i in range(n):
        sex, born = w.pick("MMF"), w.between(1942, 2006)
        secs = None if w.chance(0.03) else int(w.rng.gauss(6900 + (2025 - born) * 22 + (600 if sex == "F" else 0), 900))
        rows.append((secs if secs else 10 ** 6, sex, born))
    rows.sort()
    docs, ranks = [], {}
    for i, (secs, sex, born) in enumerate(rows):
        first, last = person(w)
        age = 2025 - born
        klass = sex + ("J" if age < 23 else "S" if age < 35 else str(age // 5 * 5))
        done = secs < 10 ** 6
        ranks[klass] = ranks.get(klass, 0) + 1
        text = "%d:%02d:%02d" % (secs // 3600, secs // 60 % 60, secs % 60)
        docs.append({"rang": i + 1 if done else None, "dossard": w.between(1, 9999), "nom": last.upper(), "prénom": first, "sexe": sex, "année": born, "catégorie": klass, "rang_cat": ranks[klass] if done else None, "nation": w.zipf(["FRA", "SUI", "BEL", "GER", "KEN", "ITA"], 1.8), "club": w.zipf(["AC Lyon", "AC Lyon 2", "Running Team", "CA Genève", "Les Lièvres"], 0.6) if w.chance(0.4) else None, "temps": text if done else None, "allure": "%d'%02d\"" % divmod(round(secs / 21.1), 60) if done else None, "km10": "0:%02d:%02d" % divmod(int(min(secs * 0.46, 3599)), 60) if done or w.chance(0.6) else None, "statut": "OK" if done else w.pick(["DNF", "DNF", "DSQ"])})
    return docs


@table("ndjson", sizes=(12, 60, 300))
def football(w, n):
    """Matches with goals of both halves, a score after penalties, own goals, cards, postponed ones without a score, attendance of 0."""
    teams = ["Rovers", "United", "City", "Athletic", "Wanderers", "Albion", "Town", "County"]
    docs = []
    for i in range(n):
        home, away = w.rng.sample(teams, 2)
        at = w.when(1100).replace(hour=w.pick([13, 15, 15, 15, 18, 20]), minute=w.pick([0, 0, 30, 45]), second=0)
        status = w.zipf(["played", "postponed", "abandoned"], 3.2)
        cup = w.chance(0.15)
        doc = {"match": 1000 + i, "competition": "Cup" if cup else "League", "round": w.pick(["R16", "QF", "SF", "F"]) if cup else str(w.between(1, 38)), "kickoff": extended(at), "home": home, "away": away, "venue": home + " Park", "status": status}
        if status == "played":
            half, full = [w.zipf([0, 1, 2], 0.8), w.zipf([0, 1, 2], 1.0)], [w.zipf([0, 1, 2, 3], 0.8), w.zipf([0, 1, 2, 3], 1.0)]
            doc["score"] = {"half": half, "full": [half[0] + full[0], half[1] + full[1]]}
            doc["goals"] = [{"minute": m, "team": t, "player": person(w)[1], "own": w.chance(0.03), "penalty": w.chance(0.1)} for t, k in ((home, sum(x[0] for x in (half, full))), (away, sum(x[1] for x in (half, full)))) for m in sorted(w.rng.sample(range(1, 94), k))]
            if cup and doc["score"]["full"][0] == doc["score"]["full"][1]:
                doc["score"]["penalties"] = w.pick([[4, 3], [5, 4], [2, 4], [11, 10]])
            doc["attendance"] = 0 if w.chance(0.05) else int(w.skewed(14000, 0.5, 0))
            doc["cards"] = {"yellow": w.zipf([2, 3, 4, 1, 0, 6], 0.4), "red": w.zipf([0, 1, 2], 2.4)}
            doc["referee"] = w.zipf(["M. Dean", "A. Taylor", "A. Tailor", "P. Tierney"], 0.3)
        docs.append(doc)
    return docs


@table(sizes=(12, 60, 300, 2500))
def contratos(w, n):
    """Contracts of a town hall: base price and award with tax, minor ones without a tender, small firms, extensions, lots."""
    firms = [("A%s" % w.digits(8), "Construcciones Sol SA"), ("B%s" % w.digits(8), "Limpiezas Sur SL"), ("B%s" % w.digits(8), "Jardines Sur SL"), ("B%s" % w.digits(8), "Informática Norte SL"), ("F%s" % w.digits(8), "Cooperativa Verde"), ("U%s" % w.digits(8), "UTE Puente")]
    docs = []
    for i in range(n):
        minor = w.chance(0.5)
        base = w.skewed(9000, 0.5) if minor else w.skewed(160000, 1.0)
        award = round(base * (1 if minor else w.rng.uniform(0.7, 1)), 2)
        vat = w.pick([0.21, 0.21, 0.21, 0.1, 0.0])
        cif, firm = w.zipf(firms, 0.5)
        out = w.when(1050)
        docs.append({"expediente": "%s/%04d/%d" % ("CM" if minor else "PA", i + 1, out.year), "tipo": w.zipf(["servicios", "suministros", "obras", "privado"], 0.8), "procedimiento": "menor" if minor else w.zipf(["abierto", "abierto simplificado", "negociado"], 0.7), "objeto": w.sentence(ENGLISH, 4, 12), "lote": w.between(1, 4) if not minor and w.chance(0.3) else None, "licitadores": 1 if minor else w.zipf([3, 2, 5, 1, 9], 0.5), "presupuesto_base": base, "importe_sin_iva": award, "tipo_iva": round(vat * 100), "iva": round(award * vat, 2), "importe_total": round(award + round(award * vat, 2), 2), "publicación": None if minor else day(out), "adjudicación": day(w.later(out, 20, 120)), "cif": cif, "adjudicatario": firm, "pyme": "N" if firm.endswith("SA") else "S", "duración_meses": w.zipf([12, 1, 24, 6, 48, 3], 0.5), "prórroga": w.pick([12, 24]) if not minor and w.chance(0.3) else None})
    return docs


@table("ndjson", sizes=(12, 60, 300, 2500))
def permits(w, n):
    """Building permits of a city: cost 0 for fees that were waived, units only for homes, contractors for some, closed and expired ones."""
    docs = []
    for i in range(n):
        kind = w.zipf(["electrical", "plumbing", "alteration", "new construction", "demolition", "sign"], 0.6)
        filed = w.when(1100)
        status = w.zipf(["complete", "issued", "filed", "expired", "withdrawn"], 0.7)
        doc = {"permit": "%d-%s-%05d" % (filed.year, {"electrical": "E", "plumbing": "P"}.get(kind, "B"), i + 1), "type": kind, "filed": extended(filed), "status": status, "block": "%04d%s" % (w.between(1, 8700), w.pick([""] * 14 + ["A", "B"])), "lot": "%03d%s" % (w.between(1, 120), w.pick([""] * 19 + ["A", "T"])), "address": {"number": w.between(1, 4800), "suffix": w.pick(["A", "1/2"]) if w.chance(0.03) else None, "street": w.zipf(["Mission", "Market", "03rd", "24th", "Valencia", "Bryant"], 0.4), "type": w.zipf(["St", "Av", "Bl", "Wy"], 1.4)}, "fee": 0 if w.chance(0.05) else w.skewed(310, 0.8), "zip": w.pick(["94103", "94107", "94110", "94112", "94114"])}
        if kind in ("alteration", "new construction", "demolition"):
            doc["cost"] = {"estimated": 1 if kind == "demolition" else int(w.skewed(24000, 1.3, 0)) // 100 * 100 + 100}
            if w.chance(0.5):
                doc["cost"]["revised"] = doc["cost"]["estimated"] if w.chance(0.8) else int(doc["cost"]["estimated"] * 1.4)
            doc["stories"] = w.zipf([2, 3, 1, 4, 12, 40], 0.9)
            doc["units"] = 0 if kind == "demolition" else w.zipf([1, 2, 3, 6, 24, 210], 0.9)
        if status in ("issued", "complete", "expired"):
            issued = w.later(filed, 0, 120)
            doc["issued"] = extended(issued)
            if status == "complete":
                doc["completed"] = extended(w.later(issued, 5, 500))
        if w.chance(0.6):
            doc["contractor"] = {"license": "%d" % w.between(212345, 1099999), "name": w.zipf(["Bay Electric", "Bay Electric Inc", "City Plumbing", "Kel & Daughters", "owner"], 0.5)}
        docs.append(doc)
    return docs


# ------------------------------------------------------------------------------------ several tables

@table("csv", sizes=(20, 200, 2500))
def rental_bikes(w, n):
    """Rides between stations of another table: round trips, bikes that were brought back by a van, members and day tickets."""
    stations = [{"station_id": 3000 + k * (1 if k < 9 else 7), "name": name, "capacity": w.pick([11, 15, 19, 23, 27]), "lat": round(w.rng.gauss(41.88, 0.03), 5), "lon": round(w.rng.gauss(-87.63, 0.02), 5)} for k, name in enumerate(["Canal St & Adams St", "Canal St & Madison St", "Clinton St & Madison St", "Clark St & Elm St", "State St & Chicago Ave", "Theater on the Lake", "Shedd Aquarium", "Wells St & Elm St", "Wells St & Huron St", "Green St (temp)", "Depot"])]
    docs = []
    for i in range(n):
        a, b = w.zipf(stations[:-1], 0.3), w.zipf(stations[:-1], 0.3)
        start = w.when(1180)
        secs = max(61, int(w.skewed(640, 0.7, 0)))
        member = w.chance(0.72)
        docs.append({"ride": "%016X" % w.rng.getrandbits(64), "bike": w.between(12, 6400), "start": start.strftime("%m/%d/%Y %H:%M:%S"), "end": (start + datetime.timedelta(seconds=secs)).strftime("%m/%d/%Y %H:%M:%S"), "seconds": secs, "from_station": a["station_id"], "from_name": a["name"], "to_station": b["station_id"], "to_name": b["name"], "rider": "member" if member else "casual", "birth_year": w.between(1950, 2007) if member and w.chance(0.97) else None, "kind": w.zipf(["classic", "electric"], 0.5)})
    return Data("rides", docs, stations=stations)


@table("ndjson", sizes=(20, 200, 2500))
def factures(w, n):
    """Invoices with lines, their customers in another collection, credit notes of the other sign, three rates of tax, one that is paid in parts."""
    clients = []
    for k in range(max(5, n // 8)):
        firm = w.chance(0.5)
        c = {"code_client": "C%05d" % (200 + 3 * k), "nom": w.pick(["Boulangerie", "Garage", "Hôtel", "Mairie de", "SARL"]) + " " + person(w)[1] if firm else " ".join(person(w)), "ville": w.zipf(["Nantes", "Rennes", "Vannes", "Vanves", "Brest"], 0.5)}
        if firm:
            c["siret"] = luhn("%08d" % w.between(30000000, 89999999)) + "%05d" % w.pick([15, 23, 31])
        clients.append(c)
    docs = []
    for i in range(n):
        c = w.zipf(clients, 0.5)
        credit = w.chance(0.05)
        sign = -1 if credit else 1
        lines = []
        for _ in range(w.zipf([1, 2, 3, 5, 9], 0.9)):
            qty, price, rate = w.zipf([1, 2, 3, 5, 10, 0.5], 0.9), w.skewed(42, 0.9), w.zipf([20.0, 10.0, 5.5], 1.3)
            lines.append({"réf": "%s%03d" % (w.pick(["A", "B", "SRV"]), w.between(1, 400)), "qté": qty * sign, "pu": price, "tva": rate, "ht": round(qty * price * sign, 2)})
        net = round(sum(x["ht"] for x in lines), 2)
        tax = round(sum(x["ht"] * x["tva"] / 100 for x in lines), 2)
        made = w.when(1150)
        doc = {"numéro": "%s%d-%05d" % ("AV" if credit else "FA", made.year, i + 1), "date": extended(made), "échéance": extended(made + DAY * w.pick([0, 30, 30, 45, 60])), "code_client": c["code_client"], "client": c["nom"], "lignes": lines, "total_ht": net, "total_tva": tax, "total_ttc": round(net + tax, 2)}
        if w.chance(0.8) and not credit:
            doc["réglé_le"] = extended(w.later(made, 0, 75))
            doc["mode"] = w.zipf(["virement", "CB", "chèque", "prélèvement"], 0.7)
        docs.append(doc)
    return Data("factures", docs, clients=clients)


@table("csv", sizes=(20, 200, 2500), **german)
def bestellpositionen(w, n):
    """Positions of orders, articles in another file: scale prices by quantity, a price list that changed, positions that were struck out at 0."""
    articles = [{"Artikel": "%06d" % (100070 + 35 * k), "Bezeichnung": "%s %s" % (w.pick(["Schraube", "Scheibe", "Mutter", "Dübel", "Bolzen"]), w.pick(["M4", "M6", "M8x40", "6x60", "12,5"])), "ME": w.pick(["ST", "ST", "PAK", "KG"]), "Listenpreis": w.skewed(2.4, 1.0) or 0.01} for k in range(max(8, min(500, n // 5)))]
    docs, order, pos = [], 4500001, 0
    for i in range(n):
        if w.chance(0.4) or not i:
            order, pos = order + w.pick([1, 1, 1, 2]), 0
        pos += 10
        a = w.zipf(articles, 0.6)
        qty = w.zipf([10, 25, 50, 100, 500, 1, 2000], 0.5)
        off = 0 if qty < 50 else 5 if qty < 500 else 12
        price = round(a["Listenpreis"] * (100 - off) / 100, 2)
        struck = w.chance(0.01)
        docs.append({"Bestellung": order, "Pos": pos, "Artikel": a["Artikel"], "Bezeichnung": a["Bezeichnung"], "Menge": 0 if struck else qty, "ME": a["ME"], "Rabatt": off, "Preis": price, "Wert": 0.0 if struck else round(qty * price, 2), "Liefertermin": dotted(w.when(1300)), "Status": "storniert" if struck else w.zipf(["geliefert", "offen", "teilgeliefert"], 1.2), "Charge": "%s%04d" % (w.pick("ABC"), w.between(1, 9999)) if a["ME"] == "KG" else None})
    return Data("positionen", docs, artikel=articles)


@table("json", sizes=(20, 200, 1500))
def loans_of_books(w, n):
    """Loans of books with copies in another file: books that are still out, fines, extensions, readers who are children."""
    books = [{"copy": "B%06d" % (10 + 9 * k), "isbn": isbn10("3%08d" % (45200000 + 311 * (k // 2))), "title": w.sentence(ENGLISH[14:], 1, 5).rstrip("."), "shelf": "%s %d" % (w.pick(["Bio", "Rom", "Ges", "K"]), w.between(1, 90))} for k in range(max(8, n // 3))]
    for a, b in zip(books[::2], books[1::2]):
        b["title"], b["shelf"] = a["title"], a["shelf"]
    docs = []
    for i in range(n):
        b = w.zipf(books, 0.2)
        out = w.when(1180)
        back = out + DAY * w.between(1, 50)
        doc = {"loan": 500000 + i, "copy": b["copy"], "reader": "R%05d" % w.between(1, max(5, n // 4)), "out": day(out), "due": day(out + DAY * 28), "extended": w.zipf([0, 1, 2], 1.5), "branch": w.zipf(["central", "north", "bus"], 0.9), "child": w.chance(0.2)}
        if back < LAST and w.chance(0.995):
            doc["back"] = day(back)
            late = max(0, (back - out).days - 28 * (1 + doc["extended"]))
            doc["fine"] = 0.0 if doc["child"] else round(late * 0.2, 2)
        docs.append(doc)
    return Data("loans", docs, copies=books)
