"""Routes of the standing exemptions."""

from django.urls import path

from oversight.pages.exemptions import giving, views

app_name = "exemptions"
urlpatterns = [
    path("", views.page, name="page"),
    path("propose/", views.propose, name="propose"),
    path("<uuid:exemption_id>/", views.exemption, name="exemption"),
    path("<uuid:exemption_id>/approve/", giving.approve, name="approve"),
    path("<uuid:exemption_id>/step-up/", giving.step_up, name="step_up"),
    path("<uuid:exemption_id>/end/", views.end, name="end"),
]
