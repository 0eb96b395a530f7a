"""Routes of the runs."""

from django.urls import path

from oversight.pages.runs import control, views

app_name = "runs"
urlpatterns = [
    path("", views.page, name="page"),
    path("<uuid:run_id>/", views.run, name="run"),
    path("<uuid:run_id>/live/", views.live, name="live"),
    path("<uuid:run_id>/ask/", control.ask, name="ask"),
    path("<uuid:run_id>/fork/", control.fork, name="fork"),
]
