"""Rollback plans: how each action is taken back, and what was taken back in practice."""
