"""Every write, and every read that a write depends on: `x.sql` beside `x.py`, same names."""
