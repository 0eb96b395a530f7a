"""Who may get an account: nobody by asking for one."""

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest


class ClosedSignUp(DefaultAccountAdapter):
    """People come by invitation; the sign-up page is closed."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False
