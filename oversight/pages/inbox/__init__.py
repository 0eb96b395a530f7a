"""What waits for this person's decision, and what became of what was decided."""
