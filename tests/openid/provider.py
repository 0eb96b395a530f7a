"""A small OpenID provider of its own process: discovery, keys, RS256, authorization code and PKCE.

`python -m tests.openid.provider PORT CLIENT_ID SECRET`. Its sign-in page believes whatever name is
typed, and `mischief` has it do one thing wrong, so that a test can see who notices. Tokens are
made by hand here, by no library that their reader uses.
"""

import hashlib
import hmac
import json
import secrets
import sys
import time
from base64 import b64decode, urlsafe_b64encode
from collections.abc import Mapping
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote_plus, urlencode, urlsplit

from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
ANOTHER_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
DISCOVERY = "/.well-known/openid-configuration"

Facts = Mapping[str, Any]


def plain(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def number(value: int) -> str:
    return plain(value.to_bytes((value.bit_length() + 7) // 8, "big"))


def signed(header: Facts, claims: Facts, key: rsa.RSAPrivateKey = KEY) -> str:
    body = ".".join(plain(json.dumps(part).encode()) for part in (header, claims))
    return f"{body}.{plain(key.sign(body.encode(), padding.PKCS1v15(), SHA256()))}"


def with_a_shared_secret(claims: Facts, secret: bytes) -> str:
    header = {"alg": "HS256", "kid": "1", "typ": "JWT"}
    body = ".".join(plain(json.dumps(part).encode()) for part in (header, claims))
    return f"{body}.{plain(hmac.digest(secret, body.encode(), 'sha256'))}"


def published_key() -> bytes:
    return KEY.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


WRONG_CLAIMS: Mapping[str, Facts] = {
    "nonce": {"nonce": "of another attempt"},
    "issuer": {"iss": "https://elsewhere.example"},
    "audience": {"aud": "another client"},
    "party": {"aud": ["placet", "another client"], "azp": "another client"},
    "expired": {"iat": 1_700_000_000, "exp": 1_700_000_300},
    "early": {"iat": 4_000_000_000, "exp": 4_000_000_300},
    "nobody": {"sub": ""},
    "mail": {"email": "zoe@example.org", "email_verified": False, "preferred_username": "zoe"},
    "verified mail": {"email": "zoe@example.org", "email_verified": True},
}
"""What a token says that it should not; of mail addresses there is nothing to say at all."""


def token(issuer: str, code: Facts, client_id: str, secret: str) -> str:
    now, mischief = int(time.time()), code["mischief"]
    claims = {"iss": issuer, "aud": client_id, "sub": code["subject"], "nonce": code["nonce"]}
    claims |= {"iat": now, "exp": now + 300, **WRONG_CLAIMS.get(mischief, {})}
    header = {"alg": "RS256", "kid": "1", "typ": "JWT"}
    if mischief == "unsigned":
        parts = ({**header, "alg": "none"}, claims)
        return ".".join(plain(json.dumps(part).encode()) for part in parts) + "."
    if mischief == "signature dropped":
        return signed(header, claims).rpartition(".")[0] + "."
    if mischief == "our secret":
        return with_a_shared_secret(claims, secret.encode())
    if mischief == "public key as a secret":
        return with_a_shared_secret(claims, published_key())
    if mischief == "another key":
        return signed(header, claims, ANOTHER_KEY)
    if mischief == "unknown key":
        return signed({**header, "kid": "2"}, claims, ANOTHER_KEY)
    if mischief == "its own key":
        public = ANOTHER_KEY.public_key().public_numbers()
        jwk = {"kty": "RSA", "n": number(public.n), "e": number(public.e)}
        return signed({**header, "jwk": jwk}, claims, ANOTHER_KEY)
    return "no token" if mischief == "no token" else signed(header, claims)


class Provider(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, port: int, client_id: str, secret: str) -> None:
        super().__init__(("127.0.0.1", port), Visit)
        self.issuer = f"http://localhost:{port}"
        self.client_id, self.secret = client_id, secret
        self.codes: dict[str, dict[str, str]] = {}


class Visit(BaseHTTPRequestHandler):
    server: Provider

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        if path.endswith(DISCOVERY):
            self._document(self._discovery())
        elif path == "/keys":
            public = KEY.public_key().public_numbers()
            key = {"kty": "RSA", "kid": "1", "use": "sig", "alg": "RS256"}
            self._document({"keys": [{**key, "n": number(public.n), "e": number(public.e)}]})
        elif path == "/authorize":
            self._page()
        else:
            self.send_error(404)

    def do_POST(self) -> None:
        fields = self._fields()
        if urlsplit(self.path).path == "/authorize":
            self._let_go(fields)
        else:
            self._exchange(fields)

    def _discovery(self) -> Facts:
        at = self.server.issuer
        doors = {"authorization_endpoint": f"{at}/authorize", "token_endpoint": f"{at}/token"}
        ways = ["client_secret_basic"] if "basic" not in self.path else ["client_secret_post"]
        more = {"jwks_uri": f"{at}/keys", "token_endpoint_auth_methods_supported": ways}
        return {"issuer": at, **doors, **more}

    def _page(self) -> None:
        form = (
            "<!doctype html><html lang='en'><title>Provider</title><link rel='icon' href='data:,'>"
            "<main><h1>Who are you?</h1>"
            f"<form method='post' action='{escape(self.path)}'>"
            "<label>Name <input name='subject' autofocus></label><button>Go on</button>"
            "<button name='mischief' value='denied'>Never mind</button></form></main></html>"
        )
        self._answer(200, form.encode(), "text/html; charset=utf-8")

    def _let_go(self, fields: Mapping[str, str]) -> None:
        asked = {name: each[0] for name, each in parse_qs(urlsplit(self.path).query).items()}
        assert asked["client_id"] == self.server.client_id
        assert (asked["response_type"], asked["scope"]) == ("code", "openid")
        assert (asked["code_challenge_method"], len(asked["code_challenge"])) == ("S256", 43)
        mischief = fields.get("mischief", "")
        code = secrets.token_urlsafe(16)
        self.server.codes[code] = {**asked, "subject": fields["subject"], "mischief": mischief}
        told = {"code": code, "state": asked["state"]}
        if mischief == "denied":
            told = {"error": "access_denied", "state": asked["state"]}
        if mischief == "answers for another":
            told["iss"] = "https://elsewhere.example"
        if mischief == "no such code":
            told["code"] = "guessed"
        self.send_response(302)
        self.send_header("Location", f"{asked['redirect_uri']}?{urlencode(told)}")
        self.end_headers()

    def _exchange(self, fields: Mapping[str, str]) -> None:
        code = self.server.codes.pop(fields["code"], None)
        challenge = plain(hashlib.sha256(fields.get("code_verifier", "").encode()).digest())
        if not self._is_the_client():
            return self._document({"error": "invalid_client"}, 401)
        if (
            code is None
            or code["redirect_uri"] != fields["redirect_uri"]
            or code["code_challenge"] != challenge
        ):
            return self._document({"error": "invalid_grant"}, 400)
        if code["mischief"] == "no answer":
            return self._answer(200, b"<html>", "text/html")
        made = token(self.server.issuer, code, self.server.client_id, self.server.secret)
        self._document({"id_token": made, "access_token": "unused", "token_type": "Bearer"})

    def _is_the_client(self) -> bool:
        said = b64decode(self.headers.get("Authorization", "").removeprefix("Basic ")).decode()
        both = [unquote_plus(part) for part in said.split(":")]
        return both == [self.server.client_id, self.server.secret]

    def _fields(self) -> dict[str, str]:
        body = self.rfile.read(int(self.headers.get("Content-Length", "0"))).decode()
        return {name: each[0] for name, each in parse_qs(body, keep_blank_values=True).items()}

    def _document(self, document: Facts, status: int = 200) -> None:
        self._answer(status, json.dumps(document).encode(), "application/json")

    def _answer(self, status: int, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """What it was asked is nobody's business."""


if __name__ == "__main__":
    provider = Provider(int(sys.argv[1]), sys.argv[2], sys.argv[3])
    sys.stdout.write("The provider listens\n")
    sys.stdout.flush()
    provider.serve_forever()
