"""Routes of a proposal."""

from django.urls import path

from oversight.pages.proposal import edit, premises, seen, step_up, views

app_name = "proposal"
urlpatterns = [
    path("<uuid:proposal_id>/", views.newest, name="newest"),
    path("<uuid:proposal_id>/<int:version>/", views.page, name="version"),
    path("<uuid:proposal_id>/<int:version>/live/", views.live, name="live"),
    path("<uuid:proposal_id>/<int:version>/decide/", views.decide, name="decide"),
    path("<uuid:proposal_id>/<int:version>/claim/", views.claim, name="claim"),
    path("<uuid:proposal_id>/<int:version>/step-up/", step_up.page, name="step_up"),
    path("<uuid:proposal_id>/<int:version>/take-back/", views.take_back, name="take_back"),
    path("<uuid:proposal_id>/<int:version>/edit/", edit.page, name="edit"),
    path("<uuid:proposal_id>/<int:version>/look/", premises.look, name="look"),
    path("<uuid:proposal_id>/<int:version>/seen/<uuid:decision_id>/", seen.told, name="seen"),
    path(
        "<uuid:proposal_id>/<int:version>/seen/<uuid:decision_id>/page/",
        seen.page,
        name="seen_page",
    ),
]
