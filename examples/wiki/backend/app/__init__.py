"""Harbor's API. Start it with `python3 -m app` from the folder backend/."""

__version__ = "2.4.0"
