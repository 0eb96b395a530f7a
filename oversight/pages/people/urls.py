"""Routes of the people."""

from django.urls import path

from oversight.pages.people import inviting, own, views

app_name = "people"
urlpatterns = [
    path("", views.page, name="page"),
    path("me/", own.me, name="me"),
    path("invite/", inviting.invite, name="invite"),
    path("invitations/<uuid:invitation_id>/again/", inviting.again, name="again"),
    path("invitations/<uuid:invitation_id>/withdraw/", inviting.recall, name="recall"),
    path("<int:person_id>/", views.person, name="person"),
    path("<int:person_id>/change/", views.change, name="change"),
    path("<int:person_id>/qualify/", views.qualify, name="qualify"),
    path("<int:person_id>/withdraw/", views.withdraw, name="withdraw"),
]
