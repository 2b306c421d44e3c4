"""Eight more domains of the tuning half, for bench/detect: other languages, forms and generators than tune.py."""
import datetime

from world import ENGLISH, LAST, Data, Domain, ascii_of, day, ean13, email, extended, iban, luhn, person

ITALIAN = ("il la merce consegnata presso magazzino cliente ordine urgente fragile collo pallet prima dopo senza con per "
           "su richiesta ritiro reso danneggiato verificato sostituito controllare firma bolla autista mattina pomeriggio").split()
DUTCH = ("de het een leerling ouders gesprek gevoerd over inzet huiswerk goed beter vaak afwezig ziek toets herkansing mentor "
         "afspraak gemaakt rustig klas extra begeleiding nodig verbeterd volgende periode").split()


def slashed(when):
    return when.strftime("%d/%m/%Y")


def dotted(when):
    return when.strftime("%d.%m.%Y")


# ------------------------------------------------------------------------------------ delivery notes, Italian

DEPOTS = {"MI1": ("Deposito Lambrate", "Milano", "MI"), "MI2": ("Deposito Rho", "Rho", "MI"), "TO1": ("Polo Nord", "Torino", "TO"),
          "NA1": ("Scalo Vesuvio", "Napoli", "NA"), "BA1": ("Levante", "Bari", "BA"), "RE1": ("Via Emilia", "Reggio Emilia", "RE"),
          "RC1": ("Stretto", "Reggio Calabria", "RC"), "BZ1": ("Brennero", "Bolzano", "BZ")}
UNITS = {"PZ": 1, "KG": 1, "LT": 1, "CF": 12}


class Movimenti(Domain):
    name, half, form, sizes = "movimenti", "tune", "csv", (9000, 900, 40)
    suffix, delimiter, decimal = "csv", ";", ","
    without = ("decimal_comma",)
    kinds = {
        "numero_documento": "key", "data_documento": "date", "causale": "label", "deposito": "code", "deposito_nome": "label",
        "citta": "place", "provincia": "label", "articolo": "code", "descrizione": "title", "um": "label", "quantita": "count",
        "prezzo": "money", "imponibile": "money", "iva_pct": "percent", "iva": "money", "totale": "money",
        "data_consegna": "date", "vettore": "label", "peso_kg": "measure", "note": "text"}
    optional = ("data_consegna", "vettore", "note")
    linked = (("deposito", "deposito_nome", "citta", "provincia"), ("articolo", "descrizione", "um", "prezzo"),
              ("iva_pct", "iva", "imponibile"), ("peso_kg", "quantita"))
    depends = (("deposito", "deposito_nome"), ("deposito", "citta"), ("citta", "provincia"), ("articolo", "descrizione"),
               ("articolo", "um"))
    sums = (("totale", ("imponibile", "iva")), ("imponibile", ("quantita", "prezzo")))
    ordered = (("data_documento", "data_consegna"),)
    swaps = (("deposito_nome", "citta"), ("data_documento", "data_consegna"))
    glued = (("citta", "provincia"), ("deposito_nome", "deposito"), ("descrizione", "um"))
    rules = (("vettore", "causale"), ("data_consegna", "causale"))

    def make(self, w, n):
        things, places_of = ["Vite", "Bullone", "Guarnizione", "Cavo", "Tubo", "Staffa", "Filtro", "Pompa", "Valvola"], ["zincata", "inox", "PVC", "rame", "grande", "M8", "M10"]
        articles = {}
        for i in range(max(6, n // 40)):
            articles["%s-%04d-%s" % (w.letters(2), w.between(100, 9899), w.pick("ABX"))] = (
                "%s %s %d" % (w.pick(things), w.pick(places_of), w.between(2, 90) * 5), w.zipf(list(UNITS), 1.1),
                w.skewed(8, 1.0), w.skewed(0.4, 0.8, 3))
        docs, when = [], datetime.datetime(2023, 1, 9)
        for i in range(n):
            when += datetime.timedelta(minutes=w.between(5, max(20, 1200000 // n)))
            depot, article = w.zipf(list(DEPOTS), 0.8), w.zipf(list(articles), 0.7)
            nome, citta, prov = DEPOTS[depot]
            text, um, price, weight = articles[article]
            causale = w.weighted(vendita=72, trasferimento=16, reso=8, campionatura=4)
            qty = w.pick([1, 2, 4, 5, 10, 10, 20, 25, 50, 100, 250])
            net, rate = round(qty * price, 2), w.pick([22, 22, 22, 22, 10, 4])
            tax = round(net * rate / 100, 2)
            docs.append({
                "numero_documento": "DDT-%d-%06d" % (when.year, i + 1), "data_documento": slashed(when), "causale": causale,
                "deposito": depot, "deposito_nome": nome, "citta": citta, "provincia": prov, "articolo": article,
                "descrizione": text, "um": um, "quantita": qty, "prezzo": price, "imponibile": net, "iva_pct": rate, "iva": tax,
                "totale": round(net + tax, 2), "data_consegna": slashed(w.later(when, 0, 12)) if causale != "campionatura" else None,
                "vettore": w.pick(["Bartoli", "Gls Nord", "Corriere Sud", "TNL", "Espresso"]) if causale in ("vendita", "reso") else None,
                "peso_kg": round(weight * qty * w.rng.uniform(0.97, 1.05), 2),
                "note": w.sentence(ITALIAN, 3, 12) if w.chance(0.3) else None})
        return Data("movimenti", docs)


# ------------------------------------------------------------------------------------ pupils, Dutch

SCHOOLS = ["Delft", "Den Haag", "Den Helder", "Leiden", "Leerdam", "Gouda"]
FORMS_OF = [("1A", "Bakker"), ("1B", "Visser"), ("2A", "de Wit"), ("2B", "Smit"), ("3A", "Smits"), ("3C", "Jansen"),
            ("4V", "Janssen"), ("4H", "van Dijk"), ("5V", "Mulder"), ("5H", "Bos"), ("6V", "Vos")]
COURSES = {"NE": ("Nederlands", "Bakker"), "EN": ("Engels", "Visser"), "WI": ("Wiskunde", "Smit"), "NA": ("Natuurkunde", "Smits"),
           "SK": ("Scheikunde", "Jansen"), "GS": ("Geschiedenis", "Mulder"), "AK": ("Aardrijkskunde", "Bos")}


class Leerlingen(Domain):
    name, half, form, sizes = "leerlingen", "tune", "ndjson", (2400, 320, 30)
    kinds = {
        "leerlingnummer": "key", "naam.voornaam": "name", "naam.achternaam": "name", "geboren": "date", "klas.code": "label",
        "klas.mentor": "label", "klas.leerjaar": "count", "vestiging": "place", "adres.postcode": "code", "adres.plaats": "place",
        "ouder.email": "email", "ouder.telefoon": "digits", "vakken": "array", "vakken[].vak": "label", "vakken[].cijfer": "measure",
        "ingeschreven": "date", "uitgeschreven": "date", "status": "label", "lengte_cm": "measure", "fiets": "bool", "opmerking": "text",
        "verzuim_uren": "count", "profiel": "label"}
    optional = ("ouder.email", "uitgeschreven", "opmerking", "vakken", "vakken[].vak", "vakken[].cijfer", "profiel")
    linked = (("klas.code", "klas.mentor", "klas.leerjaar", "profiel"), ("adres.postcode", "adres.plaats"), ("status", "uitgeschreven"))
    depends = (("klas.code", "klas.mentor"), ("klas.code", "klas.leerjaar"), ("adres.postcode", "adres.plaats"))
    ordered = (("geboren", "ingeschreven"), ("ingeschreven", "uitgeschreven"))
    swaps = (("naam.voornaam", "naam.achternaam"), ("adres.plaats", "adres.postcode"), ("geboren", "ingeschreven"))
    glued = (("adres.plaats", "adres.postcode"), ("klas.mentor", "klas.code"))
    rules = (("uitgeschreven", "status"), ("profiel", "klas.leerjaar"))

    def make(self, w, n):
        codes = {"%04d %s" % (w.between(1000, 9899), w.letters(2)): w.zipf(SCHOOLS, 0.4) for _ in range(max(5, n // 25))}
        docs = []
        for i in range(n):
            first, last = person(w)
            klas, mentor = w.pick(FORMS_OF)
            year = int(klas[0])
            code = w.zipf(list(codes), 0.3)
            status = w.weighted(actief=84, geslaagd=11, vertrokken=5)
            born = datetime.datetime(2025 - 12 - year - w.pick([0, 0, 0, 1]), w.between(1, 12), w.between(1, 28))
            start = datetime.datetime(2025 - year, 8, w.between(18, 29)) if w.chance(0.9) else w.later(datetime.datetime(2025 - year, 9, 1), 0, 200)
            doc = {"_id": w.oid(), "leerlingnummer": 110000 + i * 7 % 90000, "naam": {"voornaam": first, "achternaam": last},
                   "geboren": day(born), "klas": {"code": klas, "mentor": mentor, "leerjaar": year}, "vestiging": w.zipf(SCHOOLS, 0.6),
                   "adres": {"postcode": code, "plaats": codes[code]},
                   "ouder": {"telefoon": "06" + w.digits(8)},
                   "vakken": [{"vak": COURSES[c][0], "docent": COURSES[c][1], "cijfer": min(10.0, max(1.0, w.bell(6.8, 1.1)))}
                              for c in w.rng.sample(list(COURSES), w.pick([0, 4, 5, 5, 6]))],
                   "ingeschreven": day(start), "status": status, "lengte_cm": w.bell(150 + 6 * year, 8, 0), "fiets": w.chance(0.8),
                   "verzuim_uren": 0 if w.chance(0.5) else int(w.skewed(6, 0.9, 0))}
            if w.chance(0.8):
                doc["ouder"]["email"] = email(w, w.pick(["j", "p", "m"]), last, i)
            if status != "actief":
                doc["uitgeschreven"] = day(w.later(start, 150, 400))
            if year >= 4:
                doc["profiel"] = w.weighted(NT=30, NG=30, EM=30, CM=10)
            if w.chance(0.35):
                doc["opmerking"] = w.sentence(DUTCH, 4, 20)
            docs.append(doc)
        return Data("leerlingen", docs)


# ------------------------------------------------------------------------------------ measurements over time

STATIONS = [("AQ-01", "Harbour", 59.91, 10.75), ("AQ-02", "Hill Park", 59.94, 10.71), ("AQ-03", "Ring Road", 59.92, 10.80),
            ("AQ-04", "School Lane", 59.89, 10.69), ("AQ-05", "Old Mill", 59.97, 10.88), ("AQ-06", "Airport", 60.19, 11.10)]


class Readings(Domain):
    """One document for each station and hour. Two stations have no wind gauge."""
    name, half, form, sizes = "readings", "tune", "json", (6000, 480)
    kinds = {
        "station.code": "label", "station.name": "place", "station.lat": "measure", "station.lon": "measure", "measured_at": "date",
        "pm25": "measure", "pm10": "measure", "temp_c": "measure", "humidity": "percent", "pressure_hpa": "measure",
        "wind.speed": "measure", "wind.direction": "count", "battery_v": "measure", "state": "label", "fault": "code",
        "firmware": "label", "samples": "count", "serial": "key"}
    optional = ("wind.speed", "wind.direction", "fault")
    linked = (("station.code", "station.name", "station.lat", "station.lon", "wind.speed", "wind.direction", "firmware"),
              ("state", "fault"), ("pm25", "pm10"))
    depends = (("station.code", "station.name"), ("station.code", "station.lat"), ("station.name", "station.lon"))
    swaps = (("station.lat", "station.lon"), ("temp_c", "humidity"), ("pm25", "pm10"))
    glued = (("station.name", "station.code"),)
    rules = (("fault", "state"),)

    def make(self, w, n):
        docs, start = [], datetime.datetime(2024, 11, 1)
        for i in range(n):
            code, name, lat, lon = STATIONS[i % len(STATIONS)]
            when = start + datetime.timedelta(hours=i // len(STATIONS))
            pm, temp = w.skewed(9, 0.6, 1), round(4 - 0.004 * (i // 6 % 2000) + w.rng.gauss(0, 3), 1)
            state = w.weighted(ok=95, fault=3, service=2)
            doc = {"serial": "%s-%s" % (code, when.strftime("%y%m%d%H")), "station": {"code": code, "name": name, "lat": lat, "lon": lon},
                   "measured_at": when.strftime("%Y-%m-%dT%H:%M:%SZ"), "pm25": pm, "pm10": round(pm * w.rng.uniform(1.2, 2.4), 1),
                   "temp_c": temp, "humidity": int(min(100, max(18, w.bell(72, 13, 0)))), "pressure_hpa": w.bell(1009, 9),
                   "battery_v": round(w.rng.uniform(3.55, 4.15), 2), "state": state,
                   "firmware": "v1.%d.%d" % (2 if i % 6 < 4 else 3, 0 if i * 2 < n else 4), "samples": 60 if w.chance(0.93) else w.between(31, 59)}
            if i % 6 not in (1, 3):
                doc["wind"] = {"speed": w.skewed(3.2, 0.5, 1), "direction": w.between(0, 359)}
            if state == "fault":
                doc["fault"] = w.pick(["E-104", "E-110", "E-207", "E-310"])
            docs.append(doc)
        return Data("readings", docs)


# ------------------------------------------------------------------------------------ payments, Portuguese

NATIONS = {"PT": "Portugal", "BR": "Brasil", "ES": "Espanha", "AO": "Angola", "MZ": "Moçambique", "CV": "Cabo Verde", "FR": "França"}


class Pagamentos(Domain):
    """Several payments may be made for one order."""
    name, half, form, sizes = "pagamentos", "tune", "ndjson", (7000, 700)
    kinds = {
        "transacao": "key", "criado_em": "date", "liquidado_em": "date", "cliente.nome": "name", "cliente.iban": "iban",
        "cliente.pais": "label", "cliente.pais_nome": "place", "metodo": "label", "cartao": "luhn", "valor": "money", "taxa": "money",
        "liquido": "money", "parcelas": "count", "moeda": "label", "estado": "label", "motivo": "label", "etiquetas": "tags",
        "teste": "bool"}
    optional = ("liquidado_em", "cartao", "motivo", "etiquetas")
    linked = (("cliente.pais", "cliente.pais_nome", "moeda"), ("metodo", "cartao", "parcelas"), ("estado", "liquidado_em", "motivo"),
              ("valor", "taxa", "liquido"))
    depends = (("cliente.pais", "cliente.pais_nome"),)
    sums = (("valor", ("taxa", "liquido")),)
    ordered = (("criado_em", "liquidado_em"),)
    swaps = (("cliente.nome", "cliente.pais_nome"), ("valor", "taxa"), ("criado_em", "liquidado_em"))
    glued = (("cliente.pais_nome", "cliente.pais"), ("estado", "metodo"))
    rules = (("cartao", "metodo"), ("liquidado_em", "estado"), ("motivo", "estado"))

    def make(self, w, n):
        people = []
        for i in range(max(5, n // 4)):
            first, last = person(w)
            nation = w.zipf(list(NATIONS), 1.1)
            people.append(({"nome": first + " " + last, "iban": iban(w.pick(["PT", "ES", "FR"]), w.digits(20)), "pais": nation,
                            "pais_nome": NATIONS[nation]}, luhn("4" + w.digits(14))))
        docs, order = [], 50000
        for i in range(n):
            order += w.pick([0, 1, 1, 1, 1, 1, 2, 3])
            who, card = w.pick(people)
            method = w.weighted(cartao=60, multibanco=22, transferencia=12, mbway=6)
            state = w.weighted(liquidado=88, pendente=7, recusado=5)
            made, value = w.when(900), w.skewed(62, 0.9)
            fee = round(value * (0.014 if method == "cartao" else 0.007) + 0.25, 2)
            doc = {"_id": w.oid(), "transacao": "TX%09d" % (700000 + i), "pedido_no": order, "criado_em": extended(made),
                   "cliente": dict(who), "metodo": method, "valor": round(value + fee, 2), "taxa": fee, "liquido": value,
                   "parcelas": w.pick([1, 1, 1, 2, 3, 6, 12]) if method == "cartao" else 1,
                   "moeda": {"BR": "BRL", "AO": "AOA", "MZ": "MZN", "CV": "CVE"}.get(who["pais"], "EUR"), "estado": state,
                   "teste": w.chance(0.02)}
            if method == "cartao":
                doc["cartao"] = card
            if state == "liquidado":
                doc["liquidado_em"] = extended(w.later(made, 1, 5))
            if state == "recusado":
                doc["motivo"] = w.weighted(saldo=50, expirado=30, fraude=20)
            if w.chance(0.3):
                doc["etiquetas"] = w.pick([["vip"], ["b2b"], ["b2b", "vip"], ["novo"]])
            docs.append(doc)
        return Data("pagamentos", docs)


# ------------------------------------------------------------------------------------ hotel bookings, Swedish

LANDS = {"SE": "Sverige", "NO": "Norge", "DK": "Danmark", "DE": "Tyskland", "FI": "Finland", "NL": "Nederländerna",
         "GB": "Storbritannien", "US": "USA", "AT": "Österrike", "AU": "Australien"}
ROOMS = {"ENK": ("Enkelrum", 890), "DBL": ("Dubbelrum", 1290), "DBX": ("Dubbelrum delux", 1690), "FAM": ("Familjerum", 1890), "SVI": ("Svit", 3200)}


class Bokningar(Domain):
    name, half, form, sizes = "bokningar", "tune", "csv", (5000, 450)
    suffix, delimiter = "tsv", "\t"
    kinds = {
        "bokningsnr": "key", "bokad": "date", "gäst": "name", "epost": "email", "landkod": "label", "land": "place", "rum": "zip",
        "rumstyp": "label", "rumstyp_namn": "label", "incheckning": "date", "utcheckning": "date", "nätter": "count", "gäster": "count",
        "pris_natt": "money", "summa": "money", "rabatt_pct": "percent", "kanal": "label", "status": "label", "avbokad": "date",
        "betalning": "label", "önskemål": "text"}
    optional = ("avbokad", "önskemål", "epost", "betalning")
    linked = (("landkod", "land"), ("rumstyp", "rumstyp_namn", "pris_natt", "rum"), ("status", "avbokad", "betalning"),
              ("incheckning", "utcheckning", "nätter"))
    depends = (("landkod", "land"), ("rumstyp", "rumstyp_namn"), ("rum", "rumstyp"))
    sums = (("summa", ("nätter", "pris_natt")),)
    ordered = (("bokad", "incheckning"), ("incheckning", "utcheckning"))
    swaps = (("gäst", "land"), ("incheckning", "utcheckning"), ("nätter", "gäster"))
    glued = (("land", "landkod"), ("rumstyp_namn", "rumstyp"))
    rules = (("avbokad", "status"), ("betalning", "status"))

    def make(self, w, n):
        rooms = {"%d%02d" % (floor, k): w.zipf(list(ROOMS), 0.5) for floor in range(1, 6) for k in range(1, 13)}
        docs = []
        for i in range(n):
            first, last = person(w)
            land, room = w.zipf(list(LANDS), 1.0), w.pick(list(rooms))
            kind = rooms[room]
            booked = w.when(1100)
            arrives = booked + datetime.timedelta(days=w.between(0, 90))
            nights = w.pick([1, 1, 2, 2, 2, 3, 3, 4, 5, 7, 14])
            status = w.weighted(utcheckad=86, avbokad=9, uteblev=3, bekräftad=2)
            price = ROOMS[kind][1] + (200 if arrives.month in (6, 7, 8) else 0)
            docs.append({
                "bokningsnr": "B%06d" % (120400 + i), "bokad": day(booked), "gäst": first + " " + last,
                "epost": email(w, first, last, i) if w.chance(0.85) else None, "landkod": land, "land": LANDS[land], "rum": room,
                "rumstyp": kind, "rumstyp_namn": ROOMS[kind][0], "incheckning": day(arrives),
                "utcheckning": day(arrives + datetime.timedelta(days=nights)), "nätter": nights,
                "gäster": w.pick([1, 1, 2, 2, 2]) if kind != "FAM" else w.pick([2, 3, 4, 4, 5]), "pris_natt": price, "summa": price * nights,
                "rabatt_pct": w.pick([0, 0, 0, 0, 5, 10, 15]), "kanal": w.zipf(["webb", "telefon", "bookio", "reseagent", "app"], 0.7),
                "status": status, "avbokad": day(min(arrives, w.later(booked, 0, 30))) if status == "avbokad" else None,
                "betalning": w.pick(["kort", "kort", "faktura", "swish"]) if status == "utcheckad" else None,
                "önskemål": w.pick(["Sen ankomst", "Barnsäng", "Tyst rum", "Havsutsikt tack", "Allergi mot dun", "Parkering"]) if w.chance(0.12) else None})
        return Data("bokningar", docs)


# ------------------------------------------------------------------------------------ insurance claims

CARS = {"Volta": ["Mira", "Minor", "Arc"], "Hansom": ["C20", "C30", "Estate"], "Tanaka": ["Civo", "Cavo", "Ridge"], "Brio": ["Uno", "Duo"]}
ADJUSTERS = {"K11": "Ruth Okafor", "K12": "Ola Nilsen", "K14": "Oda Nilsen", "K19": "Sam Holloway", "K23": "Pía Solano"}


class Claims(Domain):
    """Policies are another collection."""
    name, half, form, sizes = "claims", "tune", "json", (3500, 260, 24)
    kinds = {
        "claim_no": "key", "policy_no": "ref", "claimant.name": "name", "claimant.phone": "digits", "claimant.postcode": "zip",
        "vehicle.plate": "code", "vehicle.make": "label", "vehicle.model": "label", "vehicle.year": "count", "loss.on": "date",
        "loss.cause": "label", "loss.place": "place", "reported": "date", "closed": "date", "state": "label", "amounts.claimed": "money",
        "amounts.excess": "money", "amounts.agreed": "money", "adjuster.code": "label", "adjuster.name": "label", "photos": "array",
        "witnesses": "array", "witnesses[].name": "name", "mileage_km": "count", "story": "text", "police": "bool"}
    optional = ("closed", "amounts.agreed", "photos", "witnesses", "witnesses[].name", "claimant.phone")
    linked = (("adjuster.code", "adjuster.name"), ("vehicle.make", "vehicle.model"), ("state", "closed", "amounts.agreed"),
              ("policy_no", "claimant.name", "vehicle.plate", "vehicle.make", "vehicle.model", "vehicle.year", "claimant.postcode", "claimant.phone"))
    depends = (("adjuster.code", "adjuster.name"), ("vehicle.model", "vehicle.make"), ("vehicle.plate", "vehicle.model"))
    sums = (("amounts.claimed", ("amounts.excess", "amounts.agreed")),)
    ordered = (("loss.on", "reported"), ("reported", "closed"))
    swaps = (("vehicle.make", "vehicle.model"), ("amounts.claimed", "amounts.excess"), ("claimant.name", "loss.place"))
    glued = (("adjuster.name", "adjuster.code"), ("vehicle.make", "vehicle.model"))
    refs = ("policy_no",)
    rules = (("amounts.agreed", "state"), ("closed", "state"))

    def make(self, w, n):
        policies, facts = [], {}
        for i in range(max(8, n * 2 // 3)):
            make = w.zipf(list(CARS), 0.6)
            first, last = person(w)
            no = "P-%d" % (400100 + i * 9)
            policies.append({"policy_no": no, "since": day(w.when(700)), "class": w.weighted(basic=50, plus=40, gold=10), "premium": w.skewed(420, 0.3)})
            facts[no] = ({"name": first + " " + last, "postcode": "%05d" % w.between(501, 99950), "phone": "0%s" % w.digits(9)},
                         {"plate": "%s %d" % (w.letters(2), w.between(10000, 99999)), "make": make, "model": w.zipf(CARS[make], 0.4), "year": w.between(2004, 2024)})
        docs = []
        for i in range(n):
            no = w.pick(list(facts)) if n < 300 else policies[w.between(0, len(policies) - 1)]["policy_no"]
            who, car = facts[no]
            on = w.when(1000)
            told = w.later(on, 0, 25)
            state = w.weighted(paid=62, declined=18, open=20)
            claimed, excess = w.skewed(2100, 0.8), float(w.pick([150, 300, 300, 500]))
            claimed = round(claimed + excess, 2)
            who_did = w.zipf(list(ADJUSTERS), 0.4)
            doc = {"_id": w.oid(), "claim_no": "C%05d/%d" % (i + 1, told.year % 100), "policy_no": no, "claimant": dict(who), "vehicle": dict(car),
                   "loss": {"on": day(on), "cause": w.weighted(collision=55, hail=15, theft=12, glass=14, marten=4),
                            "place": w.zipf(["Halden", "Holden", "Stafford", "Stamford", "Marwick", "Brandal", "Old Ferry"], 0.5)},
                   "reported": day(told), "state": state, "amounts": {"claimed": claimed, "excess": excess},
                   "adjuster": {"code": who_did, "name": ADJUSTERS[who_did]},
                   "photos": ["img_%05d_%d.jpg" % (i, k) for k in range(w.pick([0, 1, 2, 3, 4]))],
                   "witnesses": [{"name": " ".join(person(w)), "heard": w.chance(0.7)} for _ in range(w.pick([0, 0, 0, 1, 2]))],
                   "mileage_km": int(w.skewed(62000, 0.6, 0)), "story": w.sentence(ENGLISH, 8, 45), "police": w.chance(0.3)}
            if state == "paid":
                doc["amounts"]["agreed"] = round(claimed - excess, 2)
            if state != "open":
                doc["closed"] = day(w.later(told, 2, 120))
            docs.append(doc)
        return Data("claims", docs, policies=policies)


# ------------------------------------------------------------------------------------ staff, Polish

TEAMS = {"KS": "Księgowość", "KD": "Kadry", "IT": "Informatyka", "MG": "Magazyn", "SP": "Sprzedaż", "PR": "Produkcja"}
TOWNS_PL = {"00-950": "Warszawa", "30-001": "Kraków", "80-180": "Gdańsk", "81-340": "Gdynia", "02-495": "Warszawa", "90-113": "Łódź", "05-800": "Pruszków"}


class Pracownicy(Domain):
    name, half, form, sizes = "pracownicy", "tune", "csv", (14, 90, 400)
    kinds = {
        "nr": "key", "imie": "name", "nazwisko": "name", "kod_dzialu": "label", "dzial": "label", "stanowisko": "label",
        "zatrudniony": "date", "zwolniony": "date", "aktywny": "label", "etat": "percent", "pensja": "money", "premia": "money",
        "razem": "money", "telefon": "digits", "kod_pocztowy": "zip", "miasto": "place", "email": "email", "urlop_dni": "count"}
    optional = ("zwolniony", "telefon")
    linked = (("kod_dzialu", "dzial"), ("kod_pocztowy", "miasto"), ("aktywny", "zwolniony"), ("razem", "pensja", "premia"))
    depends = (("kod_dzialu", "dzial"), ("kod_pocztowy", "miasto"))
    sums = (("razem", ("pensja", "premia")),)
    ordered = (("zatrudniony", "zwolniony"),)
    swaps = (("imie", "nazwisko"), ("pensja", "premia"), ("miasto", "dzial"))
    glued = (("miasto", "kod_pocztowy"), ("dzial", "kod_dzialu"))
    rules = (("zwolniony", "aktywny"),)

    def make(self, w, n):
        docs = []
        for i in range(n):
            first, last = person(w)
            team, code = w.zipf(list(TEAMS), 0.4), w.zipf(list(TOWNS_PL), 0.7)
            since = w.when(1000)
            active = w.weighted(tak=82, nie=18)
            pay, bonus = round(w.skewed(7200, 0.3) / 10) * 10, w.pick([0, 0, 200, 300, 500, 750])
            docs.append({
                "nr": 1001 + i, "imie": first, "nazwisko": last, "kod_dzialu": team, "dzial": TEAMS[team],
                "stanowisko": w.weighted(specjalista=40, operator=30, kierownik=12, asystent=12, stażysta=6), "zatrudniony": dotted(since),
                "zwolniony": dotted(w.later(since, 30, 400)) if active == "nie" else None, "aktywny": active,
                "etat": w.pick([1.0, 1.0, 1.0, 0.5, 0.75]), "pensja": pay, "premia": bonus, "razem": pay + bonus,
                "telefon": w.pick("5678") + w.digits(8) if w.chance(0.9) else None, "kod_pocztowy": code, "miasto": TOWNS_PL[code],
                "email": "%s.%s@firma.example.pl" % (ascii_of(first), "%s%d" % (ascii_of(last), i)), "urlop_dni": w.pick([20, 20, 26, 26, 26])})
        return Data("pracownicy", docs)


# ------------------------------------------------------------------------------------ a catalogue of goods

SHELVES = {"Home > Kitchen": 8, "Home > Bath": 5, "Garden > Tools": 6, "Garden > Seeds": 2, "Clothing > Men": 3, "Clothing > Women": 3, "Toys > Wooden": 5}
MADE = {"DE": "Germany", "CN": "China", "IT": "Italy", "IN": "India", "VN": "Vietnam", "PL": "Poland", "SI": "Slovenia", "SK": "Slovakia"}


class Catalogue(Domain):
    name, half, form, sizes = "catalogue", "tune", "csv", (6000, 300)
    kinds = {
        "sku": "key", "gtin": "ean", "shelf": "label", "title": "title", "brand": "label", "colour": "label", "size": "label",
        "length_cm": "measure", "width_cm": "measure", "height_cm": "measure", "weight_g": "measure", "list_price": "money", "price": "money",
        "vat_rate": "percent", "stock": "count", "origin": "label", "origin_name": "place", "listed_on": "date", "ended_on": "date",
        "active": "bool", "rating": "measure", "reviews": "count"}
    optional = ("size", "ended_on", "rating", "colour")
    linked = (("origin", "origin_name"), ("active", "ended_on", "stock"), ("shelf", "size"), ("reviews", "rating"))
    depends = (("origin", "origin_name"),)
    ordered = (("listed_on", "ended_on"),)
    swaps = (("length_cm", "weight_g"), ("brand", "colour"), ("price", "list_price"))
    glued = (("origin_name", "origin"), ("title", "brand"))
    rules = (("size", "shelf"), ("ended_on", "active"), ("rating", "reviews"))

    def make(self, w, n):
        docs = []
        for i in range(n):
            shelf, origin = w.zipf(list(SHELVES), 0.4), w.zipf(list(MADE), 0.8)
            what = {"H": ["Bowl", "Jug", "Towel", "Pan"], "G": ["Rake", "Spade", "Basil", "Hose"], "C": ["Shirt", "Coat", "Skirt", "Socks"], "T": ["Train", "Blocks", "Puzzle"]}[shelf[0]]
            active, seen = w.chance(0.88), 0 if w.chance(0.25) else int(w.skewed(14, 1.0, 0)) + 1
            listed, price = w.when(1100), w.pick([4.99, 7.5, 9.99, 12.0, 14.95, 19.99, 24.5, 34.0, 49.99, 89.0])
            brand = w.zipf(["Nordhus", "Alma", "Kesk", "Terra", "Terre", "Bosc", "Filip & Co", "No Name"], 0.6)
            docs.append({
                "sku": "%s%05d" % (shelf[0], 20011 + i * 3), "gtin": ean13("40" + w.digits(10)), "shelf": shelf,
                "title": "%s %s %s" % (w.pick(["Classic", "Little", "Grand", "Everyday", "Blue Line", "Rustic"]), w.pick(what), w.pick(["One", "Set of 2", "Set of 4", "XL", "Eco", "Plus"])),
                "brand": brand, "colour": w.zipf(["black", "white", "blue", "red", "green", "natural", "grey", "beige"], 0.5) if shelf != "Garden > Seeds" else None,
                "size": w.pick(["S", "M", "M", "L", "L", "XL"]) if shelf.startswith("Clothing") else None,
                "length_cm": w.skewed(24, 0.5, 1), "width_cm": w.skewed(14, 0.5, 1), "height_cm": w.skewed(7, 0.6, 1), "weight_g": int(w.skewed(380, 0.8, 0)),
                "list_price": round(price * w.pick([1, 1, 1.1, 1.25, 1.5]), 2), "price": price, "vat_rate": 7 if "Seeds" in shelf else 19,
                "stock": 0 if not active or w.chance(0.1) else w.between(1, 400), "origin": origin, "origin_name": MADE[origin], "listed_on": day(listed),
                "ended_on": None if active else day(w.later(listed, 20, 300)), "active": active,
                "rating": round(w.rng.uniform(2.6, 5.0), 1) if seen else None, "reviews": seen})
        return Data("catalogue", docs)


DOMAINS = [Movimenti(), Leerlingen(), Readings(), Pagamentos(), Bokningar(), Claims(), Pracownicy(), Catalogue()]
