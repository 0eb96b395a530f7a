"""The stop: whether one is in force, what it held up, and going on."""
