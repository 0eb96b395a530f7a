"""Signing in at an identity provider by OpenID Connect: one provider, named in the environment.

The provider says who somebody is and nothing else. Who may come in is decided here: a person who
was invited and has linked that identity to their account themselves.
"""
