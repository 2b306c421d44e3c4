"""Six domains as working systems leave them, for bench/detect: the fields are filled in 60 to 98 %, groups of them together.

What a domain makes is right, however odd it looks: guests without an account, tests, deleted rows that are kept, codes of
an older system, amounts with a few very large ones, texts by hand, nulls that depend on a state.
"""
import datetime

from world import ENGLISH, LAST, Data, Domain, ascii_of, day, ean13, email, extended, luhn, person

GERMAN = ("bitte beim nachbarn abgeben klingel defekt lieferung nur vormittags nicht stapeln rechnung an zentrale kunde ruft an "
          "wegen termin gutschrift erstellt ware beschädigt eingetroffen umtausch gewünscht hinterhof zweiter stock").split()
FRENCH = ("adhérent à relancer chèque reçu par courrier carte non distribuée absent lors de l assemblée souhaite un reçu fiscal "
          "bénévole depuis longtemps changement d adresse signalé appeler le matin prélèvement refusé régularisé ensuite").split()


def stamp(when):
    return when.strftime("%Y-%m-%dT%H:%M:%S.") + "%03dZ" % (when.microsecond // 1000 or when.second * 7 % 1000)


def german(when):
    return when.strftime("%d.%m.%Y")


def french(when):
    return when.strftime("%d/%m/%Y")


# ------------------------------------------------------------------------------------ accounts of a web service

PLANS = {"free": 0, "starter": 9, "team": 29, "business": 99}
ZONES = {"en-US": ["America/New_York", "America/Chicago", "America/Los_Angeles"], "en-GB": ["Europe/London"], "de-DE": ["Europe/Berlin"],
         "de-AT": ["Europe/Vienna"], "fr-FR": ["Europe/Paris"], "es-ES": ["Europe/Madrid", "Atlantic/Canary"], "ja-JP": ["Asia/Tokyo"],
         "pt-BR": ["America/Sao_Paulo"]}
JAPANESE = [("健", "佐藤"), ("陽子", "鈴木"), ("大輔", "高橋"), ("さくら", "田中"), ("翔", "伊藤"), ("結衣", "渡辺")]


class Accounts(Domain):
    """Guests have neither address nor name; tests stay; a deleted account keeps its row and loses its profile."""
    name, half, form, sizes = "accounts", "tune", "ndjson", (5000, 380, 30)
    kinds = {
        "user_no": "key", "email": "email", "status": "label", "plan": "label", "created_at": "date", "last_login_at": "date",
        "locale": "label", "timezone": "place", "profile.first_name": "name", "profile.last_name": "name", "profile.company": "label",
        "profile.job_title": "label", "profile.phone": "digits", "login_count": "count", "seats": "count", "billing.price": "money",
        "billing.interval": "label", "billing.mrr": "money", "billing.card_brand": "label", "billing.card_last4": "zip",
        "billing.vat_id": "code", "utm.source": "label", "utm.medium": "label", "utm.campaign": "label", "referrer_id": "count",
        "deleted_at": "date", "roles": "tags", "notes": "text", "legacy_id": "zip", "storage_mb": "measure", "verified": "bool",
        "org_id": "ref"}
    optional = ("email", "last_login_at", "profile.first_name", "profile.last_name", "profile.company", "profile.job_title",
                "profile.phone", "billing.price", "billing.interval", "billing.mrr", "billing.card_brand", "billing.card_last4",
                "billing.vat_id", "utm.source", "utm.medium", "utm.campaign", "referrer_id", "deleted_at", "roles", "notes",
                "legacy_id", "timezone", "seats", "org_id")
    linked = (("locale", "timezone"), ("plan", "billing.price", "billing.interval", "billing.mrr", "seats", "org_id"),
              ("billing.card_brand", "billing.card_last4"), ("utm.source", "utm.medium", "utm.campaign"), ("status", "deleted_at"),
              ("email", "profile.first_name", "profile.last_name"))
    depends = (("timezone", "locale"), ("utm.campaign", "utm.source"))
    sums = (("billing.mrr", ("billing.price", "seats")),)
    ordered = (("created_at", "last_login_at"), ("created_at", "deleted_at"))
    swaps = (("profile.first_name", "profile.last_name"), ("utm.source", "utm.medium"), ("created_at", "last_login_at"))
    glued = (("profile.first_name", "profile.last_name"), ("utm.source", "utm.medium"))
    refs = ("org_id",)
    rules = (("deleted_at", "status"), ("billing.price", "plan"))

    def make(self, w, n):
        orgs = ["org_%06d" % (3100 + i * 17) for i in range(max(6, n // 9))]
        campaigns = {"spring-23": "google", "brand": "google", "retarget_b": "facebook", "newsletter-04": "mailing", "podcast": "acast"}
        docs = []
        for i in range(n):
            guest, test = w.chance(0.06), w.chance(0.012)
            made = datetime.datetime(2019, 3, 4) + datetime.timedelta(days=2300 * i / n, seconds=w.between(0, 86400))
            locale = w.zipf(list(ZONES), 0.9)
            first, last = w.pick(JAPANESE) if locale == "ja-JP" else person(w)
            plan = "free" if guest else w.weighted(free=61, starter=20, team=14, business=5)
            status = w.weighted(active=87, deleted=6, suspended=2, invited=5)
            doc = {"_id": w.oid(), "user_no": 10000 + i, "status": status, "plan": plan, "created_at": extended(made),
                   "locale": locale, "login_count": 0, "storage_mb": 0.0 if w.chance(0.3) else w.skewed(40, 1.9, 1),
                   "verified": not guest and w.chance(0.93), "is_guest": guest}
            if w.chance(0.96):
                doc["timezone"] = w.zipf(ZONES[locale], 0.8)
            if status != "deleted" and not guest:
                doc["email"] = "qa+%d@corp.example" % i if test else email(w, first, last, i)
                profile = {"first_name": first, "last_name": last}
                if test:
                    profile = {"first_name": "Test", "last_name": w.pick(["User", "Account", "QA"])}
                if w.chance(0.63):
                    profile["company"] = w.zipf(["Acme", "Northwind", "Globex", "Initech", "Hooli", "Umbra", "self-employed", "none", "Stark & Söhne"], 0.5)
                    if w.chance(0.8):
                        profile["job_title"] = w.zipf(["Engineer", "Designer", "Founder", "Product Manager", "Project Manager", "Student", "n/a"], 0.6)
                if w.chance(0.35):
                    profile["phone"] = "0%s" % w.digits(9)
                doc["profile"] = profile
            if status != "invited" and w.chance(0.95):
                doc["last_login_at"] = extended(w.later(made, 0, 700))
                doc["login_count"] = int(w.skewed(14, 1.4, 0)) + 1
            if plan != "free":
                seats = w.pick([1, 1, 1, 2, 3, 5, 10, 25]) if plan != "starter" else 1
                doc["seats"] = seats
                doc["billing"] = {"price": float(PLANS[plan]), "interval": w.weighted(month=70, year=30), "mrr": float(PLANS[plan] * seats)}
                if w.chance(0.85):
                    doc["billing"].update(card_brand=w.weighted(visa=60, mastercard=32, amex=8), card_last4=w.digits(4))
                if w.chance(0.3):
                    doc["billing"]["vat_id"] = w.pick(["DE%s" % w.digits(9), "ATU%s" % w.digits(8), "FR%s" % w.digits(11), "GB%s" % w.digits(9)])
            if w.chance(0.34):
                campaign = w.zipf(list(campaigns), 0.6)
                doc["utm"] = {"source": campaigns[campaign], "medium": w.weighted(cpc=55, email=25, social=20), "campaign": campaign}
            if i > 20 and w.chance(0.08):
                doc["referrer_id"] = 10000 + w.between(0, i - 1)
            if status == "deleted":
                doc["deleted_at"] = extended(w.later(made, 5, 900))
            if w.chance(0.7):
                doc["roles"] = w.pick([["member"], ["member"], ["admin", "member"], ["owner"], ["member", "billing"]])
            if w.chance(0.07):
                doc["notes"] = w.sentence(ENGLISH, 3, 18)
            if i < n * 0.35:
                doc["legacy_id"] = "%06d" % (i * 7 + 12)
            if plan in ("team", "business"):
                doc["org_id"] = w.pick(orgs)
            docs.append(doc)
        return Data("accounts", docs, orgs=[{"org_id": o, "title": "Org %d" % k, "tier": w.pick(["a", "b"])} for k, o in enumerate(orgs)])


# ------------------------------------------------------------------------------------ orders of a German shop

STATES_DE = {"offen": 5, "bezahlt": 7, "versendet": 9, "abgeschlossen": 70, "storniert": 6, "retoure": 3}
ZIPS_DE = {"01067": "Dresden", "10115": "Berlin", "20095": "Hamburg", "50667": "Köln", "60311": "Frankfurt am Main", "80331": "München",
           "04109": "Leipzig", "15230": "Frankfurt (Oder)", "99084": "Erfurt", "06108": "Halle (Saale)", "33790": "Halle (Westf.)"}


class Bestellungen(Domain):
    """Two generations of order numbers, orders of guests, digital goods without a parcel, a few very large orders."""
    name, half, form, sizes = "bestellungen", "tune", "csv", (8000, 700, 40)
    suffix, delimiter, decimal = "csv", ";", ","
    without = ("decimal_comma",)
    kinds = {
        "bestellnr": "key", "bestellt_am": "date", "status": "label", "kundennr": "ref", "anrede": "label", "nachname": "name",
        "email": "email", "firma": "label", "ust_id": "code", "plz": "zip", "ort": "place", "land": "label", "zahlart": "label",
        "lieferart": "label", "versendet_am": "date", "sendungsnr": "digits", "gutschein": "label", "positionen": "count",
        "warenwert": "money", "rabatt": "money", "versand": "money", "mwst_satz": "percent", "mwst": "money", "brutto": "money",
        "waehrung": "label", "erstattet": "money", "hinweis": "text", "lieferzeit_tage": "count"}
    optional = ("kundennr", "anrede", "firma", "ust_id", "versendet_am", "sendungsnr", "gutschein", "erstattet", "hinweis",
                "lieferzeit_tage", "email")
    linked = (("plz", "ort"), ("land", "waehrung", "mwst_satz"), ("status", "versendet_am", "sendungsnr", "erstattet", "lieferzeit_tage"),
              ("lieferart", "versand", "sendungsnr"), ("warenwert", "rabatt", "versand", "mwst", "brutto"), ("gutschein", "rabatt"))
    depends = (("plz", "ort"), ("land", "waehrung"))
    sums = (("brutto", ("warenwert", "versand", "mwst", "rabatt")),)
    ordered = (("bestellt_am", "versendet_am"),)
    swaps = (("nachname", "ort"), ("plz", "ort"), ("bestellt_am", "versendet_am"))
    glued = (("ort", "plz"), ("zahlart", "lieferart"))
    refs = ("kundennr",)
    rules = (("erstattet", "status"),)

    def make(self, w, n):
        known = {}
        for i in range(max(6, n // 3)):
            first, last = person(w)
            zip_code = w.zipf(list(ZIPS_DE), 0.6)
            known["K%d" % (20400 + i * 3)] = (w.weighted(Frau=47, Herr=45, Divers=1, _=7), last, email(w, first, last, i),
                                              w.zipf(["Muster GmbH", "Bauer & Sohn", "KiTa Sonnenschein", "Praxis Dr. Vogt", "TSV 1860"], 0.3)
                                              if w.chance(0.13) else None, zip_code)
        docs, when = [], datetime.datetime(2021, 2, 1)
        for i in range(n):
            when += datetime.timedelta(minutes=w.between(2, max(10, 4200000 // n)) / 1.2)
            when = min(when, LAST)
            guest = w.chance(0.18)
            no = None if guest else w.pick(list(known))
            first, last = person(w)
            title, last, mail, company, zip_code = (None, last, email(w, first, last, i), None, w.zipf(list(ZIPS_DE), 0.6)) if guest else known[no]
            land = "DE" if w.chance(0.9) else w.pick(["AT", "CH"])
            status = w.rng.choices(list(STATES_DE), STATES_DE.values())[0]
            kind = w.weighted(paket=72, brief=14, download=11, spedition=3)
            rate = 0 if land == "CH" else w.pick([19, 19, 19, 19, 7])
            value = w.skewed(54, 0.8) if w.chance(0.995) else w.skewed(4200, 0.7)
            code = w.zipf(["WILLKOMMEN10", "SOMMER", "TREUE5", "PRESSE"], 0.9) if w.chance(0.14) else None
            off = round(value * 0.1, 2) if code else 0.0
            post = {"paket": 4.9 if value < 75 else 0.0, "brief": 1.95, "download": 0.0, "spedition": 39.0}[kind]
            tax = round((value - off + post) * rate / 100, 2)
            sent = status in ("versendet", "abgeschlossen", "retoure") and kind != "download"
            took = w.between(0, 6)
            docs.append({
                "bestellnr": "%d" % (48211 + i) if when.year < 2023 else "B-%d-%06d" % (when.year, i), "bestellt_am": german(when), "status": status,
                "kundennr": no, "anrede": None if title == "_" else title, "nachname": last, "email": mail if w.chance(0.985) else None,
                "firma": company, "ust_id": "DE%09d" % (sum(map(ord, company)) * 7331 % 999999999) if company and len(company) % 2 else None,
                "plz": zip_code, "ort": ZIPS_DE[zip_code], "land": land,
                "zahlart": w.weighted(paypal=41, rechnung=26, kreditkarte=19, lastschrift=10, vorkasse=4), "lieferart": kind,
                "versendet_am": german(min(LAST, when + datetime.timedelta(days=took))) if sent else None,
                "sendungsnr": "0034%s" % w.digits(12) if sent and kind in ("paket", "spedition") else None, "gutschein": code,
                "positionen": w.pick([1, 1, 1, 2, 2, 3, 4, 6, 9]), "warenwert": value, "rabatt": -off if off else 0.0, "versand": post,
                "mwst_satz": rate, "mwst": tax, "brutto": round(value - off + post + tax, 2), "waehrung": "CHF" if land == "CH" else "EUR",
                "erstattet": round(value - off, 2) if status == "retoure" else None,
                "hinweis": w.sentence(GERMAN, 2, 12) if w.chance(0.09) else None, "lieferzeit_tage": took if sent else None})
        return Data("bestellungen", docs, kunden=[{"kundennr": k, "seit": german(w.when(700)), "gruppe": w.pick(["A", "B", "C"])} for k in known])


# ------------------------------------------------------------------------------------ tickets of a help desk

class Tickets(Domain):
    """Documents of several kinds; what is not known yet is null, what does not apply is absent."""
    name, half, form, sizes = "tickets", "tune", "json", (4000, 300)
    kinds = {
        "ticket": "key", "subject": "title", "status": "label", "priority": "label", "channel": "label", "created": "date",
        "first_reply": "date", "solved": "date", "assignee.id": "count", "assignee.name": "name", "group": "label",
        "requester.name": "name", "requester.email": "email", "requester.phone": "digits", "language": "label", "product": "label",
        "device.model": "label", "device.os": "label", "device.app_version": "label", "reply_minutes": "count", "reopens": "count",
        "satisfaction.score": "count", "satisfaction.comment": "text", "tags": "tags", "messages": "array",
        "messages[].author": "label", "messages[].chars": "count", "merged_into": "count", "body": "text", "spam": "bool",
        "sla_hours": "count"}
    optional = ("priority", "first_reply", "solved", "assignee.id", "assignee.name", "requester.name", "requester.email",
                "requester.phone", "device.model", "device.os", "device.app_version", "reply_minutes", "satisfaction.score",
                "satisfaction.comment", "tags", "merged_into", "sla_hours", "messages[].chars", "messages[].author", "messages", "group")
    linked = (("assignee.id", "assignee.name", "group"), ("device.model", "device.os", "device.app_version", "product"),
              ("status", "solved", "merged_into"), ("priority", "sla_hours"), ("first_reply", "reply_minutes", "created"), ("channel", "requester.email", "requester.phone"))
    depends = (("assignee.id", "assignee.name"), ("assignee.name", "group"), ("device.model", "device.os"), ("priority", "sla_hours"))
    ordered = (("created", "first_reply"), ("first_reply", "solved"))
    swaps = (("device.model", "device.os"), ("created", "solved"), ("requester.name", "subject"))
    glued = (("device.model", "device.os"), ("assignee.name", "group"))
    rules = (("solved", "status"), ("merged_into", "status"))

    def make(self, w, n):
        agents = {101: ("Ines Brandt", "first line"), 102: ("Ivo Brand", "first line"), 107: ("Mara Hall", "billing"), 110: ("Mark Hale", "first line"),
                  115: ("Noor Said", "mobile"), 131: ("Bot", "automation"), 140: ("Jo Lindqvist", "mobile")}
        models = {"Pixel 7": "Android 14", "Pixel 7a": "Android 14", "Galaxy S21": "Android 13", "iPhone 12": "iOS 17", "iPhone 13": "iOS 17", "iPad Air": "iPadOS 17"}
        things = ["Cannot log in", "Invoice question", "App crashes on start", "Refund request", "Change of address", "How do I export my data?",
                  "Re: your newsletter", "Feature request: dark mode", "Payment failed", "Sync is slow", "(no subject)", "Frage zur Rechnung", "Problème de connexion"]
        hours = {"low": 72, "normal": 24, "high": 8, "urgent": 2}
        docs = []
        for i in range(n):
            first, last = person(w)
            made = datetime.datetime(2023, 5, 2) + datetime.timedelta(hours=18500 * i / n, seconds=w.between(0, 3000))
            status = w.weighted(closed=64, solved=16, open=9, pending=6, merged=3, spam=2)
            channel, product = w.weighted(email=58, chat=21, phone=12, form=9), w.weighted(web=55, mobile=33, api=12)
            doc = {"_id": w.oid(), "ticket": 70000 + i, "subject": w.zipf(things, 0.4) + (" #%d" % w.between(1000, 99999) if w.chance(0.3) else ""),
                   "status": status, "priority": w.weighted(low=15, normal=60, high=20, urgent=5) if w.chance(0.88) else None,
                   "channel": channel, "created": extended(made), "language": w.weighted(en=62, de=18, fr=11, es=7, nl=2), "product": product,
                   "requester": {}, "reopens": w.pick([0] * 14 + [1, 1, 2]), "spam": status == "spam", "solved": None,
                   "assignee": None, "tags": w.rng.sample(["billing", "vip", "bug", "login", "export", "beta"], w.pick([0, 0, 0, 1, 1, 2])),
                   "messages": [{"author": w.weighted(customer=55, agent=45), "chars": int(w.skewed(320, 0.9, 0))} for _ in range(w.pick([1, 1, 2, 3, 4, 6, 11]))],
                   "body": w.sentence(ENGLISH, 6, 60)}
            if channel != "phone" or w.chance(0.4):
                doc["requester"]["email"] = email(w, first, last, i)
            if channel != "chat" or w.chance(0.6):
                doc["requester"]["name"] = first + " " + last
            if channel == "phone":
                doc["requester"]["phone"] = "0%s" % w.digits(10)
            doc["sla_hours"] = hours[doc["priority"]] if doc["priority"] else None
            if status not in ("open", "spam") or w.chance(0.5):
                who = w.zipf(list(agents), 0.5)
                doc["assignee"] = {"id": who, "name": agents[who][0]}
                doc["group"] = agents[who][1]
            if status in ("closed", "solved", "pending") and w.chance(0.97):
                minutes = int(w.skewed(95, 1.3, 0)) + 1
                answered = made + datetime.timedelta(minutes=minutes)
                doc["first_reply"], doc["reply_minutes"] = extended(answered), minutes
                if status in ("closed", "solved"):
                    doc["solved"] = extended(answered + datetime.timedelta(hours=w.between(1, 300)))
                    if w.chance(0.3):
                        doc["satisfaction"] = {"score": w.pick([5, 5, 5, 4, 4, 3, 2, 1])}
                        if w.chance(0.4):
                            doc["satisfaction"]["comment"] = w.sentence(ENGLISH, 2, 14)
            elif status in ("closed", "solved"):
                doc["solved"] = extended(made + datetime.timedelta(hours=w.between(1, 300)))
            if status == "merged":
                doc["merged_into"] = 70000 + max(0, i - w.between(1, 400))
            if product == "mobile" and w.chance(0.9):
                model = w.zipf(list(models), 0.4)
                doc["device"] = {"model": model, "os": models[model]}
                if w.chance(0.85):
                    doc["device"]["app_version"] = "%d.%d.%d" % (w.pick([4, 5, 5]), w.between(0, 12), w.pick([0, 0, 1, 2]))
            docs.append(doc)
        return Data("tickets", docs)


# ------------------------------------------------------------------------------------ listings of a market place

ALPHABETS = {"en": ["Wireless mouse", "Desk lamp", "Garden hose", "Yoga mat", "Water bottle"], "de": ["Kabellose Maus", "Tischleuchte", "Gartenschlauch", "Gießkanne", "Müslischale"],
             "ru": ["Беспроводная мышь", "Настольная лампа", "Садовый шланг"], "ja": ["ワイヤレスマウス", "卓上ランプ", "ヨガマット"],
             "fr": ["Souris sans fil", "Lampe de bureau", "Tapis de yoga"]}
PATHS = {"Electronics/Mice": ("EL-01", 24), "Home/Lamps": ("HO-03", 24), "Garden/Hoses": ("GA-02", 12), "Sport/Mats": ("SP-04", 0), "Kitchen/Bottles": ("KI-07", 0)}


class Listings(Domain):
    name, half, form, sizes = "listings", "tune", "ndjson", (6000, 450)
    kinds = {
        "sku": "code", "listing_no": "key", "title": "title", "lang": "label", "brand": "label", "gtin": "ean", "category.path": "label",
        "category.code": "label", "seller.id": "count", "seller.name": "label", "price.amount": "money", "price.currency": "label",
        "price.was": "money", "stock": "count", "weight_kg": "measure", "dims.l": "measure", "dims.w": "measure", "dims.h": "measure",
        "colour": "label", "material": "label", "warranty_months": "count", "rating.mean": "measure", "rating.n": "count",
        "created": "date", "updated": "date", "discontinued": "date", "origin": "label", "hazard": "label", "images": "array",
        "description": "text", "active": "bool"}
    optional = ("brand", "gtin", "price.was", "weight_kg", "dims.l", "dims.w", "dims.h", "colour", "material", "warranty_months",
                "rating.mean", "discontinued", "origin", "hazard", "images", "description")
    linked = (("category.path", "category.code", "warranty_months"), ("seller.id", "seller.name"), ("lang", "title"),
              ("active", "discontinued", "stock"), ("rating.n", "rating.mean"), ("dims.l", "dims.w", "dims.h"))
    depends = (("category.path", "category.code"), ("seller.id", "seller.name"))
    ordered = (("created", "updated"), ("created", "discontinued"))
    swaps = (("dims.l", "dims.h"), ("colour", "material"), ("created", "updated"), ("brand", "seller.name"))
    glued = (("category.path", "category.code"), ("seller.name", "lang"))
    rules = (("discontinued", "active"), ("rating.mean", "rating.n"))

    def make(self, w, n):
        sellers = {i * 11 + 200: w.zipf(["Nordic Goods", "Nordic Foods", "Haus & Hof", "TechBazaar", "Maison Bleue", "Сад и дом", "和雑貨", "B&B"], 0.1) + (" %d" % i if i > 7 else "")
                   for i in range(14)}
        docs = []
        for i in range(n):
            lang = w.weighted(en=48, de=24, fr=14, ru=8, ja=6)
            path, seller = w.zipf(list(PATHS), 0.4), w.zipf(list(sellers), 0.5)
            made, active = w.when(1000), w.chance(0.82)
            price = w.pick([4.99, 9.99, 12.5, 19.0, 24.9, 39.95, 59.0]) if w.chance(0.98) else w.skewed(900, 0.5)
            n_seen = 0 if w.chance(0.42) else int(w.skewed(9, 1.5, 0)) + 1
            doc = {"_id": w.oid(), "sku": "%s%s" % (w.letters(2), w.digits(6)) if i > n * 0.2 else "OLD-%05d" % (i * 3 + 11), "listing_no": 900000 + i * 2,
                   "title": w.pick(ALPHABETS[lang]) + w.pick(["", "", " XL", " 2er Set", " Pro", " – New!", " (refurbished)"]), "lang": lang,
                   "category": {"path": path, "code": PATHS[path][0]}, "seller": {"id": seller, "name": sellers[seller]},
                   "price": {"amount": price, "currency": w.weighted(EUR=80, USD=12, GBP=5, JPY=3)}, "stock": 0 if not active else int(w.skewed(12, 1.3, 0)),
                   "created": extended(made), "updated": extended(w.later(made, 0, 400)), "active": active, "rating": {"n": n_seen}}
            if w.chance(0.82):
                doc["brand"] = w.zipf(["Logi", "Lumo", "Gardena", "Kettle & Co", "Unbranded", "Manta", "Mantra", "H2O"], 0.5)
            if w.chance(0.71):
                doc["gtin"] = ean13("40" + w.digits(10))
            if w.chance(0.2):
                doc["price"]["was"] = round(price * w.pick([1.1, 1.25, 1.5, 2]), 2)
            if w.chance(0.77):
                doc["weight_kg"] = w.skewed(0.6, 0.9, 3)
            if w.chance(0.64):
                doc["dims"] = {"l": w.skewed(32, 0.4, 1), "w": w.skewed(18, 0.4, 1), "h": w.skewed(6, 0.5, 1)}
            if w.chance(0.58):
                doc["colour"] = w.zipf(["black", "white", "silver", "green", "multicolour", "schwarz", "noir"], 0.6)
            if w.chance(0.6):
                doc["material"] = w.zipf(["plastic", "steel", "glass", "rubber", "bamboo"], 0.5)
            if PATHS[path][1] and w.chance(0.9):
                doc["warranty_months"] = PATHS[path][1] if w.chance(0.9) else w.pick([0, 36, 60, 120])
            if n_seen:
                doc["rating"]["mean"] = round(min(5, max(1, w.rng.gauss(4.2, 0.5))), 1)
            if not active:
                doc["discontinued"] = extended(w.later(made, 30, 700))
            if w.chance(0.97):
                doc["origin"] = w.weighted(CN=61, DE=14, VN=10, PL=8, NA=1, SE=6)
            if w.chance(0.02):
                doc["hazard"] = w.pick(["UN3481", "UN1950", "UN3090"])
            if w.chance(0.9):
                doc["images"] = ["https://img.example/%d/%d.webp" % (900000 + i * 2, k) for k in range(w.pick([1, 1, 2, 3, 5]))]
            if w.chance(0.74):
                doc["description"] = w.sentence(ENGLISH, 10, 90)
            docs.append(doc)
        return Data("listings", docs)


# ------------------------------------------------------------------------------------ devices of a company

MODELS = {"ThinkPad T14": ("Lenovo", "laptop"), "ThinkPad T14s": ("Lenovo", "laptop"), "MacBook Air": ("Apple", "laptop"), "iPhone SE": ("Apple", "phone"),
          "Latitude 5420": ("Dell", "laptop"), "U2720Q": ("Dell", "monitor"), "P2419H": ("Dell", "monitor"), "Pixel 6a": ("Google", "phone"), "LaserJet M404": ("HP", "printer")}
SITES = {"BER": "Berlin", "BRE": "Bremen", "MUC": "München", "VIE": "Wien", "REM": "remote"}


class Assets(Domain):
    """A list that several people keep: serial numbers of each vendor, rooms as everybody writes them, two generations of cost centres."""
    name, half, form, sizes = "assets", "tune", "csv", (1200, 240, 25)
    kinds = {
        "asset_tag": "key", "kind": "label", "vendor": "label", "model": "label", "serial": "code", "site": "label", "site_name": "place",
        "room": "title", "status": "label", "assigned_to": "name", "user_email": "email", "cost_center": "zip", "purchased": "date",
        "price": "money", "currency": "label", "invoice_no": "code", "warranty_until": "date", "os": "label", "imei": "luhn", "mac": "code",
        "ram_gb": "count", "last_seen": "date", "retired": "date", "comment": "text", "insured": "bool"}
    optional = ("room", "assigned_to", "user_email", "purchased", "price", "currency", "invoice_no", "warranty_until", "os", "imei", "mac", "ram_gb",
                "last_seen", "retired", "comment", "cost_center")
    linked = (("model", "vendor", "kind", "os", "imei", "ram_gb"), ("site", "site_name", "room"), ("status", "assigned_to", "user_email", "retired"), ("price", "currency", "invoice_no", "purchased"))
    depends = (("model", "vendor"), ("model", "kind"), ("site", "site_name"))
    ordered = (("purchased", "warranty_until"), ("purchased", "retired"), ("purchased", "last_seen"))
    swaps = (("vendor", "model"), ("purchased", "warranty_until"), ("site", "site_name"))
    glued = (("vendor", "model"), ("site_name", "site"))
    rules = (("retired", "status"), ("imei", "kind"))

    def make(self, w, n):
        docs = []
        for i in range(n):
            first, last = person(w)
            model, site = w.zipf(list(MODELS), 0.5), w.zipf(list(SITES), 0.6)
            vendor, kind = MODELS[model]
            status = w.weighted(in_use=72, storage=14, repair=3, retired=9, lost=2)
            used = status in ("in_use", "repair") and kind != "printer"
            bought, known = w.when(1150), w.chance(0.93)
            priced = known and w.chance(0.94)
            serial = {"Lenovo": "PF%s%05d" % (w.letters(1), i * 61 + 7), "Apple": "C02" + w.letters(4) + w.digits(2) + w.letters(3),
                      "Dell": "%s%03d%s" % (w.letters(2), i % 1000, w.letters(2)), "Google": w.digits(14), "HP": "VNB3%s%05d" % (w.letters(1), i * 37 + 5)}[vendor]
            docs.append({
                "asset_tag": "IT%05d" % (1001 + i), "kind": kind, "vendor": vendor, "model": model, "serial": serial, "site": site, "site_name": SITES[site],
                "room": (w.pick(["home", "Home office", "zu Hause"]) if site == "REM" else w.pick(["%s-%d" % (w.pick("ABC"), w.between(101, 420)), "%d. OG links" % w.between(1, 4), "Lager", "Empfang"]))
                if w.chance(0.78) else None, "status": status, "assigned_to": first + " " + last if used else None,
                "user_email": "%s.%s@firma.example" % (ascii_of(first), ascii_of(last) + str(i)) if used and w.chance(0.96) else None,
                "cost_center": ("%04d" % (w.between(11, 48) * 100) if bought.year < 2023 else "%06d" % (w.between(110, 480) * 1000)) if w.chance(0.98) else None,
                "purchased": day(bought) if known else None, "price": (w.skewed(780, 0.4) if w.chance(0.99) else 0.0) if priced else None, "currency": "EUR" if priced else None,
                "invoice_no": w.pick(["RE-%s" % w.digits(6), "%s/%d" % (w.digits(5), bought.year), "INV%s" % w.digits(8)]) if priced and w.chance(0.8) else None,
                "warranty_until": day(bought.replace(year=bought.year + w.pick([2, 3, 3]), day=min(28, bought.day))) if known and w.chance(0.86) else None,
                "os": {"Apple": "macOS", "Lenovo": "Windows 11", "Dell": "Windows 11"}.get(vendor) if kind == "laptop" else {"Apple": "iOS", "Google": "Android"}.get(vendor) if kind == "phone" else None,
                "imei": luhn("35" + w.digits(12)) if kind == "phone" and w.chance(0.95) else None,
                "mac": ":".join("%02x" % w.between(0, 255) for _ in range(6)) if kind in ("laptop", "printer") and w.chance(0.9) else None,
                "ram_gb": w.pick([8, 16, 16, 32]) if kind == "laptop" else None, "last_seen": day(w.later(bought, 100, 600)) if kind in ("laptop", "phone") and w.chance(0.85) else None,
                "retired": day(w.later(bought, 300, 900)) if status == "retired" else None, "comment": w.sentence(ENGLISH, 2, 9) if w.chance(0.11) else None, "insured": w.chance(0.5)})
        return Data("assets", docs)


# ------------------------------------------------------------------------------------ members of an association

COMMUNES = {"69001": "Lyon", "75011": "Paris", "13001": "Marseille", "31000": "Toulouse", "44000": "Nantes", "01000": "Bourg-en-Bresse", "06000": "Nice", "33000": "Bordeaux", "03000": "Moulins"}
FEES = {"plein": 40.0, "réduit": 15.0, "couple": 65.0, "bienfaiteur": 150.0}


class Adherents(Domain):
    name, half, form, sizes = "adherents", "tune", "csv", (2600, 320, 35)
    suffix, delimiter = "tsv", "\t"
    kinds = {
        "numero": "key", "civilite": "label", "nom": "name", "prenom": "name", "adresse": "title", "complement": "text", "code_postal": "zip", "ville": "place",
        "pays": "label", "telephone": "title", "courriel": "email", "naissance": "date", "adhesion": "date", "formule": "label", "cotisation": "money", "don": "money",
        "total_verse": "money", "mode_paiement": "label", "relance_le": "date", "radie_le": "date", "statut": "label", "section": "label", "responsable": "name",
        "consentement": "label", "remarques": "text", "benevole_heures": "measure"}
    optional = ("civilite", "complement", "telephone", "courriel", "naissance", "mode_paiement", "relance_le", "radie_le", "consentement", "remarques", "benevole_heures", "don", "adresse")
    linked = (("code_postal", "ville", "pays"), ("formule", "cotisation"), ("cotisation", "don", "total_verse"), ("section", "responsable"), ("statut", "radie_le", "relance_le", "mode_paiement"))
    depends = (("code_postal", "ville"), ("section", "responsable"), ("formule", "cotisation"))
    sums = (("total_verse", ("cotisation", "don")),)
    ordered = (("naissance", "adhesion"), ("adhesion", "radie_le"))
    swaps = (("nom", "prenom"), ("ville", "code_postal"), ("cotisation", "don"), ("naissance", "adhesion"))
    glued = (("ville", "code_postal"), ("section", "responsable"))
    rules = (("radie_le", "statut"),)

    def make(self, w, n):
        heads = {"randonnée": "Mme Perrin", "chorale": "M. Perrot", "échecs": "M. Diallo", "jardin": "Mme Nguyen", "lecture": "Mme Perrin"}
        abroad = {"1000": ("Bruxelles", "Belgique"), "1201": ("Genève", "Suisse"), "L-1111": ("Luxembourg", "Luxembourg")}
        docs = []
        for i in range(n):
            first, last = person(w)
            if w.chance(0.97):
                code = w.zipf(list(COMMUNES), 0.5)
                town, land = COMMUNES[code], "France"
            else:
                code = w.pick(list(abroad))
                town, land = abroad[code]
            formula, status = w.weighted(plein=58, réduit=25, couple=14, bienfaiteur=3), w.weighted(actif=81, radié=9, suspendu=4, honneur=6)
            fee = 0.0 if status == "honneur" else FEES[formula]
            gift = float(w.pick([5, 10, 10, 20, 50])) if w.chance(0.24) else 5000.0 if w.chance(0.002) else None
            joined, section, phone = w.when(1150), w.zipf(list(heads), 0.4), w.digits(8)
            docs.append({
                "numero": "A%05d" % (401 + i), "civilite": w.weighted(Mme=52, M=46, Dr=2) if w.chance(0.9) else None, "nom": last.upper() if w.chance(0.3) else last, "prenom": first,
                "adresse": "%d %s %s" % (w.between(1, 180), w.pick(["rue", "av.", "avenue", "bd", "place", "chemin"]), w.pick(["Victor Hugo", "de la Gare", "des Lilas", "Jean Jaurès", "du 8 Mai 1945"])) if w.chance(0.95) else None,
                "complement": w.pick(["Bât. B", "Apt 12", "chez M. Roy", "3e étage"]) if w.chance(0.12) else None, "code_postal": code, "ville": town, "pays": land,
                "telephone": (w.pick(["06 %s %s %s %s", "06.%s.%s.%s.%s", "06%s%s%s%s", "+33 6 %s %s %s %s"]) % (phone[:2], phone[2:4], phone[4:6], phone[6:])) if w.chance(0.83) else None,
                "courriel": email(w, first, last, i) if w.chance(0.73) else None,
                "naissance": french(datetime.datetime(w.between(1934, 2006), w.between(1, 12), w.between(1, 28))) if w.chance(0.68) else None,
                "adhesion": french(joined), "formule": formula, "cotisation": fee, "don": gift, "total_verse": fee + (gift or 0.0),
                "mode_paiement": w.weighted(chèque=35, CB=30, virement=20, espèces=15) if fee + (gift or 0.0) else None,
                "relance_le": french(w.later(joined, 300, 420)) if status in ("suspendu", "radié") or w.chance(0.05) else None,
                "radie_le": french(w.later(joined, 440, 700)) if status == "radié" else None, "statut": status, "section": section, "responsable": heads[section],
                "consentement": w.weighted(oui=80, non=20) if w.chance(0.61) else None, "remarques": w.sentence(FRENCH, 2, 14) if w.chance(0.17) else None,
                "benevole_heures": round(w.skewed(12, 0.8, 0) * 2) / 2 if w.chance(0.21) else None})
        return Data("adherents", docs)


DOMAINS = [Accounts(), Bestellungen(), Tickets(), Listings(), Assets(), Adherents()]
