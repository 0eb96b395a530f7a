"""Every saved boundary of every run: found, verified, compared; and the state at any event."""
