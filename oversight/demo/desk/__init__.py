"""The refund desk: a small outside world with a ledger of its own."""
