"""The outside world of the demo: a shop's ledger in a database of its own."""
