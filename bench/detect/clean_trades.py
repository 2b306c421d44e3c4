"""Tables of trades and services that are right, for bench/detect: what an audit says above low about them is a false alarm.

Nothing is damaged here. Workshops, meters, hotels, chemists, freight, clubs, insurers, farms, each with the structure that its
work gives it: codes that decide texts, sums, dates that follow each other, fields that only some kinds have, references to
other tables. Odd values are right. Add what an audit wrongly reported about real data, as it is made and not as it is reported.
"""
import datetime

from clean_systems import dotted, hours, slashed
from world import ENGLISH, LAST, ascii_of, clean_domain, day, extended, iban, imo, luhn, person

DOMAINS = []
SIZES = (12, 60, 300, 2500)
DAY = datetime.timedelta(days=1)
table = clean_domain(DOMAINS, "csv", SIZES)


german = {"delimiter": ";", "decimal": ","}
tabs = {"suffix": "tsv", "delimiter": "\t"}


# ------------------------------------------------------------------------------------ cars

MODELS = {"VW": ["Golf", "Golf Variant", "Polo", "Passat", "Tiguan", "up!", "ID.3"], "Opel": ["Corsa", "Astra", "Insignia", "Mokka-e"], "BMW": ["118i", "318d", "320i", "X1", "X3 xDrive20d"],
          "Škoda": ["Fabia", "Octavia", "Octavia Combi", "Kodiaq"], "Ford": ["Fiesta", "Focus", "Focus Turnier", "Ka+", "Transit"], "Citroën": ["C3", "C4 Picasso", "Berlingo"]}


@table(**german)
def werkstatt(w, n):
    """Jobs of a car workshop: labour by tenths of an hour, parts, 19 % tax on the sum, guarantee jobs at 0, tests every other year."""
    cars = []
    for _ in range(max(8, n // 3)):
        make = w.zipf(list(MODELS), 0.6)
        first = datetime.datetime(2004, 1, 1) + DAY * w.between(0, 7300)
        cars.append(["%s-%s %d%s" % (w.pick(["B", "HVL", "P", "OHV", "M"]), w.letters(w.pick([1, 2, 2])), w.between(1, 9999), w.pick([""] * 9 + ["H", "E"])), make, w.pick(MODELS[make]), first, w.between(5, 160) * 1000, " ".join(person(w))])
    docs, when = [], datetime.datetime(2022, 1, 3, 7, 30)
    for i in range(n):
        when += datetime.timedelta(hours=w.between(1, max(2, 26000 // n)))
        when += DAY * (2 if when.weekday() == 5 else 1 if when.weekday() == 6 else 0)
        car = w.zipf(cars, 0.3)
        car[4] += w.between(50, 9000)
        kind = w.zipf(["Inspektion", "Reifenwechsel", "Reparatur", "HU/AU", "Karosserie", "Garantie"], 0.6)
        work = 0.0 if kind == "HU/AU" else w.pick([0.3, 0.5, 0.8, 1.0, 1.2, 1.5, 2.0, 2.5, 4.0, 7.5, 11.0])
        rate = 0.0 if kind == "Garantie" else 119.0 if when.year < 2024 else 128.5
        labour = round(work * rate, 2)
        parts = 0.0 if kind in ("HU/AU", "Garantie") else 0.0 if kind == "Reifenwechsel" and w.chance(0.8) else w.skewed(140, 1.1)
        extra = 132.0 if kind == "HU/AU" else 0.0
        net = round(labour + parts + extra, 2)
        tax = round(net * 0.19, 2)
        ready = when + datetime.timedelta(hours=w.pick([2, 3, 5, 8, 26, 50, 170]))
        docs.append({"Auftrag": "A%d-%04d" % (when.year, i + 1), "Annahme": dotted(when), "Fertig": dotted(min(ready, LAST)) if ready < LAST else None, "Kennzeichen": car[0], "Marke": car[1], "Modell": car[2], "EZ": car[3].strftime("%m/%Y"), "km-Stand": car[4],
                     "Kunde": car[5], "Art": kind, "AW": work, "Satz": rate, "Lohn": labour, "Teile": parts, "Prüfgebühr": extra, "Netto": net, "MwSt": tax, "Brutto": round(net + tax, 2), "bezahlt": w.zipf(["EC", "bar", "Rechnung", "Überweisung"], 0.7),
                     "Mechaniker": w.zipf(["Kurz", "Lang", "Yilmaz", "Nowak", "Azubi"], 0.3), "nächste HU": ready.strftime("%m/") + str(ready.year + 2) if kind == "HU/AU" else None, "Hinweis": w.pick(["Ersatzwagen", "Felgenschloss im Handschuhfach", "bitte anrufen", "Ölverlust beobachten", "2. Schlüssel"]) if w.chance(0.12) else None})
    return docs


@table("ndjson")
def used_cars(w, n):
    """Adverts: electric cars have no engine size, prices on request, first owners, equipment as a list."""
    docs = []
    for i in range(n):
        make = w.zipf(list(MODELS), 0.5)
        model = w.pick(MODELS[make])
        electric = model in ("ID.3", "Mokka-e")
        first = datetime.datetime(2008, 1, 1) + DAY * w.between(0, 6000)
        km = int(w.skewed(12, 0.5) * 1000 * max(0.1, (LAST - first).days / 365)) // 100 * 100
        kw = w.pick([44, 55, 66, 70, 81, 85, 96, 110, 110, 140, 150, 228])
        doc = {"_id": w.oid(), "advert": 30400000 + 17 * i, "make": make, "model": model, "registered": first.strftime("%Y-%m"), "mileage": max(10, km), "power": {"kw": kw, "hp": round(kw * 1.35962)}, "fuel": "electric" if electric else w.zipf(["petrol", "diesel", "hybrid", "lpg"], 1.0),
               "gearbox": "automatic" if electric or w.chance(0.4) else "manual", "doors": w.pick(["2/3", "4/5", "4/5", "4/5"]), "seats": w.pick([4, 5, 5, 5, 5, 7, 9]), "colour": w.zipf(["black", "grey", "silver", "white", "blue", "red", "green", "brown", "beige", "orange", "gold", "purple"], 0.8),
               "owners": w.zipf([1, 2, 3, 4, 5], 1.2), "features": w.rng.sample(["ABS", "air conditioning", "heated seats", "tow bar", "navigation", "LED", "sunroof", "alloy wheels", "isofix", "cruise control"], w.between(0, 8)),
               "seller": {"kind": "dealer" if w.chance(0.7) else "private", "zip": "%05d" % w.between(1067, 99998)}, "listed": extended(w.when(1150))}
        if not electric:
            doc["cc"] = w.pick([898, 999, 1197, 1395, 1498, 1598, 1968, 1998, 2993])
            doc["emission"] = w.zipf(["Euro 6", "Euro 5", "Euro 6d", "Euro 4"], 0.8)
        else:
            doc["battery_kwh"] = w.pick([45, 50, 58, 77])
        doc["on_request"] = w.chance(0.03)
        if not doc["on_request"]:
            doc["price"] = {"amount": int(w.skewed(14000, 0.6, 0)) // 10 * 10, "currency": "EUR", "vat": doc["seller"]["kind"] == "dealer" and w.chance(0.5)}
        if doc["seller"]["kind"] == "dealer":
            doc["seller"]["name"] = w.zipf(["Autohaus Stern", "Autohaus Sterns & Sohn", "Car Point", "Nord Mobile GmbH"], 0.5)
        if w.chance(0.04):
            doc["damage"] = w.pick(["hail", "rear", "engine"])
        docs.append(doc)
    return docs


# ------------------------------------------------------------------------------------ energy

@table(sizes=(12, 60, 300, 2500, 12000), **german)
def ablesungen(w, n):
    """Readings of meters once a year: the old stand is the new stand of the year before, gas has a factor, some were estimated."""
    docs, year = [], 2021
    meters = []
    for k in range(max(4, n // 3)):
        kind = w.zipf(["Strom", "Gas", "Wasser"], 0.5)
        meters.append([{"Strom": "1EMH00%08d", "Gas": "7ELS%010d", "Wasser": "8ZRI%09d"}[kind] % w.between(100000, 99999999), kind, w.between(0, 60000), "%s %d%s" % (w.pick(["Lindenstr.", "Am Markt", "Gartenweg", "Bahnhofstr.", "Mühlweg", "Am Mühlbach"]), w.between(1, 140), w.pick(["", "", "", "a", "b"])), w.skewed({"Strom": 2400, "Gas": 1500, "Wasser": 90}[kind], 0.6, 0), w.chance(0.05)])
    k = 0
    while len(docs) < n:
        if k == len(meters):
            k, year = 0, year + 1
        m = meters[k]
        k += 1
        used = int(m[4] * w.rng.uniform(0.85, 1.15)) if not m[5] else w.between(0, 3)
        factor = {"Strom": 1.0, "Gas": 10.87 if year % 2 else 11.02, "Wasser": 1.0}[m[1]]
        when = datetime.datetime(year, 12, 31) - DAY * (0 if w.chance(0.4) else w.between(0, 40))
        docs.append({"Zählernummer": m[0], "Sparte": m[1], "Lieferstelle": m[3], "Ablesung": dotted(min(when, LAST)), "Ableseart": w.zipf(["Kunde", "Netzbetreiber", "geschätzt", "Fernablesung"], 0.8), "Stand alt": m[2], "Stand neu": m[2] + used, "Differenz": used,
                     "Faktor": factor, "Verbrauch": round(used * factor, 2), "Einheit": "m³" if m[1] == "Wasser" else "kWh", "Tarif": {"Strom": "Basis 24", "Gas": "Gas fix", "Wasser": "W1"}[m[1]], "Abschlag": max(10, round(used * factor * {"Strom": 0.34, "Gas": 0.12, "Wasser": 4.9}[m[1]] / 12))})
        m[2] += used
    return docs


@table("ndjson", sizes=(12, 60, 300, 2500, 12000))
def charge_points(w, n):
    """Sessions of charging: the meter before and after, free ones, aborted ones without energy, two currencies, roaming partners."""
    points = [["DE*ENB*E%04d*%d" % (1000 + k // 2, k % 2 + 1), w.pick(["AC", "AC", "DC"]), w.between(0, 90000) * 1000, w.zipf(["DE", "DE", "CH"], 0.2)] for k in range(max(4, min(80, n // 20)))]
    docs = []
    for i in range(n):
        p = w.pick(points)
        start = w.when(1150)
        power = w.pick([3.7, 11, 11, 22]) if p[1] == "AC" else w.pick([50, 150, 300])
        aborted = w.chance(0.03)
        minutes = w.between(0, 2) if aborted else int(w.skewed(95 if p[1] == "AC" else 24, 0.6, 0)) + 3
        wh = 0 if aborted else int(power * 1000 * minutes / 60 * w.rng.uniform(0.3, 0.9))
        money = "CHF" if p[3] == "CH" else "EUR"
        price = 0.0 if w.chance(0.04) else 0.59 if p[1] == "DC" else 0.39
        doc = {"session": "%08x-%04x-4%03x-a%03x-%012x" % (w.rng.getrandbits(32), w.rng.getrandbits(16), w.rng.getrandbits(12), w.rng.getrandbits(12), w.rng.getrandbits(48)), "evse": p[0], "current": p[1], "started": extended(start), "stopped": extended(start + datetime.timedelta(minutes=minutes)), "minutes": minutes,
               "meter": {"start": p[2], "stop": p[2] + wh}, "energy_wh": wh, "max_kw": float(power), "auth": w.zipf(["rfid", "app", "roaming", "plug&charge"], 0.7), "stop_reason": "error" if aborted else w.zipf(["local", "remote", "full", "evdisconnected"], 0.6),
               "cost": {"energy": round(wh / 1000 * price, 2), "currency": money}}
        fee = round(max(0, minutes - 240) * 0.1, 2)
        if fee:
            doc["cost"]["blocking"] = min(fee, 12.0)
        doc["cost"]["total"] = round(doc["cost"]["energy"] + doc["cost"].get("blocking", 0), 2)
        if doc["auth"] == "rfid":
            doc["card"] = "04%s" % "".join(w.rng.choices("0123456789ABCDEF", k=12))
        if doc["auth"] == "roaming":
            doc["partner"] = w.pick(["DE-EMP", "NL-TNM", "AT-SMA", "CH-MOV"])
        p[2] += wh
        docs.append(doc)
    return docs


# ------------------------------------------------------------------------------------ travel

@table(sizes=(12, 60, 300, 2500, 20000))
def reservas(w, n):
    """Bookings of hotels: nights are the difference of two dates, the deposit is a share, children, breakfast, cancelled ones are not billed."""
    hotels = [("H%02d" % k, name, town, stars) for k, (name, town, stars) in enumerate([("Gran Hotel Sol", "Málaga", 4), ("Hostal Luna", "Granada", 2), ("Hotel Sol y Mar", "Cádiz", 3), ("Parador Viejo", "Ronda", 4), ("Hotel Centro", "Málaga", 3), ("Apartamentos Costa", "Nerja", 2)])]
    rooms = {"individual": (1, 58), "doble": (2, 84), "doble superior": (2, 110), "familiar": (4, 135), "suite": (3, 220)}
    docs = []
    for i in range(n):
        code, name, town, stars = w.zipf(hotels, 0.4)
        kind = w.zipf(list(rooms), 0.7)
        most, base = rooms[kind]
        made = w.when(1050)
        arrive = made + DAY * int(w.skewed(25, 1.0, 0))
        nights = w.zipf([1, 2, 3, 7, 4, 5, 14, 10], 0.7)
        season = 1.5 if arrive.month in (7, 8) else 1.2 if arrive.month in (4, 5, 6, 9) else 1.0
        rate = round(base * season * (0.7 + 0.15 * stars), 0)
        board = w.zipf(["SA", "AD", "MP", "PC"], 0.6)
        adults = w.between(1, most)
        children = w.between(0, most - adults)
        extra = {"SA": 0, "AD": 9, "MP": 26, "PC": 41}[board] * (adults + children) * nights
        total = round(rate * nights + extra, 2)
        status = w.zipf(["confirmada", "completada", "cancelada", "no show"], 0.9)
        docs.append({"localizador": w.letters(2) + w.digits(4) + w.letters(1), "hotel_id": code, "hotel": name, "ciudad": town, "estrellas": stars, "huésped": " ".join(person(w)), "país": w.zipf(["ES", "GB", "DE", "FR", "NL", "IT", "PT", "NO", "CN", "NA"], 0.9), "fecha_reserva": day(made), "entrada": day(arrive), "salida": day(arrive + DAY * nights), "noches": nights,
                     "habitación": kind, "adultos": adults, "niños": children, "régimen": board, "precio_noche": rate, "extras": float(extra), "total": total, "señal": round(total * 0.2, 2) if w.chance(0.6) else 0.0, "canal": w.zipf(["web", "booking", "teléfono", "agencia", "walk-in"], 0.7), "estado": status,
                     "fecha_cancelación": day(made + (arrive - made) * w.rng.random()) if status == "cancelada" else None, "motivo": w.pick(["enfermedad", "cambio de planes", "otro"]) if status == "cancelada" and w.chance(0.5) else None, "nº_agencia": "%06d" % w.between(1200, 99000) if w.chance(0.15) else None, "observaciones": w.pick(["cuna", "planta alta", "llegada tarde", "alérgico al polvo", "aniversario"]) if w.chance(0.1) else None})
    return docs


AIRPORTS = {"FRA": ("Frankfurt", "DE", 50.0379, 8.5622), "MUC": ("Munich", "DE", 48.3538, 11.7861), "LHR": ("London", "GB", 51.47, -0.4543), "LGW": ("London", "GB", 51.1537, -0.1821), "CDG": ("Paris", "FR", 49.0097, 2.5479), "ORY": ("Paris", "FR", 48.7262, 2.3652),
            "JFK": ("New York", "US", 40.6413, -73.7781), "EWR": ("New York", "US", 40.6895, -74.1745), "NRT": ("Tokyo", "JP", 35.772, 140.3929), "HND": ("Tokyo", "JP", 35.5494, 139.7798), "SYD": ("Sydney", "AU", -33.9399, 151.1753), "GRU": ("São Paulo", "BR", -23.4356, -46.4731)}


@table("json")
def baggage(w, n):
    """Bags that were missing: those that came again have a date, those that did not a payment; a city has several airports."""
    docs = []
    for i in range(n):
        frm, to = w.rng.sample(list(AIRPORTS), 2)
        filed = w.when(1100)
        status = w.rng.choices(["delivered", "open", "closed - not found"], [80, 12, 4])[0]
        doc = {"reference": to + w.pick(["LH", "BA", "AF", "UA"]) + "%05d" % w.between(10000, 99999), "filed_at": extended(filed), "from": {"iata": frm, "city": AIRPORTS[frm][0], "country": AIRPORTS[frm][1]}, "to": {"iata": to, "city": AIRPORTS[to][0], "country": AIRPORTS[to][1]}, "bags": w.zipf([1, 2, 3, 5], 1.8),
               "type": "%02d" % w.pick([1, 2, 3, 5, 20, 22, 22, 22, 25, 27]), "colour": w.zipf(["BK", "BU", "GY", "RD", "MC", "BN", "GN", "YW", "WT"], 1.0), "tag": "0%s%s" % (w.pick(["220", "125", "057", "016"]), w.digits(6)), "passenger": dict(zip(("first", "last"), person(w))), "status": status}
        if status == "delivered":
            found = filed + datetime.timedelta(hours=int(w.skewed(30, 0.8, 0)) + 1)
            doc["found_at"] = extended(min(found, LAST))
            doc["delivered_at"] = extended(min(found + hours(w, 3, 40), LAST))
        elif status != "open":
            doc["compensation"] = {"sdr": w.pick([650, 900, 1131, 1288]), "paid_at": extended(min(filed + DAY * w.between(30, 90), LAST))}
        if w.chance(0.2):
            doc["contents"] = w.sentence(ENGLISH, 3, 12)
        docs.append(doc)
    return docs


@table()
def bus_stops(w, n):
    """Times at stops: hours beyond 24 after midnight, a stop of two platforms with one name, distances that grow within a trip."""
    stops = [("S%04d" % (100 + 3 * k), name, round(52.4 + k * 0.0031, 6), round(13.05 + k * 0.0047 % 0.09, 6)) for k, name in enumerate(["Hauptbahnhof", "Rathaus", "Alter Markt", "Neuer Markt", "Luisenplatz", "Nauener Tor", "Kirche", "Kirchsteigfeld", "Stern-Center", "Am Stern", "Campus", "Campus West"])]
    docs, trip = [], 0
    while len(docs) < n:
        trip += 1
        line = w.zipf(["603", "605", "606", "N14", "X5"], 0.4)
        minute = w.between(22 * 60, 25 * 60) if line == "N14" else w.between(4 * 60 + 30, 23 * 60)
        metres, way = 0, stops if trip % 2 else stops[::-1]
        for k, (code, name, lat, lon) in enumerate(way[: w.pick([6, 9, 12])]):
            docs.append({"trip_id": "%s-%d-%04d" % (line, 1 + trip % 2, trip), "route": line, "stop_sequence": k + 1, "stop_id": code, "stop_name": name, "stop_lat": lat, "stop_lon": lon, "arrival_time": "%02d:%02d:00" % divmod(minute, 60), "departure_time": "%02d:%02d:%02d" % (*divmod(minute, 60), 30 if k and w.chance(0.3) else 0), "shape_dist_traveled": metres, "pickup_type": 0 if k < len(way) - 1 else 1, "platform": w.pick(["A", "B"]) if name in ("Hauptbahnhof", "Rathaus") else None})
            minute += w.pick([1, 1, 2, 2, 3, 4])
            metres += w.between(240, 900)
    return docs[:n]


# ------------------------------------------------------------------------------------ freight

@table(**german)
def frachtbriefe(w, n):
    """Consignments with pallets and weights; dangerous goods with their own columns; sums of freight, toll and diesel surcharge."""
    towns = [("20457", "Hamburg", "DE"), ("28195", "Bremen", "DE"), ("90402", "Nürnberg", "DE"), ("04103", "Leipzig", "DE"), ("1010", "Wien", "AT"), ("4020", "Linz", "AT"), ("8005", "Zürich", "CH"), ("3011", "Bern", "CH"), ("30-001", "Kraków", "PL")]
    goods = {"1203": ("Benzin", "3", "II"), "1950": ("Druckgaspackungen", "2.1", None), "3082": ("Umweltgefährdender Stoff, flüssig", "9", "III"), "1263": ("Farbe", "3", "III"), "2794": ("Batterien, nass", "8", None)}
    docs = []
    for i in range(n):
        load, unload = w.rng.sample(towns, 2)
        picked = w.when(1150)
        pallets = w.zipf([1, 2, 3, 4, 6, 8, 12, 33], 0.9)
        kg = sum(w.between(40, 720) for _ in range(pallets))
        un = w.zipf(list(goods), 0.5) if w.chance(0.07) else None
        km = w.between(80, 1100)
        freight = round(pallets * 18 + km * 0.42 * (1 if pallets > 4 else 0.5), 2)
        toll = 0.0 if km < 150 else round(km * 0.11, 2)
        diesel = round(freight * w.pick([0.08, 0.095, 0.12]), 2)
        delivered = w.later(picked, 1, 4)
        docs.append({"Sendung": "4%09d" % (120000 + 13 * i), "Abholung": dotted(picked), "Zustellung": dotted(delivered) if w.chance(0.93) else None, "Lade-PLZ": load[0], "Ladeort": load[1], "Ladeland": load[2], "Entlade-PLZ": unload[0], "Entladeort": unload[1], "Entladeland": unload[2], "Frankatur": w.zipf(["DAP", "EXW", "FCA", "DDP"], 0.8),
                     "Stellplätze": pallets, "Gewicht": kg, "Lademeter": round(pallets * 0.4, 1), "UN-Nr": un, "Stoff": goods[un][0] if un else None, "Klasse": goods[un][1] if un else None, "VG": goods[un][2] if un else None, "Entfernung": km, "Fracht": freight, "Maut": toll, "Dieselzuschlag": diesel, "Gesamt": round(freight + toll + diesel, 2),
                     "Ladehilfsmittel": w.zipf(["EPAL", "EW", "GiBo"], 1.2), "getauscht": w.zipf(["ja", "nein"], 1.0), "Fahrer": w.zipf(["Kowalski", "Popescu", "Horvat", "Meyer", "Meier", "Yıldız"], 0.4), "Wagen": w.pick(["HH-SP 201", "HH-SP 202", "HH-SP 207", "HB-SP 11"]), "Schaden": w.pick(["Folie beschädigt", "1 Karton fehlt"]) if w.chance(0.02) else None})
    return docs


@table("json", sizes=(12, 60, 400))
def port_calls(w, n):
    """Calls of ships with times of a plan and of what happened, draughts, the next port, tugs as a list, crews."""
    ships = [(imo("%06d" % (900000 + 137 * k)), name, flag, loa, w.between(11, 99) * 1000) for k, (name, flag, loa) in enumerate([("Ever Bright", "PA", 399.9), ("MSC Nora", "LR", 366.1), ("Elbe Trader", "AG", 168.0), ("Nordic Ister", "NO", 144.6), ("Hanse Star", "DE", 120.3), ("Cosco Ningbo", "HK", 335.0), ("Hanse Stern", "DE", 118.9)])]
    docs = []
    for i in range(n):
        number, name, flag, loa, gross = w.pick(ships)
        eta = w.when(1100)
        ata = eta + datetime.timedelta(minutes=int(w.rng.gauss(40, 190)))
        berthed = ata + hours(w, 1, 9)
        atd = berthed + hours(w, 8, 60)
        doc = {"call": "DEHAM%d%05d" % (eta.year, i + 1), "ship": {"imo": number, "name": name, "flag": flag, "loa": loa, "gt": gross}, "eta": extended(eta), "ata": extended(ata), "berthed": extended(berthed), "berth": w.zipf(["Burchardkai 3", "Burchardkai 5", "Eurogate 1", "Altenwerder 2", "O'Swaldkai"], 0.4), "draught": {"in": round(w.rng.uniform(6, 14), 1), "out": round(w.rng.uniform(6, 14), 1)},
               "from": w.pick(["NLRTM", "BEANR", "GBFXT", "CNSHA", "PLGDN"]), "to": w.pick(["NLRTM", "BEANR", "GBSOU", "SGSIN", "PLGDN"]), "pilots": w.pick([1, 1, 2]), "tugs": w.rng.sample(["Bugsier 4", "Bugsier 5", "Prompt", "Wilhelmine", "ZP Bison"], w.pick([0, 0, 1, 2, 3])) if loa > 130 else [], "crew": w.between(9, 27), "moves": {"load": w.between(0, 2400), "discharge": w.between(0, 2400)}}
        doc["moves"]["total"] = doc["moves"]["load"] + doc["moves"]["discharge"]
        if atd < LAST:
            doc["atd"] = extended(atd)
        if w.chance(0.06):
            doc["remarks"] = w.pick(["waiting for tide", "fog", "strike at terminal", "bunkering"])
        docs.append(doc)
    return docs


# ------------------------------------------------------------------------------------ health

@table(sizes=(12, 60, 300, 2500, 12000), **tabs)
def ordonnances(w, n):
    """Prescriptions at a chemist's: CIP codes, boxes, a rate of refund by medicine, the part of the insurance and the part that is left."""
    drugs = [("34009%08d" % (30000000 + 7919 * k), name, form, price, rate, lab) for k, (name, form, price, rate, lab) in enumerate([
        ("DOLIPRANE 1000 mg", "cpr", 2.18, 65, "Opella"), ("DOLIPRANE 500 mg", "cpr", 2.18, 65, "Opella"), ("AMOXICILLINE 1 g", "cpr disp", 4.89, 65, "Biogaran"), ("SPASFON", "cpr enr", 3.2, 15, "Teva"), ("KARDEGIC 75 mg", "pdr", 3.03, 65, "Sanofi"), ("LEVOTHYROX 50 µg", "cpr séc", 2.16, 65, "Merck"), ("LEVOTHYROX 75 µg", "cpr séc", 2.68, 65, "Merck"),
        ("VENTOLINE 100 µg", "susp inh", 4.69, 65, "GSK"), ("LANTUS 100 U/ml", "stylo", 51.42, 100, "Sanofi"), ("GAVISCON", "sol buv", 4.29, 15, "Reckitt"), ("HUMEX", "gél", 6.9, 0, "Urgo"), ("ELIQUIS 5 mg", "cpr pell", 57.36, 65, "BMS")])]
    doctors = [(luhn("1%09d" % w.between(0, 10 ** 9 - 1)), "Dr " + person(w)[1]) for _ in range(max(3, n // 120))]
    docs = []
    for i in range(n):
        cip, name, form, price, rate, lab = w.zipf(drugs, 0.5)
        boxes = w.zipf([1, 2, 3, 6], 1.3)
        total = round(price * boxes, 2)
        ald = rate > 0 and w.chance(0.15)
        paid = round(total * (100 if ald else rate) / 100, 2)
        wrote = w.when(1100)
        rpps, doctor = w.zipf(doctors, 0.5)
        docs.append({"n°_facture": "F%07d" % (410000 + i), "date_prescription": slashed(wrote), "date_délivrance": slashed(w.later(wrote, 0, 9 if w.chance(0.95) else 80)), "n°_RPPS": rpps, "prescripteur": doctor, "code_CIP": cip, "désignation": name, "forme": form, "laboratoire": lab, "boîtes": boxes, "PU_TTC": price, "taux": 100 if ald else rate, "ALD": "O" if ald else "N",
                     "total": total, "part_AMO": paid, "reste": round(total - paid, 2), "mutuelle": w.zipf(["MGEN", "Harmonie", "AXA", "MAIF", "sans"], 0.6), "NIR": "%d%02d%02d%02d%03d%03d" % (w.pick([1, 2]), w.between(30, 99), w.between(1, 12), w.between(1, 95), w.between(1, 600), w.between(1, 600)), "générique": None if rate == 0 else w.zipf(["oui", "non"], 0.5), "stupéfiant": "non", "tps": w.pick(["T", "T", "T", "R"])})
    return docs


@table("ndjson", sizes=(12, 60, 300, 2500))
def vaccinations(w, n):
    """One document for each dose: the second follows the first, batches that expire, sites of the body, reactions of a few."""
    makers = {"BNT162b2": ("Comirnaty", "Pfizer", 30, "µg"), "mRNA-1273": ("Spikevax", "Moderna", 50, "µg"), "FSME": ("Encepur", "Bavarian Nordic", 0.5, "ml"), "Influenza": ("Vaxigrip Tetra", "Sanofi", 0.5, "ml"), "MMR": ("Priorix", "GSK", 0.5, "ml")}
    lots = {s: [("%s%04d" % (w.letters(2), w.between(1, 9999)), datetime.datetime(2022, 1, 1) + DAY * w.between(300, 1800)) for _ in range(max(2, n // 200))] for s in makers}
    docs = []
    while len(docs) < n:
        first, last = person(w)
        born = datetime.datetime(1931, 1, 1) + DAY * w.between(0, 33000)
        who = {"id": "V%07d" % (2000000 + 3 * len(docs)), "first": first, "last": last, "born": day(born), "sex": w.rng.choices(["F", "M", "X"], [51, 48, 1])[0]}
        substance = w.zipf(list(makers), 0.4)
        when = max(w.when(900), born + DAY * 400)
        for dose in range(1, w.zipf([1, 2, 3, 4], 0.9) + 1):
            name, maker, amount, unit = makers[substance]
            lot, until = w.pick(lots[substance])
            doc = {"person": who, "substance": substance, "product": name, "maker": maker, "dose": dose, "amount": amount, "unit": unit, "lot": lot, "expires": day(max(until, when + DAY * 30)), "given_at": extended(when), "site": w.zipf(["left arm", "right arm", "thigh"], 1.8), "by": w.zipf(["Dr. Ash", "Dr. Rath", "nurse Kel", "nurse Mor"], 0.3)}
            if w.chance(0.02):
                doc["reaction"] = {"grade": w.zipf([1, 2, 3], 1.8), "text": w.pick(["fever", "rash", "headache", "fainted"])}
            docs.append(doc)
            when += DAY * (w.between(21, 42) if dose == 1 else w.between(120, 400))
            if when > LAST:
                break
    return docs[:n]


@table(**german)
def blutspenden(w, n):
    """Donations of blood: groups with their shares, a haemoglobin that may be too low, a volume of 500 or 0, donors that come again."""
    groups = ["A Rh+", "0 Rh+", "B Rh+", "A Rh-", "0 Rh-", "AB Rh+", "B Rh-", "AB Rh-"]
    donors = [("%08d" % (10400000 + 31 * k), *person(w), w.rng.choices(groups, [37, 35, 9, 6, 6, 4, 2, 1])[0], w.pick("mw"), 1950 + w.between(0, 55), 0) for k in range(max(6, n // 4))]
    seen, docs, when = {}, [], datetime.datetime(2022, 1, 4)
    for i in range(n):
        when += datetime.timedelta(hours=w.between(1, max(2, 28000 // n)))
        no, first, last, group, sex, born, _ = w.zipf(donors, 0.2)
        seen[no] = seen.get(no, 0) + 1
        hb = round(w.rng.gauss(14.9 if sex == "m" else 13.5, 0.9), 1)
        ok = hb >= (13.5 if sex == "m" else 12.5)
        docs.append({"Spendernr": no, "Name": last + ", " + first, "Geschlecht": sex, "Jahrgang": born, "Blutgruppe": group, "Termin": dotted(when), "Ort": w.zipf(["DRK-Haus", "Gymnasium", "Feuerwehr", "Gemeindesaal"], 0.5), "Spende": seen[no], "Hb": hb, "RR": "%d/%d" % (w.rng.gauss(128, 13), w.rng.gauss(80, 8)), "Puls": int(w.rng.gauss(74, 9)), "Temp": round(w.rng.gauss(36.5, 0.2), 1),
                     "Zulassung": "ja" if ok else "nein", "Rückstellung": None if ok else w.zipf(["Hb", "Hb", "Medikament", "Reise"], 0.9), "Menge": 500 if ok else 0, "Konserve": "%s%09d" % ("13", 60000000 + 7 * i) if ok else None, "Imbiss": "ja" if w.chance(0.97) else "nein"})
    return docs


# ------------------------------------------------------------------------------------ clubs, farms, households

@table(sizes=(12, 60, 300, 1500), **german)
def mitglieder(w, n):
    """Members of a club: families share an account and an address, honorary ones pay nothing, those who left have a reason."""
    rates = {"Erwachsene": 96.0, "Familie": 156.0, "Jugend": 48.0, "Ermäßigt": 60.0, "Ehrenmitglied": 0.0, "Fördernd": 30.0}
    docs, number = [], 101
    while len(docs) < n:
        kind = w.rng.choices(list(rates), [44, 22, 18, 8, 2, 4])[0]
        _, last = person(w)
        street = "%s %d" % (w.pick(["Waldstr.", "Seestraße", "Kirchgasse", "Am Bach", "Dorfstr."]), w.between(1, 88))
        zip_, town = w.zipf([("14542", "Werder (Havel)"), ("14542", "Werder (Havel) OT Glindow"), ("14548", "Schwielowsee"), ("14471", "Potsdam"), ("10961", "Berlin")], 0.9)
        account = iban("DE", w.pick(["16050000", "10010010", "12030000"]) + w.digits(10)) if w.chance(0.85) else None
        joined = datetime.datetime(1978, 1, 1) + DAY * w.between(0, 17300)
        joined = min(joined.replace(day=1) if w.chance(0.8) else joined, LAST)
        left = w.later(joined, 200, 5000) if w.chance(0.12) else None
        for k in range(w.between(2, 5) if kind == "Familie" else 1):
            first = w.zipf(ENGLISH_FIRST, 0.2)
            born = datetime.datetime(1940, 1, 1) + DAY * w.between(0, 24000) if kind != "Jugend" and k < 2 else datetime.datetime(2007, 1, 1) + DAY * w.between(0, 4000)
            docs.append({"Nr": number, "Anrede": w.pick(["Frau", "Herr"]), "Vorname": first, "Name": last, "geboren": dotted(born), "Straße": street, "PLZ": zip_, "Ort": town, "Telefon": "0%d/%d" % (w.pick([3327, 331, 30]), w.between(10000, 9999999)) if w.chance(0.7) else None, "E-Mail": "%s.%s%d@web.example.de" % (ascii_of(first), ascii_of(last), number) if w.chance(0.75) else None, "Eintritt": dotted(max(joined, born)),
                         "Austritt": dotted(max(left, born)) if left else None, "Grund": w.pick(["Umzug", "verstorben", "gekündigt", "Beitrag"]) if left and w.chance(0.8) else None, "Gruppe": kind, "Beitrag": rates[kind] if k == 0 else 0.0, "Zahler": number - k, "IBAN": account, "Mandat": "M%05d" % (number - k) if account else None, "Sparte": w.zipf(["Fußball", "Turnen", "Tennis", "Tischtennis", "Volleyball", "Yoga"], 0.6), "Funktion": {0: "1. Vorsitzende", 3: "Kassenwart", 7: "Schriftführer"}.get(len(docs)), "Foto ok": w.zipf(["ja", "nein"], 1.3)})
            number += 1 if w.chance(0.96) else 2
    return docs[:n]


ENGLISH_FIRST = "Anna Ben Clara David Emma Felix Greta Hannes Ida Jakob Karla Lukas Mia Nico Ole Pia Ronja Simon Thea Uwe Birgit Ursula Horst Günter Monika Renate".split()


@table("ndjson", sizes=(12, 60, 300, 2500))
def milkings(w, n):
    """Milk of cows, twice a day: dry cows give none, a treated cow's milk is kept apart, cell counts with a long tail, ear tags."""
    cows = [["DE 09 %03d %05d" % (480 + k % 7, 10000 + 331 * k), w.zipf(["HF", "RH", "FV", "JE"], 1.4), w.between(1, 7), w.rng.gauss(14, 3), w.chance(0.07)] for k in range(max(5, min(120, n // 14)))]
    docs, when, k = [], datetime.datetime(2025, 1, 1, 5, 30), 0
    while len(docs) < n:
        for cow in cows:
            if cow[4] or len(docs) >= n:
                continue
            kg = max(1.2, round(cow[3] + w.rng.gauss(0, 1.3), 1))
            treated = w.chance(0.008)
            doc = {"tag": cow[0], "breed": cow[1], "lactation": cow[2], "at": extended(when + datetime.timedelta(minutes=k % 90)), "shift": "morning" if when.hour < 12 else "evening", "stand": k % 12 + 1, "kg": kg, "minutes": round(kg / w.rng.uniform(1.8, 2.9), 1), "flow_max": round(w.rng.gauss(3.9, 0.6), 1), "conductivity": round(w.rng.gauss(5.2, 0.3), 2), "tank": not treated}
            if w.chance(0.12):
                doc["lab"] = {"fat": round(w.rng.gauss(4.1, 0.4), 2), "protein": round(w.rng.gauss(3.45, 0.2), 2), "cells": int(w.skewed(95, 0.9, 0)), "urea": int(w.rng.gauss(230, 40))}
            if treated:
                doc["treatment"] = {"drug": w.pick(["Cobactan", "Ubrolexin"]), "hold_days": w.pick([3, 5])}
            docs.append(doc)
            k += 1
        when += datetime.timedelta(hours=12)
    return docs


@table(sizes=(12, 60, 300))
def hives(w, n):
    """Notes on bee hives: nothing is weighed in winter, queens marked by the colour of their year, treatments in summer and December."""
    colour = {0: "blue", 1: "white", 2: "yellow", 3: "red", 4: "green"}
    docs = []
    for i in range(n):
        when = w.when(1150)
        year = when.year - w.zipf([0, 1, 2, 3], 0.8)
        winter = when.month in (11, 12, 1, 2)
        docs.append({"date": day(when), "hive": "H%d" % w.between(1, 14), "apiary": w.zipf(["orchard", "heath", "roof"], 0.5), "queen_year": year, "queen_colour": colour[year % 5], "frames_brood": 0 if winter else w.between(1, 9), "frames_food": w.between(2, 10), "mites_per_day": None if winter and w.chance(0.5) else w.zipf([0, 1, 2, 3, 5, 8, 14, 40], 0.9), "temper": w.pick([1, 2, 2, 3, 3, 4]), "weight_kg": None if winter else w.bell(38, 7), "honey_kg": w.bell(9, 3) if when.month in (5, 6, 7) and w.chance(0.4) else None,
                     "treatment": "oxalic acid" if when.month == 12 and w.chance(0.8) else "formic acid" if when.month == 8 and w.chance(0.7) else None, "fed_kg": w.pick([2.5, 5.0, 7.5]) if when.month in (8, 9) and w.chance(0.7) else 0.0, "weather": w.zipf(["sunny", "cloudy", "windy", "rain"], 0.6), "seen_queen": w.pick(["yes", "no", "eggs"])})
    return docs


# ------------------------------------------------------------------------------------ insurance, banks, law

@table("json")
def polizze(w, n):
    """Policies with an annual premium in one, two, four or twelve parts, taxes by kind, bonus classes for cars only, lapsed ones."""
    taxes = {"RCA": 0.16, "Casa": 0.2225, "Vita": 0.0, "Infortuni": 0.025, "Viaggio": 0.1}
    docs = []
    for i in range(n):
        kind = w.zipf(list(taxes), 0.7)
        start = w.when(1100).replace(hour=0, minute=0, second=0)
        net = w.skewed({"RCA": 420, "Casa": 190, "Vita": 900, "Infortuni": 140, "Viaggio": 38}[kind], 0.5)
        tax = round(net * taxes[kind], 2)
        parts = 1 if kind == "Viaggio" else w.zipf([1, 2, 12, 4], 0.7)
        first, last = person(w)
        doc = {"polizza": "%s/%07d" % ({"RCA": "30", "Casa": "45", "Vita": "01", "Infortuni": "50", "Viaggio": "77"}[kind], 200000 + i), "ramo": kind, "contraente": {"nome": first, "cognome": last, "cf": (last * 3).upper().replace("'", "")[:3] + (first * 3).upper()[:3] + "%02d%s%02d%s%03d%s" % (w.between(40, 99), w.pick("ABCDEHLMPRST"), w.between(1, 71), w.pick("ABCDEFGHIL"), w.between(100, 999), w.letters(1))},
               "decorrenza": extended(start), "scadenza": extended(start + DAY * (w.between(3, 30) if kind == "Viaggio" else 365)), "premio": {"netto": net, "imposte": tax, "lordo": round(net + tax, 2), "rate": parts, "rata": round((net + tax) / parts, 2)}, "agenzia": "%04d" % w.zipf([12, 17, 103, 240, 999], 0.5), "stato": w.zipf(["attiva", "scaduta", "annullata", "sospesa"], 1.1)}
        if kind == "RCA":
            doc["veicolo"] = {"targa": "%s%03d%s" % (w.letters(2), w.between(0, 999), w.letters(2)), "classe": w.zipf([1, 2, 3, 14, 5, 7, 18], 0.9), "cv": w.between(9, 30)}
        if kind in ("Vita", "Infortuni"):
            doc["beneficiari"] = [{"nome": "%s %s" % person(w), "quota": q} for q in w.pick([[100], [50, 50], [33, 33, 34], [70, 30]])]
        if kind != "Viaggio":
            doc["massimale"] = w.pick([50000, 100000, 250000, 500000, 1000000, 6450000])
        if doc["stato"] == "annullata":
            doc["annullata_il"] = extended(min(start + DAY * w.between(5, 300), LAST))
        docs.append(doc)
    return docs


@table(sizes=(12, 60, 300, 2500, 12000))
def loan_book(w, n):
    """Instalments of loans: interest and principal make the payment, the balance falls to 0, late ones carry a fee, rates by product."""
    docs, loan = [], 0
    while len(docs) < n:
        loan += 1
        product, rate, months = w.zipf([("car", 5.9, 48), ("home improvement", 4.5, 60), ("consumer", 9.9, 24), ("student", 3.5, 120)], 0.4)
        amount = float(w.pick([3000, 5000, 7500, 10000, 12000, 15000, 25000]))
        monthly = rate / 1200
        payment = round(amount * monthly / (1 - (1 + monthly) ** -months), 2)
        balance, due = amount, w.when(400).replace(day=w.pick([1, 15]))
        branch = w.pick([("001", "Head Office"), ("014", "Airport"), ("022", "Harbour")])
        for k in range(1, months + 1):
            if due > LAST or len(docs) >= n:
                break
            interest = round(balance * monthly, 2)
            principal = round(balance, 2) if k == months else round(payment - interest, 2)
            balance = round(balance - principal, 2)
            late = w.chance(0.05)
            docs.append({"loan_no": "L%06d" % (31000 + loan), "product": product, "annual_rate": rate, "branch": branch[0], "branch_name": branch[1], "instalment": k, "of": months, "due_date": day(due), "paid_date": day(min(LAST, due + DAY * (w.between(6, 70) if late else w.between(-3, 0)))), "payment": round(interest + principal, 2), "interest": interest, "principal": principal, "late_fee": 15.0 if late else 0.0, "balance_after": balance, "method": w.zipf(["direct debit", "transfer", "cash"], 1.4)})
            due = (due.replace(day=1) + DAY * 32).replace(day=due.day)
    return docs


@table(**german)
def gerichtsakten(w, n):
    """Cases of a court with their numbers, chambers, values in dispute, costs by a scale, appeals of a few, several outcomes."""
    rooms = {"C": "Zivil", "F": "Familie", "Ds": "Straf", "OWi": "Bußgeld", "M": "Vollstreckung"}
    docs = []
    for i in range(n):
        kind = w.zipf(list(rooms), 0.5)
        came = w.when(1100)
        done = w.later(came, 20, 600) if w.chance(0.8) else None
        civil = kind in ("C", "F")
        value = float(w.pick([500, 1000, 1500, 3000, 5000, 12500])) if civil and w.chance(0.5) else w.skewed(2400, 1.0) if civil else None
        docs.append({"Aktenzeichen": "%d %s %d/%02d" % (w.between(1, 40), kind, i + 1, came.year % 100), "Register": kind, "Abteilung": rooms[kind], "Eingang": dotted(came), "Erledigt": dotted(done) if done else None, "Erledigungsart": w.zipf(["Urteil", "Vergleich", "Beschluss", "Rücknahme", "sonstige"], 0.6) if done else None, "Streitwert": value, "Gerichtskosten": None if value is None else round(38 + value * 0.03, 2),
                     "Kläger": person(w)[1] if w.chance(0.6) else w.zipf(["Stadtwerke GmbH", "Inkasso AG", "Wohnbau eG"], 0.6), "Beklagter": person(w)[1], "PKH": w.zipf(["nein", "ja"], 1.4) if civil else None, "Richter": w.zipf(["Roth", "Rothe", "Stahl", "Dr. Winter"], 0.3), "Termin": dotted(min(came + DAY * w.between(20, 200), LAST)) if w.chance(0.6) else None, "Rechtsmittel": w.pick(["Berufung", "Beschwerde"]) if done and w.chance(0.06) else None, "Blatt": int(w.skewed(90, 0.9, 0))})
    return docs


# ------------------------------------------------------------------------------------ housing

@table(sizes=(12, 60, 300, 2500), **tabs)
def annonces(w, n):
    """Flats and houses: houses have land and no floor, the price per square metre is rounded, energy classes, sold ones have a date."""
    docs = []
    for i in range(n):
        kind = w.zipf(["appartement", "maison", "studio", "loft", "parking"], 0.8)
        cp, ville, level = w.zipf([("75015", "Paris", 9800), ("75020", "Paris", 8700), ("69006", "Lyon", 5200), ("33000", "Bordeaux", 4500), ("35000", "Rennes", 3900), ("20000", "Ajaccio", 3600), ("97400", "Saint-Denis", 2900), ("93200", "Saint-Denis", 4100)], 0.4)
        area = round(w.skewed({"appartement": 62, "maison": 115, "studio": 24, "loft": 95, "parking": 12}[kind], 0.3), 1)
        price = int(area * level * w.rng.uniform(0.75, 1.25) * (0.25 if kind == "parking" else 1)) // 500 * 500 + 500
        listed = w.when(1100)
        sold = w.later(listed, 15, 200) if w.chance(0.4) else None
        home = kind != "parking"
        docs.append({"réf": "%s%05d" % (kind[0].upper(), 10000 + i), "type": kind, "cp": cp, "ville": ville, "surface": area, "pièces": None if not home else 1 if kind == "studio" else max(1, int(area // 22)), "chambres": None if not home else 0 if kind == "studio" else max(1, int(area // 22) - 1), "étage": w.between(0, 9) if kind in ("appartement", "studio", "loft") else None, "terrain": w.between(80, 2500) if kind == "maison" else None, "prix": price, "prix_m2": round(price / area),
                     "DPE": w.zipf(["D", "E", "C", "F", "G", "B", "A"], 0.5) if home else None, "GES": w.zipf(["D", "E", "C", "B", "F", "A", "G"], 0.4) if home else None, "charges": int(area * w.rng.uniform(1.5, 3.5)) if kind in ("appartement", "studio", "loft") else None, "année": w.between(1880, 2023) if home and w.chance(0.8) else None, "ascenseur": w.pick(["oui", "non"]) if kind == "appartement" else None, "mise_en_ligne": slashed(listed), "vendu_le": slashed(sold) if sold else None, "prix_vente": int(price * w.rng.uniform(0.9, 1)) // 500 * 500 if sold else None, "agence": w.zipf(["Century", "Orpi", "Laforêt", "particulier"], 0.5), "tél": "0%d %02d %02d %02d %02d" % (w.pick([1, 4, 5, 6]), *(w.between(0, 99) for _ in range(4)))})
    return docs


@table("ndjson")
def short_lets(w, n):
    """Listings with ratings of several aspects, none for new ones; a minimum stay; hosts with several flats; licences of different towns."""
    hosts = [(1000000 + 7331 * k, w.pick(ENGLISH_FIRST), w.chance(0.3)) for k in range(max(4, n // 3))]
    docs = []
    for i in range(n):
        host, name, super_ = w.zipf(hosts, 0.8)
        town = w.zipf(["Lisboa", "Porto", "Sintra", "Faro"], 0.7)
        reviews = 0 if w.chance(0.15) else int(w.skewed(22, 1.2, 0)) + 1
        beds = w.zipf([1, 2, 3, 4, 6], 0.9)
        doc = {"id": 40000000 + 997 * i, "title": w.pick(["Cosy", "Sunny", "Charming", "Modern", "Big"]) + " " + w.pick(["flat", "studio", "room", "loft", "house"]) + w.pick([" in " + town, " near the river", " with a view", ""]), "host": {"id": host, "name": name, "superhost": super_}, "town": town, "lat": round(w.rng.gauss({"Lisboa": 38.72, "Porto": 41.15, "Sintra": 38.8, "Faro": 37.02}[town], 0.01), 5), "lon": round(w.rng.gauss({"Lisboa": -9.14, "Porto": -8.61, "Sintra": -9.38, "Faro": -7.93}[town], 0.01), 5),
               "room_type": w.zipf(["Entire home/apt", "Private room", "Hotel room", "Shared room"], 1.4), "accommodates": beds * 2 - w.pick([0, 0, 1]), "beds": beds, "bathrooms": w.pick(["1 bath", "1 bath", "1.5 baths", "2 baths", "1 shared bath", "Half-bath"]), "price": {"amount": w.skewed(85, 0.5, 0), "currency": "EUR"}, "minimum_nights": w.zipf([1, 2, 3, 5, 7, 28, 30, 365], 1.0), "availability_365": 0 if w.chance(0.2) else w.between(1, 365), "reviews": {"count": reviews}}
        if reviews:
            doc["reviews"].update(last=extended(w.when(1200)), rating=round(min(5.0, w.rng.gauss(4.75, 0.25)), 2), cleanliness=round(min(5.0, w.rng.gauss(4.8, 0.2)), 2), location=round(min(5.0, w.rng.gauss(4.8, 0.2)), 2))
        if w.chance(0.8):
            doc["license"] = w.pick(["%d/AL" % w.between(100, 150000), "%d/AL" % w.between(100, 150000), "Exempt", "%d" % w.between(100, 99999)])
        docs.append(doc)
    return docs
