"""Effects whose outcome nobody can tell: what is known of each, and an operator's ruling."""
