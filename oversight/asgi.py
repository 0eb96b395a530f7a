"""The web process: `uvicorn oversight.asgi:application`."""

import os
from typing import cast

from django.core.asgi import get_asgi_application

from oversight.agents_api.limits import Application, bounded

os.environ["PLACET_PROCESS"] = "web"
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "oversight.settings")

application = bounded(cast(Application, get_asgi_application()))
