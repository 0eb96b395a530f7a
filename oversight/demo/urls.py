"""Routes that exist only where the demo is installed."""

from django.urls import path

from oversight.demo import sign_in, views

app_name = "demo"
urlpatterns = [
    path("sign-in/<slug:name>/", sign_in.enter, name="sign_in"),
    path("world/", views.world, name="world"),
    path("world/elsewhere/", views.elsewhere, name="elsewhere"),
]
