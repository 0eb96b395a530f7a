"""The refund desk's agent: a program outside Placet that knows nothing but its HTTP API.

Nothing of Placet is imported here, and nothing of Django: this could run on another machine.
"""
