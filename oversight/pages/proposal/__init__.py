"""One proposal version: everything a decision needs, and the decision itself."""
