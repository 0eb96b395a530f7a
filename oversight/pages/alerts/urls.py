"""Routes of the alerts."""

from django.urls import path

from oversight.pages.alerts import views

app_name = "alerts"
urlpatterns = [
    path("", views.page, name="page"),
    path("live/", views.news, name="news"),
    path("<uuid:alert_id>/", views.alert, name="alert"),
    path("<uuid:alert_id>/live/", views.live, name="live"),
    path("<uuid:alert_id>/acknowledge/", views.acknowledge, name="acknowledge"),
    path("<uuid:alert_id>/resolve/", views.resolve, name="resolve"),
    path("<uuid:alert_id>/resume/", views.resume, name="resume"),
    path("<uuid:alert_id>/accept/", views.accept, name="accept"),
]
