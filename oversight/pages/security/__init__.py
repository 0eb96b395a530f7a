"""A person's own second factors: which there are, one more, one fewer, recovery codes."""
