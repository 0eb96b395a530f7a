"""Routes of the people."""

from django.urls import path

from oversight.pages.people import views

app_name = "people"
urlpatterns = [
    path("", views.page, name="page"),
    path("<int:person_id>/", views.person, name="person"),
    path("<int:person_id>/change/", views.change, name="change"),
    path("<int:person_id>/qualify/", views.qualify, name="qualify"),
    path("<int:person_id>/withdraw/", views.withdraw, name="withdraw"),
]
