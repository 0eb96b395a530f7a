"""The web process: `uvicorn oversight.asgi:application`."""

import os

from django.core.asgi import get_asgi_application

os.environ["PLACET_PROCESS"] = "web"
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "oversight.settings")

application = get_asgi_application()
