"""The Django project: pages for people, an API for agents, around the engine."""

from oversight.celery import app as celery_app

__all__ = ["celery_app"]
