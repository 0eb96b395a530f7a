"""Routes of the overview."""

from django.urls import path

from oversight.pages.overview import views

app_name = "overview"
urlpatterns = [
    path("", views.page, name="page"),
    path("live/", views.live, name="live"),
    path("measured/", views.measured, name="measured"),
    path("proposals/", views.proposals, name="proposals"),
    path("proposals/live/", views.news, name="news"),
]
