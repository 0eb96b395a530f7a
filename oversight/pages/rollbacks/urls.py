"""Routes of the rollback plans."""

from django.urls import path

from oversight.pages.rollbacks import views

app_name = "rollbacks"
urlpatterns = [
    path("", views.page, name="page"),
    path("rehearsals/<uuid:rehearsal_id>/", views.rehearsal, name="rehearsal"),
    path("<str:name>/<int:version>/", views.action, name="action"),
]
