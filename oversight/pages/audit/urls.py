"""Routes of the audit."""

from django.urls import path

from oversight.pages.audit import views

app_name = "audit"
urlpatterns = [
    path("", views.page, name="page"),
    path("live/", views.live, name="live"),
    path("verify/", views.verify, name="verify"),
    path("export/", views.export, name="export"),
    path("exports/", views.exports, name="exports"),
    path("exports/live/", views.exports_live, name="exports_live"),
    path("<uuid:run_id>/<int:seq>/", views.event, name="event"),
]
