"""What is measured, one module for each part: each gives plain facts for the report."""
