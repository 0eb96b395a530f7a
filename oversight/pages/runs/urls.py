"""Routes of the runs."""

from django.urls import path

from oversight.pages.runs import control, rollback, views

app_name = "runs"
urlpatterns = [
    path("", views.page, name="page"),
    path("<uuid:run_id>/", views.run, name="run"),
    path("<uuid:run_id>/live/", views.live, name="live"),
    path("<uuid:run_id>/ask/", control.ask, name="ask"),
    path("<uuid:run_id>/rollback/", rollback.page, name="rollback"),
    path("<uuid:run_id>/take-back/", rollback.take_back, name="take_back"),
    path("<uuid:run_id>/by-hand/", rollback.by_hand, name="by_hand"),
    path("<uuid:run_id>/fork/", control.fork, name="fork"),
    path("<uuid:run_id>/budget/", control.raise_budget, name="budget"),
]
