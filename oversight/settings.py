"""All settings, from the environment. The demo sets what it needs; production names the rest.

Read by this module: DATABASE_URL, CELERY_BROKER_URL, PLACET_SECRET_KEY, PLACET_ALLOWED_HOSTS,
PLACET_LEASE_SECONDS, PLACET_MARGIN_SECONDS, PLACET_SWEEP_SECONDS, PLACET_STEP_UP_SECONDS,
PLACET_FRESH_SECONDS, PLACET_PORT, PLACET_DEMO, PLACET_LEDGER_URL, PLACET_REHEARSE_AS,
PLACET_SMTP_URL, PLACET_MAIL_FROM, PLACET_CACHE_URL, PLACET_OIDC_ISSUER, PLACET_OIDC_CLIENT_ID,
PLACET_OIDC_SECRET, PLACET_OIDC_NAME, PLACET_OIDC_ORIGINS, PLACET_METRICS_TOKEN, PLACET_LOG and
PLACET_PROCESS, which the web, worker and beat processes set by themselves; as JSON objects of
targets by name (see `engine.kit`): PLACET_HTTP_TARGETS, PLACET_MAIL and PLACET_FILE_ROOTS.
"""

import secrets
from os import environ
from pathlib import Path
from typing import Any

from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from oversight.environment import (
    database,
    identity_provider,
    log_format,
    mail_service,
    people,
    shared_cache,
    targets,
)

BASE_DIR = Path(__file__).resolve().parent.parent

# --- What is running -----------------------------------------------------------------------------

PROCESS = environ.get("PLACET_PROCESS", "command")
SERVING = PROCESS in ("web", "worker", "beat")
DEMO = environ.get("PLACET_DEMO") == "1"
DEBUG = False

PLACET_PORT = int(environ.get("PLACET_PORT", "8000"))
PLACET_LEDGER_URL = environ.get("PLACET_LEDGER_URL", "")
PLACET_SQL_TARGETS = {"ledger": PLACET_LEDGER_URL}
PLACET_HTTP_TARGETS = targets("PLACET_HTTP_TARGETS", environ)
PLACET_MAIL = targets("PLACET_MAIL", environ)
PLACET_FILE_ROOTS = targets("PLACET_FILE_ROOTS", environ)
PLACET_LEASE_SECONDS = float(environ.get("PLACET_LEASE_SECONDS", "30"))
PLACET_MARGIN_SECONDS = float(environ.get("PLACET_MARGIN_SECONDS", "2"))
PLACET_SWEEP_SECONDS = float(environ.get("PLACET_SWEEP_SECONDS", "5"))
# Who answers for the rehearsals that are played by themselves: an operator, and who approves.
PLACET_REHEARSE_AS = people("PLACET_REHEARSE_AS", environ)

# --- Secrets and names ---------------------------------------------------------------------------

SECRET_KEY = environ.get("PLACET_SECRET_KEY", "")
if not SECRET_KEY and SERVING:
    raise ImproperlyConfigured(
        "PLACET_SECRET_KEY is not set. Give the web, worker and beat processes the same long "
        "random value, for example from: "
        "python -c 'import secrets; print(secrets.token_urlsafe(64))'"
    )
if not SECRET_KEY:
    # A command that serves nobody may run without; what it signs is worth nothing afterwards.
    SECRET_KEY = secrets.token_urlsafe(64)

ALLOWED_HOSTS = [host for host in environ.get("PLACET_ALLOWED_HOSTS", "").split(",") if host]
if DEMO:
    ALLOWED_HOSTS += ["localhost", "127.0.0.1", "[::1]"]

# --- Parts ---------------------------------------------------------------------------------------

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "csp",
    "django_htmx",
    "template_partials",
    "engine",
    "oversight",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "oversight.access.RouteAccess",
    "oversight.counting.FailsClosed",
]
if DEMO:
    INSTALLED_APPS.append("oversight.demo")
    MIDDLEWARE.insert(2, "oversight.localhost.LocalhostOnly")
    PLACET_PAGER = environ.get("PLACET_PAGER", "")
    PLACET_PAGER_TAPE = environ.get("PLACET_PAGER_TAPE", "")

ROOT_URLCONF = "oversight.urls"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "oversight.navigation.frame",
                "oversight.openid.showing.button",
            ],
        },
    },
]

if DEMO:
    TEMPLATES[0]["OPTIONS"]["context_processors"].append("oversight.demo.sign_in.cast")

# --- Database and broker -------------------------------------------------------------------------

DATABASES = {"default": database(environ.get("DATABASE_URL", ""), process=PROCESS)}

CELERY_BROKER_URL = environ.get("CELERY_BROKER_URL", "redis://localhost:6379/0")
CELERY_RESULT_BACKEND = None
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_DEFAULT_QUEUE = "placet"
CELERY_TASK_ACKS_LATE = False
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_STORE_ERRORS_EVEN_IF_IGNORED = False
# Anyone who reaches the broker could otherwise order a worker about.
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False

# A worker waits for its broker for ever. Everybody else's message is a hint that the sweep makes
# good: it is given up within a second or so, rather than keep a reviewer waiting.
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_TASK_PUBLISH_RETRY = False
if PROCESS != "worker":
    CELERY_BROKER_CONNECTION_TIMEOUT = 1
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "socket_connect_timeout": 0.5,
        "socket_timeout": 1,
        "max_retries": 0,
    }

# Celery closes the connection after every task unless it is told how often to use it again.
CELERY_DB_REUSE_MAX = 2**31

# Nothing but intervals is scheduled, so the scheduler needs no file to remember them by.
CELERY_BEAT_SCHEDULER = "celery.beat.Scheduler"
CELERY_BEAT_SCHEDULE = {
    "sweep": {
        "task": "engine.tasks.sweep",
        "schedule": PLACET_SWEEP_SECONDS,
        "options": {"expires": PLACET_SWEEP_SECONDS},
    },
}
if PLACET_REHEARSE_AS:
    hourly = {"task": "oversight.rehearse", "schedule": 3600.0, "options": {"expires": 3600.0}}
    CELERY_BEAT_SCHEDULE["rehearsals"] = hourly

# --- Mail to people, and what all processes count together ---------------------------------------

PLACET_SENDS_MAIL = bool(environ.get("PLACET_SMTP_URL"))
DEFAULT_FROM_EMAIL = environ.get("PLACET_MAIL_FROM", "placet@localhost")
globals().update(mail_service(environ.get("PLACET_SMTP_URL", "")))
# How often somebody has tried to sign in: one count for all web processes, where one is named.
PLACET_CACHE_URL = environ.get("PLACET_CACHE_URL", "")
CACHES = {"default": shared_cache(PLACET_CACHE_URL)}

# --- Machines that look after this one -----------------------------------------------------------

# Without a token, nobody is told of metrics.
PLACET_METRICS_TOKEN = environ.get("PLACET_METRICS_TOKEN", "")

# --- People and their sessions -------------------------------------------------------------------

AUTH_USER_MODEL = "oversight.Person"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 12},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
ACCOUNT_ADAPTER = "oversight.signing_in.ClosedSignUp"
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "password1*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_SESSION_REMEMBER = False
# How often one address may try to come by an invitation, is sent to the identity provider, or signs
# in by password. A wrong password counts against the address, against the name as typed at that
# address, and, so that many addresses are not many tries, against the name everywhere: see
# `oversight.signing_in`.
ACCOUNT_RATE_LIMITS = {
    "join": "30/m/ip",
    "openid": "30/m/ip",
    "login": "30/m/ip",
    "login_failed": "10/m/ip,5/5m/key",
    "guesses": "60/h/key",
}
# Signing in by OpenID Connect; None where no provider is named, and then no page and route has it.
PLACET_OPENID: Any = identity_provider(environ)

# Second factors. Their secrets are sealed; a passkey asks for a finger, a face or a PIN each time.
MFA_ADAPTER = "oversight.second_factor.adapter.SecondFactors"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_FORMS = {"authenticate": "oversight.second_factor.forms.SignInCode"}
MFA_WEBAUTHN_USER_VERIFICATION = "required"
PLACET_SECOND_FACTORS = {
    "model": "mfa.Authenticator",
    "person": "user",
    "kind": "type",
    "kinds": {"totp": "totp", "webauthn": "passkey"},
}
PLACET_STEP_UP_SECONDS = float(environ.get("PLACET_STEP_UP_SECONDS", "180"))
PLACET_FRESH_SECONDS = float(environ.get("PLACET_FRESH_SECONDS", "600"))

# `__Host-` ties a cookie to this host, this path and https; the demo has no https.
_cookie_prefix = "placet-" if DEMO else "__Host-placet-"
SESSION_COOKIE_NAME = f"{_cookie_prefix}session"
SESSION_COOKIE_AGE = 12 * 60 * 60
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = not DEMO
CSRF_COOKIE_NAME = f"{_cookie_prefix}csrf"
CSRF_COOKIE_HTTPONLY = True
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SECURE = not DEMO
LANGUAGE_COOKIE_NAME = f"{_cookie_prefix}language"
LANGUAGE_COOKIE_HTTPONLY = True
LANGUAGE_COOKIE_SAMESITE = "Lax"
LANGUAGE_COOKIE_SECURE = not DEMO

# --- What a browser is told ----------------------------------------------------------------------

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
        "object-src": [NONE],
    },
}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SECURE_SSL_REDIRECT = not DEMO
SECURE_HSTS_SECONDS = 0 if DEMO else 365 * 24 * 60 * 60
SECURE_HSTS_INCLUDE_SUBDOMAINS = not DEMO
# Browsers' preload lists are a matter for the owner of the whole domain, not for this program.
SILENCED_SYSTEM_CHECKS = ["security.W021"]
DATA_UPLOAD_MAX_MEMORY_SIZE = 256 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 1000

# --- Files ---------------------------------------------------------------------------------------

STATIC_URL = "/static/"
STATIC_ROOT = None if DEMO else BASE_DIR / "staticfiles"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEMO
        else "whitenoise.storage.CompressedManifestStaticFilesStorage"
    },
}
# The demo serves the files as they lie in the project; production collects them first.
WHITENOISE_USE_FINDERS = WHITENOISE_AUTOREFRESH = DEMO

# --- Words and time ------------------------------------------------------------------------------

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English")]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

# --- Log -----------------------------------------------------------------------------------------

LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "lines": {
            "()": "oversight.log_line.OneLine",
            "format": "{asctime} {levelname} {name} {message}",
            "style": "{",
        },
        "json": {"()": "oversight.log_line.OneObject"},
    },
    "handlers": {
        "stderr": {"class": "logging.StreamHandler", "formatter": log_format("PLACET_LOG", environ)}
    },
    "root": {"handlers": ["stderr"], "level": "INFO"},
    # Django's own handlers would write every record a second time, and mail the administrators.
    "loggers": {"django": {"handlers": [], "level": "INFO", "propagate": True}},
}
