"""The whole log: searched, verified, and given away so that others can verify it."""
