"""The demo's settings, with passwords that are cheap to check and margins that are short.

As in the demo, pages are served over plain http and static files need no collecting; what only
production has is tested in processes of its own.
"""

import os

os.environ["PLACET_DEMO"] = "1"

from oversight.openid.provider import named
from oversight.settings import *  # noqa: F403

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
PLACET_MARGIN_SECONDS = float(os.environ.get("PLACET_MARGIN_SECONDS", "0.5"))
CELERY_IMPORTS = ["tests.faults.at_a_statement"]

if PLACET_OPENID is None:  # noqa: F405
    # Its routes and its button are there to be tested; at that port nobody answers.
    PLACET_OPENID = named(
        issuer="http://localhost:9", client_id="c", secret="s", name="Example Accounts", origins=""
    )
