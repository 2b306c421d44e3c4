"""What a fresh database holds, so that there is something to ask about: invented, and the same on every machine."""

from app.db import Database

LABS = [
    ("lab-01", "Cloning and committing", 2), ("lab-02", "Branches and conflicts", 3),
    ("lab-03", "Keys and shells", 3), ("lab-04", "First container", 2), ("lab-05", "Compose a stack", 3),
    ("lab-06", "Talking HTTP", 3), ("lab-07", "A table of one's own", 2), ("lab-08", "Reviewing code", 3),
    ("lab-09", "Feeding a pipeline", 3), ("lab-10", "Watching it run", 2), ("lab-11", "Breaking it on purpose", 3),
    ("lab-12", "Going ashore", 2), ("lab-99", "Sandbox", 0),
]
COHORTS = ("spring", "summer", "autumn")
SYLLABLES = ("ka", "lo", "mi", "ra", "ven", "tor", "el", "su", "nad", "bri", "os", "qui", "dal", "fen", "ji", "pu")
NLEARNERS = 257


class Dice:
    """A linear congruential generator: unlike `random` it gives the same numbers in every Python."""

    def __init__(self, seed: int):
        self.state = seed

    def roll(self, below: int) -> int:
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % below


def _items(db: Database) -> None:
    for slug, title, ntask in LABS:
        lab = db.run("INSERT INTO items (kind, slug, title) VALUES ('lab', ?, ?)", slug, title)
        for n in range(1, ntask + 1):
            db.run("INSERT INTO items (kind, slug, title, parent_id) VALUES ('task', ?, ?, ?)",
                   f"{slug}-task-{n}", f"{title}, task {n}", lab)


def _learners(db: Database, dice: Dice) -> None:
    for n in range(1, NLEARNERS + 1):
        name = "".join(SYLLABLES[dice.roll(len(SYLLABLES))] for _ in range(3))
        day = f"2031-{1 + dice.roll(9):02}-{1 + dice.roll(28):02}"
        db.run("INSERT INTO learners (handle, cohort, enrolled_at, is_active) VALUES (?, ?, ?, ?)",
               f"{name}-{n:03}", COHORTS[dice.roll(3)], day, int(dice.roll(10) > 0))


def _interactions(db: Database, dice: Dice) -> None:
    tasks = db.all("SELECT t.id, l.slug AS lab FROM items t JOIN items l ON l.id = t.parent_id ORDER BY t.id")
    for learner in range(1, NLEARNERS + 1):
        stamina = 2 + dice.roll(11)
        for task in tasks:
            lab = int(task["lab"][4:])
            if lab > stamina or dice.roll(8) == 0:
                continue
            score = 30.0 + dice.roll(701) / 10
            # Reviews of lab-08 are slow: one in four still waits for its mentor.
            waits = lab == 8 and dice.roll(4) == 0
            db.run("INSERT INTO interactions (learner_id, item_id, action, score, at) VALUES (?, ?, 'submit', ?, ?)",
                   learner, task["id"], None if waits else score, f"2031-10-{1 + dice.roll(28):02}T12:00:00Z")


def fill(db: Database) -> None:
    """Only into an empty database: a second start changes nothing."""
    if db.one("SELECT 1 FROM items LIMIT 1"):
        return
    dice = Dice(20310914)
    with db.transaction():
        _items(db)
        _learners(db, dice)
        _interactions(db, dice)
