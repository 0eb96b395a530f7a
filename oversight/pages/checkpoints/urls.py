"""Routes of the checkpoints."""

from django.urls import path

from oversight.pages.checkpoints import views

app_name = "checkpoints"
urlpatterns = [
    path("", views.page, name="page"),
    path("live/", views.live, name="live"),
    path("at/", views.at, name="at"),
    path("compare/", views.compare, name="compare"),
    path("<uuid:checkpoint_id>/", views.checkpoint, name="checkpoint"),
    path("<uuid:checkpoint_id>/download/", views.download, name="download"),
]
