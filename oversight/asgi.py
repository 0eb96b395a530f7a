"""The web process: `uvicorn oversight.asgi:application`."""

import os
from typing import cast

# Before anything that could read the settings: the process says what it is.
os.environ["PLACET_PROCESS"] = "web"
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "oversight.settings")

from django.conf import settings
from django.core.asgi import get_asgi_application

from oversight.agents_api.limits import Application, bounded
from oversight.operations.probes import probed

_people_and_agents = bounded(cast(Application, get_asgi_application()))
application = probed(_people_and_agents, token=settings.PLACET_METRICS_TOKEN)
