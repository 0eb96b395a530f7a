"""What the overview reads: one function, one query, frozen values out."""
