"""Routes of the checkpoints."""

from django.urls import path, re_path

from oversight.pages.checkpoints import views

app_name = "checkpoints"
urlpatterns = [
    path("", views.page, name="page"),
    path("live/", views.live, name="live"),
    path("at/", views.at, name="at"),
    path("compare/", views.compare, name="compare"),
    re_path(r"^values/(?P<digest>[0-9a-f]{64})/$", views.value, name="value"),
    path("<uuid:checkpoint_id>/", views.checkpoint, name="checkpoint"),
    path("<uuid:checkpoint_id>/download/", views.download, name="download"),
]
