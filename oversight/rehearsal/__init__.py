"""Rehearsals of rollback plans, played for real: workers as processes of their own, one killed."""
