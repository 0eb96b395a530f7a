"""Routes of the policy."""

from django.urls import path

from oversight.pages.policy import views

app_name = "policy"
urlpatterns = [
    path("", views.page, name="page"),
    path("propose/", views.propose, name="propose"),
    path("<int:version>/", views.version, name="version"),
    path("<int:version>/replay/", views.replay, name="replay"),
    path("<int:version>/answer/", views.answer, name="answer"),
]
