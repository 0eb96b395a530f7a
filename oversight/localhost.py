"""One name for the demo's address: passkeys and cookies belong to `localhost`, not to 127.0.0.1."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect


class LocalhostOnly:
    """Send a reader who came to 127.0.0.1 to the same page on localhost."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        host, _, port = request.get_host().partition(":")
        if host != "127.0.0.1" or request.method not in ("GET", "HEAD"):
            return self.get_response(request)
        address = f"localhost:{port}" if port else "localhost"
        return HttpResponseRedirect(f"{request.scheme}://{address}{request.get_full_path()}")
