"""Settings come from the environment and nowhere else; what is wrong with them stops the start."""

import os
from dataclasses import dataclass


class SettingsError(Exception):
    """A variable is missing or makes no sense."""


@dataclass(frozen=True)
class Settings:
    host: str
    port: int
    api_key: str
    db_path: str
    log_level: str
    pass_score: float = 60.0
    max_body_bytes: int = 64 * 1024


def _port(text: str) -> int:
    if not text.isdigit() or not 0 <= int(text) <= 65535:
        raise SettingsError(f"APP_PORT: want a port from 0 to 65535, got {text!r}")
    return int(text)


def load(env: dict[str, str] | None = None) -> Settings:
    env = dict(os.environ if env is None else env)
    key = env.get("LMS_API_KEY", "").strip()
    if not key:
        raise SettingsError("LMS_API_KEY is not set: put it into .env.docker.secret or the environment")
    if key.startswith("<") and key.endswith(">"):
        raise SettingsError("LMS_API_KEY still has the value of the example file")
    level = env.get("LOG_LEVEL", "info").lower()
    if level not in ("debug", "info", "warning", "error"):
        raise SettingsError(f"LOG_LEVEL: want debug, info, warning or error, got {level!r}")
    return Settings(
        host=env.get("APP_HOST", "127.0.0.1"),
        port=_port(env.get("APP_PORT", "42002")),
        api_key=key,
        db_path=env.get("DB_PATH", ":memory:"),
        log_level=level,
    )
