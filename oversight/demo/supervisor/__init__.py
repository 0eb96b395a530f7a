"""`manage.py demo`: everything Placet needs, started, watched and stopped by one process."""
