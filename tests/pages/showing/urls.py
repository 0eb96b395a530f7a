"""The few addresses that the parts themselves need."""

from django.http import HttpResponse
from django.urls import include, path


def nowhere(request, **kwargs) -> HttpResponse:
    return HttpResponse()


demo = ([path("in/<name>", nowhere, name="sign_in")], "demo")
security = ([path("", nowhere, name="page")], "security")
urlpatterns = [
    path("in", nowhere, name="account_login"),
    path("out", nowhere, name="account_logout"),
    path("demo/", include(demo)),
    path("security/", include(security)),
]
