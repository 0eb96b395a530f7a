"""Standing exemptions: proposed, given, looked at, ended."""
