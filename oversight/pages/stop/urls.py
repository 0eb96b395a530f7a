"""Routes of the stop."""

from django.urls import path

from oversight.pages.stop import views

app_name = "stop"
urlpatterns = [
    path("", views.page, name="page"),
    path("live/", views.live, name="live"),
    path("place/", views.place, name="place"),
    path("lift/", views.lift, name="lift"),
    path("<uuid:stop_id>/", views.receipt, name="receipt"),
]
