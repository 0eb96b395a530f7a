"""What several pages read alike. Each function is one query and gives frozen values."""
