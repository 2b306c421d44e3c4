"""What every domain uses: chance, invented values, check digits, and the description of a domain.

A domain is one class with:

  name, half     its name; "tune" or "held-out"
  form           csv, ndjson or json (one array)
  suffix         of the files, when it is not the form; delimiter and decimal: of a CSV file
  without        ways of damage that are no damage in this form
  sizes          numbers of documents of the damaged table; each size has a clean twin
  make(w, n)     a Data: the documents of each table, all of them right
  kinds          path -> kind; the ways of damage.py apply by kind
  optional       paths that are honestly missing in some documents
  linked         groups of paths of which one determines another, such as code, name and country
  depends        (determining path, dependent path): for a wrong value of the same domain
  sums           (target, operands): arithmetic
  ordered        (earlier path, later path)
  votes          (key, path): several documents report the value of one key, and the majority is right
  swaps, glued   pairs of paths whose values are exchanged or written into one field
  refs           paths that refer to another table of the same folder
  rules          paths whose presence depends on another field: (path, controlling path)
"""
import datetime
import string

UTC0 = datetime.datetime(2022, 3, 1)
AS_OF = "2025-07-01"
LAST = datetime.datetime(2025, 6, 28)


class Domain:
    name = half = ""
    form = "csv"
    suffix, delimiter, decimal = "", ",", "."
    sizes = (1000,)
    kinds = {}
    without = optional = linked = depends = sums = ordered = votes = swaps = glued = refs = rules = ()

    def make(self, w, n):
        raise NotImplementedError


class Data:
    """The tables of one folder; the first one is the one that is damaged."""

    def __init__(self, main, docs, **others):
        self.main, self.docs, self.others = main, docs, others


class World:
    """Chance, and invented values."""

    def __init__(self, rng):
        self.rng = rng
        self.pick = rng.choice
        self.between = rng.randint

    def chance(self, p):
        return self.rng.random() < p

    def weighted(self, **weights):
        return self.rng.choices(list(weights), list(weights.values()))[0]

    def zipf(self, items, power=1.0):
        return self.rng.choices(items, [(i + 1) ** -power for i in range(len(items))])[0]

    def skewed(self, median, sigma=0.7, digits=2):
        return round(median * self.rng.lognormvariate(0, sigma), digits)

    def bell(self, mean, sd, digits=1):
        return round(self.rng.gauss(mean, sd), digits)

    def digits(self, n):
        return "".join(self.rng.choices(string.digits, k=n))

    def letters(self, n):
        return "".join(self.rng.choices("ABCDEFGHJKLMNPRSTUVWXYZ", k=n))

    def oid(self):
        return {"$oid": "".join(self.rng.choices("0123456789abcdef", k=24))}

    def when(self, days=1200):
        return UTC0 + datetime.timedelta(seconds=self.between(0, days * 86400))

    def later(self, when, low, high):
        """Some days later, and never after the day of the audit."""
        return min(when + datetime.timedelta(days=self.between(low, high)), LAST)

    def sentence(self, words, low, high):
        text = " ".join(self.zipf(words, 0.4) for _ in range(self.between(low, high)))
        return text[0].upper() + text[1:] + "."


def day(when):
    return when.strftime("%Y-%m-%d")


def extended(when):
    return {"$date": when.strftime("%Y-%m-%dT%H:%M:%SZ")}


def ascii_of(text):
    table = str.maketrans("áéíóúñçüöäßøåèêëàâîïôûłżść", "aeiouncuoasoaeeeaaiioulzsc")
    return "".join(c for c in text.lower().translate(table) if c.isascii() and (c.isalnum() or c in ".-"))


# ------------------------------------------------------------------------------------ check digits

def luhn(body):
    total = 0
    for i, c in enumerate(reversed(body)):
        d = int(c) * (2 if i % 2 == 0 else 1)
        total += d - 9 if d > 9 else d
    return body + str(-total % 10)


def ean13(body):
    total = sum(int(c) * (3 if i % 2 else 1) for i, c in enumerate(body))
    return body + str(-total % 10)


def isbn10(body):
    total = sum(int(c) * (10 - i) for i, c in enumerate(body))
    check = -total % 11
    return body + ("X" if check == 10 else str(check))


def iban(country, account):
    digits = "".join(str(int(c, 36)) for c in account + country + "00")
    return "%s%02d%s" % (country, 98 - int(digits) % 97, account)


def container(owner, serial):
    """ISO 6346: four letters, six digits, a check digit."""
    letters = {}
    value = 10
    for c in string.ascii_uppercase:
        value += value % 11 == 0
        letters[c] = value
        value += 1
    total = sum((letters[c] if c in letters else int(c)) << i for i, c in enumerate(owner + serial))
    return owner + serial + str(total % 11 % 10)


def imo(body):
    return body + str(sum(int(c) * (7 - i) for i, c in enumerate(body)) % 10)


def nif(number):
    """The Spanish tax number of a person: eight digits and a check letter."""
    return "%08d%s" % (number, "TRWAGMYFPDXBNJZSQVHLCKE"[number % 23])


# ------------------------------------------------------------------------------------ invented people

FIRST = ("Ada Bela Carlo Dora Emil Fay Gil Hana Ines Jonas Kaja Leo Mara Nils Olga Paul Quim Rita Sven Tara Ugo Vera Wim "
         "Xenia Yara Zeno Anna Anne Jon John Juan Maria Marie Mario Marta Martha Erik Eric Karl Carl Sara Sarah Nora "
         "Noah José Zoë Søren Łukasz Chloé Jürgen Iñigo").split()
LAST_HEAD = ("Ash Birk Cald Dun East Fern Gold Hart Ivers Jans Kel Lind Mor Nor Oster Pem Quar Rath Stan Thor Ull Vant "
             "Whit Yar Zell Staf Stam Hal Hol Bran Brad").split()
LAST_TAIL = ("berg croft dal ford gate ham ley mann ness over pool quist ridge sen ston thorpe vik well wood worth "
             "bury by cott feld").split()


def person(w):
    last = w.zipf(LAST_HEAD, 0.3) + w.zipf(LAST_TAIL, 0.3)
    if w.chance(0.04):
        last = w.pick(["O'", "Mac", "von ", "de "]) + last
    return w.zipf(FIRST, 0.5), last


def email(w, first, last, i):
    return "%s%s%s@%s" % (ascii_of(first), w.pick([".", "_", ""]), "%s%d" % (ascii_of(last), i),
                          w.zipf(["mail.example", "post.example.org", "example.net", "uni.example.edu", "web.example.de"]))


ENGLISH = ("the and of to in with for on from was were is are old new small large first second after before while near "
           "over under water house street window garden letter number table morning evening winter summer paper glass "
           "stone river bridge station order report change repair review patient customer driver guest visitor request "
           "arrived replaced checked returned opened closed signed moved painted delivered requested confirmed without "
           "again carefully quickly twice later early already still").split()


def clean_domain(domains, form, sizes):
    """A decorator: makes a domain of a function that returns documents, and adds it to domains."""
    def decorate(form=form, sizes=sizes, **how):
        def wrap(f):
            def make(self, w, n):
                docs = f(w, n)
                return docs if isinstance(docs, Data) else Data(f.__name__, docs)
            domains.append(type(f.__name__, (Domain,), dict(how, name=f.__name__, half="clean", form=form, sizes=sizes, make=make))())
            return f
        return wrap
    return decorate
