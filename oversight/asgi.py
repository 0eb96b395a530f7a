"""The web process: `uvicorn oversight.asgi:application`."""

import os

from django.core.asgi import get_asgi_application

from oversight.agents_api.limits import bounded

os.environ["PLACET_PROCESS"] = "web"
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "oversight.settings")

application = bounded(get_asgi_application())
