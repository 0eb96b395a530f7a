"""The policy: which rules hold, what is proposed to change of them, and who says so."""
