"""Workers are killed at every point of three effects and of their rollback, and what is left is
checked: in the world, in the log, in the tables, and why nothing happened twice.
"""
