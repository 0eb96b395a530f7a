"""Every route of the project; `access.py` says who may take which."""

from allauth.account import views as account
from allauth.mfa.base.views import authenticate as second_step
from django.conf import settings
from django.urls import URLPattern, URLResolver, include, path

from oversight import access
from oversight.openid.showing import leads_there
from oversight.pages.overview import views as overview
from oversight.pages.people.accepting import accept

urlpatterns: list[URLPattern | URLResolver] = [
    path("", overview.start, name="start"),
    path("overview/", include("oversight.pages.overview.urls")),
    path("inbox/", include("oversight.pages.inbox.urls")),
    path("proposals/", include("oversight.pages.proposal.urls")),
    path("runs/", include("oversight.pages.runs.urls")),
    path("unknowns/", include("oversight.pages.unknowns.urls")),
    path("alerts/", include("oversight.pages.alerts.urls")),
    path("stop/", include("oversight.pages.stop.urls")),
    path("checkpoints/", include("oversight.pages.checkpoints.urls")),
    path("rollbacks/", include("oversight.pages.rollbacks.urls")),
    path("policy/exemptions/", include("oversight.pages.exemptions.urls")),
    path("policy/", include("oversight.pages.policy.urls")),
    path("people/", include("oversight.pages.people.urls")),
    path("audit/", include("oversight.pages.audit.urls")),
    path("api/", include("oversight.agents_api.urls")),
    path("sign-in/", leads_there(account.login), name="account_login"),
    path("invitation/<str:token>/", accept, name="invitation"),
    path("sign-in/closed/", access.closed_account, name="account_inactive"),
    path("sign-in/second-factor/", second_step, name="mfa_authenticate"),
    path("security/", include("oversight.pages.security.urls")),
    path("sign-out/", account.logout, name="account_logout"),
]

if settings.PLACET_OPENID:
    urlpatterns.append(path("sign-in/with/", include("oversight.openid.urls")))
if settings.DEMO:
    urlpatterns.append(path("demo/", include("oversight.demo.urls")))
