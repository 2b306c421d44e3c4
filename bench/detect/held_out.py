"""The five domains of the held-out half, for bench/detect. No check may be developed with them."""
import datetime

from world import LAST, Data, Domain, day, ascii_of, extended, iban, imo, nif

VORNAMEN = ("Anke Bernd Claudia Dieter Elke Frank Gisela Heike Ingo Jürgen Karin Lothar Monika Norbert Petra Rüdiger Sabine "
            "Thorsten Ulrike Volker Wiebke Günther Käthe Jörg").split()
NACHNAMEN = ("Abel Baumann Dietz Eckert Fuhrmann Graf Grafe Hübner Jäger Krüger Lindner Lindener Meier Meyer Maier Neumann "
             "Ott Otto Pfeiffer Pfeifer Roth Schäfer Schröder Schroeder Thiel Ude Voß Wagner Weiß Zöller").split()
PRENOMS = ("Agathe Baptiste Camille Damien Élise Fabien Gaëlle Hugo Inès Joël Karim Léa Maël Noémie Océane Pierre Quentin "
           "Rémi Salomé Théo Ulysse Valérie Wassim Yaël Zélie").split()
NOMS = ("Arnaud Bonnet Chevalier Dupont Dupond Étienne Faure Garnier Hébert Imbert Jacquet Lefèvre Lefebvre Marchand Noël "
        "Olivier Perrin Renard Renaud Simon Tessier Vidal Weber").split()
NOMBRES = ("Alba Bruno Carmen Diego Elena Felipe Gema Héctor Irene Javier Lucía Manuel Nuria Óscar Paula Raúl Sofía Tomás "
           "Úrsula Víctor").split()
APELLIDOS = ("Alonso Blanco Cano Cana Díaz Esteban Fuentes Gil Herrera Ibáñez Jiménez Lozano Marín Núñez Ortega Ortiz "
             "Peña Ramos Romero Roma Soler Vega Yuste").split()


# ------------------------------------------------------------------------------------ bank account

BANKEN = {"GENODEF1HA1": "Volksbank Halden", "GENODEF1HO1": "Volksbank Holden", "COBADEFFXXX": "Kommerzbank",
          "MARKDEF1100": "Bundeskasse", "NOLADE21KIE": "Fördesparkasse", "SOLADEST600": "Kesselsparkasse",
          "DEUTDEFF500": "Deutsche Warenbank"}
ARTEN = {"LS": "Lastschrift", "GS": "Gutschrift", "UE": "Überweisung", "DA": "Dauerauftrag", "KA": "Kartenzahlung",
         "EN": "Entgelt"}
ZWECK = ("Rechnung Miete Abschlag Strom Wasser Gas Beitrag Verein Januar Februar März April Mai Juni Juli August Spende "
         "Erstattung Gehalt Rate Darlehen Kundennummer Vertrag Versicherung Jahresgebühr danke vielen Dank für die vom "
         "Bestellung Nr. Teilzahlung Restbetrag Nebenkosten Telefon Zeitung Abo").split()


class Konto(Domain):
    name, half, form, delimiter, decimal, sizes = "konto", "held-out", "csv", ";", ",", (8000, 320)
    without = ("decimal_comma", "thousands_separator")
    kinds = {
        "Buchungsnummer": "key", "Buchungstag": "date", "Wertstellung": "date", "Art": "label", "Buchungstext": "label",
        "Zahlungspartner": "name", "IBAN": "iban", "BIC": "code", "Bank": "label", "Verwendungszweck": "text",
        "Betrag": "money", "Saldo_vorher": "money", "Saldo_nachher": "money", "Kostenstelle": "zip",
        "Mandatsreferenz": "digits", "Gegenkonto": "digits", "Waehrung": "label"}
    optional = ("Mandatsreferenz", "Kostenstelle")
    linked = (("Zahlungspartner", "IBAN", "BIC", "Bank"),)
    depends = (("Art", "Buchungstext"), ("BIC", "Bank"), ("IBAN", "BIC"))
    sums = (("Saldo_nachher", ("Saldo_vorher", "Betrag")),)
    ordered = (("Buchungstag", "Wertstellung"),)
    swaps = (("Saldo_vorher", "Saldo_nachher"), ("Zahlungspartner", "Bank"))
    glued = (("Bank", "BIC"), ("Buchungstext", "Art"))
    rules = (("Mandatsreferenz", "Art"),)

    def make(self, w, n):
        partner = []
        for _ in range(max(5, n // 14)):
            bic = w.zipf(list(BANKEN), 0.6)
            name = "%s %s" % (w.pick(VORNAMEN), w.pick(NACHNAMEN)) if w.chance(0.6) else w.pick(
                NACHNAMEN) + w.pick([" GmbH", " AG", " & Söhne", " e.V.", " KG"])
            partner.append((name, iban("DE", w.digits(18)), bic, w.pick([11.9, 49.0, 78.5, 240.0, 612.35, 1850.0])))
        saldo, docs, tag = 4120.55, [], datetime.datetime(2022, 3, 1)
        for i in range(n):
            tag = min(tag + datetime.timedelta(days=w.pick([0, 0, 0, 0, 0, 0, 1]) if n > 2000 else w.pick([0, 1, 3])), LAST)
            name, konto, bic, ueblich = w.zipf(partner, 0.5)
            eingang = w.chance(0.8 if saldo < 0 else 0.45 if saldo < 3000 else 0.3 if saldo < 9000 else 0.1)
            art = "GS" if eingang else w.rng.choices(["LS", "UE", "DA", "KA", "EN"], [40, 27, 12, 18, 3])[0]
            betrag = w.skewed(ueblich, 0.5) * (1 if eingang else -1)
            docs.append({
                "Buchungsnummer": "%d/%06d" % (tag.year, i + 1), "Buchungstag": tag.strftime("%d.%m.%Y"),
                "Wertstellung": w.later(tag, 0, 2).strftime("%d.%m.%Y"), "Art": art, "Buchungstext": ARTEN[art],
                "Zahlungspartner": name, "IBAN": konto, "BIC": bic, "Bank": BANKEN[bic],
                "Verwendungszweck": w.sentence(ZWECK, 4, 12), "Betrag": betrag, "Waehrung": "EUR" if w.chance(0.995) else "CHF",
                "Saldo_vorher": round(saldo, 2), "Saldo_nachher": round(saldo + betrag, 2),
                "Gegenkonto": "%06d" % w.pick([440000, 480010, 520300, 610120, 610130, 700200]),
                "Kostenstelle": "%04d" % w.pick([12, 40, 41, 107, 230]) if w.chance(0.6) else None,
                "Mandatsreferenz": w.digits(9) if art == "LS" else None})
            saldo += betrag
        return Data("umsaetze", docs)


# ------------------------------------------------------------------------------------ university

DEPARTEMENTS = {"01": ("Ain", "Auvergne-Rhône-Alpes"), "02": ("Aisne", "Hauts-de-France"), "06": ("Alpes-Maritimes", "Sud"),
                "13": ("Bouches-du-Rhône", "Sud"), "2A": ("Corse-du-Sud", "Corse"), "29": ("Finistère", "Bretagne"),
                "33": ("Gironde", "Nouvelle-Aquitaine"), "59": ("Nord", "Hauts-de-France"), "69": ("Rhône", "Auvergne-Rhône-Alpes"),
                "75": ("Paris", "Île-de-France"), "974": ("La Réunion", "La Réunion")}
FILIERES = {"LHIS": "Licence d'histoire", "LGEO": "Licence de géographie", "LGEL": "Licence de géologie", "MINF": "Master d'informatique",
            "MMAT": "Master de mathématiques", "DDRO": "Doctorat de droit", "LPSY": "Licence de psychologie"}
MATIERES = ["Analyse", "Algèbre", "Anglais", "Histoire", "Statistique", "Méthodologie", "Sport"]
REMARQUES = ("le la dossier est incomplet reçu envoyé étudiant année deuxième première demande bourse acceptée refusée stage "
             "effectué absence justifiée certificat médical transmis secrétariat très bon travail à revoir avec tuteur prévu "
             "rendez-vous inscription tardive paiement échelonné").split()


class Etudiants(Domain):
    name, half, form, sizes = "etudiants", "held-out", "json", (2600, 170)
    kinds = {
        "numero": "key", "identite.nom": "name", "identite.prenom": "name", "identite.naissance": "date",
        "identite.courriel": "email", "identite.telephone": "zip", "origine.departement": "code", "origine.nom": "place",
        "origine.region": "place", "filiere.code": "label", "filiere.libelle": "label", "annee": "count",
        "inscrit_le": "date", "diplome_le": "date", "evaluations": "array", "evaluations[].matiere": "label",
        "evaluations[].note": "count", "moyenne": "measure", "frais.droits": "money", "frais.sante": "money",
        "frais.total": "money", "boursier": "bool", "bourse.echelon": "count", "bourse.montant": "money",
        "statut": "label", "remarque": "text"}
    optional = ("diplome_le", "bourse.echelon", "bourse.montant", "remarque", "identite.telephone", "evaluations[].note",
                "moyenne", "evaluations", "evaluations[].matiere")
    linked = (("origine.departement", "origine.nom", "origine.region"), ("boursier", "bourse.echelon", "bourse.montant", "frais.droits"),
              ("statut", "diplome_le"))
    depends = (("filiere.code", "filiere.libelle"), ("origine.departement", "origine.nom"), ("origine.nom", "origine.region"),
               ("bourse.echelon", "bourse.montant"))
    sums = (("frais.total", ("frais.droits", "frais.sante")), ("moyenne", ("evaluations",)))
    ordered = (("inscrit_le", "diplome_le"), ("identite.naissance", "inscrit_le"))
    swaps = (("identite.nom", "identite.prenom"), ("origine.nom", "origine.region"))
    glued = (("origine.nom", "origine.departement"), ("filiere.libelle", "filiere.code"))
    rules = (("diplome_le", "statut"), ("bourse.montant", "boursier"))

    def make(self, w, n):
        docs = []
        for i in range(n):
            prenom, nom = w.zipf(PRENOMS, 0.4), w.zipf(NOMS, 0.4) if w.chance(0.95) else "%s-%s" % (w.pick(NOMS), w.pick(NOMS))
            dep, filiere = w.zipf(list(DEPARTEMENTS), 0.5), w.zipf(list(FILIERES), 0.6)
            inscrit = datetime.datetime(w.between(2016, 2024), 9, w.between(1, 28))
            statut = w.weighted(inscrit=60, diplômé=28, suspendu=3, abandon=9)
            notes = [{"matiere": m, "note": w.pick([None] + [min(20, max(0, int(w.bell(12, 3.6, 0)))) for _ in range(24)]),
                      "coefficient": w.pick([1, 1, 2])} for m in w.rng.sample(MATIERES, w.between(2, 6))] if w.chance(0.95) else []
            connues = [x["note"] for x in notes if x["note"] is not None]
            boursier = w.chance(0.3)
            droits = 0.0 if boursier else {"L": 175.0, "M": 250.0, "D": 391.0}[filiere[0]]
            doc = {"_id": w.oid(), "numero": "2%07d" % (2100451 + 7 * i), "identite": {
                       "nom": nom.upper(), "prenom": prenom, "naissance": extended(
                           datetime.datetime(inscrit.year - w.between(17, 34), w.between(1, 12), w.between(1, 28))),
                       "courriel": "%s.%s%d@etu.exemple.fr" % (ascii_of(prenom), ascii_of(nom), i)},
                   "origine": {"departement": dep, "nom": DEPARTEMENTS[dep][0], "region": DEPARTEMENTS[dep][1]},
                   "filiere": {"code": filiere, "libelle": FILIERES[filiere]}, "annee": w.pick([1, 1, 2, 2, 3]),
                   "inscrit_le": extended(inscrit), "evaluations": notes, "statut": statut, "boursier": boursier,
                   "frais": {"droits": droits, "sante": 103.0, "total": droits + 103.0}}
            if w.chance(0.8):
                doc["identite"]["telephone"] = "0%s%s" % (w.pick("67"), w.digits(8))
            if connues:
                doc["moyenne"] = round(sum(connues) / len(connues), 2)
            if statut == "diplômé":
                doc["diplome_le"] = extended(w.later(inscrit, 280, 1400))
            if boursier:
                echelon = w.between(0, 7)
                doc["bourse"] = {"echelon": echelon, "montant": [1454.0, 2163.0, 3071.0, 3828.0, 4587.0, 5212.0, 5506.0, 6335.0][echelon]}
            if w.chance(0.25):
                doc["remarque"] = w.sentence(REMARQUES, 5, 17)
            docs.append(doc)
        return Data("dossiers", docs)


# ------------------------------------------------------------------------------------ orders

PROVINCIAS = {"03": ("Alicante", "Comunitat Valenciana"), "04": ("Almería", "Andalucía"), "08": ("Barcelona", "Cataluña"),
              "09": ("Burgos", "Castilla y León"), "17": ("Girona", "Cataluña"), "18": ("Granada", "Andalucía"),
              "28": ("Madrid", "Comunidad de Madrid"), "41": ("Sevilla", "Andalucía"), "46": ("Valencia", "Comunitat Valenciana"),
              "34": ("Palencia", "Castilla y León"), "48": ("Bizkaia", "Euskadi")}
ARTICULOS = ["Mesa plegable", "Mesa extensible", "Silla alta", "Silla baja", "Lámpara de pie", "Lámpara de mesa", "Estantería",
             "Cojín", "Alfombra", "Espejo", "Perchero", "Cómoda", "Cortina", "Baúl", "Taburete"]
AVISOS = ("dejar en portería llamar antes de entregar cliente no está por la mañana tarde frágil segundo piso sin ascensor "
          "cuidado con el perro pagar al recibir factura aparte horario comercial vecino recoge almacén").split()


class Pedidos(Domain):
    name, half, form, sizes = "pedidos", "held-out", "ndjson", (20000, 900)
    kinds = {
        "n_pedido": "key", "cliente.ref": "ref", "cliente.nif": "nif", "cliente.nombre": "name", "cliente.correo": "email",
        "destino.cp": "zip", "destino.cod_prov": "label", "destino.provincia": "place", "destino.comunidad": "place",
        "articulo.ref": "code", "articulo.descripcion": "label", "articulo.peso_kg": "measure", "precio": "money",
        "cantidad": "count", "base": "money", "iva": "money", "total": "money", "estado": "label", "canal": "label",
        "pedido_el": "date", "enviado_el": "date", "entregado_el": "date", "aviso": "text", "etiquetas": "tags"}
    optional = ("enviado_el", "entregado_el", "aviso", "etiquetas", "cliente.correo")
    linked = (("cliente.ref", "cliente.nif", "cliente.nombre", "cliente.correo"),
              ("destino.cp", "destino.cod_prov", "destino.provincia", "destino.comunidad"),
              ("articulo.ref", "articulo.descripcion", "articulo.peso_kg", "precio"), ("estado", "enviado_el", "entregado_el"))
    depends = (("destino.cod_prov", "destino.provincia"), ("destino.provincia", "destino.comunidad"),
               ("articulo.ref", "articulo.descripcion"), ("articulo.ref", "precio"), ("cliente.nif", "cliente.nombre"))
    sums = (("base", ("precio", "cantidad")), ("total", ("base", "iva")), ("iva", ("base",)))
    ordered = (("pedido_el", "enviado_el"), ("enviado_el", "entregado_el"))
    swaps = (("destino.provincia", "destino.comunidad"), ("base", "total"))
    glued = (("destino.provincia", "destino.cp"), ("articulo.descripcion", "articulo.ref"))
    refs = ("cliente.ref",)
    rules = (("entregado_el", "estado"), ("enviado_el", "estado"))

    def make(self, w, n):
        clientes = []
        for i in range(max(6, n // 15)):
            nombre, uno, dos = w.zipf(NOMBRES, 0.4), w.pick(APELLIDOS), w.pick(APELLIDOS)
            clientes.append({"ref": "C-%05d" % (10200 + i), "nif": nif(w.between(1000000, 79999999)),
                             "nombre": "%s %s %s" % (nombre, uno, dos),
                             "correo": "%s.%s%d@correo.example" % (ascii_of(nombre), ascii_of(uno), i) if w.chance(0.85) else None})
        articulos = [("%s-%03d" % (w.letters(2), 100 + i), w.zipf(ARTICULOS, 0.4) + w.pick(["", " roble", " blanco", " negro"]),
                      w.skewed(5, 0.9, 2), w.pick([9.95, 19.9, 24.5, 49.0, 79.0, 129.0, 349.0])) for i in range(60)]
        docs = []
        for i in range(n):
            quien, (ref, que, peso, precio), prov = w.zipf(clientes, 0.3), w.zipf(articulos, 0.6), w.zipf(list(PROVINCIAS), 0.5)
            cantidad = w.pick([1, 1, 1, 2, 2, 4, 6])
            base, el = round(precio * cantidad, 2), w.when()
            estado = w.weighted(entregado=74, enviado=10, pendiente=9, anulado=4, devuelto=3)
            iva = round(base * 0.21, 2)
            doc = {"_id": w.oid(), "n_pedido": "P%02d-%06d" % (el.year % 100, i), "cliente": {k: v for k, v in quien.items() if v},
                   "destino": {"cp": "%s%03d" % (prov, w.between(1, 799)), "cod_prov": prov, "provincia": PROVINCIAS[prov][0],
                               "comunidad": PROVINCIAS[prov][1]},
                   "articulo": {"ref": ref, "descripcion": que, "peso_kg": peso}, "precio": precio, "cantidad": cantidad,
                   "base": base, "iva": iva, "total": round(base + iva, 2), "estado": estado, "pedido_el": extended(el),
                   "canal": w.weighted(web=70, tienda=20, teléfono=8, feria=2),
                   "etiquetas": w.pick([[], [], ["regalo"], ["urgente"], ["oferta", "web"]])}
            if estado in ("enviado", "entregado", "devuelto"):
                sale = w.later(el, 0, 6)
                doc["enviado_el"] = extended(sale)
                if estado != "enviado":
                    doc["entregado_el"] = extended(w.later(sale, 1, 9))
            if w.chance(0.15):
                doc["aviso"] = w.sentence(AVISOS, 4, 13)
            docs.append(doc)
        fichas = [dict(c, _id=c["ref"], alta=extended(w.when(200))) for c in clientes]
        return Data("pedidos", docs, clientes=[{k: v for k, v in f.items() if k != "ref" and v} for f in fichas])


# ------------------------------------------------------------------------------------ ships reported by registries

FLAGS = {"PAN": "Panama", "LBR": "Liberia", "MHL": "Marshall Islands", "MLT": "Malta", "NOR": "Norway", "NIS": "Norway (NIS)",
         "GRC": "Greece", "CYP": "Cyprus"}


class Vessels(Domain):
    """Registries report a ship several times. The draught and the time are of the report, all else of the ship."""
    name, half, form, suffix, delimiter, sizes = "vessels", "held-out", "csv", "tsv", "\t", (3000, 400)
    kinds = {
        "REPORT": "key", "REGISTRY": "label", "IMO": "imo", "SHIP": "name", "FLAG": "code", "FLAG_STATE": "place",
        "TYPE": "label", "GT": "count", "LENGTH_M": "measure", "BEAM_FT": "measure", "YEAR_BUILT": "year",
        "OWNER": "name", "CLASS": "label", "SEEN_AT": "date", "DRAUGHT_M": "measure", "SPEED_KN": "measure", "REMARK": "text"}
    optional = ("REMARK", "CLASS")
    linked = (("IMO", "SHIP", "FLAG", "FLAG_STATE", "TYPE", "GT", "LENGTH_M", "BEAM_FT", "YEAR_BUILT", "OWNER", "CLASS"),)
    depends = (("FLAG", "FLAG_STATE"),)
    votes = tuple(("IMO", p) for p in ("SHIP", "FLAG", "TYPE", "GT", "LENGTH_M", "BEAM_FT", "YEAR_BUILT", "OWNER"))
    swaps = (("SHIP", "OWNER"), ("LENGTH_M", "BEAM_FT"))
    glued = (("SHIP", "FLAG"), ("TYPE", "CLASS"))

    def make(self, w, n):
        heads, tails = ("Baltic Coral Delta Fjord Golden Iron Kestrel Lunar Nordic Pacific Royal Silver".split(),
                        "Arrow Breeze Crown Dawn Eagle Harmony Pioneer Spirit Star Trader Venture Wave".split())
        ships, docs = [], []
        while sum(k for _, k in ships) < n:
            length = w.bell(190, 55, 1)
            flag = w.zipf(list(FLAGS), 0.8)
            ships.append(({
                "IMO": imo("9" + w.digits(5)), "SHIP": "%s %s%s" % (w.pick(heads), w.pick(tails), w.pick(["", "", "", " II", " 7"])),
                "FLAG": flag, "FLAG_STATE": FLAGS[flag], "TYPE": w.weighted(Tanker=30, Bulker=35, Reefer=4, Ferry=8, Tug=3, Container=20),
                "GT": int(abs(length) ** 2 * 1.05), "LENGTH_M": abs(length), "BEAM_FT": round(abs(length) * 0.49, 1),
                "YEAR_BUILT": w.between(1979, 2023), "OWNER": w.pick(heads) + w.pick([" Shipping", " Marine", " Lines", " Bulk Ltd"]),
                "CLASS": w.pick(["DNV", "LR", "BV", "ABS", None])}, w.pick([3, 4, 5, 5, 6, 9])))
        for ship, times in ships:
            for _ in range(times):
                seen = w.when()
                doc = {"REPORT": None, "REGISTRY": w.zipf(["Equinox", "Seaweb", "Harbour Office", "Lloyd Reg", "Port State"], 0.4)}
                doc.update(ship)
                doc.update(SEEN_AT=seen.strftime("%Y-%m-%d %H:%M"), DRAUGHT_M=w.bell(9.5, 2, 1),
                           SPEED_KN=0.0 if w.chance(0.35) else round(w.rng.uniform(0.3, 21), 1),
                           REMARK=w.sentence("anchored outer roads awaiting pilot berth crew change bunkering no cargo on board ballast".split(),
                                             3, 8) if w.chance(0.2) else None)
                docs.append(doc)
        w.rng.shuffle(docs)
        for i, doc in enumerate(docs[:n]):
            doc["REPORT"] = "%s-%05d" % (doc["REGISTRY"][:2].upper(), 40000 + i)
        return Data("sightings", docs[:n])


# ------------------------------------------------------------------------------------ laboratory

STELLEN = {"G1": ("Mühlwehr", "Aller"), "G2": ("Alte Brücke", "Aller"), "G3": ("Neue Brücke", "Aller"), "L1": ("Klärwerk oben", "Leine"),
           "L2": ("Klärwerk unten", "Leine"), "O1": ("Hafen", "Oker")}


class Wasser(Domain):
    """A small table of a laboratory: "<0,02" is a result, and pH 0 is none."""
    name, half, form, sizes = "wasser", "held-out", "csv", (12, 48, 210)
    kinds = {
        "Probe": "key", "Stelle": "code", "Ort": "place", "Fluss": "place", "entnommen": "date", "analysiert": "date",
        "Flasche": "zip", "pH": "measure", "Temperatur_C": "measure", "Leitfaehigkeit_uS": "count", "Nitrat_N": "measure",
        "Ammonium_N": "measure", "Gesamt_N": "measure", "Verfahren": "label", "bearbeitet_von": "name", "Freigabe": "label",
        "Bemerkung": "text"}
    optional = ("Bemerkung", "Leitfaehigkeit_uS")
    linked = (("Stelle", "Ort", "Fluss"),)
    depends = (("Stelle", "Ort"), ("Stelle", "Fluss"))
    sums = (("Gesamt_N", ("Nitrat_N", "Ammonium_N")),)
    ordered = (("entnommen", "analysiert"),)
    swaps = (("Nitrat_N", "Ammonium_N"), ("Ort", "Fluss"))
    glued = (("Ort", "Stelle"),)

    def make(self, w, n):
        flaschen, docs = w.rng.sample(range(1, 900), n), []
        leute = ["%s %s" % (w.pick(VORNAMEN), w.pick(NACHNAMEN)) for _ in range(4)]
        for i in range(n):
            stelle, wann = list(STELLEN)[i % 6], datetime.datetime(2024, 1, 8) + datetime.timedelta(days=i // 6 * 14)
            nitrat, ammonium = w.bell(4.1, 0.9, 2), w.skewed(0.12, 0.5)
            docs.append({
                "Probe": "%d-W%03d" % (wann.year, i + 1), "Stelle": stelle, "Ort": STELLEN[stelle][0], "Fluss": STELLEN[stelle][1],
                "entnommen": day(wann), "analysiert": day(w.later(wann, 1, 6)), "Flasche": "%03d" % flaschen[i],
                "pH": w.bell(7.6, 0.25, 1), "Temperatur_C": w.bell(11, 5, 1),
                "Leitfaehigkeit_uS": w.between(380, 910) if w.chance(0.9) else None, "Nitrat_N": nitrat, "Ammonium_N": ammonium,
                "Gesamt_N": round(nitrat + ammonium, 2), "Phosphat": "<0,02" if w.chance(0.3) else str(w.skewed(0.08, 0.6, 3)),
                "Verfahren": w.pick(["EN 26777", "EN 26777", "DIN 38406"]), "bearbeitet_von": w.zipf(leute),
                "Freigabe": w.weighted(ja=90, nein=6, offen=4),
                "Bemerkung": w.sentence("trüb nach Regen Eis am Ufer Geruch leicht Pegel hoch niedrig Messung wiederholt".split(), 2, 7)
                if w.chance(0.15) else None})
        return Data("proben", docs)


DOMAINS = [Konto(), Etudiants(), Pedidos(), Vessels(), Wasser()]
