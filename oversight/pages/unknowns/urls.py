"""Routes of the unknown effects."""

from django.urls import path

from oversight.pages.unknowns import views

app_name = "unknowns"
urlpatterns = [
    path("", views.page, name="page"),
    path("live/", views.news, name="news"),
    path("<uuid:effect_id>/", views.effect, name="effect"),
    path("<uuid:effect_id>/live/", views.live, name="live"),
    path("<uuid:effect_id>/ask/", views.ask, name="ask"),
    path("<uuid:effect_id>/rule/", views.rule, name="rule"),
]
