"""Routes of a person's own security."""

from django.urls import path

from oversight.openid.showing import leads_there
from oversight.pages.security import views

app_name = "security"
urlpatterns = [
    path("", leads_there(views.page), name="page"),
    path("confirm/", views.confirm, name="confirm"),
    path("app/", views.add_app, name="add_app"),
    path("passkey/", views.add_passkey, name="add_passkey"),
    path("<int:factor_id>/remove/", views.remove, name="remove"),
    path("recovery-codes/", views.codes, name="codes"),
]
