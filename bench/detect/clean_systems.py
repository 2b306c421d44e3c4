"""Systems with a rich structure that are right, for bench/detect: what an audit says above low about them is a false alarm.

Nothing is damaged here. Documents have several versions, kinds with fields of their own, nested items, hierarchies, codes,
long tails, bursts, zeros that are meant, round numbers, corrections, and names in several scripts. Each is made at 11, 200
and 5,000 documents. Add what an audit wrongly reported about real data, as it is made and not as it is reported.
"""
import datetime
import math

from world import (ENGLISH, LAST, ascii_of, clean_domain, container, day, ean13, email, extended, iban, isbn10, luhn, nif,
                   person)

DOMAINS = []
SIZES = (11, 200, 5000)
system = clean_domain(DOMAINS, "ndjson", SIZES)


def dotted(when):
    return when.strftime("%d.%m.%Y")


def slashed(when):
    return when.strftime("%d/%m/%Y")


def hours(w, low, high):
    return datetime.timedelta(minutes=w.between(low * 60, high * 60))


# ------------------------------------------------------------------------------------ orders of a shop in many countries

PLACES = {
    "US": [("94107", "San Francisco", "CA"), ("10001", "New York", "NY"), ("60614", "Chicago", "IL"), ("02139", "Cambridge", "MA"), ("97209", "Portland", "OR"), ("04101", "Portland", "ME")],
    "GB": [("SW1A 2AA", "London", None), ("M1 1AE", "Manchester", None), ("CB2 1TN", "Cambridge", None), ("B33 8TH", "Birmingham", None)],
    "DE": [("10115", "Berlin", None), ("80331", "München", None), ("01067", "Dresden", None), ("50667", "Köln", None)],
    "FR": [("75011", "Paris", None), ("69003", "Lyon", None), ("06000", "Nice", None)],
    "JP": [("100-0001", "千代田区", "東京都"), ("530-0001", "大阪市北区", "大阪府")],
    "IE": [("D02 X285", "Dublin", None), (None, "Galway", None)],
}
MONEY = {"US": ("USD", 1.0, 0.0), "GB": ("GBP", 0.8, 0.2), "DE": ("EUR", 0.92, 0.19), "FR": ("EUR", 0.92, 0.2), "JP": ("JPY", 151.0, 0.1), "IE": ("EUR", 0.92, 0.23)}


@system()
def shop_orders(w, n):
    """Three versions of the document; lines with options; gifts at 0; yen without decimals; refunds; wholesale."""
    goods = [("SKU-%05d" % (10000 + 37 * k), " ".join(w.rng.sample(ENGLISH[14:40], 2)).title(), w.skewed(28, 0.8)) for k in range(max(12, min(400, n // 6)))]
    people = []
    for i in range(max(6, n // 3)):
        first, last = person(w)
        country = w.zipf(list(PLACES), 1.1)
        people.append((i, first, last, email(w, first, last, i), country, w.pick(PLACES[country])))
    docs, when = [], datetime.datetime(2021, 3, 1, 8)
    for i in range(n):
        burst = w.chance(0.02)
        when = min(LAST, when + datetime.timedelta(seconds=w.between(1, 30) if burst else w.between(60, max(120, 2 * 130000000 // n))))
        version = 1 if i < n * 0.25 else 2 if i < n * 0.7 else 3
        who, first, last, mail, country, (code, city, region) = w.zipf(people, 0.4)
        money, rate, tax = MONEY[country]
        places = 0 if money == "JPY" else 2
        lines, wholesale = [], w.chance(0.006)
        for sku, title, price in {w.zipf(goods, 0.7): 0 for _ in range(w.zipf([1, 2, 3, 4, 5, 8, 13], 1.4))}:
            line = {"sku": sku, "title": title, "qty": w.zipf([1, 2, 3, 4, 6, 10], 1.9) * (24 if wholesale else 1), "unit_price": round(price * rate, places) or 1}
            if w.chance(0.15):
                line["options"] = {w.pick(["color", "size"]): w.pick(["red", "black", "M", "XL", "42"])}
            if w.chance(0.02):
                line.update(unit_price=0 if places == 0 else 0.0, note="free sample")
            if version >= 2 and w.chance(0.1):
                line["discount_pct"] = w.pick([5, 10, 10, 15, 50])
            line["total"] = round(line["qty"] * line["unit_price"] * (1 - line.get("discount_pct", 0) / 100), places)
            lines.append(line)
        goods_total = round(sum(x["total"] for x in lines), places)
        post = 0.0 if goods_total > 60 * rate else round(4.9 * rate, places)
        vat = round((goods_total + post) * tax, places)
        status = w.zipf(["delivered", "shipped", "paid", "cancelled", "pending", "refunded", "lost"], 1.7)
        doc = {"_id": w.oid(), "v": version, "number": 100200 + i if version == 1 else "W%d-%06d" % (when.year, i), "placed_at": extended(when), "status": status,
               "customer": {"id": 5000 + who, "name": first + " " + last, "email": mail}, "currency": money, "lines": lines}
        if w.chance(0.1):
            doc["customer"]["company"] = w.zipf(["Acme Ltd", "Kel & Sons", "Hooli", "Globex GmbH", "株式会社サクラ"], 0.6)
        address = {"street": "%d %s" % (w.between(1, 399), w.pick(["Main St", "High Street", "Bahnhofstr.", "rue des Lilas", "Oak Ave", "The Green"])), "city": city, "country": country}
        if code:
            address["postal_code"] = code
        if region:
            address["region"] = region
        if w.chance(0.12):
            address["line2"] = w.pick(["Apt 4", "2nd floor", "c/o Ivers", "Hinterhaus", "Unit B"])
        doc["shipping" if version == 1 else "shipping_address"] = address
        if w.chance(0.08):
            doc["billing_address"] = dict(address, street="PO Box %d" % w.between(10, 900))
        if version == 1:
            doc["total"] = round(goods_total + post + vat, places)
        else:
            doc["amounts"] = {"goods": goods_total, "shipping": post, "vat": vat, "total": round(goods_total + post + vat, places)}
        if status not in ("pending", "cancelled"):
            doc["payments"] = [{"at": extended(when + hours(w, 0, 3)), "method": w.zipf(["card", "paypal", "invoice", "gift card", "konbini"], 1.0), "amount": round(goods_total + post + vat, places)}]
        elif w.chance(0.3):
            doc["payments"] = []
        if status in ("delivered", "shipped", "refunded"):
            doc["shipped_at"] = extended(min(LAST, when + hours(w, 5, 130)))
            doc["tracking"] = w.pick(["1Z%s" % w.digits(10), "00340%s" % w.digits(11), "RR%sGB" % w.digits(9)])
        if status == "refunded":
            doc["refund"] = {"amount": -goods_total if w.chance(0.5) else -lines[0]["total"], "reason": w.zipf(["damaged", "late", "wrong item", "changed mind"], 0.7)}
        if version == 3:
            doc["channel"] = w.zipf(["web", "app", "store", "phone", "amazon"], 1.2)
            doc["consent"] = {"marketing": w.chance(0.4), "terms": True}
        if w.chance(0.18):
            doc["coupon"] = w.zipf(["WELCOME", "SPRING22", "VIP-7", "BF2023", "staff"], 0.8)
        if w.chance(0.06):
            doc["gift_note"] = w.sentence(ENGLISH, 2, 14)
        docs.append(doc)
    return docs


# ------------------------------------------------------------------------------------ employees with their superiors

@system("csv", delimiter=";", decimal=",")
def personal(w, n):
    """A tree of superiors, part time, leave, tariff groups, people who left and came back, few managers off the scale."""
    groups = {"E5": 2850.0, "E6": 3010.0, "E8": 3320.0, "E9b": 3710.0, "E11": 4280.0, "E13": 4900.0}
    units = ["Fertigung", "Montage", "Einkauf", "Vertrieb", "IT", "Personal", "Lager", "Qualität", "Geschäftsführung"]
    centres = {u: 41000 + 100 * k for k, u in enumerate(units)}
    docs, used = [], {}
    for i in range(n):
        first, last = person(w)
        born = datetime.datetime(1958, 1, 1) + datetime.timedelta(days=w.between(0, 17500))
        entry = max(born + datetime.timedelta(days=w.between(6300, 12000)), datetime.datetime(1982, 4, 1))
        entry = min(entry, LAST).replace(day=1 if w.chance(0.85) else w.between(2, 28))
        leave = None if w.chance(0.88) else min(LAST, entry + datetime.timedelta(days=w.between(20, 6000)))
        unit = "Geschäftsführung" if i < max(1, n // 800) else w.zipf(units[:-1], 0.7)
        group = "AT" if unit == "Geschäftsführung" or w.chance(0.015) else w.zipf(list(groups), 0.4)
        part = w.rng.choices([100.0, 50.0, 80.0, 75.0, 60.0, 90.0, 62.5], [70, 8, 8, 6, 3, 3, 1])[0]
        pay = w.skewed(9500, 0.3, 0) if group == "AT" else round(groups[group] * w.pick([1, 1.04, 1.09, 1.15, 1.22]) * part / 100, 2)
        mail = "%s.%s" % (ascii_of(first), ascii_of(last))
        used[mail] = used.get(mail, 0) + 1
        docs.append({
            "Personalnr": "%06d" % (1001 + i * 2), "Nachname": last, "Vorname": first, "Titel": w.zipf(["Dr.", "Prof. Dr.", "Dipl.-Ing."], 1.0) if w.chance(0.07) else None,
            "Geburtsdatum": dotted(born), "Geschlecht": w.rng.choices(["m", "w", "d"], [520, 470, 4])[0], "Abteilung": unit, "Kostenstelle": centres[unit] + (w.pick([10, 20]) if w.chance(0.2) else 0),
            "Vorgesetzter": None if i == 0 else "%06d" % (1001 + 2 * (0 if i < 9 else w.between(0, min(i - 1, max(8, n // 12))))), "Eintritt": dotted(entry), "Austritt": dotted(leave) if leave else None,
            "Befristet": "ja" if w.chance(0.08) else "nein", "Tarifgruppe": group, "Beschäftigungsgrad": part, "Wochenstunden": round(38.5 * part / 100, 2), "Gehalt": float(pay), "Bonus": 0.0 if w.chance(0.8) else float(w.pick([500, 1000, 1000, 2500, 12000])),
            "Urlaubstage": 30 if part == 100 else round(30 * part / 100), "Resturlaub": w.rng.choices([0, 1, 2, 3.5, 5, 8, 12, 41], [300, 90, 80, 40, 30, 15, 8, 1])[0], "Steuerklasse": w.rng.choices([1, 4, 3, 5, 2, 6], [40, 30, 15, 9, 5, 1])[0],
            "Kinder": w.rng.choices([0, 1, 2, 3, 4, 7], [520, 210, 190, 60, 15, 1])[0], "Konfession": w.zipf(["--", "ev", "rk", "ak"], 1.3), "GdB": w.pick([20, 30, 50, 50, 70, 100]) if w.chance(0.05) else None,
            "IBAN": iban("DE", w.pick(["37040044", "10050000", "70070010", "50010517"]) + w.digits(10)), "EMail": "%s%s@werk.example" % (mail, used[mail] if used[mail] > 1 else ""),
            "Durchwahl": str(w.between(100, 999)) if w.chance(0.7) else None, "Raum": w.pick(["A1.%02d", "A2.%02d", "B0.%02d", "Halle %d"]) % w.between(1, 24), "Bemerkung": w.pick(["Elternzeit", "Homeoffice 2 Tage", "Ersthelfer", "Betriebsrat", "siehe Akte"]) if w.chance(0.06) else None})
    return docs


# ------------------------------------------------------------------------------------ devices and their readings

@system()
def telemetry(w, n):
    """Four kinds of devices, a firmware that added fields, a stuck meter, saturation, bursts of alarms, a clock at 0 after a start."""
    devices = []
    for k in range(max(4, min(60, n // 25))):
        kind = ("thermo", "power", "air", "door")[k] if k < 4 else w.zipf(["thermo", "power", "air", "door"], 0.7)
        devices.append(["%s-%04x" % (kind[:2].upper(), 0xa10 + k * 13), kind, w.zipf(["1.4.2", "1.5.0", "2.0.1", "1.0.0-beta"], 0.9), w.between(20, 100), w.skewed(4000, 1.0, 1), 0, w.pick(["hall/north", "hall/south", "roof", "cellar", "lab-2"])])
    docs, when = [], datetime.datetime(2024, 10, 1)
    for i in range(n):
        when += datetime.timedelta(seconds=w.between(0, 3) if w.chance(0.1) else w.between(20, 500))
        d = w.pick(devices)
        d[5] += 1
        d[3] = 100 if d[3] < 3 else d[3] - (1 if w.chance(0.05) else 0)
        swing = math.sin((when.hour - 9) / 24 * 6.283)
        doc = {"_id": w.oid(), "device": d[0], "kind": d[1], "seq": d[5], "ts": extended(when), "fw": d[2], "site": d[6], "battery": d[3], "rssi": -int(w.skewed(64, 0.2, 0))}
        if d[1] == "thermo":
            doc["reading"] = {"temp_c": round(16 + 7 * swing + w.rng.gauss(0, 1.6), 2), "humidity": min(100.0, round(58 - 12 * swing + w.rng.gauss(0, 9), 1))}
        elif d[1] == "power":
            d[4] = round(d[4] + (0 if w.chance(0.3) else w.skewed(0.8, 0.9)), 2)
            doc["reading"] = {"kwh": d[4], "watts": 0 if w.chance(0.3) else int(w.skewed(420, 1.1, 0)), "phases": [round(w.rng.gauss(230, 2.2), 1) for _ in range(3)]}
        elif d[1] == "air":
            co2 = min(5000, int(w.skewed(640, 0.35, 0)))
            doc["reading"] = {"co2_ppm": 5000 if w.chance(0.004) else max(400, co2), "pm25": w.skewed(6, 0.9, 1), "tvoc": 0 if w.chance(0.2) else int(w.skewed(90, 1.1, 0))}
        else:
            doc["reading"] = {"open": w.chance(0.2), "count": int(w.skewed(9, 1.2, 0))}
        if d[2] == "2.0.1":
            doc["uptime_s"] = int(w.skewed(90000, 1.6, 0)) if w.chance(0.97) else 0
            doc["boot_reason"] = w.zipf(["power", "watchdog", "update"], 1.8)
        if w.chance(0.03):
            doc["alarms"] = [{"code": w.pick(["E03", "E07", "W12", "W12", "W13"]), "level": w.pick([1, 1, 2, 3])} for _ in range(w.between(1, 3))]
        if w.chance(0.01):
            doc["note"] = "calibrated" if w.chance(0.5) else "battery changed"
        docs.append(doc)
    return docs


# ------------------------------------------------------------------------------------ loans of a library

AUTHORS_ES = ["García Márquez, Gabriel", "Cervantes, Miguel de", "Lorca, Federico García", "Borges, Jorge Luis", "Allende, Isabel", "Vargas Llosa, Mario", "Cortázar, Julio", "Pérez Galdós, Benito",
              "Anónimo", "Rulfo, Juan", "Marías, Javier", "Mendoza, Eduardo", "Rosa Montero", "Homero", "Tolkien, J. R. R.", "Le Guin, Ursula K.", "Варгас, Фред", "村上春樹"]
TITLES_ES = "casa tiempo sombra viento noche ciudad río memoria espejo jardín laberinto soledad camino luz sueño mar piedra carta isla reloj".split()


@system("csv")
def prestamos(w, n):
    books = []
    for k in range(max(8, n // 8)):
        year = w.zipf([2019, 2015, 2021, 2008, 1999, 1985, 1967, 1605, 1554], 0.7)
        a, b = w.rng.sample(TITLES_ES, 2)
        form = w.pick(["La %s del %s", "El %s y la %s", "%s de %s", "Historia de la %s y el %s", "%s: %s"])
        code = None if year < 1970 else isbn10("84" + w.digits(7)) if year < 2007 else ean13("97884" + w.digits(7))
        books.append(("B%06d" % (2000 + k * 3), form % (a, b), w.zipf(AUTHORS_ES, 0.5), year, code, "%s %s" % (w.pick(["N", "N", "N", "P", "82", "82-1", "IJ", "R"]), w.letters(3)), w.rng.choices([1, 2, 3, 12], [80, 14, 5, 1])[0]))
    readers = [("L-%05d" % (310 + 7 * k), " ".join(person(w)), w.zipf(["adulto", "infantil", "jubilado", "investigador"], 0.9)) for k in range(max(5, n // 10))]
    docs, when = [], datetime.datetime(2021, 9, 1)
    for i in range(n):
        when = min(LAST, when + datetime.timedelta(days=0 if w.chance(0.6) else w.pick([1, 1, 1, 3, 21 if w.chance(0.05) else 1]) if n > 600 else 2))
        book, reader = w.zipf(books, 0.6), w.zipf(readers, 0.5)
        term = 21 if reader[2] != "investigador" else 60
        kept = int(w.skewed(17, 0.6, 0))
        back = when + datetime.timedelta(days=kept)
        late = max(0, kept - term)
        gone = back <= LAST and w.chance(0.985)
        docs.append({"prestamo": 880000 + i, "fecha": slashed(when), "vence": slashed(when + datetime.timedelta(days=term)), "devuelto": slashed(back) if gone else None, "dias_retraso": late if gone else None,
                     "multa": (0 if late == 0 or reader[2] == "infantil" else min(15, round(late * 0.2, 2))) if gone else None, "lector": reader[0], "nombre": reader[1], "tipo": reader[2],
                     "ejemplar": book[0], "signatura": book[5], "titulo": book[1], "autor": book[2], "año": book[3], "isbn": book[4], "ejemplares": book[6], "renovaciones": w.rng.choices([0, 1, 2, 3], [78, 15, 6, 1])[0],
                     "sucursal": w.zipf(["Centro", "Norte", "Sur", "Bibliobús"], 0.8), "observaciones": w.pick(["falta la última hoja", "subrayado", "ok", "reservado"]) if w.chance(0.05) else None})
    return docs


# ------------------------------------------------------------------------------------ visits to a practice

@system("json")
def consultations(w, n):
    codes = {"J06.9": "Infection aiguë des voies respiratoires", "I10": "Hypertension essentielle", "E11.9": "Diabète de type 2", "M54.5": "Lombalgie basse", "Z00.0": "Examen médical général", "Z23": "Vaccination", "F32.1": "Épisode dépressif moyen", "Q90.9": "Trisomie 21"}
    drugs = [("paracétamol", "1 g", 3), ("ibuprofène", "400 mg", 3), ("amoxicilline", "500 mg", 3), ("metformine", "850 mg", 2), ("ramipril", "5 mg", 1), ("ramipril", "2,5 mg", 1), ("lévothyroxine", "75 µg", 1)]
    doctors = [("1%s" % w.digits(8) + "%02d" % k, "Dr %s" % person(w)[1]) for k in range(max(2, min(12, n // 60)))]
    patients = []
    for k in range(max(5, n // 4)):
        first, last = person(w)
        born = datetime.datetime(1932, 1, 1) + datetime.timedelta(days=int(33000 * w.rng.random() ** 0.8))
        sex = w.pick("MF")
        nir = "%s%02d%02d%02d%03d%03d" % ("1" if sex == "M" else "2", born.year % 100, born.month, w.pick([75, 69, 13, 59, 33, 99]), w.between(1, 560), w.between(1, 300))
        grown = (datetime.datetime(2024, 1, 1) - born).days > 6500
        patients.append((200 + k, first, last, born, sex, "%s%02d" % (nir, 97 - int(nir) % 97), w.bell(172 if grown else 118, 9, 0) if born.year < 2022 else w.between(50, 88), grown, w.rng.sample(["pénicilline", "pollen", "latex", "arachide"], w.between(1, 2)) if w.chance(0.2) else []))
    docs = []
    for i in range(n):
        when = (datetime.datetime(2022, 1, 3, 8) + datetime.timedelta(days=1200 * i / n)).replace(hour=w.between(8, 18), minute=w.pick([0, 10, 15, 20, 30, 40, 45]))
        no, first, last, born, sex, nir, height, grown, allergic = w.zipf(patients, 0.3)
        if born > when:
            continue
        code = w.zipf(list(codes), 0.7)
        doc = {"_id": no * 10000 + i, "date": extended(when), "patient": {"id": no, "nom": last, "prenom": first, "naissance": day(born), "sexe": sex, "nir": nir}, "medecin": dict(zip(("rpps", "nom"), w.zipf(doctors, 0.5))),
               "motif": w.zipf(["contrôle", "douleur", "fièvre", "certificat", "renouvellement", "résultats"], 0.6), "diagnostics": [{"code": code, "libelle": codes[code]}], "tarif": w.rng.choices([26.5, 30.0, 60.0, 0.0], [60, 30, 4, 3])[0], "allergies": allergic}
        if w.chance(0.25):
            second = w.pick([c for c in codes if c != code])
            doc["diagnostics"].append({"code": second, "libelle": codes[second]})
        if w.chance(0.75):
            weight = round(height * height / 10000 * w.rng.gauss(24.5 if grown else 17, 3), 1)
            doc["constantes"] = {"poids_kg": weight, "taille_cm": height, "imc": round(weight / (height / 100) ** 2, 1)}
            if grown:
                top = int(w.rng.gauss(128, 14))
                doc["constantes"].update(tension={"systole": top, "diastole": min(top - 20, int(w.rng.gauss(79, 9)))}, pouls=int(w.rng.gauss(74, 10)))
            if w.chance(0.3):
                doc["constantes"]["temperature"] = w.rng.choices([round(w.rng.gauss(37, 0.3), 1), round(w.rng.gauss(38.8, 0.5), 1)], [70, 30])[0]
        if code[0] in "JMIE" and w.chance(0.8):
            doc["ordonnance"] = [{"produit": p, "dose": dose, "prises": k, "jours": w.pick([5, 7, 10, 30, 90])} for p, dose, k in w.rng.sample(drugs, w.between(1, 3))]
        if w.chance(0.55):
            doc["mutuelle"] = w.zipf(["MGEN", "Harmonie", "Alan", "CSS"], 0.7)
        if w.chance(0.04):
            doc["arret"] = {"debut": day(when), "jours": w.pick([2, 3, 3, 5, 8, 15, 90])}
        if w.chance(0.01):
            doc["annule"] = True
        docs.append(doc)
    return docs


# ------------------------------------------------------------------------------------ waybills

@system("csv", suffix="tsv", delimiter="\t")
def waybills(w, n):
    ports = {"DEHAM": ("Hamburg", "DE"), "NLRTM": ("Rotterdam", "NL"), "SGSIN": ("Singapore", "SG"), "CNSHA": ("Shanghai", "CN"), "USLAX": ("Los Angeles", "US"), "BRSSZ": ("Santos", "BR"), "AEJEA": ("Jebel Ali", "AE"), "INNSA": ("Nhava Sheva", "IN"), "ESVLC": ("Valencia", "ES"), "CLVAP": ("Valparaíso", "CL")}
    ships = [("MSC %s" % w.pick(["Aurora", "Rosa", "Gülsün", "Aurelia"]), "9%s" % w.digits(6)) if k % 3 else ("%s %s" % (w.pick(["Ever", "Maersk", "CMA CGM"]), w.pick(["Given", "Elba", "Jules Verne", "Glory"])), "9%s" % w.digits(6)) for k in range(max(3, min(30, n // 40)))]
    goods = {"0901": ("coffee", 560), "4011": ("tyres", 320), "8471": ("computers", 180), "7208": ("steel coils", 1400), "0203": ("frozen pork", 740), "9403": ("furniture", 150), "2204": ("wine", 780), "8703": ("cars", 240)}
    docs, when = [], datetime.datetime(2022, 1, 5)
    for i in range(n):
        when = min(LAST, when + datetime.timedelta(hours=w.between(0, max(1, 2 * 29000 // n))))
        hs = w.zipf(list(goods), 0.6)
        reefer, size = hs == "0203", w.weighted(_40=60, _20=30, _45=3)
        a, b = w.rng.sample(list(ports), 2) if w.chance(0.3) else ("CNSHA", w.zipf(["DEHAM", "NLRTM", "USLAX"], 0.8))
        tare = {"_20": 2280, "_40": 3750, "_45": 4800}[size] + (700 if reefer else 0)
        cubic = round({"_20": 33.0, "_40": 67.0, "_45": 86.0}[size] * w.rng.uniform(0.5, 0.98), 1)
        net = int(min(goods[hs][1] * cubic * w.rng.uniform(0.5, 0.6), 27500))
        empty = w.chance(0.03)
        etd = when + datetime.timedelta(days=w.between(3, 14))
        eta = etd + datetime.timedelta(days=w.between(18, 44))
        arrived = eta + datetime.timedelta(days=w.rng.choices([0, 1, -1, 2, 5, 19], [50, 25, 10, 10, 4, 1])[0])
        ship, imo_no = w.zipf(ships, 0.6)
        docs.append({"waybill": "HLCU%09d" % (410000000 + i * 11), "booked": day(when), "shipper": w.zipf(["Ivers Trading", "Sunrise Foods Co., Ltd.", "Kel & Lind", "Rath Stahl AG", "上海东方进出口", "Comercial Andes S.A."], 0.6), "container": container(w.zipf(["HLXU", "MSCU", "TGHU", "CMAU"], 0.6), w.digits(6)), "size_type": size[1:] + ("RF" if reefer else "GP"),
                     "pol": a, "pol_name": ports[a][0], "pod": b, "pod_name": ports[b][0], "country": ports[b][1], "vessel": ship, "voyage": "%03d%s" % (w.between(101, 340), w.pick("EW")), "hs": "" if empty else hs, "commodity": "empty return" if empty else goods[hs][0],
                     "packages": 0 if empty else int(w.skewed(420, 0.9, 0)) + 1, "net_kg": 0 if empty else net, "tare_kg": tare, "gross_kg": tare + (0 if empty else net), "cbm": 0 if empty else cubic, "temp_c": (-18 if w.chance(0.9) else -20) if reefer and not empty else None,
                     "imdg": w.pick(["3", "9", "2.1"]) if w.chance(0.02) else None, "etd": day(etd), "eta": day(eta), "arrived": day(arrived) if arrived <= LAST else None, "free_days": w.rng.choices([7, 10, 14, 21], [50, 30, 19, 1])[0], "freight_usd": 0 if empty else round(w.skewed(2400, 0.5, 0), -1),
                     "terms": w.zipf(["FOB", "CIF", "EXW", "DAP", "DDP"], 1.0), "prepaid": w.pick(["P", "P", "P", "C"])})
    return docs


# ------------------------------------------------------------------------------------ card payments

@system()
def card_payments(w, n):
    """Codes of many lists as texts, authorisations that fail in bursts, captures, refunds, chargebacks, fees."""
    shops = []
    for k in range(max(4, min(120, n // 20))):
        mcc = w.zipf(["5411", "5812", "5999", "4111", "7011", "0742", "5541", "6011"], 0.8)
        shops.append(("M%08d" % (70000000 + k * 131), mcc, w.zipf(["Kiosk", "Café", "Markt", "Hotel", "Garage", "Tierarzt"], 0.4) + " " + w.pick(["am See", "Nord", "24", "Lind", "& Co"]) + (" %d" % k if k > 6 else ""), w.zipf(["CH", "DE", "AT", "IT"], 1.0), {"5411": 31, "7011": 190, "6011": 100}.get(mcc, 18)))
    reasons = {"00": "approved", "05": "do not honor", "51": "insufficient funds", "54": "expired card", "55": "incorrect PIN", "91": "issuer unavailable"}
    docs, when, outage = [], datetime.datetime(2024, 2, 1, 6), 0
    for i in range(n):
        when += datetime.timedelta(seconds=int(w.skewed(max(20, 30000000 // n), 0.9, 0)))
        shop, mcc, name, country, typical = w.zipf(shops, 0.7)
        outage = outage - 1 if outage else w.between(3, 25) if w.chance(0.001) else 0
        code = "91" if outage else w.rng.choices(list(reasons), [930, 22, 30, 5, 9, 1])[0]
        kind = w.rng.choices(["sale", "refund", "chargeback", "preauth"], [950, 30, 2, 18])[0]
        amount = round(typical * w.rng.lognormvariate(0, 0.7), 1 if country == "CH" else 2)
        amount = float(w.pick([20, 50, 100, 100, 200, 500])) if mcc == "6011" else amount
        scheme = w.zipf(["visa", "mastercard", "maestro", "amex", "twint"], 0.9)
        doc = {"_id": "txn_%016x" % w.rng.getrandbits(64), "type": kind, "ts": when.strftime("%Y-%m-%dT%H:%M:%S.") + "%03dZ" % w.between(0, 999), "merchant": {"id": shop, "name": name, "mcc": mcc, "country": country},
               "amount": amount, "currency": "CHF" if country == "CH" else "EUR", "scheme": scheme, "entry": w.zipf(["contactless", "chip", "ecom", "magstripe"], 1.2), "response": {"code": code, "text": reasons[code]}}
        if scheme != "twint":
            pan = luhn({"visa": "4", "mastercard": "5", "maestro": "6", "amex": "3"}[scheme] + w.digits(14))
            doc["card"] = {"bin": pan[:6], "last4": pan[-4:], "expiry": "%02d/%02d" % (w.between(1, 12), w.between(24, 29))}
            if w.chance(0.6):
                doc["card"]["country"] = w.zipf(["CH", "DE", "IT", "AT", "FR", "NA", "US"], 1.2)
        if code == "00":
            doc["auth_code"] = w.digits(6) if w.chance(0.7) else w.letters(2) + w.digits(4)
            doc["fee"] = 0.0 if kind != "sale" else round(amount * (0.0025 if scheme == "maestro" else 0.011) + 0.1, 2)
            if kind == "sale":
                doc["net"] = round(amount - doc["fee"], 2)
                doc["settled_on"] = day(when + datetime.timedelta(days=w.pick([1, 1, 1, 2, 3])))
        if kind in ("refund", "chargeback"):
            doc["original"] = w.pick(docs)["_id"] if docs else "txn_%016x" % w.rng.getrandbits(64)
        if doc["entry"] == "ecom":
            doc["three_ds"] = {"version": w.pick(["2.1.0", "2.2.0", "2.2.0"]), "eci": w.pick(["05", "05", "06", "07"]), "frictionless": w.chance(0.7)}
        if w.chance(0.05):
            doc["tip"] = float(w.pick([1, 2, 2, 5]))
        docs.append(doc)
    return docs


# ------------------------------------------------------------------------------------ customers everywhere

NAMES = {
    "ja": ("佐藤 鈴木 高橋 田中 伊藤 渡辺".split(), "健 陽子 大輔 さくら 翔 結衣".split(), "JP"), "zh": ("王 李 张 刘 陈 欧阳".split(), "伟 芳 娜 秀英 敏 静".split(), "CN"),
    "ru": ("Иванов Петров Смирнов Кузнецов Попов".split(), "Иван Пётр Сергей Алексей Юрий".split(), "RU"), "ar": ("الأحمد حسن العلي محمود إبراهيم".split(), "محمد فاطمة علي مريم أحمد".split(), "AE"),
    "el": ("Παπαδόπουλος Νικολάου Γεωργίου Οικονόμου".split(), "Γιώργος Μαρία Νίκος Ελένη".split(), "GR"), "ko": ("김 이 박 최 정".split(), "민준 서연 지훈 하은".split(), "KR"),
    "vi": ("Nguyễn Trần Lê Phạm".split(), "Văn An|Thị Hoa|Minh|Đức Anh".split("|"), "VN"), "hi": ("शर्मा सिंह पटेल गुप्ता".split(), "राज अंजलि विकास प्रिया".split(), "IN"),
    "tr": ("Yılmaz Kaya Demir Şahin Çelik".split(), "Ayşe Mehmet Işıl İbrahim".split(), "TR"), "is": ("Jónsdóttir Sigurðsson Þórsdóttir".split(), "Björk Ólafur Guðrún".split(), "IS"),
}
PHONES = {"JP": "+81 90-%s-%s", "CN": "+86 139 %s %s", "RU": "+7 916 %s-%s", "AE": "+971 50 %s%s", "GR": "+30 694 %s%s", "KR": "+82 10-%s-%s", "VN": "+84 91 %s %s", "IN": "+91 98%s %s", "TR": "+90 532 %s %s", "IS": "+354 %s%s"}


@system()
def contacts(w, n):
    docs = []
    for i in range(n):
        lang = w.zipf(["en"] + list(NAMES), 0.9)
        if lang == "en":
            first, last = person(w)
            country = w.zipf(["GB", "US", "DE", "NL", "IE", "NA"], 1.2)
            phone = w.pick(["+44 20 7946 %s" % w.digits(4), "+1 (212) 555-%s" % w.digits(4), "0%s %s" % (w.digits(3), w.digits(6))])
        else:
            family, given, country = NAMES[lang]
            first, last = w.pick(given), w.pick(family)
            phone = PHONES[country] % (w.digits(4), w.digits(4))
        made = datetime.datetime(2018, 6, 1) + datetime.timedelta(days=2500 * i / n, seconds=w.between(0, 86000))
        doc = {"_id": w.oid(), "customer_no": "C%d" % (7000 + i), "name": {"first": first, "last": last}, "lang": lang, "country": country, "created": extended(made), "segment": w.zipf(["private", "business", "press", "test"], 1.7), "newsletter": w.chance(0.35),
               "points": 0 if w.chance(0.4) else int(w.skewed(300, 1.3, 0)), "tags": w.rng.sample(["vip", "late payer", "reseller", "b2b", "event 2023", "Event 2024"], w.rng.choices([0, 1, 2, 3], [60, 28, 10, 2])[0])}
        if w.chance(0.12) and lang == "en":
            doc["name"]["middle"] = w.pick(["J.", "M.", "van", "Marie", "T"])
        if w.chance(0.05):
            doc["name"]["title"] = w.zipf(["Dr", "Prof.", "Mx", "Sir"], 1.2)
        if w.chance(0.9):
            doc["email"] = email(w, first if lang in ("en", "vi", "tr", "is") else "user", last if lang in ("en", "tr", "is") else lang, i)
        if w.chance(0.6):
            doc["phones"] = [{"kind": w.zipf(["mobile", "home", "work", "fax"], 1.2), "number": phone}]
        if w.chance(0.5):
            doc["birthday"] = day(datetime.datetime(1940, 1, 1) + datetime.timedelta(days=w.between(0, 24500)))
        if w.chance(0.3):
            doc["referrer"] = "C%d" % (7000 + w.between(0, i))
        if doc["segment"] == "business":
            doc["company"] = {"name": w.zipf(["Ivers BV", "Lind & Söner AB", "ООО Ромашка", "山田商事", "Kel Ltd", "Null & Void Ltd"], 0.5), "employees": w.zipf([5, 20, 100, 1000, 25000], 1.0)}
            if w.chance(0.6):
                doc["company"]["vat"] = w.pick(["NL%sB01" % w.digits(9), "SE%s01" % w.digits(10), "GB%s" % w.digits(9)])
        if w.chance(0.04):
            doc["merged_into"] = "C%d" % (7000 + w.between(0, i))
            doc["active"] = False
        docs.append(doc)
    return docs


# ------------------------------------------------------------------------------------ stock of a wholesaler

@system("csv")
def inventory(w, n):
    """Variants of articles, dimensions that vary by kind, articles that are no longer sold, cost above price in a sale, stock of minus one."""
    kinds = {"screw": (0.08, 0.012), "bolt": (0.3, 0.05), "drill": (89, 1.9), "paint": (14, 2.6), "ladder": (120, 9.5), "glove": (4, 0.09), "cable": (1.2, 0.11)}
    docs = []
    for i in range(n):
        kind = w.zipf(list(kinds), 0.4)
        price, weight = (x * w.rng.lognormvariate(0, 0.5) for x in kinds[kind])
        price = max(0.01, round(price, 2))
        size = w.pick({"screw": ["M3x10", "M4x16", "M5x40", "M8x60"], "bolt": ["M8", "M10", "M12"], "glove": ["7", "8", "9", "10", "XL"], "cable": ["3x1.5", "5x2.5", "3G1.5"], "paint": ["0.75 l", "2.5 l", "10 l"]}.get(kind, [""]))
        stopped = w.chance(0.07)
        on_hand = 0 if stopped or w.chance(0.1) else int(w.skewed(60 if price > 5 else 2200, 1.2, 0))
        reserved = 0 if w.chance(0.7) else w.between(0, on_hand)
        docs.append({"article": "%s-%05d%s" % (kind[:2].upper(), 100 + i, w.pick(["", "", "", "-B", "/2"])), "description": " ".join(x for x in (w.pick(["", "", "stainless", "heavy duty", "eco"]), kind, size) if x), "group": kind, "size": size, "ean": ean13("40" + w.digits(10)) if w.chance(0.9) else "",
                     "supplier": w.zipf(["Rath", "Thor Tools", "Kel Oy", "Zell & Co", "Stan SpA"], 0.8), "supplier_ref": w.pick(["%s" % w.digits(7), "%s.%s" % (w.digits(3), w.digits(3)), w.letters(3) + w.digits(4)]), "unit": w.zipf(["pc", "box", "m", "set"], 1.0), "pack": w.zipf([1, 10, 50, 100, 500], 0.8),
                     "cost": round(price * w.rng.uniform(0.45, 0.8), 3), "price": price, "sale_price": round(price * w.pick([0.9, 0.8, 0.7, 0.5]), 2) if w.chance(0.08) else None, "vat": 20 if w.chance(0.97) else 5, "weight_kg": round(weight, 3), "length_mm": int(w.skewed(300, 0.9, 0)) if kind in ("ladder", "drill") else None,
                     "on_hand": on_hand, "reserved": reserved, "available": on_hand - reserved, "reorder_at": w.pick([0, 0, 5, 10, 20, 50, 100]), "bin": "%s-%02d-%d" % (w.pick("ABCD"), w.between(1, 24), w.between(1, 5)) if not stopped else None, "hazard": "GHS02" if kind == "paint" and w.chance(0.6) else None,
                     "counted_on": day(w.when(1150)), "status": "discontinued" if stopped else w.rng.choices(["active", "new", "blocked"], [930, 60, 4])[0]})
    return docs


# ------------------------------------------------------------------------------------ readings of meters at home

@system("csv", delimiter=";", decimal=",")
def releves(w, n):
    """Estimated readings that the next one corrects, a meter that was exchanged, holiday homes with 0, peak and off-peak hours."""
    homes = []
    for k in range(max(3, n // 14)):
        homes.append({"pdl": "%014d" % (16400000000000 + w.between(0, 99999999)), "index": int(w.skewed(21000, 0.8, 0)), "meter": "0%s" % w.digits(11), "use": 0 if w.chance(0.05) else w.skewed(310, 0.6), "power": w.zipf([6, 9, 3, 12, 36], 1.2), "tariff": w.weighted(BASE=60, HPHC=38, EJP=1),
                      "town": w.zipf([("35000", "Rennes"), ("22300", "Lannion"), ("29200", "Brest"), ("01170", "Gex"), ("2A004", "Ajaccio")], 0.7), "client": "%s %s" % person(w)})
    docs, month = [], 0
    while len(docs) < n:
        start = datetime.datetime(2022 + month // 12, month % 12 + 1, 1) if month < 40 else LAST
        for h in homes:
            if len(docs) == n:
                break
            used = int(h["use"] * (1 + 0.5 * math.cos(month / 12 * 6.283)) * w.rng.uniform(0.8, 1.2))
            note = None
            if w.chance(0.004):
                h["meter"], h["index"], note = "0%s" % w.digits(11), 0, "changement de compteur"
            before, h["index"] = h["index"], h["index"] + used
            price = 0.2276 if h["tariff"] == "BASE" else 0.2068
            fixed = {3: 9.47, 6: 12.44, 9: 15.63, 12: 18.89, 36: 41.2}[h["power"]]
            energy = round(used * price, 2)
            docs.append({"pdl": h["pdl"], "compteur": h["meter"], "client": h["client"], "code_postal": h["town"][0], "commune": h["town"][1], "puissance_kva": h["power"], "tarif": h["tariff"], "date_releve": slashed(start + datetime.timedelta(days=w.pick([0, 0, 0, 1, 2]))), "type": w.zipf(["télérelevé", "estimé", "relevé client"], 1.6),
                         "index_precedent": before, "index": h["index"], "consommation_kwh": used, "abonnement": fixed, "energie": energy, "taxes": round((fixed + energy) * 0.11, 2), "total": round(fixed + energy + round((fixed + energy) * 0.11, 2), 2), "paye": "oui" if w.chance(0.95) else "non", "remarque": note})
        month += 1
    return docs


# ------------------------------------------------------------------------------------ flights

@system("json")
def flights(w, n):
    airports = {"ZRH": 0, "LHR": 1, "JFK": 2, "NRT": 3, "GVA": 0, "CDG": 1, "FRA": 1, "PMI": 1, "SIN": 3, "BSL": 0, "NCE": 1}
    lines = [("LX%d" % w.between(8, 2900), *w.rng.sample(list(airports), 2)) for _ in range(max(5, min(80, n // 20)))]
    tails = ["HB-%s" % w.letters(3) for _ in range(max(3, min(40, n // 30)))]
    docs = []
    for i in range(n):
        no, a, b = w.zipf(lines, 0.3)
        far = abs(airports[a] - airports[b])
        start = datetime.datetime(2023, 1, 1) + datetime.timedelta(days=900 * i // n, minutes=5 * w.between(72, 260))
        minutes = {0: 50, 1: 100, 2: 520, 3: 720}[far] + 5 * (sum(map(ord, no)) % 9)
        late = w.rng.choices([0, w.between(-12, -1), int(w.skewed(14, 1.0, 0)), int(w.skewed(160, 0.6, 0))], [20, 35, 42, 3])[0]
        status = w.rng.choices(["landed", "cancelled", "diverted"], [970, 25, 3])[0]
        plane, seats = ("A220-300", 145) if far < 2 else w.pick([("A330-300", 236), ("B777-300ER", 320)])
        doc = {"flight": no, "date": day(start), "from": a, "to": b, "status": status, "aircraft": {"type": plane, "tail": w.pick(tails), "seats": seats}, "scheduled": {"out": extended(start), "in": extended(start + datetime.timedelta(minutes=minutes))}, "codeshares": w.rng.sample(["UA9731", "AC6820", "SQ2911", "TP8341"], w.rng.choices([0, 1, 2, 3], [55, 20, 15, 10])[0])}
        if status != "cancelled":
            out = start + datetime.timedelta(minutes=late)
            doc["actual"] = {"out": extended(out), "in": extended(out + datetime.timedelta(minutes=minutes + w.between(-15, 12)))}
            doc["delay_min"] = late
            pax = min(seats, int(w.rng.gauss(seats * 0.82, seats * 0.1)))
            doc["pax"] = {"business": min(pax, w.between(0, 30)), "total": pax}
            if late > 15:
                doc["delay_codes"] = [{"code": w.zipf(["93", "81", "15", "41", "89", "06"], 0.8), "min": late}] if w.chance(0.8) else [{"code": "93", "min": late - 10}, {"code": "15", "min": 10}]
            if w.chance(0.9):
                doc["fuel_kg"] = int(minutes * {0: 38, 1: 40, 2: 95, 3: 110}[far] * w.rng.uniform(0.95, 1.1))
            doc["gate"] = "%s%d" % (w.pick("ABDE"), w.between(1, 79))
        else:
            doc["reason"] = w.zipf(["weather", "crew", "technical", "strike"], 0.6)
        if status == "diverted":
            doc["diverted_to"] = w.pick([x for x in airports if x not in (a, b)])
        docs.append(doc)
    return docs


# ------------------------------------------------------------------------------------ marks of a school

@system("csv", delimiter=";", decimal=",")
def noten(w, n):
    """Two rows of one pupil differ in the subject; half marks; absent pupils; teachers with two subjects; names that differ by a letter."""
    pupils, subjects = [], {"Deutsch": "SMI", "Mathematik": "BRA", "Englisch": "OST", "Sport": "KEL", "Musik": "OST", "Chemie": "BRA", "Latein": "VON"}
    for k in range(max(3, n // 12)):
        first, last = person(w)
        grade = w.between(5, 12)
        pupils.append(("S%04d" % (1200 + k), last, first, "%d%s" % (grade, w.pick("abc") if grade < 11 else ""), grade))
    docs, seen = [], set()
    for i in range(n):
        when = datetime.datetime(2024, 9, 9) + datetime.timedelta(days=270 * i // n)
        while True:   # one mark a day in each subject
            no, last, first, group, grade = w.pick(pupils)
            subject = w.zipf(list(subjects), 0.5)
            if (no, subject, when) not in seen:
                break
        seen.add((no, subject, when))
        kind = w.rng.choices(["Klassenarbeit", "mündlich", "Test", "Projekt", "Nachprüfung"], [40, 35, 20, 4, 0.5])[0]
        absent = w.chance(0.03)
        top = {"Klassenarbeit": 60, "Test": 20, "Projekt": 100}.get(kind)
        points = None if absent or not top else w.pick([0.5, 0]) + int(top * min(0.99, max(0.05, w.rng.gauss(0.66, 0.17))))
        mark = None if absent else w.rng.choices([1, 2, 3, 4, 5, 6], [10, 26, 32, 20, 9, 2])[0]
        docs.append({"lfd": i + 1, "schueler": no, "name": last, "vorname": first, "klasse": group, "stufe": grade, "fach": subject, "lehrer": subjects[subject] if w.chance(0.96) else w.pick(["VTR", "KEL"]), "datum": dotted(when), "art": kind, "max_punkte": top, "punkte": points, "note": mark, "tendenz": w.pick(["+", "-"]) if mark in (2, 3, 4) and w.chance(0.3) else None,
                     "gewicht": {"Klassenarbeit": 2.0, "Projekt": 1.5}.get(kind, 1.0), "entschuldigt": ("ja" if w.chance(0.9) else "nein") if absent else None, "kommentar": w.pick(["sehr schön!", "bitte üben", "s. Rückseite", "-> Gespräch", "Täuschungsversuch"]) if w.chance(0.05) else None})
    return docs


# ------------------------------------------------------------------------------------ invoices with items, credit notes and instalments

@system("json")
def fatture(w, n):
    """Invoices and credit notes in one collection; the split payment of public bodies; exempt items; payments in instalments."""
    clients = []
    for k in range(max(4, n // 9)):
        public = w.chance(0.08)
        town = w.zipf([("20121", "Milano", "MI"), ("00184", "Roma", "RM"), ("10122", "Torino", "TO"), ("80134", "Napoli", "NA"), ("39100", "Bolzano", "BZ")], 0.6)
        name = ("Comune di %s" % town[1]) if public else "%s %s" % (person(w)[1], w.pick(["S.r.l.", "S.p.A.", "& C. s.n.c.", "di Rossi Mario"]))
        clients.append({"codice": "C%04d" % (40 + k), "denominazione": name, "piva": None if w.chance(0.06) else w.digits(11), "pubblico": public, "sede": dict(zip(("cap", "comune", "provincia"), town))})
    docs, when, serial = [], datetime.datetime(2022, 1, 3), {}
    for i in range(n):
        when = min(LAST, when + datetime.timedelta(hours=w.between(0, max(2, 2 * 30000 // n))))
        client = w.zipf(clients, 0.5)
        credit = i > 8 and w.chance(0.03)
        serial[when.year] = serial.get(when.year, 0) + 1
        lines = []
        for _ in range(w.zipf([1, 2, 3, 5, 12], 1.2)):
            qty, price = w.zipf([1, 2, 8, 0.5, 40], 1.0), w.pick([35.0, 80.0, 80.0, 120.0, w.skewed(64, 0.9)])
            rate = w.rng.choices([22, 10, 4, 0], [85, 8, 4, 3])[0]
            line = {"descrizione": w.zipf(["Consulenza", "Manutenzione ordinaria", "Licenza annuale", "Trasferta", "Hosting", "Canone", "Bollo"], 0.5), "quantita": qty, "prezzo": price, "iva": rate, "importo": round(qty * price, 2)}
            if rate == 0:
                line["natura"] = w.pick(["N2.2", "N4", "N3.1"])
            lines.append(line)
        net = round(sum(x["importo"] for x in lines), 2)
        vat = round(sum(x["importo"] * x["iva"] / 100 for x in lines), 2)
        split = client["pubblico"]
        doc = {"tipo": "TD04" if credit else "TD01", "numero": "%d/%d" % (serial[when.year], when.year), "data": extended(when.replace(hour=0)), "cliente": {k: v for k, v in client.items() if k != "pubblico"}, "righe": lines, "imponibile": net, "imposta": vat, "totale": round(net + (0 if split else vat), 2), "valuta": "EUR", "divisa_cambio": 1}
        if split:
            doc["scissione"] = True
            doc["cig"] = w.letters(2) + w.digits(8)
        if credit:
            doc["riferimento"] = w.pick(docs)["numero"]
        else:
            parts = w.zipf([1, 2, 3, 6], 1.6)
            due = [when + datetime.timedelta(days=30 * (k + 1)) for k in range(parts)]
            paid = [d <= LAST and w.chance(0.93) for d in due]
            doc["rate"] = [dict({"scadenza": day(d), "importo": round(doc["totale"] / parts, 2), "pagata": p}, **({"pagata_il": day(w.later(d, -5, 40))} if p else {})) for d, p in zip(due, paid)]
            doc["stato"] = "saldata" if all(paid) else "parziale" if any(paid) else "aperta"
        if w.chance(0.15):
            doc["sconto"] = {"pct": w.pick([2, 5, 10]), "causale": w.zipf(["fedeltà", "pronta cassa"], 0.6)}
        if w.chance(0.2):
            doc["note"] = w.pick(["come da contratto", "ordine n. %d" % w.between(10, 900), "rif. offerta 12", "pagamento 60 gg"])
        docs.append(doc)
    return docs


# ------------------------------------------------------------------------------------ objects of a museum

@system()
def collection(w, n):
    """Dates before the common era as numbers, attributions in doubt, several numbers of one object, materials as lists, loans."""
    docs = []
    for i in range(n):
        era = w.zipf(["modern", "19th century", "baroque", "medieval", "roman", "bronze age"], 0.8)
        low, high = {"modern": (1905, 2019), "19th century": (1800, 1899), "baroque": (1600, 1750), "medieval": (650, 1450), "roman": (-50, 390), "bronze age": (-2100, -850)}[era]
        start = w.between(low, high)
        doc = {"inv": "%d.%d%s" % (w.between(1871, 2023), w.between(1, 900), w.pick(["", "", "", ".a-c", ".1", ".2"])), "title": w.pick(["Untitled", w.sentence(ENGLISH, 1, 5)[:-1], w.sentence(ENGLISH, 2, 7)[:-1], "Bowl", "Coin", "Portrait of %s %s" % person(w)]), "era": era, "made": {"from": start, "to": start if w.chance(0.5) else min(high, start + w.pick([5, 10, 25, 50, 100]))},
               "materials": w.rng.sample(["oil", "canvas", "bronze", "clay", "wood", "gold leaf", "paper", "ivory", "glass"], w.zipf([1, 2, 3], 1.0)), "dimensions": {"h": w.skewed(34, 0.9, 1), "w": w.skewed(27, 0.9, 1)}, "dept": w.zipf(["Paintings", "Prints", "Antiquities", "Coins", "Textiles"], 0.8), "on_view": w.chance(0.04)}
        if w.chance(0.45):
            doc["dimensions"]["d"] = w.skewed(7, 1.0, 1)
        if era in ("modern", "19th century", "baroque"):
            first, last = person(w)
            doc["maker"] = {"name": "%s %s" % (first, last) if w.chance(0.7) else w.pick(["unknown", "Circle of %s" % last, "after %s" % last, "Anonymous"]), "role": w.zipf(["artist", "engraver", "workshop"], 1.2)}
            if w.chance(0.6):
                doc["maker"]["born"] = start - w.between(18, 70)
                doc["maker"]["died"] = doc["maker"]["born"] + w.between(max(28, start - doc["maker"]["born"]), 95)
        doc["acquired"] = {"year": w.between(1871, 2023), "how": w.zipf(["gift", "purchase", "bequest", "exchange", "found in collection"], 1.0)}
        if doc["acquired"]["how"] == "purchase" and w.chance(0.6):
            doc["acquired"]["price"] = round(w.skewed(5200, 1.9, 0), -2)
        if w.chance(0.07):
            doc["loans"] = [{"to": w.pick(["Basel", "Tate", "Louvre", "MoMA"]), "from": "%d-%02d-%02d" % (2012 + 3 * k, w.between(1, 12), w.between(1, 28)), "days": w.pick([60, 90, 120, 180])} for k in range(w.zipf([1, 2, 3], 1.5))]
        if w.chance(0.5):
            doc["image"] = {"file": "%06d.tif" % (i * 3 + 17), "px": [w.pick([4000, 6000, 8256]), w.pick([3000, 4000, 5504])]}
        if w.chance(0.02):
            doc["deaccessioned"] = True
        docs.append(doc)
    return docs


# ------------------------------------------------------------------------------------ members of a tax office's list

@system("csv", delimiter=";", decimal=",")
def contribuyentes(w, n):
    docs, towns = [], [("28013", "Madrid", "Madrid"), ("08001", "Barcelona", "Barcelona"), ("41001", "Sevilla", "Sevilla"), ("01001", "Vitoria-Gasteiz", "Álava"), ("15001", "A Coruña", "A Coruña"), ("07001", "Palma", "Illes Balears"), ("03001", "Alicante/Alacant", "Alicante")]
    for i in range(n):
        first, last = person(w)
        kind = w.weighted(F=88, J=12)
        income = 0.0 if w.chance(0.05) else w.skewed(24000 if kind == "F" else 210000, 0.8)
        base = max(0.0, round(income - (5550 if kind == "F" else 0), 2))
        quota = round(base * (0.19 if base < 12450 else 0.24 if base < 60000 else 0.3), 2) if kind == "F" else round(base * 0.25, 2)
        held = round(quota * w.rng.uniform(0.7, 1.15), 2)
        postcode, town, province = w.zipf(towns, 0.6)
        joint = kind == "F" and w.chance(0.2)
        docs.append({"expediente": "%d/%06d" % (2023, i + 1), "tipo": kind, "nif": nif(w.between(1000000, 79999999)) if kind == "F" else "B%s" % w.digits(8), "apellidos": last if kind == "F" else None, "nombre": first if kind == "F" else w.zipf(["Talleres %s S.L.", "%s e Hijos S.A.", "Bar %s S.L.U."], 0.5) % last, "nacimiento": slashed(datetime.datetime(1935, 1, 1) + datetime.timedelta(days=w.between(0, 26000))) if kind == "F" else None,
                     "estado_civil": w.zipf(["C", "S", "D", "V", "P"], 0.9) if kind == "F" else None, "hijos": w.rng.choices([0, 1, 2, 3, 5], [50, 22, 21, 6, 0.5])[0] if kind == "F" else None, "conjunta": "S" if joint else "N", "via": w.pick(["C/ Mayor, %d", "Av. Libertad %d, 3º B", "Pza. España, %d", "C/ del Río, %d bis"]) % w.between(1, 120), "cp": postcode, "municipio": town, "provincia": province,
                     "telefono": "6%s" % w.digits(8) if w.chance(0.8) else "9%s" % w.digits(8) if w.chance(0.7) else None, "ingresos": income, "base": base, "cuota": quota, "retenciones": held, "resultado": round(quota - held, 2), "presentado": slashed(w.when(90) + datetime.timedelta(days=760)), "via_pres": w.zipf(["internet", "oficina", "banco"], 1.3), "iban": iban("ES", w.digits(20)) if held > quota or w.chance(0.3) else None})
    return docs
