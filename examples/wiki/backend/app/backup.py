"""Copies the database while it is in use: `python3 -m app.backup --every 24h --keep 14`.

sqlite3's backup() takes a consistent picture page by page; copying the file with cp while the API writes does not.
"""

import argparse
import os
import re
import sqlite3
import time
from datetime import UTC, datetime
from pathlib import Path

UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def seconds(text: str) -> int:
    m = re.fullmatch(r"(\d+)([smhd])", text)
    if not m:
        raise argparse.ArgumentTypeError("want a number and s, m, h or d")
    return int(m[1]) * UNITS[m[2]]


def backup(source: Path, folder: Path, now: datetime) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"harbor-{now:%Y%m%dT%H%M%SZ}.sqlite3"
    unfinished = target.with_suffix(".part")
    with sqlite3.connect(f"file:{source}?mode=ro", uri=True) as a, sqlite3.connect(unfinished) as b:
        a.backup(b)
    unfinished.rename(target)
    return target


def prune(folder: Path, keep_days: int, now: datetime) -> list[Path]:
    old = [p for p in sorted(folder.glob("harbor-*.sqlite3"))
           if now.timestamp() - p.stat().st_mtime > keep_days * 86400]
    for p in old:
        p.unlink()
    return old


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--every", type=seconds, help="repeat; without it one copy is made")
    parser.add_argument("--keep", type=int, default=14, help="days (default 14)")
    parser.add_argument("--to", type=Path, help="folder (default: backups/ beside the database)")
    args = parser.parse_args()
    source = Path(os.environ["DB_PATH"])
    folder = args.to or source.parent / "backups"
    while True:
        now = datetime.now(UTC)
        print(f"wrote {backup(source, folder, now)}, removed {len(prune(folder, args.keep, now))}", flush=True)
        if not args.every:
            return
        time.sleep(args.every)


if __name__ == "__main__":
    main()
