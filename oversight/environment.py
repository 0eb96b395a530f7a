"""What the environment says, as Django wants to hear it."""

import json
from collections.abc import Mapping, MutableMapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured
from psycopg.conninfo import conninfo_to_dict

from oversight.counting import CACHE
from oversight.openid.provider import Provider, named

DEMO_ENVIRONMENT = "demo.env"
"""Name of the file, KEY=VALUE lines and mode 0600, that lies in the data folder while the demo
runs."""

# The connection parameters that Django has a setting of its own for.
_DJANGO_NAMES = {
    "dbname": "NAME",
    "user": "USER",
    "password": "PASSWORD",
    "host": "HOST",
    "port": "PORT",
}


def adopt_running_demo(environ: MutableMapping[str, str], data: Path) -> None:
    """Take the settings of the demo running on the folder `data`, unless a database is named."""
    written = data / DEMO_ENVIRONMENT
    if environ.get("DATABASE_URL") or not written.exists():
        return
    for line in written.read_text(encoding="utf-8").splitlines():
        key, separator, value = line.partition("=")
        if separator:
            environ.setdefault(key, value)


def targets(variable: str, environ: Mapping[str, str]) -> dict[str, Any]:
    """Return the JSON object in the variable, targets by name; an empty one where it is not set.

    Raises ImproperlyConfigured, without repeating what was found: it may hold passwords.
    """
    try:
        found = json.loads(environ.get(variable) or "{}")
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise ImproperlyConfigured(f"{variable} is no JSON object of targets by name.")
    return found


def people(variable: str, environ: Mapping[str, str]) -> tuple[str, ...] | None:
    """Return the names in the variable, `operator:reviewer`, or with more reviewers after more
    colons; None where it is not set.

    Raises ImproperlyConfigured for anything that does not name at least two, all different.
    """
    names = tuple(environ.get(variable, "").split(":"))
    if names == ("",):
        return None
    if len(names) < 2 or not all(names) or len(set(names)) < len(names):
        raise ImproperlyConfigured(f"{variable} names different people: operator:reviewer.")
    return names


def database(url: str, *, process: str) -> dict[str, Any]:
    """Return Django's settings of the database at `url`, a libpq URL or connection string.

    A `web` process shares a pool among its requests; every other process keeps one connection.
    Without a URL the settings name a database that explains itself when first used.
    """
    settings = _from_connection_string(url)
    settings["ENGINE"] = "django.db.backends.postgresql" if url else "oversight.nodatabase"
    settings["CONN_HEALTH_CHECKS"] = True
    settings["CONN_MAX_AGE"] = 0 if process == "web" else None
    settings["OPTIONS"] |= _options(process)
    return settings


def _from_connection_string(url: str) -> dict[str, Any]:
    settings: dict[str, Any] = {"OPTIONS": {}}
    for name, value in conninfo_to_dict(url).items():
        target = _DJANGO_NAMES.get(name)
        if target:
            settings[target] = str(value)
        else:
            settings["OPTIONS"][name] = value
    return settings


def _options(process: str) -> dict[str, Any]:
    """Times in seconds. A statement is prepared at its third execution on a connection."""
    options: dict[str, Any] = {
        "application_name": f"placet {process}",
        "connect_timeout": 5,
        "prepare_threshold": 2,
    }
    if process == "web":
        options["pool"] = {"min_size": 2, "max_size": 8, "timeout": 5}
    return options


def log_format(variable: str, environ: Mapping[str, str]) -> str:
    """How the log is written: as lines for people, which is the default, or as JSON objects.

    Raises ImproperlyConfigured for anything else.
    """
    found = environ.get(variable) or "lines"
    if found not in ("lines", "json"):
        raise ImproperlyConfigured(f"{variable} is `lines` or `json`.")
    return found


def mail_service(url: str) -> dict[str, Any]:
    """Django's settings of the mail service at `url`: smtp://, smtps:// (TLS from the start) or
    smtp+tls:// (STARTTLS). Nothing is sent where none is named.

    Raises ImproperlyConfigured, without repeating what was found: it may hold a password.
    """
    if not url:
        return {"EMAIL_BACKEND": "django.core.mail.backends.dummy.EmailBackend"}
    found = urlsplit(url)
    if found.scheme not in ("smtp", "smtps", "smtp+tls") or not found.hostname:
        raise ImproperlyConfigured("PLACET_SMTP_URL names no mail service: smtp+tls://host:587.")
    return {
        "EMAIL_HOST": found.hostname,
        "EMAIL_PORT": found.port or {"smtps": 465, "smtp+tls": 587}.get(found.scheme, 25),
        "EMAIL_HOST_USER": unquote(found.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(found.password or ""),
        "EMAIL_USE_SSL": found.scheme == "smtps",
        "EMAIL_USE_TLS": found.scheme == "smtp+tls",
        "EMAIL_TIMEOUT": 10,
    }


def shared_cache(url: str) -> dict[str, Any]:
    """Django's cache at `url`, which all processes share; without one, each has its own."""
    if not url:
        return {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
    return {**CACHE, "LOCATION": url}


def identity_provider(environ: Mapping[str, str]) -> Provider | None:
    """Who else than ourselves says who somebody is; None where nothing of it is set.

    Raises ImproperlyConfigured for half a setting, without repeating what was found.
    """
    parts = ("issuer", "client_id", "secret", "name", "origins")
    found = {part: environ.get(f"PLACET_OIDC_{part.upper()}", "") for part in parts}
    return named(**found) if any(found.values()) else None
