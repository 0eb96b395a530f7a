"""Routes of signing in at the provider. They are there only where one is named."""

from django.urls import path

from oversight.openid import views

app_name = "openid"
urlpatterns = [
    path("", views.start, name="start"),
    path("back/", views.back, name="back"),
    path("link/", views.link, name="link"),
    path("unlink/", views.unlink, name="unlink"),
]
