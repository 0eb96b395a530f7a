"""Routes of the rollback plans."""

from django.urls import path

from oversight.pages.rollbacks import views

app_name = "rollbacks"
urlpatterns = [
    path("", views.page, name="page"),
    path("<str:name>/<int:version>/", views.action, name="action"),
]
