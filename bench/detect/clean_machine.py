"""Tables that this machine has, for bench/detect: what an audit says above low about them is read by hand.

They are real: code lists of iso-codes, time zones, Debian's packages, the character table, files and their sizes, locales,
services, the history of this repository. Nobody damaged them, and they differ a little from machine to machine, so that no test
decides by them. A table whose file is not there is left out, and the bench says how many are.
"""
import datetime
import glob
import html.entities
import json
import mimetypes
import os
import pathlib
import subprocess
import unicodedata

from world import Data, Domain, extended

DOMAINS = []
MISSING = []
MOST = 40000
ISO = "/usr/share/iso-codes/json/iso_%s.json"
ZONES = "/usr/share/zoneinfo/"
HERE = pathlib.Path(__file__).parents[2]


def table(form="ndjson", **how):
    """Makes a domain of a function that returns documents, or nothing where its source is missing."""
    def wrap(f):
        try:
            docs = f()
        except (OSError, ValueError, KeyError, subprocess.SubprocessError, StopIteration):
            docs = []
        if len(docs) < 5:
            MISSING.append(f.__name__)
            return f
        step = -(-len(docs) // MOST)
        docs = docs[::step]
        sizes = tuple(n for n in (len(docs), 900, 80) if n <= len(docs))

        def make(self, w, n):
            """The first rows for a small size: real extracts are cut so, too."""
            return Data(f.__name__, docs[:n])
        DOMAINS.append(type(f.__name__, (Domain,), dict(how, name=f.__name__, half="machine", form=form, sizes=sizes, make=make))())
        return f
    return wrap


def rows_of(text, names, separator="\t"):
    """Lines with columns; a comment begins with #."""
    out = []
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            cells = line.split(separator)
            out.append({k: cells[i].strip() or None if i < len(cells) else None for i, k in enumerate(names)})
    return out


def listed(docs):
    """The same columns in each row, for a CSV."""
    names = list(dict.fromkeys(k for d in docs for k in d))
    return [{k: d.get(k) for k in names} for d in docs]


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


# ------------------------------------------------------------------------------------ lists of codes

for number in ("3166-1", "3166-2", "3166-3", "4217", "15924", "639-2", "639-3", "639-5"):
    def iso(number=number):
        return next(iter(json.loads(read(ISO % number)).values()))
    iso.__name__ = "iso_" + number.replace("-", "_")
    table()(iso)

    def iso_csv(number=number):
        return listed(next(iter(json.loads(read(ISO % number)).values())))
    iso_csv.__name__ = "iso_%s_csv" % number.replace("-", "_")
    table("csv")(iso_csv)


@table("csv")
def zones():
    return rows_of(read(ZONES + "zone1970.tab"), ["codes", "coordinates", "tz", "comments"])


@table("csv", suffix="tsv", delimiter="\t")
def zones_by_country():
    return rows_of(read(ZONES + "zone.tab"), ["country", "coordinates", "tz", "comments"])


@table("csv")
def zone_rules():
    lines = [line.split() for line in read(ZONES + "tzdata.zi").splitlines() if line.startswith("R ")]
    return [dict(zip(["name", "from", "to", "in", "on", "at", "save", "letter"], [c[1], c[2], c[3] if c[3] != "o" else None, *c[5:10]])) for c in lines]


@table("csv")
def leap_seconds():
    return [{"ntp": int(a), "tai_utc": int(b)} for a, b in (line.split("#")[0].split()[:2] for line in read(ZONES + "leap-seconds.list").splitlines() if line and line[0] != "#")]


@table("csv")
def releases_debian():
    lines = read("/usr/share/distro-info/debian.csv").splitlines()
    return rows_of("\n".join(lines[1:]), lines[0].split(","), ",")


@table("csv")
def releases_ubuntu():
    lines = read("/usr/share/distro-info/ubuntu.csv").splitlines()
    return rows_of("\n".join(lines[1:]), lines[0].split(","), ",")


@table("csv")
def services():
    out = []
    for line in read("/etc/services").splitlines():
        head, _, comment = line.partition("#")
        cells = head.split()
        if len(cells) > 1:
            port, _, protocol = cells[1].partition("/")
            out.append({"name": cells[0], "port": int(port), "protocol": protocol, "alias": cells[2] if len(cells) > 2 else None, "comment": comment.strip() or None})
    return out


@table("csv")
def media_types():
    return [{"extension": k, "type": v, "family": v.split("/")[0]} for k, v in sorted(mimetypes.types_map.items())]


@table("csv")
def entities():
    return [{"name": k, "text": v, "code": ord(v[0]), "length": len(v)} for k, v in sorted(html.entities.html5.items())]


@table("csv")
def accounts():
    return [dict(zip(["user", "uid", "gid", "name", "home", "shell"], [c[0], int(c[2]), int(c[3]), c[4].split(",")[0] or None, c[5], c[6]])) for c in (line.split(":") for line in read("/etc/passwd").splitlines())]


@table("csv")
def colours():
    out = []
    for line in read("/usr/share/vim/vim90/rgb.txt").splitlines():
        cells = line.split()
        if cells and cells[0].isdigit():
            out.append({"r": int(cells[0]), "g": int(cells[1]), "b": int(cells[2]), "name": " ".join(cells[3:])})
    return out


# ------------------------------------------------------------------------------------ characters and languages

def character(c):
    return {"code": "%04X" % ord(c), "name": unicodedata.name(c), "category": unicodedata.category(c), "bidi": unicodedata.bidirectional(c), "combining": unicodedata.combining(c), "width": unicodedata.east_asian_width(c), "mirrored": bool(unicodedata.mirrored(c)), "decomposition": unicodedata.decomposition(c) or None, "numeric": unicodedata.numeric(c, None), "upper": "%04X" % ord(c.upper()) if c.upper() != c and len(c.upper()) == 1 else None}


@table("csv")
def characters():
    return [character(chr(i)) for i in range(0x20, 0x2fff) if unicodedata.name(chr(i), None)]


@table()
def characters_documents():
    return [{k: v for k, v in character(chr(i)).items() if v is not None} for i in range(0x20, 0x1fff) if unicodedata.name(chr(i), None)]


@table("csv")
def locales():
    out = []
    for path in sorted(glob.glob("/usr/share/i18n/locales/*_*")):
        one = {"file": os.path.basename(path)}
        for line in read(path).splitlines():
            key, _, value = line.partition(" ")
            if key in ("title", "source", "language", "territory", "revision", "date", "int_curr_symbol", "currency_symbol", "mon_decimal_point", "first_weekday", "lang_ab", "country_ab2", "country_num", "int_prefix"):
                one[key] = value.strip().strip('"') or None
        out.append(one)
    return listed(out)


# ------------------------------------------------------------------------------------ packages

def stanzas(text):
    """Control fields, as they are written."""
    out = []
    for part in text.split("\n\n"):
        one = {}
        for line in part.splitlines():
            if line[:1] not in (" ", "\t", "") and ":" in line:
                key, _, value = line.partition(":")
                one[key] = value.strip()
        if one:
            out.append(one)
    return out


def package(one):
    doc = {"package": one["Package"], "version": one["Version"], "architecture": one["Architecture"], "maintainer": one.get("Maintainer"), "section": one.get("Section"), "priority": one.get("Priority"), "summary": one.get("Description")}
    for key, name in (("Installed-Size", "installed_kb"), ("Size", "size")):
        if key in one:
            doc[name] = int(one[key])
    for key, name in (("Homepage", "homepage"), ("Source", "source"), ("Multi-Arch", "multi_arch"), ("Essential", "essential"), ("Status", "status"), ("SHA256", "sha256"), ("Filename", "file")):
        if key in one:
            doc[name] = one[key]
    if one.get("Depends"):
        doc["depends"] = [d.strip() for d in one["Depends"].split(",")]
    return doc


@table()
def packages_installed():
    return [package(one) for one in stanzas(read("/var/lib/dpkg/status"))]


@table("csv")
def packages_installed_csv():
    return listed([{k: v for k, v in package(one).items() if k != "depends"} for one in stanzas(read("/var/lib/dpkg/status"))])


def archive():
    path = next(p for p in sorted(glob.glob("/var/lib/apt/lists/*_main_binary-*_Packages*"), key=os.path.getsize, reverse=True))
    return stanzas(subprocess.run(["/usr/lib/apt/apt-helper", "cat-file", path], check=True, stdout=subprocess.PIPE, timeout=60).stdout.decode())


@table()
def packages_archive():
    return [package(one) for one in archive()]


@table("csv")
def packages_archive_csv():
    return listed([{k: v for k, v in package(one).items() if k != "depends"} for one in archive()])


@table()
def packages_node():
    out = []
    for path in sorted(glob.glob(str(HERE / "web/node_modules/*/package.json")) + glob.glob(str(HERE / "web/node_modules/@*/*/package.json"))):
        whole = json.loads(read(path))
        out.append({k: v for k, v in whole.items() if k in ("name", "version", "license", "description", "homepage", "author", "main", "type", "keywords", "engines", "sideEffects", "repository", "bugs", "funding")})
    return out


@table()
def lock_node():
    return [dict({"path": k}, **v) for k, v in json.loads(read(HERE / "web/package-lock.json"))["packages"].items() if k]


# ------------------------------------------------------------------------------------ files, history, machines

@table("csv")
def files():
    out = []
    for folder, _, names in os.walk("/usr/share/doc"):
        for name in sorted(names):
            s = os.lstat(os.path.join(folder, name))
            out.append({"path": os.path.join(folder, name), "size": s.st_size, "mode": oct(s.st_mode & 0o7777), "uid": s.st_uid, "links": s.st_nlink, "modified": datetime.datetime.fromtimestamp(int(s.st_mtime), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")})
    return out


@table()
def programs():
    out = []
    for path in sorted(glob.glob("/usr/bin/*")):
        s = os.lstat(path)
        one = {"name": os.path.basename(path), "bytes": s.st_size, "inode": s.st_ino, "mode": "%o" % (s.st_mode & 0o7777), "modified": extended(datetime.datetime.fromtimestamp(int(s.st_mtime), datetime.timezone.utc))}
        if os.path.islink(path):
            one["target"] = os.readlink(path)
        out.append(one)
    return out


@table()
def history():
    text = subprocess.run(["git", "-C", str(HERE), "log", "-n", "3000", "--format=%x01%H%x00%an%x00%aI%x00%s%x00%P", "--shortstat"], check=True, stdout=subprocess.PIPE, timeout=60).stdout.decode()
    out = []
    for part in text.split("\x01")[1:]:
        head, _, stat = part.partition("\n")
        commit, author, when, subject, parents = head.split("\x00")
        one = {"commit": commit, "author": author, "at": when, "subject": subject, "parents": parents.split()}
        for piece in stat.strip().split(", "):
            if piece:
                one[piece.split()[1].split("(")[0].rstrip("s")] = int(piece.split()[0])
        out.append(one)
    return out


@table()
def processors():
    out = []
    for part in read("/proc/cpuinfo").split("\n\n"):
        if part.strip():
            out.append({k.strip(): v.strip() for k, _, v in (line.partition(":") for line in part.splitlines())})
    return out


@table("csv")
def kernel_settings():
    out = []
    for folder, _, names in os.walk("/proc/sys/net"):
        for name in sorted(names):
            try:
                out.append({"key": os.path.join(folder, name)[10:].replace("/", "."), "value": read(os.path.join(folder, name)).strip()[:80]})
            except OSError:
                continue
    return out


@table()
def fonts():
    text = subprocess.run(["fc-list", "--format", "%{family}\t%{style}\t%{weight}\t%{slant}\t%{spacing}\t%{file}\t%{fontversion}\n"], check=True, stdout=subprocess.PIPE, timeout=60).stdout.decode()
    return rows_of(text, ["family", "style", "weight", "slant", "spacing", "file", "version"])


@table()
def certificates():
    out = []
    for path in sorted(glob.glob("/usr/share/ca-certificates/mozilla/*.crt")):
        text = subprocess.run(["openssl", "x509", "-in", path, "-noout", "-serial", "-subject", "-dates", "-fingerprint", "-nameopt", "sep_multiline,utf8"], check=True, stdout=subprocess.PIPE, timeout=20).stdout.decode()
        out.append(dict({"file": os.path.basename(path)}, **{k.strip(): v.strip() for k, eq, v in (line.partition("=") for line in text.splitlines()) if eq and v.strip()}))
    return out
