"""Facts that a person must answer for: what is wrong, what stands, and who took it on."""
