"""The runs: a list, and one run as effects, as a timeline and as its raw log."""
