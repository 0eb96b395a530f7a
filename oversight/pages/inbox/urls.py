"""Routes of the inbox."""

from django.urls import path

from oversight.pages.inbox import views

app_name = "inbox"
urlpatterns = [
    path("", views.page, name="page"),
    path("choose/", views.choose, name="choose"),
    path("reject/", views.reject, name="reject"),
    path("live/", views.live, name="live"),
]
