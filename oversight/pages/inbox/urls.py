"""Routes of the inbox."""

from django.urls import path

from oversight.pages.inbox import views

app_name = "inbox"
urlpatterns = [
    path("", views.page, name="page"),
    path("live/", views.live, name="live"),
]
